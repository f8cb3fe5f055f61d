package limit

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
)

// common is the shared table of the replicas, in memory.
type common struct {
	beats, sums map[string]int64
	exchanged   int
}

func (c *common) Beat(_ context.Context, replica string, _ time.Time) (map[string]int64, error) {
	c.beats[replica]++
	return maps.Clone(c.beats), nil
}

func (c *common) Exchange(_ context.Context, taken map[string]int64, _ time.Time) (map[string]int64, error) {
	out := map[string]int64{}
	for key, n := range taken {
		c.exchanged++
		c.sums[key] += n
		out[key] = c.sums[key]
	}
	return out, nil
}

// fleet is some replicas with one clock and one table.
type fleet struct {
	t      *testing.T
	clock  time.Time
	common common
	all    []*Limiter
	ids    []string
}

const beatRounds = int(beatEvery / time.Second)

func newFleet(t *testing.T, n int, rates Rates) *fleet {
	f := &fleet{t: t, clock: time.Date(2025, 5, 1, 12, 0, 0, 0, time.UTC), common: common{beats: map[string]int64{}, sums: map[string]int64{}}}
	for i := range n {
		f.all, f.ids = append(f.all, New(rates, func() time.Time { return f.clock })), append(f.ids, fmt.Sprint("replica ", i))
	}
	f.share(2 * beatRounds)
	for _, l := range f.all {
		require.Equal(t, n, l.Replicas())
	}
	return f
}

// share makes every replica exchange for some seconds.
func (f *fleet) share(seconds int) {
	for range seconds {
		for i, l := range f.all {
			_, err := l.Share(context.Background(), &f.common, f.ids[i])
			require.NoError(f.t, err)
		}
		f.clock = f.clock.Add(time.Second)
	}
}

// flood makes a user ask all replicas as fast as they answer, and returns the number of answers.
func (f *fleet) flood(seconds int, user int64) (answered int) {
	who := access.Principal{UserID: user, CompanyID: user}
	for range seconds {
		for range 20 { // times a second
			for _, l := range f.all {
				for {
					r, wait := l.Admit(netip.MustParseAddr("10.0.0.1"), fmt.Sprint("of user ", user), false)
					if wait == 0 {
						wait = l.Verified(r, who)
					}
					if wait > 0 {
						break
					}
					answered++
				}
			}
			f.clock = f.clock.Add(time.Second / 20)
		}
		f.clock = f.clock.Add(-time.Second)
		f.share(1)
	}
	return answered
}

func TestLimitsHoldAcrossReplicas(t *testing.T) {
	const perSecond = 10
	for _, replicas := range []int{1, 2, 3, 6} {
		for _, seconds := range []int{1, 2, 5, 60} {
			f := newFleet(t, replicas, Rates{Caller: perSecond})
			allowed := perSecond * (burst + seconds)
			answered := f.flood(seconds, 1)
			require.LessOrEqual(t, answered, 2*allowed, "%d replicas, %d s", replicas, seconds)
			require.GreaterOrEqual(t, answered, allowed/2, "%d replicas, %d s", replicas, seconds)
		}
	}
}

func TestACallerOfOneReplicaHasTheWholeRate(t *testing.T) {
	f := newFleet(t, 3, Rates{Caller: 10})
	whole := f.all
	answered := 0
	for range 60 {
		f.all = whole[:1]
		f.clock = f.clock.Add(-time.Second)
		f.all = whole
		f.share(1)
		f.all = whole[:1]
		answered += f.flood(1, 1)
		f.all = whole
	}
	require.GreaterOrEqual(t, answered, 60*10)
}

func TestOnlyBusyCallersAreExchanged(t *testing.T) {
	f := newFleet(t, 2, Rates{Caller: 10})
	for user := range int64(1000) {
		r, _ := f.all[0].Admit(netip.MustParseAddr("10.0.0.1"), fmt.Sprint(user), false)
		require.Zero(t, f.all[0].Verified(r, access.Principal{UserID: user}))
	}
	f.share(1)
	require.Zero(t, f.common.exchanged)
}

// A server that receives no requests exchanges every five seconds. A request signals that an exchange is due, if there are other servers.
func TestOnlyARequestCallsForAnExchange(t *testing.T) {
	f := newFleet(t, 2, Rates{Caller: 10})
	require.Empty(t, f.all[0].Asked())
	f.flood(1, 1)
	require.Len(t, f.all[0].Asked(), 1)
	alone := newFleet(t, 1, Rates{Caller: 10})
	alone.flood(1, 1)
	require.Empty(t, alone.all[0].Asked())
}

func TestAReplicaThatIsGoneLeavesItsPart(t *testing.T) {
	f := newFleet(t, 2, Rates{Caller: 10})
	f.all = f.all[:1]
	f.share(beatRounds * (deadAfter + 1))
	require.Equal(t, 1, f.all[0].Replicas())
	f.all = append(f.all, New(Rates{Caller: 10}, func() time.Time { return f.clock }))
	f.ids[1] = "replica of later"
	f.share(2 * beatRounds)
	require.Equal(t, 2, f.all[0].Replicas())
	require.Equal(t, 2, f.all[1].Replicas(), "the one that is gone is not counted")
}

func TestCallersAreForgotten(t *testing.T) {
	l := New(Rates{Caller: 1}, time.Now)
	for i := range 3 * remembered {
		_, wait := l.Admit(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), "", false)
		require.Zero(t, wait)
	}
	require.LessOrEqual(t, len(l.addresses.buckets.young)+len(l.addresses.buckets.old), 2*remembered)
}
