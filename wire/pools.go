package wire

// The three pools of workers over the queue: jobs, chores, and what is posted to addresses outside. None waits for another.

import (
	"context"
	"maps"
	"slices"

	"tilth/adapters/identity"
	"tilth/adapters/messaging"
	"tilth/adapters/persistence/sqlstore"
	"tilth/app/account"
	"tilth/app/events"
	farmapp "tilth/app/farm"
	outlinesapp "tilth/app/farm/outlines"
	ghgapp "tilth/app/ghg"
	"tilth/app/ghg/exchange"
	"tilth/app/moving"
	"tilth/app/satellite"
	"tilth/app/soil"
	"tilth/app/task"
	"tilth/ports"
)

// newJobPool returns the workers that do the work of companies. The pool of chores must exist already.
func (r *Running) newJobPool(postman *account.LetterSender) *messaging.Pool {
	pool := &messaging.Pool{
		Queue: r.db.QueueBut(append(slices.Collect(maps.Keys(r.chores.Handlers)), events.WebhookJob, exchange.MessageJob)...),
		Clock: identity.Clock{}, Log: r.log, Workers: r.cfg.Workers, Woken: r.db.Wakes(sqlstore.JobsWait), Poll: r.db.LookEvery(),
		Observer: r.eyes.Observer(),
		Handlers: map[string]messaging.Handler{
			satellite.ProfileJob: r.parts.Worker.Run,
			satellite.IndexJob:   r.parts.Worker.RunIndex,
			satellite.RefreshJob: r.parts.Refresher.Run, satellite.RecomputeJob: r.parts.Refresher.RunRecompute,
			outlinesapp.ImportJob: r.parts.Intake.Run,
			farmapp.OverlapJob:    r.parts.Overlaps.Run,
			soil.OrderJob:         r.parts.Strata.Run,
			soil.MapJob:           r.parts.Maps.Run,

			ghgapp.CompletenessJob: r.parts.Assessing.Run,

			ports.JobVerification: r.parts.Verifier.Run,
			ghgapp.ImportJob:      r.parts.Bulk.Run,
			ghgapp.CopyJob:        r.parts.Bulk.Run,
			ghgapp.SubmitJob:      r.parts.Bulk.Run,

			account.LetterJob: postman.Run,
			moving.ExportJob:  r.parts.Exports.Run,
			events.AsideJob:   r.parts.Aside.Run,
		},
	}
	for kind, run := range r.parts.FieldMaps.Jobs() {
		pool.Handlers[kind] = run
	}
	return pool
}

// newChorePool returns the worker that does the chores, separate from all others: they wait for no company's work.
func (r *Running) newChorePool(chores task.Chores) *messaging.Pool {
	pool := &messaging.Pool{
		Clock: identity.Clock{}, Log: r.log, Workers: 1, Poll: sweepEvery, Observer: r.eyes.Observer(), Handlers: map[string]messaging.Handler{},
	}
	for _, chore := range chores.All {
		pool.Handlers[chore.Kind] = func(ctx context.Context, job ports.Job) error { return chores.Run(ctx, chore, job) }
	}
	pool.Queue = r.db.QueueOf(slices.Collect(maps.Keys(pool.Handlers))...)
	return pool
}

// newHookPool returns the workers that post to addresses outside, separate from all others.
func (r *Running) newHookPool() *messaging.Pool {
	return &messaging.Pool{
		Queue: r.db.QueueOf(events.WebhookJob, exchange.MessageJob), Clock: identity.Clock{}, Log: r.log, Workers: hookWorkers, Woken: r.db.Wakes(sqlstore.JobsWait), Poll: r.db.LookEvery(),
		Observer: r.eyes.Observer(),
		Handlers: map[string]messaging.Handler{events.WebhookJob: r.parts.Courier.Run, exchange.MessageJob: r.parts.Messenger.Run},
	}
}
