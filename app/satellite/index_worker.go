package satellite

import (
	"context"
	"errors"
	"strings"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// RunIndex does one job of [IndexJobKind]: it computes the series of an active order for
// another index, and stores it in one transaction with the end of the job. It returns an
// error only when the job must be given back as it is.
func (w *ProfileWorker) RunIndex(ctx context.Context, job ports.Job) error {
	scope := access.Own(job.CompanyID)
	_, code, _ := strings.Cut(job.Key, ":")
	index, err := vegetation.ParseIndex(code)
	if err != nil {
		return err
	}
	var order vegetation.OrderState
	if err := w.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		order, err = tx.Orders.Get(ctx, scope, job.Subject)
		return err
	}); err != nil {
		return err
	}
	var computed vegetation.Series
	var failure error = fault.New(fault.Invalid, "derivation", "The computation was broken off too often.")
	if job.Attempt <= profileClaimLimit && order.Status == vegetation.Active {
		computed, failure = w.computer.Compute(ctx, SeriesRequest{
			Boundary: order.Boundary, From: order.StartDate, To: order.EndDate, Index: index, Mask: vegetation.MaskStandard,
		})
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.settleIndex(ctx, scope, job, order, index.Code, computed, failure)
}

// settleIndex stores what came of the computation, as of the order's search before it.
func (w *ProfileWorker) settleIndex(ctx context.Context, scope access.Scope, job ports.Job, began vegetation.OrderState, index vegetation.IndexCode, computed vegetation.Series, failure error) error {
	return w.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		now := w.deps.Clock.Now()
		order, err := tx.Orders.GetForUpdate(ctx, scope, job.Subject)
		if err != nil {
			return err
		}
		d, ok, err := tx.Orders.Derivation(ctx, scope, order.ID, index)
		if err != nil {
			return err
		}
		if !ok || order.Status != vegetation.Active {
			return tx.Jobs.Finish(ctx, job) // nobody wants it any more
		}
		if failure != nil {
			return w.failedIndex(ctx, tx, scope, job, began, d, failure)
		}
		if err := tx.Orders.PutSeries(ctx, scope, order.ID, computed); err != nil {
			return err
		}
		d.Complete(began, now)
		if err := tx.Orders.PutDerivation(ctx, scope, d); err != nil {
			return err
		}
		return tx.Jobs.Finish(ctx, job)
	})
}

// failedIndex decides what a failed computation means, as failed does for an order.
func (w *ProfileWorker) failedIndex(ctx context.Context, tx ports.Repos, scope access.Scope, job ports.Job, began vegetation.OrderState, d vegetation.Derivation, failure error) error {
	now := w.deps.Clock.Now()
	var known *fault.Error
	if errors.As(failure, &known) && (known.Kind == fault.Invalid || known.Kind == fault.NotFound) {
		d.Fail(began, now, known.Message)
	} else {
		w.log.WarnContext(ctx, "series of an index could not be computed",
			"order", job.Subject, "index", d.Index, "attempt", d.Attempts+1, "error", failure)
		if next, again := d.SourceUnavailable(began, now, w.deps.IDs.Jitter()); again {
			if err := tx.Orders.PutDerivation(ctx, scope, d); err != nil {
				return err
			}
			return tx.Jobs.Postpone(ctx, job, next)
		}
	}
	if err := tx.Orders.PutDerivation(ctx, scope, d); err != nil {
		return err
	}
	return tx.Jobs.Finish(ctx, job)
}
