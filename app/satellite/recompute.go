package satellite

import (
	"context"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// RecomputeJob is the kind of the jobs that remake the series of an active order on the outline that its field
// has when they run.
const RecomputeJob = "vi_profile_recompute"

// Recompute is the action of remaking a series.
const Recompute audit.Action = "recompute"

// Recompute queues the remaking of an active order's series, in all its readings, on the outline that its field has
// now. It costs nothing, as a field is charged once; the series on the earlier outline stays. Faults: NotFound;
// Conflict (order_state, boundary_missing, boundary_too_different).
func (o *Profiles) Recompute(ctx context.Context, who access.Principal, id int64) (vegetation.OrderState, error) {
	scope, now := who.Scope(false), o.Clock.Now()
	return app.Write(ctx, o.Deps, who, access.ProfileOrders.Create, func(ctx context.Context, tx ports.Repos) (vegetation.OrderState, error) {
		order, err := tx.Orders.GetForUpdate(ctx, scope, id)
		if err != nil {
			return order, err
		}
		outline, err := profiles.outlineFor(ctx, tx, scope, order)
		if err != nil {
			return order, err
		}
		before, after := recomputedOn{order.BoundaryID}, recomputedOn{outline.ID}
		entry := audit.By(who, now).Of(Recompute, access.ProfileOrders.Name, id, audit.Diff(&before, &after))
		if err := tx.Audit.Add(ctx, entry); err != nil {
			return order, err
		}
		return order, tx.Jobs.Enqueue(ctx, task.JobOn(RecomputeJob, order.CompanyID, id, now))
	})
}

// recomputedOn is the form in which the audit trail records a recomputed order.
type recomputedOn struct{ BoundaryID int64 }

// outlineFor returns the outline that the field of an active order has now, if its series may be remade on it.
// Faults: Conflict (order_state, boundary_missing, boundary_too_different).
func (p product) outlineFor(ctx context.Context, tx ports.Repos, scope access.Scope, order vegetation.OrderState) (farm.BoundaryVersion, error) {
	land := p.land(scope.Company())
	_, err := tx.Fields.Get(ctx, land, order.FieldID)
	var outline farm.BoundaryVersion
	if err == nil {
		outline, err = tx.Boundaries.InForce(ctx, land, order.FieldID)
	}
	if fault.Is(err, fault.NotFound) {
		return outline, fault.New(fault.Conflict, "boundary_missing", "The field of the order no longer exists, or no longer has a boundary.")
	}
	if err != nil {
		return outline, err
	}
	charged := order.AreaM2
	charge, err := tx.Wallet.FieldCharge(ctx, scope, order.Site())
	if err == nil && !charge.Of(order.Code(), order.ID) {
		var first vegetation.OrderState
		first, err = product{code: charge.Product}.get(ctx, tx, scope, charge.OrderID)
		charged = first.AreaM2
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return outline, err
	}
	return outline, vegetation.RehydrateOrder(order).CheckOutline(outline.AreaM2, charged)
}

// RunRecompute does one job of [RecomputeJob].
func (r *Refresher) RunRecompute(ctx context.Context, job ports.Job) error {
	return task.Do(ctx, r.runner, refreshLimits, recomputeWork{refreshWork{r}}, job)
}

// recomputeWork remakes the series of one order on the present outline: it is a refresh onto another outline.
type recomputeWork struct{ refreshWork }

// Lock finishes if the series is not to be remade (any more).
func (recomputeWork) Lock(ctx context.Context, run task.Run[ports.Repos]) (s refreshedOrder, next task.Next, err error) {
	s.order, err = run.Tx.Orders.GetForUpdate(ctx, run.Scope, run.Job.Subject)
	if err == nil {
		s.outline, err = profiles.outlineFor(ctx, run.Tx, run.Scope, s.order)
	}
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		return s, task.Finish(), nil
	}
	return s, next, err
}

// Do brings the series up to date on the present outline. A series without a point there replaces none.
func (w recomputeWork) Do(ctx context.Context, s refreshedOrder) ([]renewed, error) {
	out, err := w.renew(ctx, s, s.outline.Boundary)
	for _, one := range out {
		if reason := one.fresh.Empty(); reason != "" && one.fresh.Reading() == s.order.Reading() {
			return nil, fault.New(fault.Invalid, "no_point", reason)
		}
	}
	return out, err
}

// Same is false where the outline was changed meanwhile, or the series was refreshed.
func (recomputeWork) Same(began, current refreshedOrder) bool {
	a, b := began.order.LastCheckedAt, current.order.LastCheckedAt
	return began.outline.ID == current.outline.ID && began.order.BoundaryID == current.order.BoundaryID && a != nil && b != nil && a.Equal(*b)
}

func (w recomputeWork) Complete(ctx context.Context, run task.Run[ports.Repos], s *refreshedOrder, result []renewed) (task.Next, error) {
	order := vegetation.RehydrateOrder(s.order)
	for _, one := range result {
		if one.fresh.Reading() == s.order.Reading() {
			if err := order.Redraw(run.Now, one.fresh, s.outline.ID, s.outline.Boundary); err != nil {
				return task.Next{}, err
			}
		}
	}
	s.order = order.State()
	if err := run.Tx.Orders.Update(ctx, run.Scope, s.order); err != nil {
		return task.Next{}, err
	}
	for _, one := range result {
		if err := run.Tx.Orders.PutSeries(ctx, run.Scope, s.order.ID, one.fresh); err != nil {
			return task.Next{}, err
		}
		if one.fresh.Same(one.before) {
			continue
		}
		if err := run.Tx.Outbox.Add(ctx, profileCompletedEvent(w.runner.IDs.UUID(), s.order, one.fresh, run.Now)); err != nil {
			return task.Next{}, err
		}
	}
	return task.Finish(), w.searched(ctx, run, s.order, result)
}
