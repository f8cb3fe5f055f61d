package wire_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/wire"
)

func TestReadySaysWhatTheProcessSays(t *testing.T) {
	t.Parallel()
	status, said := http.StatusOK, `{"status":"ready"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			status = http.StatusNotFound
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(said + "\n"))
	}))
	defer server.Close()
	cfg := cli.Config{AdminAddr: server.Listener.Addr().String()}
	got, err := wire.Program{}.Ready(t.Context(), cfg)
	require.NoError(t, err)
	require.JSONEq(t, said, got)

	status, said = http.StatusServiceUnavailable, `{"status":"unavailable"}`
	_, err = wire.Program{}.Ready(t.Context(), cfg)
	require.ErrorContains(t, err, `{"status":"unavailable"}`)

	server.Close()
	_, err = wire.Program{}.Ready(t.Context(), cfg)
	require.ErrorContains(t, err, "does not answer")
	_, err = wire.Program{}.Ready(t.Context(), cli.Config{AdminAddr: "off"})
	require.ErrorContains(t, err, "Fix: ")
}

func TestAProcessOnAllAddressesIsReached(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end() // the error names the address, and nothing is asked
	for addr, want := range map[string]string{
		":8081": "127.0.0.1:8081", "0.0.0.0:8081": "127.0.0.1:8081", "[::]:8081": "[::1]:8081",
		"127.0.0.1:8081": "127.0.0.1:8081", "tilth.internal:1": "tilth.internal:1", "[::1]:8081": "[::1]:8081",
	} {
		_, err := wire.Program{}.Ready(ended, cli.Config{AdminAddr: addr})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, `"http://`+want+`/readyz"`)
	}
}
