package identity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/oauth2"
	"golang.org/x/time/rate"

	"tilth/core/fault"
	"tilth/ports"
)

// ExternalConfig is an OpenID Connect issuer whose access tokens are accepted.
type ExternalConfig struct {
	Issuer     string // its address, the iss of its tokens
	Audience   string // the aud that its tokens must have
	EmailClaim string // the claim that identifies the user at its first sign-in
	// UnverifiedEmail accepts tokens that do not say whether the address is verified.
	UnverifiedEmail bool
	// ClientID and ClientSecret are the credentials for signing in browsers. Without an id browsers are not signed in; the secret may be empty.
	ClientID, ClientSecret string
	Clock                  ports.Clock
}

// Bounds of the requests to an issuer.
const (
	issuerTimeout  = 5 * time.Second
	issuerMaxBytes = 1 << 20
	issuerPause    = 2 * time.Second // between attempts to reach an unavailable issuer
	// A token with an unknown key causes a read of the keys; anybody can make such a token.
	issuerReads = 1 // a second
	issuerBurst = 10
	maxToken    = 16 << 10 // bytes of a token that is examined
	// discoveryAge is the age up to which the discovery document is not read again when a token
	// does not match it. An issuer may have changed the address of its keys since.
	discoveryAge = time.Minute
)

// External verifies the access tokens of an OpenID Connect issuer, through its
// discovery document and its JWKS. Both are read when a token first needs them, so
// that Tilth starts, and accepts its own tokens, while the issuer is unavailable. It is safe for
// concurrent use.
type External struct {
	config  ExternalConfig
	client  *http.Client
	limiter *rate.Limiter

	mu      sync.Mutex
	found   *discovered // nil until the issuer is reached
	failure error       // of the last attempt to reach it
	triedAt time.Time   // of that attempt
}

// discovered holds the verifiers and the endpoint that the discovery document of an issuer leads to.
type discovered struct {
	access   *oidc.IDTokenVerifier // of access tokens
	identity *oidc.IDTokenVerifier // of the tokens of sign-ins
	endpoint oauth2.Endpoint
}

// NewExternal creates a verifier. It sends no request yet.
func NewExternal(config ExternalConfig) *External {
	e := &External{config: config, limiter: rate.NewLimiter(issuerReads, issuerBurst)}
	e.client = &http.Client{Timeout: issuerTimeout, Transport: &issuerTransport{limiter: e.limiter}}
	return e
}

// Issued implements ports.ExternalIssuer.
func (e *External) Issued(token string) bool {
	if len(token) > maxToken {
		return false
	}
	claims := jwt.MapClaims{}
	_, _, err := jwt.NewParser().ParseUnverified(token, claims)
	return err == nil && claims["iss"] == e.config.Issuer
}

// Verify implements ports.ExternalIssuer.
func (e *External) Verify(ctx context.Context, token string) (ports.Vouched, error) {
	access := func(d *discovered) *oidc.IDTokenVerifier { return d.access }
	claims, err := e.verify(ctx, token, access)
	if fault.Is(err, fault.Unauthenticated) && !isExpired(err) && e.outdated() {
		claims, err = e.verify(ctx, token, access)
	}
	if err != nil {
		return ports.Vouched{}, err
	}
	return e.vouched(claims)
}

// verify checks a token against the issuer's keys, with the verifier for its kind.
func (e *External) verify(ctx context.Context, token string, of func(*discovered) *oidc.IDTokenVerifier) (*oidc.IDToken, error) {
	found, err := e.reached(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	var fetch error
	claims, err := of(found).Verify(context.WithValue(ctx, fetchFailure{}, &fetch), token)
	var expired *oidc.TokenExpiredError
	switch {
	case fetch != nil:
		return nil, unavailable(fetch)
	case errors.As(err, &expired):
		return nil, fault.New(fault.Unauthenticated, codeExpired, "The access token has expired; get a new one from its issuer.")
	case err != nil:
		return nil, invalidToken()
	}
	return claims, nil
}

const codeExpired = "token_expired"

func isExpired(err error) bool { f, ok := fault.As(err); return ok && f.Code == codeExpired }

// vouched returns whom a verified token identifies.
func (e *External) vouched(token *oidc.IDToken) (ports.Vouched, error) {
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return ports.Vouched{}, invalidToken()
	}
	verified, given := claims["email_verified"]
	if verified != true && verified != "true" && (given || !e.config.UnverifiedEmail) {
		return ports.Vouched{}, fault.New(fault.Unauthenticated, "email_unverified",
			"The token does not state that its issuer has verified the e-mail address (email_verified).")
	}
	email, _ := claims[e.config.EmailClaim].(string)
	if email == "" {
		return ports.Vouched{}, fault.Newf(fault.Unauthenticated, "token_invalid", "The access token has no claim %q to identify its user.", e.config.EmailClaim)
	}
	if token.Subject == "" {
		return ports.Vouched{}, fault.New(fault.Unauthenticated, "token_invalid", `The access token has no claim "sub" to identify its user.`)
	}
	return ports.Vouched{ExternalID: ports.ExternalID{Issuer: e.config.Issuer, Subject: token.Subject}, Email: email}, nil
}

// Reach requests the issuer's discovery document, which names the address of its keys, and returns what is wrong with it.
func (e *External) Reach(ctx context.Context) error {
	_, err := e.reached(ctx)
	return err
}

// outdated reports whether the discovery document is old enough to be read again, and lets
// the next verification do so.
func (e *External) outdated() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.found == nil || e.config.Clock.Now().Sub(e.triedAt) < discoveryAge {
		return false
	}
	e.found = nil
	return true
}

// reached returns the verifiers and the endpoint of the issuer. It reads the discovery document if needed.
func (e *External) reached(ctx context.Context) (*discovered, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.found != nil:
		return e.found, nil
	case e.failure != nil && e.config.Clock.Now().Sub(e.triedAt) < issuerPause:
		return nil, e.failure // callers that waited for the lock do not wait for the issuer again
	}
	e.found, e.failure = e.discover(ctx)
	e.triedAt = e.config.Clock.Now()
	return e.found, e.failure
}

func (e *External) discover(ctx context.Context) (*discovered, error) {
	ctx = oidc.ClientContext(context.WithoutCancel(ctx), e.client)
	provider, err := oidc.NewProvider(ctx, e.config.Issuer)
	if err != nil {
		return nil, err
	}
	var found struct {
		Keys  string   `json:"jwks_uri"`
		Proof []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := provider.Claims(&found); err != nil {
		return nil, fmt.Errorf("read the issuer's discovery document: %w", err)
	}
	if found.Keys == "" {
		return nil, errors.New("the issuer's discovery document names no jwks_uri")
	}
	set := keySet{oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), e.client), found.Keys)}
	verifier := func(audience string) *oidc.IDTokenVerifier {
		return oidc.NewVerifier(e.config.Issuer, set, &oidc.Config{ClientID: audience, Now: e.config.Clock.Now, SupportedSigningAlgs: algorithms})
	}
	endpoint := provider.Endpoint()
	endpoint.AuthStyle = e.proof(found.Proof)
	return &discovered{verifier(e.config.Audience), verifier(e.config.ClientID), endpoint}, nil
}

// proof returns how the client authenticates when it exchanges a code. It does not find this out by trying: a code can be used only once.
func (e *External) proof(methods []string) oauth2.AuthStyle {
	if e.config.ClientSecret == "" || len(methods) > 0 && !slices.Contains(methods, "client_secret_basic") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// algorithms are the signature algorithms that use a public key. The key alone decides: an issuer
// may change its algorithm at any time. A token that is unsigned, or signed with a shared secret,
// is never accepted.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// fetchFailure is the context key of an error in reading the keys, which does not mean that a
// signature is invalid.
type fetchFailure struct{}

type keySet struct{ remote oidc.KeySet }

func (k keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := k.remote.VerifySignature(ctx, token)
	var unreachable *unreachableError
	if errors.As(err, &unreachable) {
		if failure, ok := ctx.Value(fetchFailure{}).(*error); ok {
			*failure = err
		}
	}
	return payload, err
}

// unreachableError reports that an issuer does not answer, or not with 200.
type unreachableError struct{ cause error }

func (e *unreachableError) Error() string {
	return "the token issuer does not answer: " + e.cause.Error()
}
func (e *unreachableError) Unwrap() error { return e.cause }

func unavailable(cause error) error {
	return fault.New(fault.Unavailable, "issuer_unavailable", "The issuer of the access token does not answer; try again.").Because(cause)
}

// issuerTransport bounds the rate of requests to the issuer and the size of its answers, and
// marks failed requests.
type issuerTransport struct{ limiter *rate.Limiter }

var errTooOften = errors.New("the keys were read often enough for now")

func (t *issuerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !t.limiter.Allow() {
		return nil, errTooOften
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, &unreachableError{err}
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		return nil, &unreachableError{fmt.Errorf("%s answered %s", r.URL.Redacted(), res.Status)}
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(res.Body, issuerMaxBytes), res.Body}
	return res, nil
}
