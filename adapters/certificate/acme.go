package certificate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"

	"tilth/ports"
)

const (
	fetchTimeout = 5 * time.Minute  // of one certificate, challenges included
	askTimeout   = 30 * time.Second // of one request to the authority
	storeTimeout = 10 * time.Second
	renewBefore  = 30 * 24 * time.Hour // before its end, or a third of the certificate's lifetime if that is shorter
	firstRetry   = 5 * time.Minute     // authorities limit failures per hour
	lastRetry    = time.Hour
)

// ACMEConfig states where certificates come from (RFC 8555), and for which names.
type ACMEConfig struct {
	Directory string         // of the authority
	Roots     *x509.CertPool // for verifying the directory; nil: those of the system
	Email     string         // to which the authority writes; may be empty
	Domains   []string
	// Binding ties the account to one that the operator already has with the authority; nil: the authority requires none.
	Binding *Binding
	// OverHTTP proves a name by an answer from [ACME.Challenges] (http-01) instead of one at the
	// TLS address (tls-alpn-01).
	OverHTTP bool
	Store    ports.CertificateStore // shared by all servers of these names
	Clock    ports.Clock
	Holder   string // names this server among those that share the store
	Log      *slog.Logger
}

// Binding is an external account (RFC 8555, section 7.3.4).
type Binding struct {
	ID  string // of the key
	Key []byte
}

// ACME keeps the certificates of names: it fetches them and renews them in time. One of the servers that
// share a store fetches them; any of them answers the challenge. It is safe for concurrent use.
type ACME struct {
	ACMEConfig
	client *acme.Client

	mu   sync.Mutex
	held map[string]*held
}

// held is what a server knows about a name.
type held struct {
	certificate *tls.Certificate // nil: none yet
	renew       time.Time        // when the certificate is to be renewed
	try         time.Time        // no attempt is made before this time
}

// NewACME returns a keeper of certificates. It sends no request yet.
func NewACME(config ACMEConfig) *ACME {
	a := &ACME{ACMEConfig: config, held: map[string]*held{}}
	for _, domain := range config.Domains {
		a.held[domain] = &held{}
	}
	return a
}

// Config returns the configuration of a server.
func (a *ACME) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1", acme.ALPNProto}, GetCertificate: a.get}
}

// get returns the certificate for a handshake. A caller that names no server gets that of the first name.
func (a *ACME) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	if name == "" {
		name = a.Domains[0]
	}
	if !slices.Contains(a.Domains, name) {
		return nil, fmt.Errorf("no certificate is kept for %q (TILTH_ACME_DOMAINS)", name)
	}
	if slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) {
		ctx, cancel := context.WithTimeout(hello.Context(), storeTimeout)
		defer cancel()
		answer, err := a.read(ctx, challengeOf, name)
		if err == nil && answer == nil {
			err = fmt.Errorf("no challenge of %q is open", name)
		}
		return answer, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := a.held[name].certificate; now != nil {
		return now, nil
	}
	return nil, fmt.Errorf("the certificate of %q is not available yet", name)
}

// Load loads the certificates that are in the store.
func (a *ACME) Load(ctx context.Context) error {
	for _, domain := range a.Domains {
		if err := a.load(ctx, domain); err != nil {
			return err
		}
	}
	return nil
}

func (a *ACME) load(ctx context.Context, domain string) error {
	stored, err := a.read(ctx, certificateOf, domain)
	if err == nil && stored != nil {
		a.hold(domain, stored)
	}
	return err
}

func (a *ACME) hold(domain string, certificate *tls.Certificate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held[domain].certificate, a.held[domain].renew = certificate, renewal(certificate)
}

// renewal returns when a certificate is to be renewed.
func renewal(certificate *tls.Certificate) time.Time {
	leaf := certificate.Leaf
	return leaf.NotAfter.Add(-min(renewBefore, leaf.NotAfter.Sub(leaf.NotBefore)/3))
}

// due reports whether a name has no certificate or one that is due for renewal, and its next try has come.
func (a *ACME) due(domain string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now, of := a.Clock.Now(), a.held[domain]
	return (of.certificate == nil || !now.Before(of.renew)) && !now.Before(of.try)
}

// Keep fetches and renews the certificates that are due, and returns the number fetched. If the authority
// refuses, Keep logs the reason and tries again later; an error that it returns is one of the store.
func (a *ACME) Keep(ctx context.Context) (fetched int, err error) {
	for _, domain := range a.Domains {
		if !a.due(domain) {
			continue
		}
		done, err := a.keep(ctx, domain)
		if err != nil {
			return fetched, fmt.Errorf("keep the certificate of %s: %w", domain, err)
		}
		fetched += done
	}
	return fetched, nil
}

// keep fetches one certificate, unless another server has fetched it or is fetching it.
func (a *ACME) keep(ctx context.Context, domain string) (fetched int, err error) {
	now := a.Clock.Now()
	lease := a.name(leaseOf, domain)
	taken, err := a.Store.Lease(ctx, lease, a.Holder, now, now.Add(fetchTimeout+time.Minute))
	if err != nil || !taken {
		return 0, err
	}
	defer func() {
		if end := a.Store.Release(context.WithoutCancel(ctx), lease, a.Holder); err == nil {
			err = end
		}
	}()
	last, err := a.failure(ctx, domain)
	if err != nil {
		return 0, err
	}
	a.mu.Lock()
	a.held[domain].try = last.Retry
	a.mu.Unlock()
	if err := a.load(ctx, domain); err != nil || !a.due(domain) {
		return 0, err
	}
	within, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	certificate, content, refused := a.fetch(within, domain)
	if ctx.Err() != nil {
		return 0, nil // a shutdown is no failure
	}
	if refused != nil {
		return 0, a.postpone(ctx, domain, last, refused)
	}
	if err := a.Store.Put(ctx, a.name(certificateOf, domain), content); err != nil {
		return 0, err
	}
	a.hold(domain, certificate)
	a.Log.InfoContext(ctx, "certificate fetched", "domain", domain, "ends", certificate.Leaf.NotAfter)
	return 1, a.Store.Delete(ctx, a.name(failureOf, domain))
}

// Failure is the reason why the last attempt to fetch a certificate failed.
type Failure struct {
	At, Retry time.Time
	Reason    string // empty: there was no failure
}

func (a *ACME) failure(ctx context.Context, domain string) (f Failure, err error) {
	text, err := a.Store.Get(ctx, a.name(failureOf, domain))
	if err == nil && text != nil {
		err = json.Unmarshal(text, &f)
	}
	return f, err
}

// postpone records a failure for all servers. The pause doubles with each failure in a row.
func (a *ACME) postpone(ctx context.Context, domain string, last Failure, reason error) error {
	pause := min(lastRetry, max(firstRetry, 2*last.Retry.Sub(last.At)))
	if wait, limited := acme.RateLimit(reason); limited {
		pause = max(pause, wait)
	}
	now := a.Clock.Now()
	f := Failure{At: now, Retry: now.Add(pause), Reason: reason.Error()}
	a.Log.ErrorContext(ctx, "no certificate could be fetched", "domain", domain, "error", reason, "retry", f.Retry)
	a.mu.Lock()
	a.held[domain].try = f.Retry
	a.mu.Unlock()
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return a.Store.Put(ctx, a.name(failureOf, domain), text)
}

// Kept is the state of a name in the store.
type Kept struct {
	Domain       string
	Renews, Ends time.Time // zero: there is no certificate
	Failure      Failure
}

// Kept returns the state of all names.
func (a *ACME) Kept(ctx context.Context) (out []Kept, err error) {
	for _, domain := range a.Domains {
		k := Kept{Domain: domain}
		stored, err := a.read(ctx, certificateOf, domain)
		if err != nil {
			return nil, err
		}
		if stored != nil {
			k.Renews, k.Ends = renewal(stored), stored.Leaf.NotAfter
		}
		if k.Failure, err = a.failure(ctx, domain); err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}
