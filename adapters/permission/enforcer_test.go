package permission

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
)

// An enforcer distinguishes what the cache of enforcers keeps apart, too.
func TestAPolicyOfOthersMatchesNothing(t *testing.T) {
	t.Parallel()
	e, err := newEnforcer("company:1", map[string][]string{"editor": {"farm.*"}})
	require.NoError(t, err)
	for _, c := range []struct {
		policy []string
		want   bool
	}{
		{[]string{"role:editor", "company:1", "farm.view"}, true},
		{[]string{"role:editor", "company:2", "farm.view"}, false},
		{[]string{"role:owner", "company:1", "farm.view"}, false},
		{[]string{"role:editor", "company:1", "field.view"}, false},
	} {
		got, err := e.matches(c.policy, "farm.view")
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.policy)
	}
}

// BenchmarkEnforcer measures the time to make the enforcer of a default role, and the memory that it holds.
func BenchmarkEnforcer(b *testing.B) {
	for _, role := range access.DefaultRoles() {
		b.Run(role.Name, func(b *testing.B) {
			var made []*enforcer
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			for range b.N {
				e, err := newEnforcer("company:1", map[string][]string{role.Name: role.Slugs})
				require.NoError(b, err)
				made = append(made, e)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(b.N), "held-B/op")
			runtime.KeepAlive(made)
		})
	}
}
