// Package authority runs a certificate authority that speaks ACME: Pebble, in the process of the
// test. It is for tests only.
package authority

import (
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"
)

// Authority is a running authority. It resolves every name to this machine.
type Authority struct {
	Directory string
	Roots     *x509.CertPool // that trusts the certificates it issues
	Front     *x509.CertPool // that trusts its directory
	FrontPEM  []byte
}

// The external account of an authority that accepts only accounts bound to it.
const (
	BoundID  = "farm-7"
	BoundKey = "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W"
)

// Start starts an authority whose certificates are valid for the duration good. It looks
// for answers to http-01 and tls-alpn-01 challenges behind two listeners of the test.
func Start(t testing.TB, good time.Duration, overHTTP, overTLS net.Addr) *Authority {
	t.Helper()
	return start(t, good, overHTTP, overTLS, false)
}

// StartBound starts an authority that accepts only accounts bound to [BoundID] by [BoundKey].
func StartBound(t testing.TB, good time.Duration, overHTTP, overTLS net.Addr) *Authority {
	t.Helper()
	return start(t, good, overHTTP, overTLS, true)
}

func start(t testing.TB, good time.Duration, overHTTP, overTLS net.Addr, bound bool) *Authority {
	t.Helper()
	require.NoError(t, os.Setenv("PEBBLE_VA_NOSLEEP", "1")) // Pebble has no other setting for it
	silent, store := log.New(io.Discard, "", 0), db.NewMemoryStore()
	require.NoError(t, store.AddExternalAccountKeyByID(BoundID, BoundKey))
	signer := ca.New(silent, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {ValidityPeriod: uint64(good.Seconds())}})
	port := func(addr net.Addr) int { return addr.(*net.TCPAddr).Port }
	prover := va.New(silent, port(overHTTP), port(overTLS), true, resolver(t), store)
	front := wfe.New(silent, store, prover, signer, []string{"authority.test"}, true, bound, 1, 1)
	server := httptest.NewTLSServer(front.Handler())
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(signer.GetRootCert(0).Cert)
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	return &Authority{
		Directory: server.URL + wfe.DirectoryPath, Roots: roots, Front: trusted,
		FrontPEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	}
}

// resolver answers every name with the address of this machine.
func resolver(t testing.TB) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &dns.Server{Listener: listener, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, asked *dns.Msg) {
		answer := new(dns.Msg).SetReply(asked)
		if q := asked.Question[0]; q.Qtype == dns.TypeA {
			answer.Answer = []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: q.Name, Rrtype: dns.TypeA, Class: dns.ClassINET}, A: net.IPv4(127, 0, 0, 1)}}
		}
		_ = w.WriteMsg(answer)
	})}
	done := make(chan error, 1)
	go func() { done <- server.ActivateAndServe() }()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return listener.Addr().String()
}
