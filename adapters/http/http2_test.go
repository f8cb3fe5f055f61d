package http_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	server "tilth/adapters/http"
)

// tlsRig returns a server with TLS, and an HTTP/2 client that buffers little of what it does not read.
func tlsRig(t *testing.T, config server.Config) (r *rig, client *http.Client, address string) {
	t.Helper()
	signed := httptest.NewUnstartedServer(http.NotFoundHandler())
	signed.StartTLS()
	t.Cleanup(signed.Close)
	config.TLS = &tls.Config{Certificates: signed.TLS.Certificates}
	r = newRig(t, config)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Serve(ctx, listener) }()
	transport := signed.Client().Transport.(*http.Transport).Clone()
	transport.ForceAttemptHTTP2 = true
	transport.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 16 << 10}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		stop()
		require.NoError(t, <-done)
	})
	return r, &http.Client{Transport: transport}, "https://" + listener.Addr().String()
}

func send(t *testing.T, client *http.Client, method, address string, body io.Reader) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, body)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer good")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept-Encoding", "identity")
	res, err := client.Do(req)
	require.NoError(t, err)
	return res
}

// On an HTTP/2 connection the deadline belongs to an answer: one that nobody reads ends, and the others continue.
func TestStalledAnswersOfOneConnectionEndAlone(t *testing.T) {
	r, client, address := tlsRig(t, server.Config{StallTimeout: 50 * time.Millisecond})
	stalled := send(t, client, "GET", address+base+"large/", nil)
	require.Equal(t, "HTTP/2.0", stalled.Proto)
	require.Equal(t, 200, stalled.StatusCode)
	for ended := false; !ended; {
		beside := send(t, client, "GET", address+base+"thing/1/", nil)
		require.Equal(t, "HTTP/2.0", beside.Proto)
		require.Equal(t, 200, beside.StatusCode)
		require.NoError(t, beside.Body.Close())
		select {
		case <-r.waiting:
			ended = true
		default:
		}
	}
	_, err := io.Copy(io.Discard, stalled.Body)
	require.ErrorContains(t, err, "stream error", "the answer is cut off, not its connection")
	require.NoError(t, stalled.Body.Close())
	after := send(t, client, "POST", address+base+"thing/", strings.NewReader(`{"name":"x"}`))
	require.Equal(t, 200, after.StatusCode)
	require.NoError(t, after.Body.Close())
}
