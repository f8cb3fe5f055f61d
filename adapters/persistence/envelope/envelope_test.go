package envelope_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence/envelope"
	"tilth/core/fault"
)

func box(t *testing.T, keys ...string) *envelope.Box {
	t.Helper()
	b, err := envelope.New(strings.Join(keys, ","))
	require.NoError(t, err)
	return b
}

func TestEnvelopes(t *testing.T) {
	t.Parallel()
	first, second := envelope.NewKey(), envelope.NewKey()
	b := box(t, first)
	sealed := b.Seal("webhooks/7/secret", []byte("whsec_x"))
	require.NotContains(t, string(sealed), "whsec_x")
	require.Equal(t, b.Current(), envelope.KeyOf(sealed))
	require.NotEqual(t, sealed, b.Seal("webhooks/7/secret", []byte("whsec_x")), "no nonce is used twice")

	opened, err := box(t, second, first).Open("webhooks/7/secret", sealed)
	require.NoError(t, err)
	require.Equal(t, "whsec_x", string(opened))

	_, err = b.Open("webhooks/8/secret", sealed)
	require.True(t, fault.Is(err, fault.Internal), "an envelope opens in its place alone: %v", err)
	for _, other := range []*envelope.Box{nil, box(t, second)} {
		_, err = other.Open("webhooks/7/secret", sealed)
		require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
		require.ErrorContains(t, err, b.Current())
	}
	for i := range sealed {
		changed := append([]byte(nil), sealed...)
		changed[i] ^= 1
		opened, err := b.Open("webhooks/7/secret", changed)
		require.False(t, err == nil && envelope.KeyOf(changed) != "", "byte %d: %q", i, opened)
	}
}

func TestNoKeySealsNothing(t *testing.T) {
	t.Parallel()
	none := box(t)
	require.Nil(t, none)
	require.Empty(t, none.Current())
	require.Equal(t, "whsec_x", string(none.Seal("p", []byte("whsec_x"))))
	for _, b := range []*envelope.Box{none, box(t, envelope.NewKey())} {
		opened, err := b.Open("p", []byte("whsec_x"))
		require.NoError(t, err)
		require.Equal(t, "whsec_x", string(opened), "what was stored before there was a key")
		require.Empty(t, b.Seal("p", nil))
	}
}

func TestKeysAreChecked(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"x", envelope.NewKey() + "A", strings.Repeat("=", 43), envelope.NewKey()[1:]} {
		_, err := envelope.New(bad)
		require.True(t, fault.Is(err, fault.Invalid), "%q: %v", bad, err)
		require.NotContains(t, err.Error(), bad, "an error shows no key")
	}
	require.Len(t, box(t, envelope.NewKey()).Current(), 16)
}
