package access_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/fault"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	later, code := now.Add(time.Minute), func(err error) string {
		f, ok := fault.As(err)
		require.True(t, ok)
		return f.Code
	}
	key := access.APIKey{Name: "k", ExpiresAt: &later, Slugs: []string{"*", "*.view", "farm.*", "vi-profile.view"}}
	require.Empty(t, key.Check(now))
	require.NoError(t, key.Usable(now))
	require.Equal(t, "api_key_expired", code(key.Usable(later)))
	require.Contains(t, key.Check(later), "expires_at")
	key.RevokedAt = &now
	require.Equal(t, "api_key_invalid", code(key.Usable(now)))
	for _, pattern := range []string{"", "farm", "farm.", ".view", "farm.read", "Farm.view", "*view", "farm.view.x", "a b.view", "farm.view\x00", strings.Repeat("a", 200) + ".view"} {
		require.False(t, access.ValidPattern(pattern), pattern)
		require.Contains(t, (&access.APIKey{Name: "k", Slugs: []string{pattern}}).Check(now), "slugs")
	}
	for _, name := range []string{"", strings.Repeat("x", 256), "a\x00", "\xff"} {
		require.Contains(t, (&access.APIKey{Name: name}).Check(now), "name")
	}
}

func TestNarrowedPrincipal(t *testing.T) {
	t.Parallel()
	require.True(t, access.Principal{}.Within("farm.delete"))
	narrow := access.Principal{KeyID: 1, KeySlugs: []string{"farm.*", "*.view"}}
	require.True(t, narrow.Within("farm.delete"))
	require.True(t, narrow.Within("field.view"))
	require.False(t, narrow.Within("field.edit"))
	require.False(t, narrow.Within("audit.view"))
}

func FuzzPattern(f *testing.F) {
	for _, p := range []string{"*", "*.view", "farm.*", "farm.view", "vi-profile.create", ""} {
		f.Add(p, "farm.view")
	}
	f.Fuzz(func(t *testing.T, pattern, slug string) {
		valid := access.ValidPattern(pattern)
		if valid && strings.ContainsAny(pattern, " \x00\n\"'") {
			t.Fatalf("%q is taken for a pattern", pattern)
		}
		if valid && !strings.Contains(pattern, "*") && access.Match(pattern, access.Slug(slug)) && pattern != slug {
			t.Fatalf("%q covers %q", pattern, slug)
		}
	})
}
