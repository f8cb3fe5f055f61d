package satellite

import (
	"context"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/record"
	"tilth/core/vegetation"
	"tilth/ports"
)

// ProfileJob is the kind of the jobs that compute a profile.
const ProfileJob = "vi_profile"

// Profiles holds the use cases of profile orders.
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
	record.External
}

func (o *Profiles) desk() desk { return desk{o.Deps, profiles, o.Archive} }

// Place accepts an order: it is processing, its charge is held and its job queued, in one transaction. If an order
// of the same field and season is open, it is returned as it is; a failed one is resumed. Faults: Invalid (field),
// NotFound (season_unresolved), PaymentRequired (insufficient_credit), Conflict (duplicate_profile).
func (o *Profiles) Place(ctx context.Context, who access.Principal, req ProfileRequest) (vegetation.OrderState, error) {
	return o.desk().place(ctx, who, o.draft(who, req))
}

// PlaceMany places up to [MaxBatch] orders in one transaction, each as Place does, and returns the outcome of each: a
// refused one does not affect the others. Credit is held in the order of the requests. A preview returns the outcomes,
// and places none. Faults: Invalid for too many.
func (o *Profiles) PlaceMany(ctx context.Context, who access.Principal, reqs []ProfileRequest, preview bool) ([]Placed, error) {
	return o.desk().placeMany(ctx, who, list.Map(reqs, func(req ProfileRequest) draft { return o.draft(who, req) }), preview)
}

// Quote returns what an order would cost. It writes nothing. The charge is 0 for a field that was
// already charged or is held for by an open order, and for an existing order. Faults: those of
// [Profiles.Place] about the request itself; insufficient credit is none.
func (o *Profiles) Quote(ctx context.Context, who access.Principal, req ProfileRequest) (Quote, error) {
	return o.desk().quote(ctx, who, o.draft(who, req))
}

// draft makes the order that a request asks for, after checking its field and season.
func (o *Profiles) draft(who access.Principal, req ProfileRequest) draft {
	return func(ctx context.Context, tx ports.Repos, now time.Time) (s vegetation.OrderState, err error) {
		index, err := vegetation.ParseIndex(string(req.Index))
		if err != nil {
			return s, err
		}
		s = o.desk().begun(who, vegetation.Reading{Index: index.Code, Mask: req.Mask, Dataset: req.Dataset}, now)
		s.External = req.External
		if err := o.desk().fieldFor(ctx, tx, req.FieldUUID, &s); err != nil {
			return s, err
		}
		season, err := tx.Seasons.Get(ctx, who.Scope(false), req.SeasonID)
		if fault.Is(err, fault.NotFound) {
			return s, fault.Newf(fault.NotFound, "season_unresolved", "season_id %d does not resolve to a season of your company.", req.SeasonID)
		}
		s.SeasonID, s.StartDate, s.EndDate = season.ID, season.StartDate, season.EndDate
		return s, err
	}
}

// Profile is an order with its series.
type Profile struct {
	Order  vegetation.OrderState
	Series vegetation.Series
	// Refreshing states that the archive is being searched again, so that a later retrieve may show more.
	Refreshing bool
}

// Retrieve returns an order with its series in the reading it was made for: the caller's own, or one that is shared
// with it. If its last check is too old it queues a refresh, and returns what there is. Faults: NotFound.
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
			err = nil // limit_reached: the next caller who looks asks again
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
