package identity_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/core/fault"
	"tilth/ports"
	"tilth/tests/issuer"
)

// hands is a clock that stands still until it is moved.
type hands struct {
	mu sync.Mutex
	at time.Time
}

func (h *hands) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *hands) move(by time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(by)
}

func newOutside(t *testing.T) (*issuer.Issuer, *identity.External, *hands) {
	t.Helper()
	i, clock := issuer.Start(t), &hands{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	return i, identity.NewExternal(identity.ExternalConfig{Issuer: i.URL, Audience: issuer.Audience, EmailClaim: "email", Clock: clock}), clock
}

func TestExternalTokens(t *testing.T) {
	t.Parallel()
	i, e, clock := newOutside(t)
	ctx, at := context.Background(), clock.Now()
	good := i.Sign(i.Claims("a@example.org", at))
	require.True(t, e.Issued(good))
	vouched, err := e.Verify(ctx, good)
	require.NoError(t, err)
	require.Equal(t, ports.Vouched{ExternalID: ports.ExternalID{Issuer: i.URL, Subject: "sub of a@example.org"}, Email: "a@example.org"}, vouched)

	claims := func(change func(jwt.MapClaims)) string {
		c := i.Claims("a@example.org", at)
		change(c)
		return i.Sign(c)
	}
	for name, c := range map[string]struct{ token, code string }{
		"expired":             {claims(func(c jwt.MapClaims) { c["exp"] = at.Add(-time.Second).Unix() }), "token_expired"},
		"no expiry":           {claims(func(c jwt.MapClaims) { delete(c, "exp") }), "token_expired"},
		"not yet":             {claims(func(c jwt.MapClaims) { c["nbf"] = at.Add(time.Hour).Unix() }), "token_invalid"},
		"another audience":    {claims(func(c jwt.MapClaims) { c["aud"] = "another" }), "token_invalid"},
		"no audience":         {claims(func(c jwt.MapClaims) { delete(c, "aud") }), "token_invalid"},
		"another issuer":      {claims(func(c jwt.MapClaims) { c["iss"] = i.URL + "/" }), "token_invalid"},
		"no e-mail":           {claims(func(c jwt.MapClaims) { delete(c, "email") }), "token_invalid"},
		"e-mail is no text":   {claims(func(c jwt.MapClaims) { c["email"] = 7 }), "token_invalid"},
		"unverified":          {claims(func(c jwt.MapClaims) { c["email_verified"] = false }), "email_unverified"},
		"not said":            {claims(func(c jwt.MapClaims) { delete(c, "email_verified") }), "email_unverified"},
		"no subject":          {claims(func(c jwt.MapClaims) { delete(c, "sub") }), "token_invalid"},
		"verified is no bool": {claims(func(c jwt.MapClaims) { c["email_verified"] = "no" }), "email_unverified"},
		"alg none": {i.SignWith(i.Claims("a@example.org", at), jwt.SigningMethodNone, i.NewestKey(),
			jwt.UnsafeAllowNoneSignatureType), "token_invalid"},
		"a shared secret": {i.SignWith(i.Claims("a@example.org", at), jwt.SigningMethodHS256, i.NewestKey(), []byte("secret")), "token_invalid"},
		"another's key":   {i.SignWith(i.Claims("a@example.org", at), jwt.SigningMethodES256, i.NewestKey(), strangeKey(t)), "token_invalid"},
		"no signature":    {good[:strings.LastIndex(good, ".")+1], "token_invalid"},
		"nothing":         {"", "token_invalid"},
	} {
		_, err := e.Verify(ctx, c.token)
		require.True(t, fault.Is(err, fault.Unauthenticated), "%s: %v", name, err)
		require.Equal(t, c.code, code(err), name)
	}
	// A setting accepts the tokens of issuers that do not state it; false is still refused.
	lenient := identity.NewExternal(identity.ExternalConfig{Issuer: i.URL, Audience: issuer.Audience, EmailClaim: "email", UnverifiedEmail: true, Clock: clock})
	_, err = lenient.Verify(ctx, claims(func(c jwt.MapClaims) { delete(c, "email_verified") }))
	require.NoError(t, err)
	_, err = lenient.Verify(ctx, claims(func(c jwt.MapClaims) { c["email_verified"] = false }))
	require.Equal(t, "email_unverified", code(err))
	// Time goes on.
	clock.move(2 * time.Hour)
	_, err = e.Verify(ctx, good)
	require.Equal(t, "token_expired", code(err))
}

func strangeKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

func TestExternalKeyRotation(t *testing.T) {
	t.Parallel()
	i, e, clock := newOutside(t)
	ctx := context.Background()
	old := i.Sign(i.Claims("a@example.org", clock.Now()))
	_, err := e.Verify(ctx, old)
	require.NoError(t, err)
	i.Rotate()
	_, err = e.Verify(ctx, i.Sign(i.Claims("b@example.org", clock.Now())))
	require.NoError(t, err, "the new key is read when a token names it")
	_, err = e.Verify(ctx, old)
	require.Equal(t, "token_invalid", code(err), "the old key is gone")

	// A caller that makes up keys does not cause a request to the issuer every time.
	forged := i.SignWith(i.Claims("a@example.org", clock.Now()), jwt.SigningMethodES256, "made-up", strangeKey(t))
	for range 50 {
		_, err = e.Verify(ctx, forged)
		require.Equal(t, "token_invalid", code(err))
	}
	require.LessOrEqual(t, i.Reads(), 20)
}

// An issuer changes its algorithm and the address of its keys while Tilth runs.
func TestExternalIssuerMoves(t *testing.T) {
	t.Parallel()
	i, e, clock := newOutside(t)
	ctx := context.Background()
	_, err := e.Verify(ctx, i.Sign(i.Claims("a@example.org", clock.Now())))
	require.NoError(t, err)
	i.Move(t)
	token := i.Sign(i.Claims("a@example.org", clock.Now()))
	_, err = e.Verify(ctx, token)
	require.Error(t, err, "the document was read a moment ago")
	clock.move(time.Minute)
	_, err = e.Verify(ctx, token)
	require.NoError(t, err)
}

func TestExternalIssuerAway(t *testing.T) {
	t.Parallel()
	i, e, clock := newOutside(t)
	ctx := context.Background()
	i.SetDown(true)
	token := i.Sign(i.Claims("a@example.org", clock.Now()))
	for range 3 {
		_, err := e.Verify(ctx, token)
		require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
		require.Equal(t, "issuer_unavailable", code(err))
	}
	i.SetDown(false)
	clock.move(2 * time.Second)
	_, err := e.Verify(ctx, token)
	require.NoError(t, err, "it is asked again after a pause")

	// Known keys are enough; an unknown one cannot be looked up.
	i.SetDown(true)
	_, err = e.Verify(ctx, token)
	require.NoError(t, err)
	i.Rotate()
	_, err = e.Verify(ctx, i.Sign(i.Claims("a@example.org", clock.Now())))
	require.Equal(t, "issuer_unavailable", code(err))
}

func FuzzIssued(f *testing.F) {
	part := base64.RawURLEncoding.EncodeToString
	const address = "https://id.example.org"
	e := identity.NewExternal(identity.ExternalConfig{Issuer: address, Audience: "a", EmailClaim: "email", Clock: identity.Clock{}})
	f.Add("e30." + part([]byte(`{"iss":"`+address+`"}`)) + ".x")
	f.Add("..")
	f.Add("e30.bnVsbA.")
	f.Fuzz(func(t *testing.T, token string) {
		if !e.Issued(token) {
			return
		}
		_, claims, _ := strings.Cut(token, ".")
		claims, _, _ = strings.Cut(claims, ".")
		text, err := base64.RawURLEncoding.DecodeString(claims)
		if err != nil || !strings.Contains(string(text), "id.example.org") && !strings.Contains(string(text), "\\") {
			t.Fatalf("%q is taken for a token of %s", token, address)
		}
	})
}
