package rig

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// longestPause is the longest time between two checks of a slow condition.
const longestPause = 250 * time.Millisecond

// Eventually checks until a condition holds, first after a pause and then less and less often: most checks cost the
// program under test a request, and many tests wait at a time. The limit is for what hangs.
func Eventually(t testing.TB, holds func() bool, limit, pause time.Duration, message ...any) {
	t.Helper()
	for end := time.Now().Add(limit); !holds(); pause = min(pause*5/4, longestPause) {
		if time.Now().After(end) {
			require.Fail(t, "it never came to be", message...)
		}
		time.Sleep(pause)
	}
}
