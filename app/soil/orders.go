package soil

import (
	"context"
	"time"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/layer"
	"tilth/ports"
)

// Orders is the use cases of stratification orders.
type Orders struct{ app.Deps }

// OrderRequest is an order as a client places it: of the area of interest with that id, or else with that uuid.
type OrderRequest struct {
	AOIID   int64
	AOIUUID string
	MapType string // STR (or empty); SOC is refused
}

func (r OrderRequest) check() error {
	f := fault.Fields{}
	switch {
	case r.AOIID == 0 && r.AOIUUID == "":
		f.Add("aoi_id", "Name the area of interest, by aoi_id or by aoi_uuid.")
	case r.AOIID != 0 && r.AOIUUID != "":
		f.Add("aoi_uuid", "Name the area of interest once: by aoi_id or by aoi_uuid.")
	}
	switch r.MapType {
	case "", credit.ServiceSTR:
	case credit.ServiceSOC:
		f.Add("map_type", "Maps of soil organic carbon (SOC) have a price but cannot be ordered yet; order STR.")
	default:
		f.Addf("map_type", "%q is no map type that can be ordered; it is STR.", r.MapType)
	}
	return f.Err()
}

// Place accepts an order: it is pending, its charge is held and its job queued, in one transaction. What it
// is made of (fields, area, charge) is frozen with it. Faults: Invalid, NotFound (no_stratification_price),
// PaymentRequired (insufficient_credit), Conflict (order_within_year, aoi_empty).
func (o *Orders) Place(ctx context.Context, who access.Principal, req OrderRequest) (stratification.OrderState, error) {
	if err := o.Gate.Require(ctx, who, access.StratificationOrders.Create); err != nil {
		return stratification.OrderState{}, err
	}
	if err := req.check(); err != nil {
		return stratification.OrderState{}, err
	}
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
		if out, err = o.draft(ctx, tx, who, aoi, now); err != nil {
			return out, err
		}
		if err := tx.StratificationOrders.Insert(ctx, scope, &out); err != nil {
			return out, err
		}
		if err := postOrder(ctx, purse, credit.Hold, out); err != nil {
			return out, err
		}
		what := placedOrder{access.Named{ID: out.AOI.ID, Name: out.AOI.Name}, out.AreaM2, out.Charge.String()}
		entry := audit.By(who, now).Of(audit.Create, access.StratificationOrders.Name, out.ID, audit.Diff(nil, &what))
		if err := tx.Audit.Add(ctx, entry); err != nil {
			return out, err
		}
		return out, tx.Jobs.Enqueue(ctx, task.JobOn(OrderJob, out.CompanyID, out.ID, now))
	})
}

// findAOI returns the area of interest of an order, which stays until the transaction ends. One that
// is not there is what is wrong with the request.
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
		return aoi, fault.Field(member, "No area of interest of your company is named so.")
	}
	return aoi, nil
}

// draft makes the order of an area of interest, after the checks of its limit and its price.
func (o *Orders) draft(ctx context.Context, tx ports.Repos, who access.Principal, aoi stratification.AOI, now time.Time) (stratification.OrderState, error) {
	var none stratification.OrderState
	today := now.UTC().Truncate(24 * time.Hour)
	latest, err := tx.StratificationOrders.Latest(ctx, who.Scope(false), aoi.ID)
	switch {
	case fault.Is(err, fault.NotFound):
	case err != nil:
		return none, err
	case latest.Status != stratification.OrderActive || today.Before(latest.NextAllowed()):
		return none, withinYear(latest)
	}
	land, area, err := measureAOI(ctx, tx, who.Scope(false), aoi)
	if err != nil {
		return none, err
	}
	prices, err := pricesOf(ctx, tx, latest.ID != 0, area)
	if err != nil {
		return none, err
	}
	charge := credit.Amount(-1)
	for _, p := range prices {
		if p.MapType == credit.ServiceSTR {
			charge = p.Total
		}
	}
	if charge < 0 {
		return none, unpriced()
	}
	order, err := stratification.NewOrder(stratification.OrderState{
		DataUUID: o.IDs.UUID(), CompanyID: who.CompanyID,
		AOI:         stratification.AOIRef{ID: aoi.ID, UUID: aoi.UUID, Name: aoi.Name},
		RequestDate: today, RequestBy: stratification.Requester{ID: who.UserID, Email: who.Email},
		CreatedAt: now, UpdatedAt: now, Land: land, AreaM2: area, Charge: charge,
	})
	return order.State(), err
}

// withinYear is the refusal of a second order of an area of interest within a year.
func withinYear(s stratification.OrderState) error {
	next := s.NextAllowed().Format(time.DateOnly)
	return fault.Newf(fault.Conflict, "order_within_year",
		"This area of interest was ordered on %s; the next order is taken from %s on. Nothing was charged.", s.RequestDate.Format(time.DateOnly), next).
		With("order_id", s.ID).With("data_uuid", s.DataUUID).With("status", string(s.Status)).With("next_allowed_date", next)
}

func measureAOI(ctx context.Context, tx ports.Repos, scope access.Scope, aoi stratification.AOI) ([]stratification.Land, int64, error) {
	land, err := Land(ctx, tx, scope, aoi)
	if err != nil {
		return nil, 0, err
	}
	area, err := stratification.AreaM2(effort.Of(ctx, 0), land)
	return land, area, err
}

// placedOrder is an order as the audit trail records it.
type placedOrder struct {
	AOI    access.Named
	AreaM2 int64
	Charge string
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
