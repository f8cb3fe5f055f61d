package identity_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/core/fault"
	"tilth/ports"
)

// keys is a store that holds signing keys and nothing else.
type keys struct {
	ports.Store
	ports.Accounts
	stored []ports.SigningKey
	reads  int
}

func (k *keys) Consult(ctx context.Context, do func(context.Context, ports.OperatorRepos) error) error {
	return do(ctx, ports.OperatorRepos{Accounts: k})
}

func (k *keys) SigningKeys(context.Context) ([]ports.SigningKey, error) {
	k.reads++
	return k.stored, nil
}

func key(id string, fill byte) ports.SigningKey {
	return ports.SigningKey{ID: id, Seed: []byte(strings.Repeat(string(rune(fill)), 32))}
}

var now = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

func code(err error) string {
	f, ok := fault.As(err)
	if !ok {
		return ""
	}
	return f.Code
}

func TestTokens(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store := &keys{stored: []ports.SigningKey{key("one", 'a')}}
	tokens := identity.NewTokens(store)
	token, err := tokens.Issue(ctx, 42, now, time.Hour)
	require.NoError(t, err)
	id, err := tokens.Verify(ctx, token, now.Add(59*time.Minute))
	require.NoError(t, err)
	require.EqualValues(t, 42, id)

	_, err = tokens.Verify(ctx, token, now.Add(61*time.Minute))
	require.Equal(t, "token_expired", code(err))

	// Another replica rotates the key: its tokens are known here, and the old ones stay good.
	retired := now
	store.stored = []ports.SigningKey{key("two", 'b'), {ID: "one", Seed: store.stored[0].Seed, RetiredAt: &retired}}
	other, err := identity.NewTokens(store).Issue(ctx, 7, now, time.Hour)
	require.NoError(t, err)
	id, err = tokens.Verify(ctx, other, now)
	require.NoError(t, err)
	require.EqualValues(t, 7, id)
	_, err = tokens.Verify(ctx, token, now)
	require.NoError(t, err)

	// A key that nobody has is refused, and the store is not read again for each attempt.
	forged, err := identity.NewTokens(&keys{stored: []ports.SigningKey{key("three", 'c')}}).Issue(ctx, 1, now, time.Hour)
	require.NoError(t, err)
	for range 10 {
		_, err = tokens.Verify(ctx, forged, now.Add(time.Minute))
		require.Equal(t, "token_invalid", code(err))
	}
	require.LessOrEqual(t, store.reads, 5)

	// The right key id with another key's signature.
	wrong, err := identity.NewTokens(&keys{stored: []ports.SigningKey{key("two", 'x')}}).Issue(ctx, 1, now, time.Hour)
	require.NoError(t, err)
	_, err = tokens.Verify(ctx, wrong, now)
	require.Equal(t, "token_invalid", code(err))
}

// A signature is checked once; everything else that a token must satisfy is checked every time.
func TestTokensThatWereVerifiedBefore(t *testing.T) {
	t.Parallel()
	ctx, now := context.Background(), time.Unix(1_700_000_000, 0)
	store := &keys{stored: []ports.SigningKey{key("one", 'a')}}
	tokens := identity.NewTokens(store)
	token, err := tokens.Issue(ctx, 7, now, time.Minute)
	require.NoError(t, err)
	for range 2 {
		id, err := tokens.Verify(ctx, token, now)
		require.NoError(t, err)
		require.EqualValues(t, 7, id)
	}
	_, err = tokens.VerifyFor(ctx, "another", token, now)
	require.True(t, fault.Is(err, fault.Unauthenticated), "for another audience")
	_, err = tokens.Verify(ctx, token, now.Add(2*time.Minute))
	require.True(t, fault.Is(err, fault.Unauthenticated), "when it has expired")
	store.stored = []ports.SigningKey{key("two", 'b')}
	_, err = tokens.Issue(ctx, 7, now, time.Minute) // it reads the keys
	require.NoError(t, err)
	_, err = tokens.Verify(ctx, token, now)
	require.True(t, fault.Is(err, fault.Unauthenticated), "when its key is gone")
}

func TestUnsignedTokensAreRefused(t *testing.T) {
	t.Parallel()
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	tokens := identity.NewTokens(&keys{stored: []ports.SigningKey{key("one", 'a')}})
	for _, token := range []string{
		"", "a", "a.b.c", "..", strings.Repeat("a", 1<<16),
		part(`{"alg":"none","kid":"one"}`) + "." + part(`{"sub":"1","iss":"tilth","aud":"tilth","exp":9999999999}`) + ".",
		part(`{"alg":"HS256","kid":"one"}`) + "." + part(`{"sub":"1","iss":"tilth","aud":"tilth","exp":9999999999}`) + "." + part("x"),
	} {
		_, err := tokens.Verify(context.Background(), token, now)
		require.Equal(t, "token_invalid", code(err))
	}
}

func TestNoKeyYet(t *testing.T) {
	t.Parallel()
	_, err := identity.NewTokens(&keys{}).Issue(context.Background(), 1, now, time.Hour)
	require.True(t, fault.Is(err, fault.Unavailable))
}

func FuzzVerify(f *testing.F) {
	tokens := identity.NewTokens(&keys{stored: []ports.SigningKey{key("one", 'a')}})
	good, err := tokens.Issue(context.Background(), 42, now, time.Hour)
	require.NoError(f, err)
	f.Add(good)
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Add("")
	f.Fuzz(func(t *testing.T, token string) {
		id, err := tokens.Verify(context.Background(), token, now)
		if (err == nil) != (token == good) && err == nil && id != 42 {
			t.Fatalf("%q was taken for user %d", token, id)
		}
		if err != nil && !fault.Is(err, fault.Unauthenticated) {
			t.Fatalf("%q: %v", token, err)
		}
	})
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	p := identity.NewPasswords(16)
	hash, err := p.Hash(t.Context(), "correct horse")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(hash, "$argon2id$"))
	ok, err := p.Check(t.Context(), "correct horse", hash)
	require.NoError(t, err)
	require.True(t, ok)
	ok, err = p.Check(t.Context(), "wrong horse", hash)
	require.NoError(t, err)
	require.False(t, ok)
	for _, password := range []string{"", "nobody has this password"} {
		ok, err = p.Check(t.Context(), password, "")
		require.NoError(t, err)
		require.False(t, ok, "an empty hash fits nothing")
	}
}

// A caller that leaves while others hash no longer waits.
func TestPasswordsWaitNoLongerThanTheirCaller(t *testing.T) {
	t.Parallel()
	p := identity.NewPasswords(12)
	var floods sync.WaitGroup
	defer floods.Wait()
	flood, stop := context.WithCancel(t.Context())
	defer stop()
	for range 8 {
		floods.Go(func() {
			for flood.Err() == nil {
				_, _ = p.Hash(flood, "a flood of sign-ins")
			}
		})
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	require.Eventually(t, func() bool {
		_, hashing := p.Hash(gone, "correct horse")
		_, checking := p.Check(gone, "correct horse", "")
		return errors.Is(hashing, context.Canceled) && errors.Is(checking, context.Canceled)
	}, time.Minute, time.Millisecond)
}

func TestRandom(t *testing.T) {
	t.Parallel()
	var r identity.Random
	require.NotEqual(t, r.UUID(), r.UUID())
	require.Len(t, r.Secret(), 43)
	for range 100 {
		j := r.Jitter()
		require.True(t, j >= 0 && j < 1)
	}
	require.Equal(t, time.UTC, identity.Clock{}.Now().Location())
}
