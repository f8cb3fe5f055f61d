package certificate

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/crypto/acme"
)

// Kinds of entries in the store. Names also contain the authority, so that a certificate from a
// test authority is not taken for one from another.
const (
	accountOf     = "account"
	certificateOf = "certificate"
	challengeOf   = "challenge" // the answer to tls-alpn-01, by name
	tokenOf       = "token"     // the answer to http-01, by token
	failureOf     = "failure"
	leaseOf       = "lease"
)

func (a *ACME) name(kind, of string) string {
	return strings.TrimSpace(a.Directory + " " + kind + " " + of)
}

// read returns a certificate from the store with its key; nil if there is none.
func (a *ACME) read(ctx context.Context, kind, domain string) (*tls.Certificate, error) {
	content, err := a.Store.Get(ctx, a.name(kind, domain))
	if err != nil || content == nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(content, content)
	return &pair, err
}

// Reach makes sure that the authority answers.
func (a *ACME) Reach(ctx context.Context) error {
	_, err := a.newClient().Discover(ctx)
	return err
}

func (a *ACME) newClient() *acme.Client {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: a.Roots},
		DisableKeepAlives: true, // the authority is asked a few times a month
	}
	return &acme.Client{DirectoryURL: a.Directory, UserAgent: "tilth", HTTPClient: &http.Client{Transport: transport, Timeout: askTimeout}}
}

// account returns a client of the authority with an account, which all servers share. Callers hold a lease.
func (a *ACME) account(ctx context.Context) (*acme.Client, error) {
	if a.client != nil {
		return a.client, nil
	}
	stored, err := a.Store.Get(ctx, a.name(accountOf, ""))
	if err != nil {
		return nil, err
	}
	client := a.newClient()
	if block, _ := pem.Decode(stored); block != nil {
		if client.Key, err = x509.ParseECPrivateKey(block.Bytes); err != nil {
			return nil, fmt.Errorf("read the key of the account: %w", err)
		}
	} else {
		key, text, err := newKey()
		if err != nil {
			return nil, err
		}
		if err := a.Store.Put(ctx, a.name(accountOf, ""), text); err != nil {
			return nil, err
		}
		client.Key = key
	}
	account := &acme.Account{}
	if a.Email != "" {
		account.Contact = []string{"mailto:" + a.Email}
	}
	if b := a.Binding; b != nil {
		account.ExternalAccountBinding = &acme.ExternalAccountBinding{KID: b.ID, Key: b.Key}
	}
	if _, err := client.Register(ctx, account, acme.AcceptTOS); err != nil && !errors.Is(err, acme.ErrAccountAlreadyExists) {
		return nil, fmt.Errorf("register an account: %w", err)
	}
	a.client = client
	return client, nil
}

func newKey() (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	return key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), err
}

// fetch proves control of a name to the authority, and returns its certificate, both parsed and as it is stored.
func (a *ACME) fetch(ctx context.Context, domain string) (*tls.Certificate, []byte, error) {
	client, err := a.account(ctx)
	if err != nil {
		return nil, nil, err
	}
	order, err := client.AuthorizeOrder(ctx, acme.DomainIDs(domain))
	if err != nil {
		return nil, nil, fmt.Errorf("order a certificate: %w", err)
	}
	for _, address := range order.AuthzURLs {
		if err := a.prove(ctx, client, domain, address); err != nil {
			return nil, nil, err
		}
	}
	ready, err := client.WaitOrder(ctx, order.URI)
	if err != nil {
		return nil, nil, fmt.Errorf("order a certificate: %w", err)
	}
	key, content, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{DNSNames: []string{domain}}, key)
	if err != nil {
		return nil, nil, err
	}
	chain, err := take(ctx, client, order.URI, ready.FinalizeURL, request)
	if err != nil {
		return nil, nil, fmt.Errorf("take a certificate: %w", err)
	}
	for _, der := range chain {
		content = append(content, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	pair, err := tls.X509KeyPair(content, content)
	if err == nil {
		err = pair.Leaf.VerifyHostname(domain)
	}
	return &pair, content, err
}

// take has the authority sign an order. An authority that does not sign at once need not repeat the order's
// address, and the client then has nowhere to ask. So take asks for the order by its own address.
func take(ctx context.Context, client *acme.Client, order, finalize string, request []byte) ([][]byte, error) {
	chain, _, err := client.CreateOrderCert(ctx, finalize, request, true)
	if err == nil {
		return chain, nil
	}
	signed, waiting := client.WaitOrder(ctx, order)
	if waiting != nil || signed.CertURL == "" {
		return nil, errors.Join(err, waiting)
	}
	return client.FetchCert(ctx, signed.CertURL, true)
}

// prove answers the challenge of an authorization.
func (a *ACME) prove(ctx context.Context, client *acme.Client, domain, address string) error {
	authorization, err := client.GetAuthorization(ctx, address)
	if err != nil || authorization.Status == acme.StatusValid {
		return err
	}
	kind := "tls-alpn-01"
	if a.OverHTTP {
		kind = "http-01"
	}
	at := slices.IndexFunc(authorization.Challenges, func(c *acme.Challenge) bool { return c.Type == kind })
	if at < 0 {
		return fmt.Errorf("the authority has no challenge %s for %s", kind, domain)
	}
	challenge := authorization.Challenges[at]
	name, answer, err := a.answer(client, challenge, domain)
	if err != nil {
		return err
	}
	if err := a.Store.Put(ctx, name, answer); err != nil {
		return err
	}
	defer func() { _ = a.Store.Delete(context.WithoutCancel(ctx), name) }() // a leftover entry is of no use to anyone
	if _, err := client.Accept(ctx, challenge); err != nil {
		return fmt.Errorf("accept the challenge %s: %w", kind, err)
	}
	if _, err := client.WaitAuthorization(ctx, address); err != nil {
		return fmt.Errorf("the authority did not find the answer to %s: %w", kind, err)
	}
	return nil
}

// answer returns what a challenge asks for, and the entry under which any server finds it.
func (a *ACME) answer(client *acme.Client, challenge *acme.Challenge, domain string) (name string, content []byte, err error) {
	if a.OverHTTP {
		text, err := client.HTTP01ChallengeResponse(challenge.Token)
		return a.name(tokenOf, challenge.Token), []byte(text), err
	}
	key, content, err := newKey()
	if err != nil {
		return "", nil, err
	}
	proof, err := client.TLSALPN01ChallengeCert(challenge.Token, domain, acme.WithKey(key))
	if err != nil {
		return "", nil, err
	}
	signed := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: proof.Certificate[0]})
	return a.name(challengeOf, domain), bytes.Join([][]byte{content, signed}, nil), nil
}

// challengePath is where an authority looks for answers (RFC 8555, section 8.3).
const challengePath = "/.well-known/acme-challenge/"

// Challenges returns a handler for plain HTTP: it answers the authority, and redirects GET and HEAD of the kept names to HTTPS.
func (a *ACME) Challenges() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: strings.ToLower(r.Host)}).Hostname()
		switch {
		case !slices.Contains(a.Domains, host):
			http.NotFound(w, r)
		case strings.HasPrefix(r.URL.Path, challengePath):
			ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
			defer cancel()
			answer, err := a.Store.Get(ctx, a.name(tokenOf, path.Base(r.URL.Path)))
			if err != nil || answer == nil {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = w.Write(answer)
		case r.Method == http.MethodGet || r.Method == http.MethodHead:
			http.Redirect(w, r, "https://"+host+r.URL.RequestURI(), http.StatusPermanentRedirect)
		default: // a redirect would cause the credential of a repeated request to be sent in the clear again
			http.Error(w, "Use HTTPS.", http.StatusUpgradeRequired)
		}
	})
}
