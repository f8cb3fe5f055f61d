package satellite

import (
	"context"
	"time"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// ProfileJob is the kind of the jobs that compute a profile.
const ProfileJob = "vi_profile"

// Profiles is the use cases of profile orders.
type Profiles struct {
	app.Deps
	Archive Archive // may be nil where nothing is quoted
}

// ProfileRequest is an order as a client places it.
type ProfileRequest struct {
	FieldUUID string
	SeasonID  int64
	Index     vegetation.IndexCode
	Mask      vegetation.Mask
	Dataset   vegetation.DatasetCode
}

// Place accepts an order: it is processing, its charge is held and its job queued, in one transaction. An open
// order of the same field and season is answered as it is; a failed one is taken up again. Faults: Invalid (field),
// NotFound (season_unresolved), PaymentRequired (insufficient_credit), Conflict (duplicate_profile).
func (o *Profiles) Place(ctx context.Context, who access.Principal, req ProfileRequest) (vegetation.OrderState, error) {
	now := o.Clock.Now()
	return app.Write(ctx, o.Deps, who, access.ProfileOrders.Create, func(ctx context.Context, tx ports.Repos) (vegetation.OrderState, error) {
		wanted, err := o.admit(ctx, tx, who, req, now)
		if err != nil || wanted.there {
			return wanted.order.State(), err
		}
		return o.book(ctx, tx, who, wanted)
	})
}

// book stores an admitted order, holds its charge and queues its job.
func (o *Profiles) book(ctx context.Context, tx ports.Repos, who access.Principal, a admitted) (out vegetation.OrderState, err error) {
	now, action := a.purse.Now, audit.Create
	if a.known {
		action = Reorder
		if err := a.order.Revive(now, a.fresh); err != nil {
			return out, err
		}
		out = a.order.State()
		err = tx.Orders.Update(ctx, a.purse.Scope, out)
	} else {
		if a.order, err = vegetation.NewOrder(a.fresh); err != nil {
			return out, err
		}
		out = a.order.State()
		err = tx.Orders.Insert(ctx, a.purse.Scope, &out)
	}
	if err != nil {
		return out, err
	}
	if err := holdProfile(ctx, a.purse, out, a.due); err != nil {
		return out, err
	}
	what := placedProfile{
		Field: access.Named{ID: out.FieldID}, Season: access.Named{ID: out.SeasonID}, IndexCode: out.Index, Mask: out.Mask.String(), Dataset: out.Dataset.String(),
		StartDate: out.StartDate, EndDate: out.EndDate, AreaM2: out.AreaM2,
	}
	entry := audit.By(who, now).Of(action, access.ProfileOrders.Name, out.ID, audit.Diff(nil, &what))
	if err := tx.Audit.Add(ctx, entry); err != nil {
		return out, err
	}
	return out, tx.Jobs.Enqueue(ctx, task.JobOn(ProfileJob, out.CompanyID, out.ID, now))
}

// draft makes the order that a request asks for, after the checks of its field and season.
func (o *Profiles) draft(ctx context.Context, tx ports.Repos, who access.Principal, req ProfileRequest, now time.Time) (vegetation.OrderState, error) {
	var s vegetation.OrderState
	scope := who.Scope(false)
	index, err := vegetation.ParseIndex(string(req.Index))
	if err != nil {
		return s, err
	}
	land := access.ToOrder(scope.Company())
	field, err := tx.Fields.GetByUUID(ctx, land, req.FieldUUID)
	if fault.Is(err, fault.NotFound) {
		return s, fault.Field("field_uuid", "No field of your company has this uuid, nor one that is shared with it for orders.")
	}
	if err != nil {
		return s, err
	}
	if field.Boundary == nil {
		return s, fault.Field("field_uuid", "This field has no boundary; give it one before ordering a profile.")
	}
	outline, err := tx.Boundaries.InForce(ctx, land, field.ID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return s, err
	}
	season, err := tx.Seasons.Get(ctx, scope, req.SeasonID)
	if fault.Is(err, fault.NotFound) {
		return s, fault.Newf(fault.NotFound, "season_unresolved", "season_id %d does not resolve to a season of your company.", req.SeasonID)
	}
	if err != nil {
		return s, err
	}
	return vegetation.OrderState{
		UUID: o.IDs.UUID(), CompanyID: scope.Company(), Index: string(index.Code), Mask: req.Mask, Dataset: req.Dataset,
		FieldCompanyID: field.CompanyID, FieldID: field.ID, FieldUUID: field.UUID, SeasonID: season.ID,
		StartDate: season.StartDate, EndDate: season.EndDate,
		Boundary: field.Boundary.Geometry(), BoundaryID: outline.ID, AreaM2: field.AreaM2(),
		CreatedBy: who.UserID, CreatedAt: now, UpdatedAt: now,
	}, nil
}

// Profile is an order with its series.
type Profile struct {
	Order  vegetation.OrderState
	Series vegetation.Series
	// Refreshing says that the archive is being searched again, so that a later retrieve may show more.
	Refreshing bool
}

// Retrieve returns an order with its series in the reading it was made for: the caller's own, or one that is shared
// with it. Where its last check is too old it asks for a refresh, and answers what there is. Faults: NotFound.
func (o *Profiles) Retrieve(ctx context.Context, who access.Principal, shared bool, id int64) (Profile, error) {
	scope, ask := who.Scope(shared), false
	out, err := app.Read(ctx, o.Deps, who, access.ProfileOrders.View, func(ctx context.Context, tx ports.Repos) (out Profile, err error) {
		if out.Order, err = tx.Orders.Get(ctx, scope, id); err != nil {
			return out, err
		}
		if out.Refreshing, ask, err = o.refreshing(ctx, tx, out.Order); err != nil {
			return out, err
		}
		out.Series, err = tx.Orders.Series(ctx, scope, id, out.Order.Reading())
		return out, err
	})
	if err == nil && ask {
		if err = o.askRefresh(ctx, out.Order); fault.Is(err, fault.Conflict) {
			err = nil // limit_reached: the next one who looks asks again
		}
	}
	return out, err
}

// RetrieveOn returns an order with its stored series on an outline, the present or an earlier one, in a
// reading. It computes nothing. Faults: NotFound.
func (o *Profiles) RetrieveOn(ctx context.Context, who access.Principal, shared bool, id, boundaryID int64, choice vegetation.Choice) (Profile, error) {
	scope := who.Scope(shared)
	return app.Read(ctx, o.Deps, who, access.ProfileOrders.View, func(ctx context.Context, tx ports.Repos) (out Profile, err error) {
		if out.Order, err = tx.Orders.Get(ctx, scope, id); err != nil {
			return out, err
		}
		out.Order = out.Order.As(choice.Of(out.Order))
		out.Order.BoundaryID = boundaryID
		out.Series, err = tx.Orders.SeriesOn(ctx, scope, id, boundaryID, out.Order.Reading())
		return out, err
	})
}

// List returns the orders of the caller's company, or those shared with it; filters are company, created_by,
// index_code (partial), field, farm, season, status and boundary_outdated.
func (o *Profiles) List(ctx context.Context, who access.Principal, shared bool, q ports.Query) (app.List[vegetation.OrderState], error) {
	return app.ListIn(ctx, o.Deps, app.Ask{Who: who, Need: access.ProfileOrders.View, Shared: shared}, q,
		func(tx ports.Repos) ports.ProfileOrders { return tx.Orders })
}

// Reorder is the action of taking up an order that had failed.
const Reorder audit.Action = "reorder"

// placedProfile is an order as the audit trail tells of it.
type placedProfile struct {
	Field, Season      access.Named
	IndexCode          string
	Mask, Dataset      string
	StartDate, EndDate time.Time
	AreaM2             int64
}
