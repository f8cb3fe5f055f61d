package certificate_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/certificate"
	"tilth/ports"
	"tilth/tests/authority"
)

// shared is a store in memory.
type shared struct {
	mu      sync.Mutex
	content map[string][]byte
	leases  map[string]string
}

func newShared() *shared { return &shared{content: map[string][]byte{}, leases: map[string]string{}} }

func (s *shared) Get(_ context.Context, name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.content[name], nil
}

func (s *shared) Put(_ context.Context, name string, content []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.content[name] = content
	return nil
}

func (s *shared) Delete(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.content, name)
	return nil
}

func (s *shared) Lease(_ context.Context, name, holder string, _, _ time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.leases[name]; other != "" && other != holder {
		return false, nil
	}
	s.leases[name] = holder
	return true, nil
}

func (s *shared) Release(_ context.Context, name, _ string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.leases, name)
	return nil
}

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(by)
}

const domain = "tilth.farm.test"

// world is an authority that looks for answers at one address, with servers that share a store.
type world struct {
	t               *testing.T
	authority       *authority.Authority
	store           *shared
	clock           *clock
	overTLS, onHTTP net.Listener
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, store: newShared(), clock: &clock{at: time.Now()}}
	for _, at := range []*net.Listener{&w.overTLS, &w.onHTTP} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = listener.Close() })
		*at = listener
	}
	w.authority = authority.Start(t, 90*24*time.Hour, w.onHTTP.Addr(), w.overTLS.Addr())
	return w
}

func (w *world) server(holder string, change ...func(*certificate.ACMEConfig)) *certificate.ACME {
	config := certificate.ACMEConfig{
		Directory: w.authority.Directory, Roots: w.authority.Front, Email: "ops@farm.test", Domains: []string{domain}, Store: w.store, Clock: w.clock, Holder: holder,
		Log: slog.New(slog.NewTextHandler(w.t.Output(), nil)),
	}
	for _, c := range change {
		c(&config)
	}
	return certificate.NewACME(config)
}

// answer makes a server answer the authority.
func (w *world) answer(a *certificate.ACME) {
	listener := tls.NewListener(w.overTLS, a.Config())
	go func() { _ = http.Serve(listener, http.NotFoundHandler()) }()
}

// shown returns the serial number of the certificate that a server shows, verified with the roots of the authority.
func (w *world) shown(a *certificate.ACME) (serial string, err error) {
	w.t.Helper()
	server, client := net.Pipe()
	defer func() { _ = client.Close() }()
	go func() { _ = tls.Server(server, a.Config()).Handshake() }()
	conn := tls.Client(client, &tls.Config{ServerName: domain, RootCAs: w.authority.Roots, Time: time.Now, NextProtos: []string{"h2"}})
	if err := conn.HandshakeContext(w.t.Context()); err != nil {
		return "", err
	}
	require.Equal(w.t, "h2", conn.ConnectionState().NegotiatedProtocol)
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.String(), nil
}

func (w *world) keep(a *certificate.ACME) (fetched int) {
	w.t.Helper()
	fetched, err := a.Keep(w.t.Context())
	require.NoError(w.t, err)
	return fetched
}

// With two servers, one answers the authority and the other fetches. Both show the certificate, and its renewal.
func TestACertificateIsFetchedOnceAndRenewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.server("first"), w.server("second")
	w.answer(second)
	_, err := w.shown(first)
	require.Error(t, err, "there is none yet")
	require.Equal(t, 1, w.keep(first))
	serial, err := w.shown(first)
	require.NoError(t, err)
	require.Zero(t, w.keep(second), "it is there already")
	same, err := w.shown(second)
	require.NoError(t, err)
	require.Equal(t, serial, same)
	restarted := w.server("first")
	require.NoError(t, restarted.Load(t.Context()))
	same, err = w.shown(restarted)
	require.NoError(t, err)
	require.Equal(t, serial, same)
	for name := range w.store.content {
		require.NotContains(t, name, " challenge ", "answers do not stay")
	}

	w.clock.advance(59 * 24 * time.Hour)
	require.Zero(t, w.keep(first))
	w.clock.advance(2 * 24 * time.Hour)
	taken, err := w.store.Lease(t.Context(), w.authority.Directory+" lease "+domain, "third", time.Time{}, time.Time{})
	require.NoError(t, err)
	require.True(t, taken)
	require.Zero(t, w.keep(second), "another server is at it")
	require.NoError(t, w.store.Release(t.Context(), w.authority.Directory+" lease "+domain, "third"))
	require.Equal(t, 1, w.keep(second))
	renewed, err := w.shown(second)
	require.NoError(t, err)
	require.NotEqual(t, serial, renewed)

	// A certificate that another server has renewed is loaded, not fetched again.
	dir := t.TempDir()
	require.NoError(t, certificate.Create(dir, []string{domain}, 397, w.clock.Now()))
	var content []byte
	for _, file := range []string{certificate.ServerKeyFile, certificate.ServerFile} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		content = append(content, text...)
	}
	require.NoError(t, w.store.Put(t.Context(), w.authority.Directory+" certificate "+domain, content))
	require.Zero(t, w.keep(first))
	kept, err := first.Kept(t.Context())
	require.NoError(t, err)
	require.WithinDuration(t, w.clock.Now().AddDate(0, 0, 397), kept[0].Ends, 25*time.Hour)
	require.WithinDuration(t, kept[0].Ends.AddDate(0, 0, -30), kept[0].Renews, 0, "a month before the end")
}

// Over plain HTTP the challenge is answered, and everything else is redirected to HTTPS.
func TestACertificateIsFetchedOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	over := func(c *certificate.ACMEConfig) { c.OverHTTP = true }
	first, second := w.server("first", over), w.server("second", over)
	go func() { _ = http.Serve(w.onHTTP, second.Challenges()) }()
	require.Equal(t, 1, w.keep(first))
	_, err := w.shown(first)
	require.NoError(t, err)
	ask := func(method, host, path string) *httptest.ResponseRecorder {
		out := httptest.NewRecorder()
		req := httptest.NewRequest(method, path, nil)
		req.Host = host
		second.Challenges().ServeHTTP(out, req)
		return out
	}
	moved := ask("GET", domain+":80", "/docs/?a=1")
	require.Equal(t, http.StatusPermanentRedirect, moved.Code)
	require.Equal(t, "https://"+domain+"/docs/?a=1", moved.Header().Get("Location"))
	require.Equal(t, http.StatusUpgradeRequired, ask("POST", domain, "/api/v1.2/auth/token/").Code)
	require.Equal(t, http.StatusNotFound, ask("GET", "other.test", "/").Code)
	require.Equal(t, http.StatusNotFound, ask("GET", domain, "/.well-known/acme-challenge/"+domain).Code)
}

// If the authority does not find the answer, the reason is kept for all servers, which wait.
func TestARefusalIsNamedAndWaitedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.server("first"), w.server("second")
	go func() { _ = http.Serve(w.overTLS, http.NotFoundHandler()) }() // no TLS
	require.Zero(t, w.keep(first))
	kept, err := first.Kept(t.Context())
	require.NoError(t, err)
	require.Contains(t, kept[0].Failure.Reason, "tls-alpn-01")
	require.Zero(t, kept[0].Ends)
	require.Equal(t, 5*time.Minute, kept[0].Failure.Retry.Sub(kept[0].Failure.At).Round(time.Second))
	require.Zero(t, w.keep(second))
	again, err := second.Kept(t.Context())
	require.NoError(t, err)
	require.Equal(t, kept[0].Failure.At.UnixNano(), again[0].Failure.At.UnixNano(), "not tried again")
	w.clock.advance(6 * time.Minute)
	require.Zero(t, w.keep(second))
	again, err = second.Kept(t.Context())
	require.NoError(t, err)
	require.Equal(t, 10*time.Minute, again[0].Failure.Retry.Sub(again[0].Failure.At).Round(time.Second))
}

// broken is a store that is unavailable.
type broken struct{ ports.CertificateStore }

func (broken) Lease(context.Context, string, string, time.Time, time.Time) (bool, error) {
	return false, errors.New("away")
}

func TestAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.server("first", func(c *certificate.ACMEConfig) { c.Store = broken{} }).Keep(t.Context())
	require.ErrorContains(t, err, "away")
	require.NoError(t, w.server("first").Reach(t.Context()))
	require.Error(t, w.server("first", func(c *certificate.ACMEConfig) { c.Directory = "http://127.0.0.1:1/dir" }).Reach(t.Context()))
}

// An authority may accept bound accounts only: without the key the reason is reported, with it the certificate arrives.
func TestAnAccountIsBound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.authority = authority.StartBound(t, 90*24*time.Hour, w.onHTTP.Addr(), w.overTLS.Addr())
	unbound := w.server("first")
	w.answer(unbound)
	require.Zero(t, w.keep(unbound))
	kept, err := unbound.Kept(t.Context())
	require.NoError(t, err)
	require.Contains(t, kept[0].Failure.Reason, "externalAccountRequired")
	w.clock.advance(6 * time.Minute)
	key, err := base64.RawURLEncoding.DecodeString(authority.BoundKey)
	require.NoError(t, err)
	bound := func(c *certificate.ACMEConfig) { c.Binding = &certificate.Binding{ID: authority.BoundID, Key: key} }
	require.Equal(t, 1, w.keep(w.server("first", bound)))
	w.clock.advance(61 * 24 * time.Hour)
	restarted := w.server("second")
	require.NoError(t, restarted.Load(t.Context()))
	require.Equal(t, 1, w.keep(restarted), "the account is bound for good")
}
