package http_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	server "tilth/adapters/http"
	"tilth/adapters/http/rest"
)

// answering returns a server that answers text/ with a text of a given length, and flow/ in parts,
// each of which is flushed; next releases the second part.
func answering(t *testing.T, config server.Config, length int) (*rig, chan struct{}) {
	t.Helper()
	next := make(chan struct{})
	r := newRig(t, config, func(d *server.Deps) {
		d.Register = func(a *rest.API) {
			rest.Handle(a, rest.Route{Method: "GET", Path: "text/", OperationID: "text", Summary: "Text", Tag: "Tests"},
				func(_ context.Context, _ *rest.Call, _ struct{}) (string, error) {
					return strings.Repeat("tilth ", length/6), nil
				})
			rest.Handle(a, rest.Route{Method: "GET", Path: "image/", OperationID: "image", Summary: "Image", Tag: "Tests", Media: []string{"image/png"}},
				func(_ context.Context, _ *rest.Call, _ struct{}) (rest.Raw, error) {
					return rest.Raw{ContentType: "image/png", Write: func(w io.Writer) error {
						_, err := io.WriteString(w, strings.Repeat("x", length))
						return err
					}}, nil
				})
			rest.Handle(a, rest.Route{Method: "GET", Path: "flow/", OperationID: "flow", Summary: "Flow", Tag: "Tests", Media: []string{"text/csv"}},
				func(_ context.Context, _ *rest.Call, _ struct{}) (rest.Raw, error) {
					return rest.Raw{ContentType: "text/csv", Write: func(w io.Writer) error {
						_, err := io.WriteString(w, "first\n")
						w.(http.Flusher).Flush()
						<-next
						_, _ = io.WriteString(w, "second\n")
						return err
					}}, nil
				})
		}
	})
	return r, next
}

func uncompressed(t *testing.T, coding string, body io.Reader) io.Reader {
	t.Helper()
	switch coding {
	case "gzip":
		in, err := gzip.NewReader(body)
		require.NoError(t, err)
		return in
	case "zstd":
		in, err := zstd.NewReader(body)
		require.NoError(t, err)
		t.Cleanup(in.Close)
		return in
	}
	require.Empty(t, coding)
	return body
}

func TestCompression(t *testing.T) {
	r, _ := answering(t, server.Config{}, 20_000)
	plain := r.ask("GET", base+"text/")
	require.Empty(t, plain.Header().Get("Content-Encoding"))
	require.Contains(t, plain.Header().Values("Vary"), "Accept-Encoding")
	for accept, want := range map[string]string{
		"gzip": "gzip", "zstd": "zstd", "gzip, zstd": "zstd", "gzip;q=1, zstd;q=0.5": "gzip", "gzip;q=0": "", "br": "", "GZIP , deflate": "gzip",
	} {
		w := r.ask("GET", base+"text/", header("Accept-Encoding", accept))
		require.Equal(t, want, w.Header().Get("Content-Encoding"), accept)
		got, err := io.ReadAll(uncompressed(t, want, w.Body))
		require.NoError(t, err)
		require.JSONEq(t, plain.Body.String(), string(got), accept)
		if want == "" {
			require.Equal(t, plain.Header().Get("ETag"), w.Header().Get("ETag"))
			continue
		}
		require.NotEqual(t, plain.Header().Get("ETag"), w.Header().Get("ETag"), "another representation has another tag")
		known := r.ask("GET", base+"text/", header("Accept-Encoding", accept), header("If-None-Match", w.Header().Get("ETag")))
		require.Equal(t, 304, known.Code, "%s", accept)
		require.Empty(t, known.Body.Bytes())
		require.Equal(t, w.Header().Get("ETag"), known.Header().Get("ETag"))
	}
	require.Empty(t, r.ask("GET", base+"image/", header("Accept-Encoding", "gzip")).Header().Get("Content-Encoding"), "compressed already")
	require.Empty(t, r.ask("GET", base+"nothing/", header("Accept-Encoding", "gzip")).Header().Get("Content-Encoding"), "an error is not kept, and short")
	short, _ := answering(t, server.Config{}, 60)
	require.Empty(t, short.ask("GET", base+"text/", header("Accept-Encoding", "gzip")).Header().Get("Content-Encoding"), "too short to gain")
}

func TestCompressedAnswersAreFlushed(t *testing.T) {
	r, next := answering(t, server.Config{}, 0)
	s := httptest.NewServer(r.Handler())
	defer s.Close()
	for _, coding := range []string{"gzip", "zstd"} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+base+"flow/", nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer good")
		req.Header.Set("Accept-Encoding", coding)
		res, err := s.Client().Do(req)
		require.NoError(t, err)
		require.Equal(t, coding, res.Header.Get("Content-Encoding"))
		body := uncompressed(t, coding, res.Body)
		first := make([]byte, 6)
		_, err = io.ReadFull(body, first) // would wait for ever if the first part were held back
		require.NoError(t, err)
		require.Equal(t, "first\n", string(first))
		next <- struct{}{}
		rest, err := io.ReadAll(body)
		require.NoError(t, err)
		require.Equal(t, "second\n", string(rest))
		require.NoError(t, res.Body.Close())
	}
}

func TestOtherOrigins(t *testing.T) {
	closed := newRig(t, server.Config{})
	require.Empty(t, closed.ask("GET", base+"thing/1/", header("Origin", "https://app.example")).Header().Get("Access-Control-Allow-Origin"), "off by default")

	r := newRig(t, server.Config{CORSOrigins: []string{"https://app.example"}})
	w := r.ask("GET", base+"thing/1/", header("Origin", "https://app.example"))
	require.Equal(t, "https://app.example", w.Header().Get("Access-Control-Allow-Origin"))
	require.Contains(t, w.Header().Get("Access-Control-Expose-Headers"), "ETag")
	require.Empty(t, w.Header().Get("Access-Control-Allow-Credentials"))
	require.Contains(t, w.Header().Values("Vary"), "Origin")

	preflight := r.ask("OPTIONS", base+"thing/1/", header("Authorization", ""), header("Origin", "https://app.example"), header("Access-Control-Request-Method", "PATCH"))
	require.Equal(t, 204, preflight.Code, "before any credential")
	require.Contains(t, preflight.Header().Get("Access-Control-Allow-Methods"), "PATCH")
	require.Contains(t, preflight.Header().Get("Access-Control-Allow-Headers"), "If-Match")

	for _, origin := range []string{"https://evil.example", "https://app.example.evil", "null", "http://app.example"} {
		w := r.ask("GET", base+"thing/1/", header("Origin", origin))
		require.Empty(t, w.Header().Get("Access-Control-Allow-Origin"), origin)
		require.Contains(t, w.Header().Values("Vary"), "Origin", "what is kept for one origin is not for another")
	}
	unauthenticated := r.ask("GET", base+"thing/1/", header("Authorization", ""), header("Origin", "https://app.example"))
	require.Equal(t, 401, unauthenticated.Code)
	require.NotEmpty(t, unauthenticated.Header().Get("Access-Control-Allow-Origin"), "the page may see why")
}
