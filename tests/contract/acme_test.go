package contract

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/authority"
	"tilth/tests/rig"
)

// front passes connections on to servers in turn, as a load balancer at a public address does.
// Connections that arrive before there is a server wait.
type front struct {
	net.Listener
	mu      sync.Mutex
	there   *sync.Cond
	servers []string
	next    int
}

func newFront(t *testing.T) *front {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f := &front{Listener: listener}
	f.there = sync.NewCond(&f.mu)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go f.pass(conn)
		}
	}()
	return f
}

func (f *front) add(address string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.servers = append(f.servers, address)
	f.there.Broadcast()
}

func (f *front) pass(from net.Conn) {
	defer func() { _ = from.Close() }()
	f.mu.Lock()
	for len(f.servers) == 0 {
		f.there.Wait()
	}
	f.next++
	address := f.servers[f.next%len(f.servers)]
	f.mu.Unlock()
	to, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }()
	go func() { _, _ = io.Copy(to, from) }()
	_, _ = io.Copy(from, to)
}

// flagsOf returns settings as command-line flags.
func flagsOf(settings []string) (out []string) {
	for _, one := range settings {
		name, value, _ := strings.Cut(strings.TrimPrefix(one, "TILTH_"), "=")
		out = append(out, "--"+strings.ToLower(strings.ReplaceAll(name, "_", "-"))+"="+value)
	}
	return out
}

// Two servers of one database behind one public name: they obtain one certificate from an
// authority that speaks ACME, either answers its challenge, and both present the certificate.
func TestCertificatesAreFetched(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		const name = "tilth.farm.test"
		public, plain := newFront(t), newFront(t)
		a := authority.StartBound(t, 90*24*time.Hour, plain.Addr(), public.Addr())
		roots := filepath.Join(t.TempDir(), "roots.pem")
		require.NoError(t, os.WriteFile(roots, a.FrontPEM, 0o600))
		settings := []string{
			"TILTH_ACME_DOMAINS=" + name, "TILTH_ACME_DIRECTORY=" + a.Directory, "TILTH_ACME_ROOTS=" + roots, "TILTH_ACME_EMAIL=ops@farm.test",
			"TILTH_ACME_EAB_ID=" + authority.BoundID, "TILTH_ACME_EAB_KEY=" + authority.BoundKey + "==",
			"TILTH_SECRET_KEY=" + runJSON(t, database, "secret", "create")["key"].(string),
		}
		out, _, status := run(t, database, "", append([]string{"doctor"}, flagsOf(settings)...)...)
		require.Zero(t, status, out)
		require.Contains(t, out, "no certificate for "+name+" yet")

		servers := []string{rig.FreeAddr(t), rig.FreeAddr(t)}
		overHTTP := strings.HasPrefix(database, "postgres")
		for _, address := range servers {
			more, answers := []string{"TILTH_ADDR=" + address}, rig.FreeAddr(t)
			if overHTTP {
				more = append(more, "TILTH_ACME_HTTP_ADDR="+answers)
			}
			p := rig.StartProcess(t, database, rig.Archive(t).Dir, append(more, settings...)...)
			require.Equal(t, "https://"+name, p.URL)
			public.add(address)
			plain.add(answers)
		}
		var serials []string
		for _, address := range servers {
			rig.Eventually(t, func() bool {
				conn, err := tls.Dial("tcp", address, &tls.Config{ServerName: name, RootCAs: a.Roots})
				if err != nil {
					return false
				}
				serials = append(serials, conn.ConnectionState().PeerCertificates[0].SerialNumber.String())
				return conn.Close() == nil
			}, 2*time.Minute, 50*time.Millisecond)
		}
		require.Equal(t, serials[0], serials[1], "one certificate")
		client := &http.Client{Transport: &http.Transport{
			Proxy: nil, TLSClientConfig: &tls.Config{ServerName: name, RootCAs: a.Roots}, ForceAttemptHTTP2: true, DisableKeepAlives: true,
		}}
		page := &url.URL{Scheme: "https", Host: servers[0], Path: "/healthz"}
		res, err := client.Get(page.String())
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, 200, res.StatusCode)
		require.Equal(t, "HTTP/2.0", res.Proto)
		if !overHTTP {
			var content []byte
			require.NoError(t, rig.RawSQLite(t, database).QueryRow("SELECT content FROM certificate_entries WHERE name LIKE '% certificate %'").Scan(&content))
			require.True(t, strings.HasPrefix(string(content), "sealed:1:"))
		}
		out, _, status = run(t, database, "", append([]string{"doctor"}, flagsOf(settings)...)...)
		require.Zero(t, status, out)
		require.Contains(t, out, "the certificate of "+name+" ends ")
		out, _, status = run(t, database, "", append([]string{"doctor"}, flagsOf(append(settings, "TILTH_ACME_DIRECTORY=https://127.0.0.1:1/dir"))...)...)
		require.Equal(t, 1, status)
		require.Contains(t, out, "FAIL  tls")
	})
}

func TestACMESettingsThatCannotWork(t *testing.T) {
	t.Parallel()
	for named, settings := range map[string][]string{
		"TILTH_ACME_DOMAINS":   {"TILTH_ACME_DOMAINS=localhost"},
		"TILTH_TLS_CERT":       {"TILTH_ACME_DOMAINS=a.example", "TILTH_TLS_CERT=x", "TILTH_TLS_KEY=y"},
		"TILTH_ACME_DIRECTORY": {"TILTH_ACME_DOMAINS=a.example", "TILTH_ACME_DIRECTORY=http://acme.example/"},
		"TILTH_ACME_EMAIL":     {"TILTH_ACME_DOMAINS=a.example", "TILTH_ACME_EMAIL=ops"},
		"TILTH_ACME_EAB_KEY":   {"TILTH_ACME_DOMAINS=a.example", "TILTH_ACME_EAB_ID=kid"},
		"TILTH_ACME_HTTP_ADDR": {"TILTH_ACME_DOMAINS=a.example", "TILTH_ACME_HTTP_ADDR=80"},
	} {
		_, errOut, status := run(t, "sqlite:unused", "", append([]string{"doctor"}, flagsOf(settings)...)...)
		require.Equal(t, 2, status, named)
		require.Contains(t, errOut, named+": ")
	}
}
