package assessment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/assessment"
)

// Whatever the clock does, a version is later than the one before and than what was
// computed of it, so that it is stale until it is computed itself.
func TestVersionsAreStaleUntilComputed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var a assessment.Assessment
		clock := func() time.Time { return time.UnixMicro(rapid.Int64Range(0, 5).Draw(rt, "clock")) }
		a.UpdatedAt = clock()
		require.True(rt, a.Stale())
		for range 5 {
			if rapid.Bool().Draw(rt, "computed") {
				at := clock()
				if at.Before(a.UpdatedAt) {
					at = a.UpdatedAt
				}
				a.CompletenessComputedAt = &at
				require.False(rt, a.Stale())
			}
			before := a.UpdatedAt
			a.UpdatedAt = a.NextVersion(clock())
			require.True(rt, a.UpdatedAt.After(before))
			require.True(rt, a.Stale())
		}
	})
}
