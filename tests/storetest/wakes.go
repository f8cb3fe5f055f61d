package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/event"
	"tilth/ports"
)

// woken reports whether a channel has a value, and takes it.
func woken(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// testWakes checks that a commit wakes those that wait for what it left: in its process at once, in others soon.
func testWakes(t *testing.T, b Backend) {
	w := newWorld(t, b)
	own, other := w.process(t, nil, 0), w.process(t, nil, 0)
	jobs, outbox, rows := own.Wakes(sqlstore.JobsWait), own.Wakes(sqlstore.EventsWait), own.Wakes(sqlstore.RowsWait)
	feeds := own.Wakes(sqlstore.FeedsGrew)
	abroad := other.Wakes(sqlstore.JobsWait | sqlstore.EventsWait)

	own.enqueue("own", 0)
	require.True(t, woken(jobs))
	require.False(t, woken(jobs), "several are one")
	require.False(t, woken(outbox))
	require.True(t, woken(rows))
	require.False(t, woken(abroad), "nobody listens yet")

	_ = own.Write(t.Context(), func(ctx context.Context, tx ports.Repos) error {
		return errors.Join(tx.Jobs.Enqueue(ctx, ports.Job{Kind: "clock", Key: "never", RunAt: own.clock.Now()}), errors.New("taken back"))
	})
	require.False(t, woken(jobs), "what is rolled back wakes nobody")
	require.NoError(t, own.Read(t.Context(), func(ctx context.Context, tx ports.Repos) error {
		_, err := tx.Jobs.Waits(ctx, "clock", "own")
		return err
	}))
	require.False(t, woken(rows), "nor does who reads")

	held := own.claims()
	require.Len(t, held, 1)
	require.False(t, woken(jobs), "a claim leaves nothing to claim")
	require.NoError(t, own.QueueOf("clock").Return(t.Context(), held[0], own.clock.Now()))
	require.True(t, woken(jobs), "one that is given back is there for others")

	publish := func() {
		require.NoError(t, own.Write(t.Context(), func(ctx context.Context, tx ports.Repos) error {
			return tx.Outbox.Add(ctx, event.Event{ID: w.ids.UUID(), Type: "farm.created", CompanyID: w.ours.scope.Company(), Subject: "1", At: own.clock.Now(), Data: map[string]any{}})
		}))
	}
	assign := func() {
		require.NoError(t, own.Operate(t.Context(), func(ctx context.Context, tx ports.OperatorRepos) error {
			_, err := tx.Events.Assign(ctx, own.clock.Now(), 10)
			return err
		}))
	}
	publish()
	require.True(t, woken(outbox))
	require.False(t, woken(feeds), "it has no position yet")
	assign()
	require.True(t, woken(feeds))
	assign()
	require.False(t, woken(feeds), "nothing has got a position")

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for _, p := range []*process{own, other} {
		go func() { ended <- p.Watch(ctx) }()
	}
	// A new listener is woken for what came before. After that it is woken by each commit.
	for range 3 {
		require.Eventually(t, func() bool { return woken(abroad) }, time.Minute, time.Millisecond)
		publish()
		require.True(t, woken(outbox))
	}
	require.Eventually(t, func() bool { return woken(abroad) }, time.Minute, time.Millisecond)
	stop()
	for range 2 {
		require.NoError(t, <-ended)
	}
}

// testNextJob checks when a queue polls again.
func testNextJob(t *testing.T, b Backend) {
	w := newWorld(t, b)
	now := w.clock.Now().Truncate(time.Microsecond)
	next := func(q ports.Queue) any {
		at, waits, err := q.Next(w.ctx)
		require.NoError(t, err)
		if !waits {
			return nil
		}
		return at.Sub(now).Round(time.Microsecond)
	}
	require.Nil(t, next(w.Queue()))
	w.enqueue(ports.Job{Kind: "a", Key: "1", RunAt: now.Add(time.Hour)}, ports.Job{Kind: "b", Key: "1", RunAt: now.Add(time.Minute)}, ports.Job{Kind: "b", Key: "2", RunAt: now})
	require.Equal(t, time.Duration(0), next(w.Queue()))
	require.Equal(t, time.Hour, next(w.QueueOf("a")))
	require.Equal(t, time.Hour, next(w.QueueBut("b")))
	require.Nil(t, next(w.QueueOf("c")))

	held := w.claim(1)
	require.Equal(t, lease, next(w.Queue()), "the end of a lease")
	require.NoError(t, w.Queue().Fail(w.ctx, held[0], ports.FailedJob{At: now, Reason: "gone"}))
	require.Equal(t, time.Minute, next(w.Queue()), "one that failed waits for nobody")
}
