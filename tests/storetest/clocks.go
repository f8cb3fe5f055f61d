package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/core/event"
	"tilth/core/stratification"
	"tilth/core/webhook"
	"tilth/ports"
)

// ownClock is a clock that differs from another one.
type ownClock struct {
	of      func() time.Time
	differs time.Duration
}

func (c *ownClock) Now() time.Time { return c.of().Add(c.differs) }

// process is a process of its own on the database of a world.
type process struct {
	*persistence.Database
	t     *testing.T
	clock *ownClock
	slack time.Duration // how late a slow machine may read the database's clock
}

// leaseOf is the lease of jobs and events: far more than the slack.
const leaseOf = 10 * time.Minute

// process opens the database with a clock that differs from the shared one, or from the
// database's clock if shared is nil.
func (w *world) process(t *testing.T, shared *clock, differs time.Duration) *process {
	p := &process{t: t, clock: &ownClock{time.Now, differs}, slack: time.Minute}
	opts := persistence.Options{Clock: p.clock, IDs: w.ids}
	if shared != nil {
		opts.Shared, p.clock.of, p.slack = shared, shared.Now, 0
	}
	var err error
	p.Database, err = persistence.Open(w.ctx, w.address, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

func (p *process) enqueue(key string, in time.Duration) {
	require.NoError(p.t, p.Write(p.t.Context(), func(ctx context.Context, tx ports.Repos) error {
		return tx.Jobs.Enqueue(ctx, ports.Job{Kind: "clock", Key: key, RunAt: p.clock.Now().Add(in)})
	}))
}

func (p *process) claims() (jobs []ports.Job) {
	jobs, err := p.QueueOf("clock").Claim(p.t.Context(), p.clock.Now().Add(p.slack), leaseOf, 10)
	require.NoError(p.t, err)
	return jobs
}

func (p *process) relays() (seqs []int64) {
	rows, err := p.Relay().Pending(p.t.Context(), p.clock.Now().Add(p.slack), leaseOf, 10)
	require.NoError(p.t, err)
	for _, row := range rows {
		seqs = append(seqs, row.Seq)
	}
	return seqs
}

// testClocks checks that due times and leases are durations between processes: their clocks
// may differ, and be set, and nothing waits longer or shorter because of it.
func testClocks(t *testing.T, b Backend) {
	w := newWorld(t, b)
	for _, differs := range []time.Duration{-time.Hour, time.Hour} {
		databases, other := w.process(t, nil, 0), w.process(t, nil, differs)
		for _, pair := range [][2]*process{{databases, other}, {other, databases}} {
			w.ownClocks(t, pair[0], pair[1])
		}
	}

	// A lease lasts as long as stated, whichever clock measures it.
	shared := newClock()
	shared.at.Store(time.Now().Add(48 * time.Hour).UnixNano())
	ahead, behind := w.process(t, shared, time.Hour), w.process(t, shared, -time.Hour)
	for _, pair := range [][2]*process{{ahead, behind}, {behind, ahead}} {
		pair[0].enqueue("lease", 0)
		job := pair[1].claims()[0]
		shared.move(leaseOf - time.Minute)
		require.NoError(t, pair[1].QueueOf("clock").Renew(w.ctx, job, pair[1].clock.Now().Add(leaseOf)))
		shared.move(leaseOf - time.Minute)
		require.Empty(t, pair[0].claims())
		shared.move(2 * time.Minute)
		job = pair[0].claims()[0]
		require.NoError(t, pair[0].Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return tx.Jobs.Finish(ctx, job) }))
	}

	for _, pair := range [][2]*process{{ahead, behind}, {behind, ahead}} {
		w.orderUnderWay(t, pair[0], pair[1], shared)
	}

	// A process whose clock is set while it runs.
	for _, by := range []time.Duration{-time.Hour, time.Hour} {
		ahead.enqueue("set", 0)
		ahead.enqueue("set later", leaseOf)
		ahead.clock.differs += by
		jobs := ahead.claims()
		require.Len(t, jobs, 1, "what is due is due, and nothing else")
		require.Empty(t, ahead.claims(), "the lease holds")
		shared.move(leaseOf)
		require.Len(t, ahead.claims(), 2)
		require.NoError(t, ahead.Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
			for _, job := range keptJobs(ctx, t, tx.Jobs, jobsWith("kind", "clock")) {
				require.WithinDuration(t, ahead.clock.Now().Add(leaseOf), *job.LeasedUntil, time.Millisecond, "read by the clock of the process")
				require.NoError(t, tx.Jobs.Finish(ctx, job.Job))
			}
			return nil
		}))
	}

	// The clock of the machine is set back while no process runs.
	ahead.enqueue("restart", 0)
	ahead.enqueue("restart later", 2*leaseOf)
	shared.move(time.Minute)
	require.Len(t, ahead.claims(), 1)
	shared.move(-time.Hour)
	again := w.process(t, shared, 0)
	require.Empty(t, again.claims(), "the lease holds")
	shared.move(leaseOf + time.Minute)
	require.Len(t, again.claims(), 1, "and ends")
	shared.move(leaseOf)
	require.Len(t, again.claims(), 2, "what is due later is due when it was")
}

// ownClocks has one process queue what the other one does, each by its own clock.
func (w *world) ownClocks(t *testing.T, asks, does *process) {
	asks.enqueue("now", 0)
	asks.enqueue("later", 30*time.Minute)
	jobs := does.claims()
	require.Len(t, jobs, 1, "what is due is due")
	require.Equal(t, "now", jobs[0].Key)
	require.WithinDuration(t, does.clock.Now(), jobs[0].RunAt, time.Minute)
	require.Empty(t, asks.claims(), "the lease holds")
	require.NoError(t, does.Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		return tx.Jobs.Postpone(ctx, jobs[0], does.clock.Now().Add(leaseOf))
	}))
	require.Empty(t, asks.claims(), "a retry waits")
	require.Empty(t, does.claims())
	require.NoError(t, asks.Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		for _, job := range keptJobs(ctx, t, tx.Jobs, jobsWith("kind", "clock")) {
			require.NoError(t, tx.Jobs.Cancel(ctx, job.ID, asks.clock.Now()))
		}
		return nil
	}))
	for _, job := range does.claims() {
		require.NoError(t, does.Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return tx.Jobs.Finish(ctx, job) }))
	}

	require.NoError(t, asks.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		return tx.Outbox.Add(ctx, event.Event{ID: w.ids.UUID(), Type: "x", At: asks.clock.Now(), Data: struct{}{}})
	}))
	held := does.relays()
	require.Len(t, held, 1)
	require.Empty(t, asks.relays(), "the hold holds")
	require.NoError(t, does.Relay().Published(w.ctx, held, does.clock.Now()))

	hook := w.newHook(w.ours, 1)
	require.NoError(t, asks.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		now := asks.clock.Now()
		d := webhook.Delivery{WebhookID: hook.ID, EventID: w.ids.UUID(), EventType: "x", Body: "{}", CreatedAt: now, State: webhook.Pending, NextTry: &now}
		return tx.Deliveries.Insert(ctx, w.ours.scope, &d)
	}))
	require.NoError(t, does.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		now := does.clock.Now()
		d, due, err := tx.Deliveries.Due(ctx, w.ours.scope, hook.ID, now.Add(does.slack))
		require.NoError(t, err)
		require.True(t, due)
		d.NextTry = new(now.Add(10 * time.Minute))
		require.NoError(t, tx.Deliveries.Update(ctx, w.ours.scope, d))
		paused, err := tx.Webhooks.GetForUpdate(ctx, w.ours.scope, hook.ID)
		require.NoError(t, err)
		paused.PausedUntil = d.NextTry
		return tx.Webhooks.Update(ctx, w.ours.scope, &paused)
	}))
	require.NoError(t, asks.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		now := asks.clock.Now()
		_, due, err := tx.Deliveries.Due(ctx, w.ours.scope, hook.ID, now.Add(9*time.Minute))
		require.NoError(t, err)
		require.False(t, due)
		_, due, err = tx.Deliveries.Due(ctx, w.ours.scope, hook.ID, now.Add(11*time.Minute))
		require.True(t, due)
		paused, known := tx.Webhooks.Get(ctx, w.ours.scope, hook.ID)
		require.NoError(t, known)
		require.WithinDuration(t, now.Add(10*time.Minute), *paused.PausedUntil, time.Minute)
		return err
	}))
}

// orderUnderWay has one process begin an order and another one find it overdue.
func (w *world) orderUnderWay(t *testing.T, begins, finds *process, shared *clock) {
	const limit = 30 * time.Minute
	now := begins.clock.Now()
	aoi := stratification.AOI{Meta: w.meta(w.ours), UUID: w.ids.UUID(), Name: "a", Fields: []stratification.AOIField{{ID: w.ours.field.ID, UUID: w.ours.field.UUID}}}
	order := stratification.OrderState{DataUUID: w.ids.UUID(), Status: stratification.OrderPending, RequestDate: now, CreatedAt: now, UpdatedAt: now}
	require.NoError(t, begins.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		require.NoError(t, tx.AOIs.Insert(ctx, w.ours.scope, []*stratification.AOI{&aoi}))
		order.AOI = stratification.AOIRef{ID: aoi.ID}
		require.NoError(t, tx.StratificationOrders.Insert(ctx, w.ours.scope, &order))
		order.Status, order.ProcessingAt = stratification.OrderProcessing, &now
		return tx.StratificationOrders.Update(ctx, w.ours.scope, order)
	}))
	overdue := func() (n int) {
		require.NoError(t, finds.Consult(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
			found, err := tx.Orders.Overdue(ctx, finds.clock.Now().Add(-limit), 10)
			n = len(found)
			return err
		}))
		return n
	}
	shared.move(limit - time.Second)
	require.Zero(t, overdue())
	shared.move(2 * time.Second)
	require.Equal(t, 1, overdue())
	order.Status = stratification.OrderFailed
	require.NoError(t, finds.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		return tx.StratificationOrders.Update(ctx, w.ours.scope, order)
	}))
}
