package link_test

import (
	"encoding/base64"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/stratification/link"
)

var printed = time.Date(2026, 11, 23, 16, 0, 0, 0, time.UTC)

func made(kind link.Kind, id int64) link.Link {
	l := link.New(kind, 7, 1, "a secret of forty-three characters, or so...", printed)
	l.ID = id
	return l
}

func TestATokenOpensWhatItWasMadeFor(t *testing.T) {
	t.Parallel()
	for _, id := range []int64{1, 127, 128, 1 << 40} {
		l := made(link.Label, id)
		text := l.Token(99)
		require.Equal(t, text, l.Token(99), "the same label is printed twice")
		require.LessOrEqual(t, len(text), 48)
		token, ok := link.Parse(text)
		require.True(t, ok)
		require.Equal(t, [2]int64{id, 99}, [2]int64{token.Link, token.Subject})
		require.True(t, l.Opens(token, printed))

		other, sheet, bare := made(link.Label, id), made(link.Sheet, id), made(link.Label, id)
		other.Secret, bare.Secret = "another", ""
		require.False(t, other.Opens(token, printed), "another secret")
		require.False(t, sheet.Opens(token, printed), "another kind")
		require.False(t, bare.Opens(token, printed), "no secret")
		moved := made(link.Label, id+1)
		require.False(t, moved.Opens(token, printed), "another link")
	}
}

// No bit of a token may change, and no other text is the same token.
func TestForgedTokens(t *testing.T) {
	t.Parallel()
	l := made(link.Label, 300)
	raw, err := base64.RawURLEncoding.DecodeString(l.Token(5))
	require.NoError(t, err)
	for i := range len(raw) * 8 {
		forged := append([]byte(nil), raw...)
		forged[i/8] ^= 1 << (i % 8)
		token, ok := link.Parse(base64.RawURLEncoding.EncodeToString(forged))
		require.False(t, ok && l.Opens(token, printed), "bit %d", i)
	}
	padded := append([]byte{0x80 | raw[0]&0x7f, raw[1] | 0x80, 0}, raw[2:]...)
	for _, text := range []string{
		"", "x", "....", l.Token(5) + "=", l.Token(5) + "A", l.Token(5)[1:], l.Token(0), l.Token(-1),
		base64.RawURLEncoding.EncodeToString(padded), base64.RawURLEncoding.EncodeToString(make([]byte, 18)), base64.RawURLEncoding.EncodeToString(make([]byte, 4000)),
	} {
		_, ok := link.Parse(text)
		require.False(t, ok, "%q", text)
	}
}

func TestLinksEnd(t *testing.T) {
	t.Parallel()
	label, sheet := made(link.Label, 1), made(link.Sheet, 1)
	require.Equal(t, printed.AddDate(2, 0, 0), label.ExpiresAt)
	require.Equal(t, 90*24*time.Hour, sheet.ExpiresAt.Sub(printed))
	for _, l := range []link.Link{label, sheet} {
		token, _ := link.Parse(l.Token(3))
		require.True(t, l.Opens(token, l.ExpiresAt.Add(-1)))
		require.False(t, l.Opens(token, l.ExpiresAt))
		require.True(t, l.Today(printed.Add(7*time.Hour+59*time.Minute)))
		require.False(t, l.Today(printed.Add(8*time.Hour)), "another day is another printing")
		l.RevokedAt = &printed
		require.False(t, l.Opens(token, printed))
		require.False(t, l.Today(printed))
	}
}
