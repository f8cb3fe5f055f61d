// Package issuer is an OpenID Connect issuer for tests, on this machine: a discovery
// document, a JWKS, and tokens signed with keys that it can change. It is for tests only.
package issuer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"
)

// Audience is the audience of tokens, unless their claims state another.
const Audience = "tilth-api"

// Issuer is a running issuer. It is safe for concurrent use.
type Issuer struct {
	URL    string
	t      testing.TB
	server *httptest.Server

	mu    sync.Mutex
	keys  map[string]*ecdsa.PrivateKey
	kid   string
	down  bool
	reads int
	moved *rsa.PrivateKey  // signs since the issuer moved
	codes map[string]grant // not yet redeemed
	at    string           // e-mail address of the person at the browser
}

// Start starts an issuer with one key, which is closed when the test ends.
func Start(t testing.TB) *Issuer {
	t.Helper()
	i := &Issuer{t: t, keys: map[string]*ecdsa.PrivateKey{}, codes: map[string]grant{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("GET /keys", i.jwks)
	mux.HandleFunc("GET /moved/keys", i.movedKeys)
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("GET /auth", i.enter)
	i.server = httptest.NewServer(mux)
	t.Cleanup(i.server.Close)
	i.URL = i.server.URL
	i.Rotate()
	return i
}

// Rotate replaces the key: tokens signed with the previous one are no longer valid.
func (i *Issuer) Rotate() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(i.t, err)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.kid = fmt.Sprintf("key-%d", len(i.keys)+1)
	i.keys[i.kid] = key
}

// Move makes the issuer sign with RSA, with a key that is published at another address.
func (i *Issuer) Move(t testing.TB) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.moved = key
}

func (i *Issuer) movedKeys(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	key := i.moved.PublicKey
	i.mu.Unlock()
	encode := base64.RawURLEncoding.EncodeToString
	i.answer(w, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "moved", "n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes()),
	}}})
}

// SetDown makes the issuer answer every request with 503, or recover.
func (i *Issuer) SetDown(down bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.down = down
}

// Reads returns how often the keys were read.
func (i *Issuer) Reads() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.reads
}

func (i *Issuer) discovery(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	keys, algorithm := "/keys", "ES256"
	if i.moved != nil {
		keys, algorithm = "/moved/keys", "RS256"
	}
	i.mu.Unlock()
	i.answer(w, map[string]any{
		"issuer": i.URL, "jwks_uri": i.URL + keys, "authorization_endpoint": i.URL + "/auth", "token_endpoint": i.URL + "/token",
		"id_token_signing_alg_values_supported": []string{algorithm, "HS256", "none"},
	})
}

func (i *Issuer) jwks(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	i.reads++
	kid, key := i.kid, i.keys[i.kid].PublicKey
	i.mu.Unlock()
	point, err := key.Bytes() // 4, then x and y of 32 bytes each
	require.NoError(i.t, err)
	encode := base64.RawURLEncoding.EncodeToString
	i.answer(w, map[string]any{"keys": []any{map[string]any{
		"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": kid, "x": encode(point[1:33]), "y": encode(point[33:]),
	}}})
}

func (i *Issuer) answer(w http.ResponseWriter, body any) {
	i.mu.Lock()
	down := i.down
	i.mu.Unlock()
	if down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // a caller that has left needs no answer
}

// Claims returns the claims of a good token for an e-mail address.
func (i *Issuer) Claims(email string, now time.Time) jwt.MapClaims {
	return jwt.MapClaims{
		"iss": i.URL, "aud": Audience, "sub": "sub of " + email, "email": email, "email_verified": true,
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
}

// Sign returns a token with the newest key.
func (i *Issuer) Sign(claims jwt.MapClaims) string {
	i.mu.Lock()
	kid, key, moved := i.kid, i.keys[i.kid], i.moved
	i.mu.Unlock()
	if moved != nil {
		return i.SignWith(claims, jwt.SigningMethodRS256, "moved", moved)
	}
	return i.SignWith(claims, jwt.SigningMethodES256, kid, key)
}

// SignWith returns a token signed as the test wants it.
func (i *Issuer) SignWith(claims jwt.MapClaims, method jwt.SigningMethod, kid string, key any) string {
	token := jwt.NewWithClaims(method, claims)
	token.Header["kid"] = kid
	text, err := token.SignedString(key)
	require.NoError(i.t, err)
	return text
}

// NewestKey returns the id of the signing key.
func (i *Issuer) NewestKey() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.kid
}
