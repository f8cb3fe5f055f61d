package strata

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"tilth/app/gate"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/layer"
	"tilth/ports"
)

// claimLimit ends a preparation that kills its worker every time.
const claimLimit = 5 * stratification.SourceTries

// tooLong is the reason of an order whose preparation did not end in time.
const tooLong = "The layers could not be prepared within 30 minutes."

// Layers prepares the layers of an order, without a database of orders.
type Layers interface {
	Prepare(ctx context.Context, order stratification.OrderState) (layer.Prepared, error)
}

// Worker prepares ordered layers. It may be killed at any moment: what it does to an order, its
// charge and its job is one transaction each, and a transaction commits only while the job's
// lease is held.
type Worker struct {
	deps   gate.Deps
	layers Layers
	log    *slog.Logger
}

// NewWorker makes a worker.
func NewWorker(deps gate.Deps, layers Layers, log *slog.Logger) *Worker {
	return &Worker{deps, layers, log}
}

// Run does one job: begin, prepare, settle. It returns an error only when the job must be given
// back as it is: the context ended, or the database is away.
func (w *Worker) Run(ctx context.Context, job ports.Job) error {
	scope := access.Own(job.CompanyID)
	order, ready, err := w.begin(ctx, scope, job)
	if err != nil || !ready {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, stratification.ProcessingLimit-w.deps.Clock.Now().Sub(*order.ProcessingAt))
	defer cancel()
	made, failure := w.layers.Prepare(limited, order)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if limited.Err() != nil {
		failure = fault.New(fault.Invalid, "too_long", tooLong)
	}
	return w.settle(ctx, scope, job, made, failure)
}

// begin moves the order to processing. ready is false where there is nothing to prepare: the
// order is not open any more, or has been at it for too long.
func (w *Worker) begin(ctx context.Context, scope access.Scope, job ports.Job) (order stratification.OrderState, ready bool, err error) {
	err = w.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		ready = false
		now := w.deps.Clock.Now()
		wallet, o, err := locked(ctx, tx, scope, job.Subject)
		if err != nil {
			return err
		}
		switch {
		case !o.Open():
			return tx.Jobs.Finish(ctx, job)
		case o.Overdue(now):
			return w.giveUp(ctx, tx, scope, wallet, job, &o, now, tooLong)
		case job.Attempt > claimLimit:
			return w.giveUp(ctx, tx, scope, wallet, job, &o, now, "The preparation was broken off too often.")
		}
		if err := o.Begin(now); err != nil {
			return err
		}
		order, ready = o.State(), true
		return tx.StratificationOrders.Update(ctx, scope, order)
	})
	return order, ready, err
}

// settle stores what came of the preparation, in one transaction with the charge, the event
// and the end of the job.
func (w *Worker) settle(ctx context.Context, scope access.Scope, job ports.Job, made layer.Prepared, failure error) error {
	return w.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		now := w.deps.Clock.Now()
		wallet, o, err := locked(ctx, tx, scope, job.Subject)
		if err != nil {
			return err
		}
		switch {
		case !o.Open():
			return tx.Jobs.Finish(ctx, job)
		case failure != nil:
			return w.failed(ctx, tx, scope, wallet, job, &o, now, failure)
		}
		if err := o.Complete(now, made); err != nil {
			return err
		}
		return w.completed(ctx, tx, scope, wallet, job, o.State(), made, now)
	})
}

func (w *Worker) completed(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, job ports.Job, s stratification.OrderState, made layer.Prepared, now time.Time) error {
	if err := tx.StratificationOrders.Update(ctx, scope, s); err != nil {
		return err
	}
	if err := tx.StratificationOrders.PutLayers(ctx, scope, s.ID, made.Layers); err != nil {
		return err
	}
	if err := post(ctx, tx, scope, wallet, credit.Capture, s, now); err != nil {
		return err
	}
	if err := tx.Outbox.Add(ctx, completedEvent(s, made.Layers, now)); err != nil {
		return err
	}
	return tx.Jobs.Finish(ctx, job)
}

// failed decides what a failed preparation means: a source that is out is tried again, what is
// broken for good fails the order.
func (w *Worker) failed(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, job ports.Job, o *stratification.Order, now time.Time, failure error) error {
	var known *fault.Error
	if errors.As(failure, &known) && (known.Kind == fault.Invalid || known.Kind == fault.NotFound) {
		return w.giveUp(ctx, tx, scope, wallet, job, o, now, known.Message)
	}
	w.log.WarnContext(ctx, "stratification layers could not be prepared", "order", job.Subject, "attempt", o.State().Attempts+1, "error", failure)
	next, again, err := o.SourceOut(now, w.deps.IDs.Jitter())
	if err != nil {
		return err
	}
	if !again {
		if err := settleFailed(ctx, tx, scope, wallet, o.State(), now); err != nil {
			return err
		}
		return tx.Jobs.Finish(ctx, job)
	}
	if err := tx.StratificationOrders.Update(ctx, scope, o.State()); err != nil {
		return err
	}
	return tx.Jobs.Postpone(ctx, job, next)
}

func (w *Worker) giveUp(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, job ports.Job, o *stratification.Order, now time.Time, reason string) error {
	if err := fail(ctx, tx, scope, wallet, o, now, reason); err != nil {
		return err
	}
	return tx.Jobs.Finish(ctx, job)
}

// sweepMost bounds the orders of one sweep.
const sweepMost = 100

// Sweep fails the orders that have been in preparation for too long, whoever has their jobs,
// and gives how many. A worker that comes back finds its order failed and lets it be.
func (w *Worker) Sweep(ctx context.Context) (failed int, err error) {
	since := w.deps.Clock.Now().Add(-stratification.ProcessingLimit)
	var found []ports.OverdueOrder
	if err := w.deps.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		found, err = tx.Orders.Overdue(ctx, since, sweepMost)
		return err
	}); err != nil {
		return 0, err
	}
	for _, o := range found {
		did := false
		err := w.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
			did = false
			scope, now := access.Own(o.CompanyID), w.deps.Clock.Now()
			wallet, order, err := locked(ctx, tx, scope, o.ID)
			if err != nil || !order.Overdue(now) {
				return err
			}
			did = true
			return fail(ctx, tx, scope, wallet, &order, now, tooLong)
		})
		if err != nil {
			return failed, err
		}
		if did {
			failed++
		}
	}
	return failed, nil
}
