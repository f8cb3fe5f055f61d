package messaging_test

import (
	"cmp"
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/messaging"
	"tilth/core/fault"
	"tilth/ports"
)

func TestALoopIsWokenNoSoonerThanItsGap(t *testing.T) {
	for name, c := range map[string]struct {
		woken, also bool
		looked      time.Duration // how long ago
		after       time.Duration
	}{
		"nobody wakes it":  {after: time.Minute},
		"it looked before": {woken: true, looked: time.Hour},
		"it just looked":   {woken: true, after: time.Second},
		"a place is free":  {woken: true, also: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				woken, also := make(chan struct{}, 1), make(chan struct{}, 1)
				if c.woken {
					woken <- struct{}{}
				}
				if c.also {
					also <- struct{}{}
				}
				r, began := messaging.Rhythm{Latest: time.Minute, Woken: woken, Gap: time.Second, Also: also}, time.Now()
				require.True(t, r.Wait(t.Context(), began.Add(-c.looked)))
				require.Equal(t, c.after, time.Since(began))
			})
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.False(t, messaging.Rhythm{Latest: time.Hour}.Wait(ctx, time.Now()))
}

// dueQueue hands out a job at each of its times.
type dueQueue struct {
	queue
	mu   sync.Mutex
	due  []time.Time
	away int // calls that fail
}

func (q *dueQueue) set(due []time.Time, away int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.due, q.away = due, away
}

func (q *dueQueue) Claim(_ context.Context, now time.Time, _ time.Duration, limit int) (out []ports.Job, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.away > 0 {
		q.away--
		return nil, fault.New(fault.Unavailable, "away", "The database is away.")
	}
	for len(q.due) > 0 && !q.due[0].After(now) && len(out) < limit {
		q.due, out = q.due[1:], append(out, ports.Job{Kind: "k"})
	}
	return out, nil
}

func (q *dueQueue) Next(context.Context) (time.Time, bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.away > 0 {
		q.away--
		return time.Time{}, false, fault.New(fault.Unavailable, "away", "The database is away.")
	}
	if len(q.due) == 0 {
		return time.Time{}, false, nil
	}
	return q.due[0], true, nil
}

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

// A job runs when it is due, whether somebody wakes the pool or not, and soon after the database is back.
func TestAPoolLooksWhenAJobIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		q := &dueQueue{due: []time.Time{began, began.Add(3 * time.Second), began.Add(4 * time.Second), began.Add(time.Hour)}}
		woken := make(chan struct{}, 1)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var ran []time.Duration
		pool := &messaging.Pool{Queue: q, Clock: wallClock{}, Log: quiet, Workers: 1, Woken: woken, Handlers: map[string]messaging.Handler{
			"k": func(context.Context, ports.Job) error {
				if ran = append(ran, time.Since(began)); len(ran) == 3 {
					q.set([]time.Time{began.Add(time.Hour)}, 2)
				}
				return nil
			},
		}}
		done := make(chan error, 1)
		go func() { done <- pool.Run(ctx) }()
		time.Sleep(4 * time.Second)
		synctest.Wait()
		require.Equal(t, []time.Duration{0, 3 * time.Second, 4 * time.Second}, ran)

		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		q.set([]time.Time{time.Now()}, 0)
		woken <- struct{}{}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		require.Len(t, ran, 4, "at once when it is woken")
		cancel()
		require.NoError(t, <-done)
	})
}

// A job that comes without anybody waking the pool is run at its next look, even where that comes sooner than another try
// after a failure would.
func TestAPoolThatLooksOftenClaimsWhatIsDue(t *testing.T) {
	for _, poll := range []time.Duration{10 * time.Millisecond, 400 * time.Millisecond, 0} {
		t.Run(poll.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, ran := &dueQueue{}, make(chan time.Time, 1)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				pool := &messaging.Pool{Queue: q, Clock: wallClock{}, Log: quiet, Workers: 2, Poll: poll, Handlers: map[string]messaging.Handler{
					"k": func(context.Context, ports.Job) error { ran <- time.Now(); return nil },
				}}
				done := make(chan error, 1)
				go func() { done <- pool.Run(ctx) }()
				time.Sleep(time.Second + time.Millisecond)
				synctest.Wait()
				came := time.Now()
				q.set([]time.Time{came.Add(-time.Minute)}, 0)
				select {
				case at := <-ran:
					longest := cmp.Or(poll, messaging.PollEvery)
					require.LessOrEqual(t, at.Sub(came), longest+min(longest, time.Second))
				case <-time.After(time.Minute):
					t.Error("nobody claimed it")
				}
				cancel()
				require.NoError(t, <-done)
			})
		})
	}
}
