package wire

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
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
	got, err := Program{}.Ready(t.Context(), cfg)
	require.NoError(t, err)
	require.JSONEq(t, said, got)

	status, said = http.StatusServiceUnavailable, `{"status":"unavailable"}`
	_, err = Program{}.Ready(t.Context(), cfg)
	require.ErrorContains(t, err, `{"status":"unavailable"}`)

	server.Close()
	_, err = Program{}.Ready(t.Context(), cfg)
	require.ErrorContains(t, err, "does not answer")
	_, err = Program{}.Ready(t.Context(), cli.Config{AdminAddr: "off"})
	require.ErrorContains(t, err, "Fix: ")
}

func TestOwnAddrReachesAProcessOnAllAddresses(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		":8081": "127.0.0.1:8081", "0.0.0.0:8081": "127.0.0.1:8081", "[::]:8081": "[::1]:8081",
		"127.0.0.1:8081": "127.0.0.1:8081", "tilth.internal:1": "tilth.internal:1", "[::1]:8081": "[::1]:8081",
	} {
		require.Equal(t, want, ownAddr(addr), addr)
	}
}
