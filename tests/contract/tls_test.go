package contract

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
	"tilth/tests/secrets"
)

// A farm network: one command makes an authority and a certificate, a server uses them, and a renewal needs no restart.
func TestTLS(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "tls")
	database := rig.SQLite(t)
	create := func() map[string]any {
		return runJSON(t, database, "cert", "create", "--dir", folder, "--host", "farm.test", "--host", "127.0.0.1")
	}
	made := create()
	key, err := os.Stat(made["key"].(string))
	require.NoError(t, err)
	require.EqualValues(t, 0o600, key.Mode().Perm())
	authority, err := os.ReadFile(made["authority"].(string))
	require.NoError(t, err)
	trusted := x509.NewCertPool()
	require.True(t, trusted.AppendCertsFromPEM(authority))

	settings := []string{"TILTH_TLS_CERT=" + made["certificate"].(string), "TILTH_TLS_KEY=" + made["key"].(string)}
	server := rig.StartProcess(t, database, rig.Archive(t).Dir, settings...)
	require.True(t, strings.HasPrefix(server.URL, "https://127.0.0.1:"), server.URL)
	token := tokenOf(t, database)
	var body []byte
	ask := func(name string) (*http.Response, error) {
		client := &http.Client{Transport: secrets.Watched(&http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: name}, DisableKeepAlives: true, ForceAttemptHTTP2: true})}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1.2/crop/?page_size=1", nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		body, err = io.ReadAll(res.Body)
		require.NoError(t, err)
		return res, res.Body.Close()
	}
	res, err := ask("farm.test")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, "HTTP/2.0", res.Proto)
	require.NotEmpty(t, res.Header.Get("Strict-Transport-Security"))
	require.Contains(t, string(body), `"next":"https://127.0.0.1:`)
	_, err = ask("other.test")
	require.ErrorContains(t, err, "other.test", "a name that the certificate lacks")
	plain, err := http.Get(strings.Replace(server.URL, "https:", "http:", 1) + "/healthz")
	require.NoError(t, err)
	require.NoError(t, plain.Body.Close())
	require.Equal(t, http.StatusBadRequest, plain.StatusCode)

	before := res.TLS.PeerCertificates[0].SerialNumber
	create()
	same, err := os.ReadFile(made["authority"].(string))
	require.NoError(t, err)
	require.Equal(t, authority, same, "devices trust it already")
	res, err = ask("127.0.0.1")
	require.NoError(t, err)
	after := res.TLS.PeerCertificates[0].SerialNumber
	require.NotEqual(t, before, after, "renewed without a restart")
	require.WithinDuration(t, time.Now().AddDate(0, 0, 397), res.TLS.PeerCertificates[0].NotAfter, 25*time.Hour)

	require.NoError(t, os.WriteFile(made["certificate"].(string), []byte("spoiled"), 0o600))
	res, err = ask("farm.test")
	require.NoError(t, err)
	require.Equal(t, after, res.TLS.PeerCertificates[0].SerialNumber, "what cannot be read changes nothing")
	out, _, status := run(t, database, "", "doctor", "--tls-cert", made["certificate"].(string), "--tls-key", made["key"].(string))
	require.Equal(t, 1, status)
	require.Contains(t, out, "FAIL  tls")
	_, errOut, status := run(t, database, "", "doctor", "--tls-cert", made["certificate"].(string))
	require.Equal(t, 2, status)
	require.Contains(t, errOut, "TILTH_TLS_KEY")
	_, errOut, status = run(t, database, "", "cert", "create", "--host", "x", "--days", "900", "--dir", folder)
	require.Equal(t, 2, status)
	require.Contains(t, errOut, "--days")
}
