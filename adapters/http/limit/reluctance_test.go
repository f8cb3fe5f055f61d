package limit

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
)

func TestRefusalsAreHeldBackInAFlood(t *testing.T) {
	clock := time.Date(2025, 5, 1, 12, 0, 0, 0, time.UTC)
	l := New(Rates{Caller: 20}, func() time.Time { return clock })
	refuse := func(address string) time.Duration {
		r, _ := l.Admit(netip.MustParseAddr(address), "made-up", false)
		require.False(t, r.Known())
		return l.Reluctance(r)
	}
	for i := range burst * refusedOfAll * 20 {
		require.Zero(t, refuse(fmt.Sprintf("10.0.0.%d", i%10)), "few refusals in all are answered at once")
	}
	require.Equal(t, reluctance, refuse("10.0.0.1"))
	require.Zero(t, refuse("10.0.1.1"), "an address that is seldom refused does not wait")
	clock = clock.Add(time.Minute)
	require.Zero(t, refuse("10.0.0.1"), "the flood is over")

	r, _ := l.Admit(netip.MustParseAddr("10.0.0.1"), "good", false)
	require.Zero(t, l.Verified(r, access.Principal{UserID: 1, CompanyID: 1}))
	require.True(t, r.Known())
}
