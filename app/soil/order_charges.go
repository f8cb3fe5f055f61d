package soil

import (
	"context"
	"slices"
	"time"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/layer"
	"tilth/ports"
)

// OrderJob is the kind of the jobs that prepare the layers of an order. Their key is the order's id.
const OrderJob = "stratification_order"

// postOrder writes a transaction for the charge of an order.
func postOrder(ctx context.Context, p satellite.Purse, kind credit.Kind, s stratification.OrderState) error {
	return p.Post(ctx, credit.Transaction{Kind: kind, Amount: s.Charge, Product: credit.Stratification, OrderID: s.ID})
}

// FailOrders ends open orders for good, for instance because their area of interest is deleted, and
// releases what they hold. Orders that are no longer open are left alone.
func FailOrders(ctx context.Context, tx ports.Repos, scope access.Scope, ids []int64, now time.Time, reason string) error {
	for _, id := range ids {
		purse, order, err := lockOrder(ctx, tx, scope, id, now)
		if err != nil {
			return err
		}
		if !order.Open() {
			continue
		}
		if err := failOrder(ctx, purse, &order, reason); err != nil {
			return err
		}
	}
	return nil
}

// lockOrder returns an order under its lock, taken after that of the wallet.
func lockOrder(ctx context.Context, tx ports.Repos, scope access.Scope, id int64, now time.Time) (p satellite.Purse, order stratification.Order, err error) {
	if p, err = satellite.LockPurse(ctx, tx, scope, now); err != nil {
		return p, order, err
	}
	state, err := tx.StratificationOrders.GetForUpdate(ctx, scope, id)
	return p, stratification.RehydrateOrder(state), err
}

// failOrder ends an open order for good, releases its charge, and adds the event, whose id is
// derived from the order and the failure.
func failOrder(ctx context.Context, p satellite.Purse, order *stratification.Order, reason string) error {
	if err := order.Fail(p.Now, reason); err != nil {
		return err
	}
	s := order.State()
	if err := p.Tx.StratificationOrders.Update(ctx, p.Scope, s); err != nil {
		return err
	}
	if err := postOrder(ctx, p, credit.Release, s); err != nil {
		return err
	}
	return p.Tx.Outbox.Add(ctx, event.Event{
		ID: s.EventID(), Type: event.TypeStratificationFailed, CompanyID: s.CompanyID, Subject: orderSubject(s), At: p.Now,
		Data: event.StratificationFailed{
			OrderID: s.ID, DataUUID: s.DataUUID, MapType: s.MapType, AOI: s.AOI.ID, AOIUUID: s.AOI.UUID, Status: string(s.Status), Reason: s.Reason,
		},
	})
}

func orderCompletedEvent(s stratification.OrderState, layers []layer.PreparedLayer, now time.Time) event.Event {
	names := []string{}
	for _, l := range layers {
		if l.Dropped == "" {
			names = append(names, l.Name)
		}
	}
	return event.Event{
		ID: s.EventID(), Type: event.TypeStratificationCompleted, CompanyID: s.CompanyID, Subject: orderSubject(s), At: now,
		Data: event.StratificationCompleted{
			OrderID: s.ID, DataUUID: s.DataUUID, MapType: s.MapType, AOI: s.AOI.ID, AOIUUID: s.AOI.UUID, Status: string(s.Status), Layers: names,
		},
	}
}

func orderSubject(s stratification.OrderState) string { return "stratification_order/" + s.DataUUID }

// Land returns the live fields of an area of interest as they stand, in the area's order. Fields
// that have lost their boundary are left out.
func Land(ctx context.Context, tx ports.Repos, scope access.Scope, aoi stratification.AOI) ([]stratification.Land, error) {
	fields, err := tx.Fields.GetMany(ctx, scope, aoi.FieldIDs())
	if err != nil {
		return nil, err
	}
	var out []stratification.Land
	for _, f := range aoi.Fields {
		if field, ok := fields[f.ID]; ok && field.Boundary != nil {
			out = append(out, stratification.Land{FieldID: f.ID, FieldUUID: f.UUID, Geometry: field.Boundary.Geometry()})
		}
	}
	if len(out) == 0 {
		return nil, fault.Newf(fault.Conflict, "aoi_empty",
			"No field of the area of interest %s still exists with a boundary; change its field_uuids.", aoi.UUID)
	}
	return out, nil
}

// Price is the cost of an area of interest for a map type.
type Price struct {
	MapType string        // STR or SOC
	PerHa   credit.Amount // 0 once the area is ordered
	Total   credit.Amount // 0 once the area is ordered
}

// Quote holds the prices of an area of interest.
type Quote struct {
	AreaM2 int64 // of the union of the fields
	Prices []Price
	// Charges are what an order placed now costs for each map type: its price, unless the area was already ordered for it.
	Charges []Price
}

// Price returns the cost of an area of interest, for each map type that has a price. The prices are 0 while
// an order of the company for the area is pending, processing or active. Faults: NotFound (also:
// no_stratification_price), Conflict (aoi_empty).
func (o *Orders) Price(ctx context.Context, who access.Principal, aoiID int64) (Quote, error) {
	scope := who.Scope(false)
	ordered := map[string]bool{}
	land, err := app.Read(ctx, o.Deps, who, access.AOIs.View, func(ctx context.Context, tx ports.Repos) ([]stratification.Land, error) {
		aoi, err := tx.AOIs.Get(ctx, scope, aoiID)
		if err != nil {
			return nil, err
		}
		for _, mapType := range mapTypes {
			_, err = tx.StratificationOrders.Latest(ctx, scope, aoiID, mapType)
			if ordered[mapType] = err == nil; err != nil && !fault.Is(err, fault.NotFound) {
				return nil, err
			}
		}
		return Land(ctx, tx, scope, aoi)
	})
	measured, err := measureLand(ctx, land, err)
	if err != nil {
		return Quote{}, err
	}
	return app.In(ctx, o.Store.Read, func(ctx context.Context, tx ports.Repos) (out Quote, err error) {
		out.AreaM2 = measured.areaM2
		anyOrder := func(string) bool { return slices.ContainsFunc(mapTypes, func(t string) bool { return ordered[t] }) }
		if out.Prices, err = pricesOf(ctx, tx, out.AreaM2, anyOrder); err != nil {
			return out, err
		}
		out.Charges, err = pricesOf(ctx, tx, out.AreaM2, func(mapType string) bool { return ordered[mapType] })
		return out, err
	})
}

// mapTypes are the map types of orders.
var mapTypes = []string{credit.ServiceSTR, credit.ServiceSOC}

// pricesOf returns a row for each map type that has a price; the price is 0 for those that are paid for.
func pricesOf(ctx context.Context, tx ports.Repos, areaM2 int64, paid func(mapType string) bool) ([]Price, error) {
	var out []Price
	for _, mapType := range mapTypes {
		perHa, ok, err := tx.Wallet.Price(ctx, mapType)
		if err != nil {
			return nil, err
		}
		switch {
		case !ok:
		case paid(mapType):
			out = append(out, Price{MapType: mapType})
		default:
			out = append(out, Price{mapType, perHa, credit.Charge(perHa, areaM2)})
		}
	}
	if len(out) == 0 {
		return nil, unpriced()
	}
	return out, nil
}

// unpriced is the answer that section 7 of the specification defines if no price is configured.
func unpriced() error {
	return fault.New(fault.NotFound, "no_stratification_price", "You do not have a subscription for stratification service.")
}
