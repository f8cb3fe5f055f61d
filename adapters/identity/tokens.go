package identity

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	lru "github.com/hashicorp/golang-lru/v2"

	"tilth/core/fault"
	"tilth/ports"
)

const issuer = "tilth"

// Tokens issues and verifies access tokens: JWTs signed with Ed25519. The keys are in the
// database, so every replica and the command line agree; they are read again when a token names
// an unknown one.
type Tokens struct {
	store ports.Store

	mu     sync.Mutex
	keys   map[string]ed25519.PrivateKey
	newest string
	readAt time.Time

	verified *lru.Cache[[sha256.Size]byte, verified]
}

// verified is the content of a verified token, kept under the hash of its audience and text.
type verified struct {
	kid, subject string
	expires      time.Time
}

// maxVerified bounds the number of remembered tokens, of about 200 bytes each. leeway is the tolerated difference between clocks.
const (
	maxVerified = 16_384
	leeway      = 5 * time.Second
)

// rereadAfter bounds how often an unknown key id causes a read of the keys.
const rereadAfter = 2 * time.Second

// NewTokens creates a token issuer over the keys in a store.
func NewTokens(store ports.Store) *Tokens {
	known, err := lru.New[[sha256.Size]byte, verified](maxVerified)
	if err != nil {
		panic(err) // a bound that is not positive
	}
	return &Tokens{store: store, verified: known}
}

// Issue signs a token for a user.
func (t *Tokens) Issue(ctx context.Context, userID int64, now time.Time, ttl time.Duration) (string, error) {
	return t.IssueFor(ctx, issuer, strconv.FormatInt(userID, 10), now, ttl)
}

// IssueFor signs a token about a subject for an audience.
func (t *Tokens) IssueFor(ctx context.Context, audience, subject string, now time.Time, ttl time.Duration) (string, error) {
	if err := t.read(ctx); err != nil {
		return "", err
	}
	t.mu.Lock()
	kid, key := t.newest, t.keys[t.newest]
	t.mu.Unlock()
	if key == nil {
		return "", fault.New(fault.Unavailable, "no_signing_key", "There is no signing key yet; run `tilth migrate up`.")
	}
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.RegisteredClaims{
		Issuer: issuer, Subject: subject, Audience: jwt.ClaimStrings{audience},
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(ttl)),
	})
	token.Header["kid"] = kid
	return token.SignedString(key)
}

// Verify returns the user that a token was issued for. Faults: Unauthenticated (token_expired,
// token_invalid), Unavailable.
func (t *Tokens) Verify(ctx context.Context, text string, now time.Time) (int64, error) {
	subject, err := t.VerifyFor(ctx, issuer, text, now)
	if err != nil {
		return 0, err
	}
	id, err := strconv.ParseInt(subject, 10, 64)
	if err != nil || id <= 0 {
		return 0, invalidToken()
	}
	return id, nil
}

// VerifyFor returns the subject of a token that was issued for an audience. It checks a signature only once, as long as
// the key remains among those that were read last. Faults: Unauthenticated (token_expired, token_invalid), Unavailable.
func (t *Tokens) VerifyFor(ctx context.Context, audience, text string, now time.Time) (string, error) {
	hash := sha256.Sum256([]byte(audience + "\x00" + text))
	if known, ok := t.verified.Get(hash); ok && now.Before(known.expires.Add(leeway)) && t.holds(known.kid) {
		return known.subject, nil
	}
	var claims jwt.RegisteredClaims
	var unavailable error
	var signer string
	_, err := jwt.ParseWithClaims(text, &claims, func(token *jwt.Token) (any, error) {
		kid, _ := token.Header["kid"].(string)
		key, err := t.key(ctx, kid, now)
		unavailable, signer = err, kid
		if key == nil {
			return nil, errors.New("unknown key")
		}
		return key.Public(), nil
	}, jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithIssuer(issuer), jwt.WithAudience(audience),
		jwt.WithExpirationRequired(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(func() time.Time { return now }))
	switch {
	case unavailable != nil:
		return "", unavailable
	case errors.Is(err, jwt.ErrTokenExpired):
		return "", fault.New(fault.Unauthenticated, "token_expired", "The access token has expired; refresh it or sign in again.")
	case err != nil:
		return "", invalidToken()
	}
	t.verified.Add(hash, verified{signer, claims.Subject, claims.ExpiresAt.Time})
	return claims.Subject, nil
}

// holds reports whether a key is among those that were read last.
func (t *Tokens) holds(kid string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.keys[kid] != nil
}

func invalidToken() error {
	return fault.New(fault.Unauthenticated, "token_invalid", "The access token is not valid.")
}

// key returns a key by its id; nil if there is none.
func (t *Tokens) key(ctx context.Context, kid string, now time.Time) (ed25519.PrivateKey, error) {
	t.mu.Lock()
	key, fresh := t.keys[kid], !t.readAt.IsZero() && now.Sub(t.readAt) < rereadAfter
	t.mu.Unlock()
	if key != nil || fresh {
		return key, nil
	}
	if err := t.read(ctx); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.readAt = now
	return t.keys[kid], nil
}

func (t *Tokens) read(ctx context.Context) error {
	var stored []ports.SigningKey
	err := t.store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		stored, err = tx.Accounts.SigningKeys(ctx)
		return err
	})
	if err != nil {
		return err
	}
	keys, newest := make(map[string]ed25519.PrivateKey, len(stored)), ""
	for _, k := range stored {
		if len(k.Seed) != ed25519.SeedSize {
			continue
		}
		keys[k.ID] = ed25519.NewKeyFromSeed(k.Seed)
		if newest == "" && k.RetiredAt == nil {
			newest = k.ID
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys, t.newest = keys, newest
	return nil
}
