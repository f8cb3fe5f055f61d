package limit

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// As many requests are admitted as an answer states are left, and one more at the time that it states.
func TestQuotasAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := time.Date(2025, 5, 1, 12, 0, 0, 0, time.UTC)
		l := New(Rates{Caller: rapid.Float64Range(0.05, 60).Draw(t, "rate")}, func() time.Time { return clock })
		l.replicas.live = rapid.IntRange(1, 3).Draw(t, "replicas")
		ask := func() (left, more int, wait time.Duration) {
			r, wait := l.Admit(netip.MustParseAddr("10.0.0.1"), "", false)
			_, err := fmt.Sscanf(r.Quotas().Left, `"address";r=%d;t=%d`, &left, &more)
			require.NoError(t, err, r.Quotas().Left)
			return left, more, wait
		}
		left, _, _ := ask()
		for range rapid.IntRange(0, 5).Draw(t, "asked before") {
			clock = clock.Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms")) * time.Millisecond)
			left, _, _ = ask()
		}
		for n := left; n > 0; n-- {
			now, _, wait := ask()
			require.Zero(t, wait)
			require.Equal(t, n-1, now)
		}
		_, more, wait := ask()
		require.Positive(t, wait)
		clock = clock.Add(time.Duration(more) * time.Second)
		_, _, wait = ask()
		require.Zero(t, wait)
	})
}
