package http_test

import (
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	server "tilth/adapters/http"
)

// FuzzAcceptEncoding checks that a caller can read the answer, whatever it says that it accepts.
func FuzzAcceptEncoding(f *testing.F) {
	for _, seed := range []string{"gzip", "zstd;q=0.1, gzip;q=0.2", "*", ",;q=,gzip;q=-1", "gzip;q=NaN", "identity;q=0", "gzip;q=1e400"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		r, _ := answering(t, server.Config{}, 6000)
		plain := r.ask("GET", base+"text/")
		w := r.ask("GET", base+"text/", header("Accept-Encoding", accept))
		require.Equal(t, 200, w.Code)
		coding := w.Header().Get("Content-Encoding")
		require.True(t, slices.Contains([]string{"", "gzip", "zstd"}, coding), coding)
		body, err := io.ReadAll(uncompressed(t, coding, w.Body))
		require.NoError(t, err)
		require.JSONEq(t, plain.Body.String(), string(body))
	})
}
