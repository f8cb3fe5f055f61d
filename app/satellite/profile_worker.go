package satellite

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// profileClaimLimit ends a computation that kills its worker every time.
var profileClaimLimit = 5 * vegetation.Retry.Tries

// ProfileComputer computes one series, without a database.
type ProfileComputer interface {
	Compute(ctx context.Context, req SeriesRequest) (vegetation.Series, error)
}

// ProfileWorker computes ordered profiles. It may be killed at any moment: what it does to
// an order, its credit and its job is one transaction each, and a transaction commits
// only while the job's lease is held.
type ProfileWorker struct {
	deps     app.Deps
	computer ProfileComputer
	log      *slog.Logger
}

// NewProfileWorker makes a worker.
func NewProfileWorker(deps app.Deps, computer ProfileComputer, log *slog.Logger) *ProfileWorker {
	return &ProfileWorker{deps, computer, log}
}

// Run does one job: begin, compute, settle. It returns an error only when the job
// must be given back as it is: the context ended, or the database is away.
func (w *ProfileWorker) Run(ctx context.Context, job ports.Job) error {
	scope := access.Own(job.CompanyID)
	order, ready, err := w.begin(ctx, scope, job)
	if err != nil || !ready {
		return err
	}
	index, err := vegetation.ParseIndex(order.Index)
	if err != nil {
		return err
	}
	computed, err := w.computer.Compute(ctx, SeriesRequest{
		Boundary: order.Boundary, From: order.StartDate, To: order.EndDate, Index: index, Mask: vegetation.MaskStandard,
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.settle(ctx, scope, job, order, computed, err)
}

// begin moves the order to processing. ready is false where there is nothing to
// compute: the order is not open any more, or its season has not begun.
func (w *ProfileWorker) begin(ctx context.Context, scope access.Scope, job ports.Job) (order vegetation.OrderState, ready bool, err error) {
	err = w.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		ready = false
		now := w.deps.Clock.Now()
		o, wallet, season, err := w.locked(ctx, tx, scope, job.Subject, now)
		if err != nil {
			return err
		}
		switch {
		case !o.Open():
			return tx.Jobs.Finish(ctx, job)
		case !season:
			return w.giveUp(ctx, tx, scope, wallet, job, o, now, "The season was deleted.")
		case job.Attempt > profileClaimLimit:
			return w.giveUp(ctx, tx, scope, wallet, job, o, now, "The computation was broken off too often.")
		}
		if err := o.Begin(now); err != nil {
			return err
		}
		if !o.SeasonBegun(now) {
			return w.wait(ctx, tx, scope, job, o, now, o.State().StartDate, "The season has not begun.")
		}
		if err := tx.Jobs.Hold(ctx, job); err != nil {
			return err
		}
		order, ready = o.State(), true
		return tx.Orders.Update(ctx, scope, order)
	})
	return order, ready, err
}

// locked returns the order under a lock, with the dates its season has now: while an
// order is open the season may still be moved. season is false when it is gone.
func (w *ProfileWorker) locked(ctx context.Context, tx ports.Repos, scope access.Scope, id int64, now time.Time) (o *vegetation.Order, wallet credit.Wallet, season bool, err error) {
	if wallet, err = tx.Wallet.Lock(ctx, scope); err != nil {
		return nil, wallet, false, err
	}
	state, err := tx.Orders.GetForUpdate(ctx, scope, id)
	if err != nil {
		return nil, wallet, false, err
	}
	order := vegetation.RehydrateOrder(state)
	if !order.Open() {
		return &order, wallet, true, nil
	}
	current, err := tx.Seasons.Get(ctx, scope, state.SeasonID)
	if fault.Is(err, fault.NotFound) {
		return &order, wallet, false, nil
	}
	if err == nil {
		order.MoveWindow(current.StartDate, current.EndDate, now)
	}
	return &order, wallet, true, err
}

// settle stores what came of the computation, in one transaction with the credit, the
// event and the end of the job.
func (w *ProfileWorker) settle(ctx context.Context, scope access.Scope, job ports.Job, began vegetation.OrderState, computed vegetation.Series, failure error) error {
	return w.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		now := w.deps.Clock.Now()
		o, wallet, season, err := w.locked(ctx, tx, scope, job.Subject, now)
		if err != nil {
			return err
		}
		switch {
		case !o.Open():
			return tx.Jobs.Finish(ctx, job)
		case !season:
			return w.giveUp(ctx, tx, scope, wallet, job, o, now, "The season was deleted.")
		case !o.State().AsksFor(began):
			// The season moved meanwhile, or the order failed and was placed again for
			// another index or boundary: compute it anew.
			return tx.Jobs.Postpone(ctx, job, now)
		case failure != nil:
			return w.failed(ctx, tx, scope, wallet, job, o, now, failure)
		}
		active, err := o.Complete(now, computed)
		if err != nil {
			return err
		}
		if !active {
			return w.waiting(ctx, tx, scope, job, o)
		}
		return w.completed(ctx, tx, scope, wallet, job, o, computed, now)
	})
}

func (w *ProfileWorker) completed(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, job ports.Job, o *vegetation.Order, computed vegetation.Series, now time.Time) error {
	s := o.State()
	if err := tx.Orders.Update(ctx, scope, s); err != nil {
		return err
	}
	if err := tx.Orders.PutSeries(ctx, scope, s.ID, computed); err != nil {
		return err
	}
	if err := captureProfile(ctx, tx, scope, wallet, s, now); err != nil {
		return err
	}
	if err := tx.Outbox.Add(ctx, profileCompletedEvent(w.deps.IDs.UUID(), s, computed, now)); err != nil {
		return err
	}
	return tx.Jobs.Finish(ctx, job)
}

// failed decides what a failed computation means: a source that is out is tried
// again, what is broken for good fails the order.
func (w *ProfileWorker) failed(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, job ports.Job, o *vegetation.Order, now time.Time, failure error) error {
	var known *fault.Error
	if errors.As(failure, &known) && (known.Kind == fault.Invalid || known.Kind == fault.NotFound) {
		return w.giveUp(ctx, tx, scope, wallet, job, o, now, known.Message)
	}
	w.log.WarnContext(ctx, "profile computation failed, will be tried again",
		"order", job.Subject, "attempt", o.State().Attempts+1, "error", failure)
	if err := o.SourceUnavailable(now, w.deps.IDs.Jitter()); err != nil {
		return err
	}
	if o.State().Status == vegetation.Failed {
		if err := settleFailedProfile(ctx, tx, scope, wallet, o, now); err != nil {
			return err
		}
		return tx.Jobs.Finish(ctx, job)
	}
	return w.waiting(ctx, tx, scope, job, o)
}

func (w *ProfileWorker) giveUp(ctx context.Context, tx ports.Repos, scope access.Scope, wallet credit.Wallet, job ports.Job, o *vegetation.Order, now time.Time, reason string) error {
	if err := failProfile(ctx, tx, scope, wallet, o, now, reason); err != nil {
		return err
	}
	return tx.Jobs.Finish(ctx, job)
}

func (w *ProfileWorker) wait(ctx context.Context, tx ports.Repos, scope access.Scope, job ports.Job, o *vegetation.Order, now, until time.Time, reason string) error {
	if err := o.Wait(now, until, reason); err != nil {
		return err
	}
	return w.waiting(ctx, tx, scope, job, o)
}

// waiting stores an order that waits, and its job for the time of the next try.
func (w *ProfileWorker) waiting(ctx context.Context, tx ports.Repos, scope access.Scope, job ports.Job, o *vegetation.Order) error {
	s := o.State()
	if err := tx.Orders.Update(ctx, scope, s); err != nil {
		return err
	}
	return tx.Jobs.Postpone(ctx, job, *s.NextTryAt)
}
