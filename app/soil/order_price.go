package soil

import (
	"context"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/ports"
)

// Price is what an area of interest costs in a map type.
type Price struct {
	MapType string        // STR or SOC
	PerHa   credit.Amount // 0 once the area is ordered
	Total   credit.Amount // 0 once the area is ordered
}

// Quote is the prices of an area of interest.
type Quote struct {
	AreaM2 int64 // of the union of the fields
	Prices []Price
}

// Price returns what an area of interest costs, in each map type that has a price. The prices are
// 0 while an order of the company for the area is pending, processing or active.
// Faults: Unauthenticated, Forbidden, NotFound (also: no_stratification_price), Conflict (aoi_empty).
func (o *Orders) Price(ctx context.Context, who access.Principal, aoiID int64) (Quote, error) {
	scope := who.Scope(false)
	return app.Read(ctx, o.deps, who, access.AOIs.View, func(ctx context.Context, tx ports.Repos) (out Quote, err error) {
		aoi, err := tx.AOIs.Get(ctx, scope, aoiID)
		if err != nil {
			return out, err
		}
		_, area, err := measureAOI(ctx, tx, scope, aoi)
		if err != nil {
			return out, err
		}
		_, err = tx.StratificationOrders.Latest(ctx, scope, aoiID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return out, err
		}
		out.AreaM2 = area
		out.Prices, err = pricesOf(ctx, tx, err == nil, area)
		return out, err
	})
}

// pricesOf returns a row for each map type that has a price.
func pricesOf(ctx context.Context, tx ports.Repos, ordered bool, areaM2 int64) ([]Price, error) {
	var out []Price
	for _, mapType := range []string{credit.ServiceSTR, credit.ServiceSOC} {
		perHa, ok, err := tx.Wallet.Price(ctx, mapType)
		if err != nil {
			return nil, err
		}
		switch {
		case !ok:
		case ordered:
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

// unpriced is the answer of the specification, section 7, where no price is configured.
func unpriced() error {
	return fault.New(fault.NotFound, "no_stratification_price", "You do not have a subscription for stratification service.")
}
