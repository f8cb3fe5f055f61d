package satellite

import (
	"context"
	"math"
	"time"

	"tilth/app"
	"tilth/app/idempotency"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/fieldmap"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/list"
	"tilth/core/record"
	"tilth/core/vegetation"
	"tilth/ports"
)

// MapWait is the maximum time that a caller may wait for a map that is placed.
const MapWait = 30 * time.Second

// Maps holds the use cases of map orders, for all products.
type Maps struct {
	app.Deps
	Archive Archive // may be nil where nothing is quoted
	Objects ports.Objects
}

// MapRequest is a map order as a client places it.
type MapRequest struct {
	Product   credit.Product
	FieldUUID string
	Boundary  *geo.Boundary        // for an order without a field
	SeasonID  int64                // for a map that is not timeless
	Index     vegetation.IndexCode // likewise
	Mask      vegetation.Mask
	Dataset   vegetation.DatasetCode
	Terms     vegetation.MapTerms // without the outline
	record.External
}

func (m *Maps) desk(of credit.Product) desk { return desk{m.Deps, mapOf(of), m.Archive} }

// Place accepts a map order, as [Profiles.Place] does for a profile, and waits up to a time until the map is computed. Faults:
// Invalid, PaymentRequired (insufficient_credit), Conflict (duplicate_map).
func (m *Maps) Place(ctx context.Context, who access.Principal, req MapRequest, wait time.Duration) (vegetation.OrderState, error) {
	if wait > 0 {
		ctx = idempotency.Apart(ctx) // the order must be committed to be computed
	}
	order, err := m.desk(req.Product).place(ctx, who, m.draft(who, req))
	if err != nil || wait == 0 {
		return order, err
	}
	scope, id := who.Scope(false), order.ID
	err = poll(ctx, wait, func() (bool, error) {
		err := m.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
			order, err = mapOf(req.Product).get(ctx, tx, scope, id)
			return err
		})
		return order.Status != vegetation.Processing, err
	})
	return order, err
}

// PlaceMany places up to [MaxBatch] orders of one product, as [Profiles.PlaceMany] does.
func (m *Maps) PlaceMany(ctx context.Context, who access.Principal, of credit.Product, reqs []MapRequest, preview bool) ([]Placed, error) {
	return m.desk(of).placeMany(ctx, who, list.Map(reqs, func(req MapRequest) draft { return m.draft(who, req) }), preview)
}

// Quote returns what an order would cost, as [Profiles.Quote] does.
func (m *Maps) Quote(ctx context.Context, who access.Principal, req MapRequest) (Quote, error) {
	return m.desk(req.Product).quote(ctx, who, m.draft(who, req))
}

// List returns the orders of a product of the caller's company, or those shared with it; filters are those of [Profiles.List].
func (m *Maps) List(ctx context.Context, who access.Principal, of credit.Product, shared bool, q ports.Query) (app.List[vegetation.OrderState], error) {
	return app.ListIn(ctx, m.Deps, app.Ask{Who: who, Need: mapOf(of).access.View, Shared: shared}, q,
		func(tx ports.Repos) ports.MapOrders { return tx.Maps.Of(of) })
}

// draft makes the order that a request asks for, after checking its field or outline, and its season or date.
func (m *Maps) draft(who access.Principal, req MapRequest) draft {
	return func(ctx context.Context, tx ports.Repos, now time.Time) (s vegetation.OrderState, err error) {
		d, timeless := m.desk(req.Product), vegetation.OrderState{Product: req.Product}.Timeless()
		reading := vegetation.Reading{}
		if !timeless {
			index, err := vegetation.ParseIndex(string(req.Index))
			if err != nil {
				return s, err
			}
			reading = vegetation.Reading{Index: index.Code, Mask: req.Mask, Dataset: req.Dataset}
		}
		if err := req.check(timeless).Err(); err != nil {
			return s, err
		}
		s = d.begun(who, reading, now)
		s.Map, s.External = req.Terms, req.External
		if req.Boundary != nil {
			s.FieldCompanyID, s.Boundary, s.Map.Outline = s.CompanyID, req.Boundary.Geometry(), req.Boundary.Geometry().Digest()
			s.AreaM2 = int64(math.Round(req.Boundary.AreaHa() * 10_000))
		} else if err := d.fieldFor(ctx, tx, req.FieldUUID, &s); err != nil {
			return s, err
		}
		switch {
		case timeless:
			s.StartDate = now.UTC().Truncate(24 * time.Hour)
			s.EndDate = s.StartDate
			return s, nil
		case s.Map.Day != nil:
			s.StartDate, s.EndDate = vegetation.Around(*s.Map.Day, vegetation.MapDays)
			return s, nil
		}
		season, err := tx.Seasons.Get(ctx, who.Scope(false), req.SeasonID)
		if fault.Is(err, fault.NotFound) {
			return s, fault.Field("season_id", "No season of your company has this id.")
		}
		s.SeasonID, s.StartDate, s.EndDate = season.ID, season.StartDate, season.EndDate
		return s, err
	}
}

// check returns what is wrong with a request by itself.
func (r MapRequest) check(timeless bool) fault.Fields {
	f := r.Terms.Check()
	switch {
	case r.FieldUUID == "" && r.Boundary == nil:
		f.Add("field_uuid", "Give field_uuid, or an outline as field_boundary.")
	case r.FieldUUID != "" && r.Boundary != nil:
		f.Add("field_boundary", "Give either field_uuid or field_boundary.")
	}
	switch {
	case timeless:
	case r.Product == credit.ZoningMap:
		f.AddIf(r.SeasonID == 0, "season_id", "Give season_id: zones are of that season and of those before it.")
		f.AddIf(r.Terms.Classes > fieldmap.MaxZones, "no_of_classes", "From %d to %d zones.", fieldmap.MinZones, fieldmap.MaxZones)
	case r.SeasonID == 0 && r.Terms.Day == nil:
		f.Add("season_id", "Give season_id, or one date as date.")
	case r.SeasonID != 0 && r.Terms.Day != nil:
		f.Add("date", "Give either season_id or date.")
	}
	return f
}

// Map is an order with its dates, or with its layers.
type Map struct {
	Order  vegetation.OrderState
	Series vegetation.Series // the accepted dates with their figures, and the rejected ones
	Files  []indexmap.File   // the pixels of the accepted dates
	Layers []fieldmap.Layer  // for a map without dates
	// Refreshing states that the map is being refreshed or remade, so that a later retrieve may show more.
	Refreshing bool
}

// Retrieve returns an order with its dates or layers: the caller's own, or one that is shared with it. If its last check is too old it
// queues a refresh, and returns what there is. Faults: NotFound.
func (m *Maps) Retrieve(ctx context.Context, who access.Principal, of credit.Product, shared bool, id int64) (Map, error) {
	ask, p := false, mapOf(of)
	out, err := app.Read(ctx, m.Deps, who, p.access.View, func(ctx context.Context, tx ports.Repos) (out Map, err error) {
		scope := who.Scope(shared)
		if out.Order, err = p.get(ctx, tx, scope, id); err != nil {
			return out, err
		}
		stock, err := p.stock(ctx, tx, scope, id)
		if err != nil {
			return out, err
		}
		out.Series, out.Files, out.Layers = stock.series, stock.files, stock.layers
		refresh := task.JobOn(p.job+MapRefreshing, out.Order.CompanyID, id, m.Clock.Now())
		waits, err := tx.Jobs.Waits(ctx, refresh.Kind, refresh.Key)
		if err != nil || waits || out.Order.Map.Day != nil {
			out.Refreshing = waits
			return out, err
		}
		out.Refreshing, err = p.refreshable(ctx, tx, out.Order, m.Clock.Now())
		ask = out.Refreshing
		return out, err
	})
	if err == nil && ask {
		if err = m.Remake(ctx, out.Order); fault.Is(err, fault.Conflict) {
			err = nil // limit_reached: the next caller who looks asks again
		}
	}
	return out, err
}

// Remake queues the job that refreshes a map and remakes its expired files, whoever looks: it costs nothing.
func (m *Maps) Remake(ctx context.Context, order vegetation.OrderState) error {
	return m.Store.Write(idempotency.Apart(ctx), func(ctx context.Context, tx ports.Repos) error {
		return tx.Jobs.Enqueue(ctx, task.JobOn(mapOf(order.Product).job+MapRefreshing, order.CompanyID, order.ID, m.Clock.Now()))
	})
}

// Recompute queues the remaking of an active map on the outline that its field has now, at no charge. Faults:
// NotFound; Conflict (order_state, boundary_missing, boundary_too_different).
func (m *Maps) Recompute(ctx context.Context, who access.Principal, of credit.Product, id int64) (vegetation.OrderState, error) {
	scope, now, p := who.Scope(false), m.Clock.Now(), mapOf(of)
	return app.Write(ctx, m.Deps, who, p.access.Create, func(ctx context.Context, tx ports.Repos) (vegetation.OrderState, error) {
		order, err := p.repo(tx).GetForUpdate(ctx, scope, id)
		if err != nil {
			return order, err
		}
		outline, err := p.outlineFor(ctx, tx, scope, order)
		if err != nil {
			return order, err
		}
		before, after := recomputedOn{order.BoundaryID}, recomputedOn{outline.ID}
		if err := tx.Audit.Add(ctx, audit.By(who, now).Of(Recompute, p.access.Name, id, audit.Diff(&before, &after))); err != nil {
			return order, err
		}
		return order, tx.Jobs.Enqueue(ctx, task.JobOn(p.job+MapRecomputing, order.CompanyID, id, now))
	})
}

// KeepFiles is the time for which the file of a date is kept. After that it is remade when somebody asks for it.
const KeepFiles = 90 * 24 * time.Hour

// Forget removes files that have expired.
func (m *Maps) Forget(ctx context.Context) (int64, error) {
	return 0, m.Objects.RemoveOlder(ctx, mapFolder, m.Clock.Now().Add(-KeepFiles))
}
