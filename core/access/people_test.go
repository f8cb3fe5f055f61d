package access_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/fault"
)

func TestKnownPatterns(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"*", "*.view", "*.delete", "farm.*", "farm.view", "vi-profile.create", "wallet.view", "api_key.delete"} {
		require.True(t, access.KnownPattern(good), good)
	}
	for _, bad := range []string{"", "farm", "farm.", ".view", "farm.fly", "*.fly", "*.*", "tractor.*", "crop.edit", "farm.view.all", " farm.view"} {
		require.False(t, access.KnownPattern(bad), bad)
	}
	for _, role := range access.DefaultRoles() {
		for _, slug := range role.Slugs {
			require.True(t, access.KnownPattern(slug), "%s of %s", slug, role.Name)
		}
	}
	all := access.KnownSlugs()
	require.True(t, slices.IsSorted(all))
	for _, slug := range all {
		require.True(t, access.Known(slug))
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		held    []string
		pattern string
		want    bool
	}{
		{[]string{"*"}, "*", true},
		{[]string{"*"}, "farm.view", true},
		{[]string{"farm.*"}, "farm.delete", true},
		{[]string{"farm.*"}, "farm.*", true},
		{[]string{"*.view"}, "farm.view", true},
		{[]string{"*.view"}, "*.view", true},
		{[]string{"*.view"}, "farm.*", false},
		{[]string{"*.view"}, "wallet.*", true},
		{[]string{"*.view", "*.create", "*.edit", "*.delete"}, "farm.*", true},
		{[]string{"farm.view", "farm.create", "farm.edit", "farm.delete"}, "farm.*", true},
		{[]string{"farm.view", "farm.create", "farm.edit"}, "farm.*", false},
		{[]string{"farm.view"}, "*.view", false},
		{[]string{"*.view", "*.create", "*.edit", "*.delete"}, "*", false},
		{nil, "farm.view", false},
		{[]string{"farm"}, "farm.view", false},
		{nil, "tractor.*", false},
		{[]string{"*.view"}, "audit.view", false},
		{[]string{"*.view"}, "audit.*", false},
		{[]string{"audit.view"}, "audit.*", true},
		{[]string{"*.*"}, "*", false},
		{[]string{"*"}, "audit.view", true},
	} {
		require.Equal(t, c.want, access.Covers(c.held, c.pattern), "%v of %s", c.held, c.pattern)
	}
	// What is covered gives no slug that is not held.
	patterns := []string{"*", "*.*", "*.view", "*.edit", "farm.*", "farm.view", "crop.*", "wallet.view", "role.edit", "audit.*", "audit.view"}
	for _, held := range patterns {
		for _, pattern := range patterns {
			if !access.Covers([]string{held}, pattern) {
				continue
			}
			for _, slug := range access.KnownSlugs() {
				if access.Match(pattern, slug) {
					require.True(t, access.Match(held, slug), "%s covers %s, but not %s", held, pattern, slug)
				}
			}
		}
	}
}

func TestRoleCheck(t *testing.T) {
	t.Parallel()
	r := access.Role{Name: " scout ", Slugs: []string{"farm.view", "*.view", "farm.view"}}
	require.Empty(t, r.Check())
	require.Equal(t, access.Role{Name: "scout", Slugs: []string{"*.view", "farm.view"}}, r)
	for _, bad := range []access.Role{{}, {Name: strings.Repeat("x", 65)}, {Name: "a\nb"}, {Name: "a\x00"}, {Name: "x", Slugs: []string{"no"}}} {
		require.NotEmpty(t, bad.Check(), bad.Name)
	}
	require.NoError(t, access.KeepOwner(0, 0), "a company without an owner is not made worse")
	require.NoError(t, access.KeepOwner(2, 1))
	require.True(t, fault.Is(access.KeepOwner(1, 0), fault.Invalid))
}

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"correct horse battery", "tilth-demo-2025", strings.Repeat("ab", 512), "päßwörtchen"} {
		require.Empty(t, access.CheckPassword(good, "ann@example.org"), good)
	}
	for _, bad := range []string{"", "short", "123456789", strings.Repeat("ab", 513), "Ann.Agronomist@example.org", "ann.agronomist", "PassWord123", "qwertyuiop", "zzzzzzzzzzzz", "éééééééééé"} {
		require.NotEmpty(t, access.CheckPassword(bad, "ann.agronomist@example.org"), bad)
	}
}

func TestWaitsGrowAndAreForgotten(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var a access.Attempts
	var waits []time.Duration
	for range 40 {
		a = a.Failed(now, access.FreeAttempts)
		waits = append(waits, a.Wait(now))
		now = a.Until
	}
	require.Equal(t, []time.Duration{0, 0, 0, 0, time.Second, 2 * time.Second, 4 * time.Second}, waits[:7])
	require.True(t, slices.IsSorted(waits))
	require.Equal(t, 15*time.Minute, waits[39])
	require.Zero(t, a.Wait(now))
	require.Equal(t, time.Minute, a.Failed(now, access.FreeAttempts).Wait(now.Add(14*time.Minute)))
	require.Equal(t, 1, a.Failed(now.Add(access.AttemptMemory+time.Second), access.FreeAttempts).Failures)
}
