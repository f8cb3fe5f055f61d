package soil

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"tilth/app"
	"tilth/app/external"
	"tilth/app/satellite"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/stratification"
	"tilth/core/stratification/layer"
	"tilth/ports"
)

// Orders holds the use cases of stratification orders.
type Orders struct{ app.Deps }

// OrderRequest is an order as a client places it: for the area of interest with that id, or else with that uuid.
type OrderRequest struct {
	AOIID   int64
	AOIUUID string
	MapType string        // STR (or empty), or SOC
	Carbon  CarbonRequest // for SOC
	record.External
}

func (r OrderRequest) mapType() string { return cmp.Or(r.MapType, credit.ServiceSTR) }

func (r OrderRequest) check() error {
	f := fault.Fields{}
	switch {
	case r.AOIID == 0 && r.AOIUUID == "":
		f.Add("aoi_id", "Name the area of interest, by aoi_id or by aoi_uuid.")
	case r.AOIID != 0 && r.AOIUUID != "":
		f.Add("aoi_uuid", "Name the area of interest once: by aoi_id or by aoi_uuid.")
	}
	r.External.Check(f)
	switch r.mapType() {
	case credit.ServiceSTR:
		f.AddIf(r.Carbon != CarbonRequest{}, "plan", "plan, round, depths and confidence belong to an order of SOC.")
	case credit.ServiceSOC:
		r.Carbon.check(f)
	default:
		f.Addf("map_type", "%q is not a map type that can be ordered; use STR or SOC.", r.MapType)
	}
	return f.Err()
}

// Place accepts an order: it is pending, its charge is held and its job queued, in one transaction. Its
// fields, area and charge are frozen with it. Faults: Invalid, NotFound (no_stratification_price),
// PaymentRequired (insufficient_credit), Conflict (order_within_year, aoi_empty; for a map of soil carbon
// samples_missing and aoi_changed).
func (o *Orders) Place(ctx context.Context, who access.Principal, req OrderRequest) (stratification.OrderState, error) {
	if err := o.Gate.Require(ctx, who, access.StratificationOrders.Create); err != nil {
		return stratification.OrderState{}, err
	}
	if err := req.check(); err != nil {
		return stratification.OrderState{}, err
	}
	for range placeTries {
		measured, err := o.measure(ctx, who, req)
		if err != nil {
			return stratification.OrderState{}, err
		}
		if out, err := o.placeMeasured(ctx, who, req, measured); !errors.Is(err, errLandChanged) {
			return out, err
		}
	}
	return stratification.OrderState{}, fault.New(fault.Unavailable, "database_busy",
		"The fields of the area of interest keep changing; try again.")
}

// placeTries is the number of times land is measured that keeps changing before it is ordered.
const placeTries = 5

var errLandChanged = errors.New("the land is not what was measured")

// measuredLand is land with the area of its union in square metres.
type measuredLand struct {
	land   []stratification.Land
	areaM2 int64
}

// measure measures the land of an order that may be placed as things stand. The union of many
// fields takes long, so it is computed while no transaction is open.
func (o *Orders) measure(ctx context.Context, who access.Principal, req OrderRequest) (measuredLand, error) {
	scope := who.Scope(false)
	land, err := app.In(ctx, o.Store.Read, func(ctx context.Context, tx ports.Repos) ([]stratification.Land, error) {
		aoi, err := findAOI(ctx, tx, scope, req)
		if err != nil {
			return nil, err
		}
		if _, err := mayOrder(ctx, tx, scope, aoi, req.mapType(), o.Clock.Now()); err != nil {
			return nil, err
		}
		return Land(ctx, tx, scope, aoi)
	})
	return measureLand(ctx, land, err)
}

func measureLand(ctx context.Context, land []stratification.Land, err error) (measuredLand, error) {
	if err != nil {
		return measuredLand{}, err
	}
	area, err := stratification.AreaM2(effort.Of(ctx, 0), land)
	return measuredLand{land, area}, err
}

// placeMeasured accepts an order for measured land, unless the land has changed since.
func (o *Orders) placeMeasured(ctx context.Context, who access.Principal, req OrderRequest, measured measuredLand) (stratification.OrderState, error) {
	scope, now := who.Scope(false), o.Clock.Now()
	return app.In(ctx, o.Store.Write, func(ctx context.Context, tx ports.Repos) (out stratification.OrderState, err error) {
		aoi, err := findAOI(ctx, tx, scope, req)
		if err != nil {
			return out, err
		}
		purse, err := satellite.LockPurse(ctx, tx, scope, now) // orders of a company are placed one after the other
		if err != nil {
			return out, err
		}
		if out, err = o.draft(ctx, tx, who, placement{req, aoi, measured, now}); err != nil {
			return out, err
		}
		out.External = req.External
		if err := external.Take(ctx, tx.StratificationOrders, scope, external.Wish{Noun: "order", Is: req.External}); err != nil {
			return out, err
		}
		if err := tx.StratificationOrders.Insert(ctx, scope, &out); err != nil {
			return out, err
		}
		if err := postOrder(ctx, purse, credit.Hold, out); err != nil {
			return out, err
		}
		what := placedOrder{out.MapType, access.Named{ID: out.AOI.ID, Name: out.AOI.Name}, out.AreaM2, out.Charge.String(), out.External}
		entry := audit.By(who, now).Of(audit.Create, access.StratificationOrders.Name, out.ID, audit.Diff(nil, &what))
		if err := tx.Audit.Add(ctx, entry); err != nil {
			return out, err
		}
		return out, tx.Jobs.Enqueue(ctx, task.JobOn(OrderJob, out.CompanyID, out.ID, now))
	})
}

// findAOI returns the area of interest of an order, which stays until the transaction ends. A
// missing area is an error in the request.
func findAOI(ctx context.Context, tx ports.Repos, scope access.Scope, req OrderRequest) (stratification.AOI, error) {
	id, member := req.AOIID, "aoi_id"
	if req.AOIUUID != "" {
		member = "aoi_uuid"
		var err error
		if id, err = tx.AOIs.IDOf(ctx, scope, req.AOIUUID); err != nil && !fault.Is(err, fault.NotFound) {
			return stratification.AOI{}, err
		}
	}
	found, err := tx.AOIs.GetMany(ctx, scope, []int64{id})
	if err != nil {
		return stratification.AOI{}, err
	}
	aoi, ok := found[id]
	if !ok {
		return aoi, fault.Field(member, "Your company has no such area of interest.")
	}
	return aoi, nil
}

// mayOrder returns the latest order of a map type for an area of interest, the zero order if there is none, unless
// it forbids another (order_within_year).
func mayOrder(ctx context.Context, tx ports.Repos, scope access.Scope, aoi stratification.AOI, mapType string, now time.Time) (stratification.OrderState, error) {
	latest, err := tx.StratificationOrders.Latest(ctx, scope, aoi.ID, mapType)
	switch {
	case fault.Is(err, fault.NotFound):
		return stratification.OrderState{}, nil
	case err != nil:
		return latest, err
	case latest.Status != stratification.OrderActive || dayOf(now).Before(latest.NextAllowed()):
		return latest, withinYear(latest)
	}
	return latest, nil
}

func dayOf(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }

// placement is an order about to be placed.
type placement struct {
	OrderRequest
	aoi      stratification.AOI
	measured measuredLand
	now      time.Time
}

// draft makes the order for an area of interest, after checking its limit, its price and, for a map of soil
// carbon, its samples.
func (o *Orders) draft(ctx context.Context, tx ports.Repos, who access.Principal, p placement) (stratification.OrderState, error) {
	var none stratification.OrderState
	scope, mapType := who.Scope(false), p.mapType()
	latest, err := mayOrder(ctx, tx, scope, p.aoi, mapType, p.now)
	if err != nil {
		return none, err
	}
	land, err := Land(ctx, tx, scope, p.aoi)
	if err != nil {
		return none, err
	}
	if !reflect.DeepEqual(land, p.measured.land) {
		return none, errLandChanged
	}
	prices, err := pricesOf(ctx, tx, p.measured.areaM2, func(string) bool { return latest.ID != 0 })
	if err != nil {
		return none, err
	}
	at := slices.IndexFunc(prices, func(p Price) bool { return p.MapType == mapType })
	if at < 0 {
		return none, unpriced()
	}
	state := stratification.OrderState{
		DataUUID: o.IDs.UUID(), CompanyID: who.CompanyID, MapType: mapType,
		AOI:         stratification.AOIRef{ID: p.aoi.ID, UUID: p.aoi.UUID, Name: p.aoi.Name},
		RequestDate: dayOf(p.now), RequestBy: stratification.Requester{ID: who.UserID, Email: who.Email},
		CreatedAt: p.now, UpdatedAt: p.now, Land: land, AreaM2: p.measured.areaM2, Charge: prices[at].Total,
	}
	if mapType == credit.ServiceSOC {
		if state.Carbon, state.Grid, err = p.Carbon.settle(ctx, tx, scope, p.aoi); err != nil {
			return none, err
		}
	}
	order, err := stratification.NewOrder(state)
	return order.State(), err
}

// withinYear is the refusal of a second order for an area of interest within a year.
func withinYear(s stratification.OrderState) error {
	next := s.NextAllowed().Format(time.DateOnly)
	return fault.Newf(fault.Conflict, "order_within_year",
		"This area of interest was ordered on %s; the next order is accepted from %s on. Nothing was charged.", s.RequestDate.Format(time.DateOnly), next).
		With("order_id", s.ID).With("data_uuid", s.DataUUID).With("status", string(s.Status)).With("next_allowed_date", next)
}

// placedOrder is the form in which the audit trail records an order.
type placedOrder struct {
	MapType string
	AOI     access.Named
	AreaM2  int64
	Charge  string
	record.External
}

// Retrieve returns an order. Faults: NotFound.
func (o *Orders) Retrieve(ctx context.Context, who access.Principal, id int64) (stratification.OrderState, error) {
	return app.Read(ctx, o.Deps, who, access.StratificationOrders.View, func(ctx context.Context, tx ports.Repos) (stratification.OrderState, error) {
		return tx.StratificationOrders.Get(ctx, who.Scope(false), id)
	})
}

// List returns the orders of the caller's company; the filter is aoi. Their land is left out.
func (o *Orders) List(ctx context.Context, who access.Principal, q ports.Query) (app.List[stratification.OrderState], error) {
	return app.ListIn(ctx, o.Deps, app.Ask{Who: who, Need: access.StratificationOrders.View}, q,
		func(tx ports.Repos) ports.StratificationOrders { return tx.StratificationOrders })
}

// Layers returns an order with its layers, without their values; none before it is active. Faults: NotFound.
func (o *Orders) Layers(ctx context.Context, who access.Principal, id int64) (stratification.OrderState, []layer.PreparedLayer, error) {
	var order stratification.OrderState
	layers, err := app.Read(ctx, o.Deps, who, access.StratificationOrders.View, func(ctx context.Context, tx ports.Repos) (_ []layer.PreparedLayer, err error) {
		if order, err = tx.StratificationOrders.Get(ctx, who.Scope(false), id); err != nil {
			return nil, err
		}
		return tx.StratificationOrders.Layers(ctx, who.Scope(false), id, false)
	})
	return order, layers, err
}
