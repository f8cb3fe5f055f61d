package soil

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/layer"
	"tilth/ports"
)

// orderClaimLimit ends a preparation that kills its worker every time.
var orderClaimLimit = 5 * stratification.Retry.Tries

// tooLong is the reason of an order whose preparation did not end in time.
const tooLong = "The layers could not be prepared within 30 minutes."

// LayerSource prepares the layers of an order, without a database of orders.
type LayerSource interface {
	Prepare(ctx context.Context, order stratification.OrderState) (layer.Prepared, error)
}

// OrderWorker prepares ordered layers. It may be killed at any moment: what it does to an order, its
// charge and its job is one transaction each, and a transaction commits only while the job's
// lease is held.
type OrderWorker struct {
	deps   app.Deps
	layers LayerSource
	log    *slog.Logger
}

// NewOrderWorker makes a worker.
func NewOrderWorker(deps app.Deps, layers LayerSource, log *slog.Logger) *OrderWorker {
	return &OrderWorker{deps, layers, log}
}

// Run does one job: begin, prepare, settle. It returns an error only when the job must be given
// back as it is: the context ended, or the database is away.
func (w *OrderWorker) Run(ctx context.Context, job ports.Job) error {
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
func (w *OrderWorker) begin(ctx context.Context, scope access.Scope, job ports.Job) (order stratification.OrderState, ready bool, err error) {
	err = w.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		ready = false
		now := w.deps.Clock.Now()
		wallet, o, err := lockOrder(ctx, tx, scope, job.Subject)
		if err != nil {
			return err
		}
		switch {
		case !o.Open():
			return tx.Jobs.Finish(ctx, job)
		case o.Overdue(now):
			return w.giveUp(ctx, tx, scope, wallet, job, &o, now, tooLong)
		case job.Attempt > orderClaimLimit:
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
func (w *OrderWorker) settle(ctx context.Context, scope access.Scope, job ports.Job, made layer.Prepared, failure error) error {
	return w.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		now := w.deps.Clock.Now()
		wallet, o, err := lockOrder(ctx, tx, scope, job.Subject)
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

func (w *OrderWorker) completed(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, job ports.Job, s stratification.OrderState, made layer.Prepared, now time.Time) error {
	if err := tx.StratificationOrders.Update(ctx, scope, s); err != nil {
		return err
	}
	if err := tx.StratificationOrders.PutLayers(ctx, scope, s.ID, made.Layers); err != nil {
		return err
	}
	if err := postOrder(ctx, tx, scope, wallet, credit.Capture, s, now); err != nil {
		return err
	}
	if err := tx.Outbox.Add(ctx, orderCompletedEvent(s, made.Layers, now)); err != nil {
		return err
	}
	return tx.Jobs.Finish(ctx, job)
}

// failed decides what a failed preparation means: a source that is out is tried again, what is
// broken for good fails the order.
func (w *OrderWorker) failed(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, job ports.Job, o *stratification.Order, now time.Time, failure error) error {
	var known *fault.Error
	if errors.As(failure, &known) && (known.Kind == fault.Invalid || known.Kind == fault.NotFound) {
		return w.giveUp(ctx, tx, scope, wallet, job, o, now, known.Message)
	}
	w.log.WarnContext(ctx, "stratification layers could not be prepared", "order", job.Subject, "attempt", o.State().Attempts+1, "error", failure)
	next, again, err := o.SourceUnavailable(now, w.deps.IDs.Jitter())
	if err != nil {
		return err
	}
	if !again {
		if err := settleFailedOrder(ctx, tx, scope, wallet, o.State(), now); err != nil {
			return err
		}
		return tx.Jobs.Finish(ctx, job)
	}
	if err := tx.StratificationOrders.Update(ctx, scope, o.State()); err != nil {
		return err
	}
	return tx.Jobs.Postpone(ctx, job, next)
}

func (w *OrderWorker) giveUp(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, job ports.Job, o *stratification.Order, now time.Time, reason string) error {
	if err := failOrder(ctx, tx, scope, wallet, o, now, reason); err != nil {
		return err
	}
	return tx.Jobs.Finish(ctx, job)
}

// maxSwept bounds the orders of one sweep.
const maxSwept = 100

// Sweep fails the orders that have been in preparation for too long, whoever has their jobs,
// and gives how many. A worker that comes back finds its order failed and lets it be.
func (w *OrderWorker) Sweep(ctx context.Context) (failed int, err error) {
	since := w.deps.Clock.Now().Add(-stratification.ProcessingLimit)
	var found []ports.OverdueOrder
	if err := w.deps.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		found, err = tx.Orders.Overdue(ctx, since, maxSwept)
		return err
	}); err != nil {
		return 0, err
	}
	for _, o := range found {
		did := false
		err := w.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
			did = false
			scope, now := access.Own(o.CompanyID), w.deps.Clock.Now()
			wallet, order, err := lockOrder(ctx, tx, scope, o.ID)
			if err != nil || !order.Overdue(now) {
				return err
			}
			did = true
			return failOrder(ctx, tx, scope, wallet, &order, now, tooLong)
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
