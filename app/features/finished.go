package features

import (
	"context"
	"time"

	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/fieldmap"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Finished is the result of an order of a satellite product: a profile, a date of a map that has dates, or a map that has layers.
type Finished struct {
	vegetation.OrderState
	Field  string                  // name; empty if the field is deleted or another company's, and for an outline
	Date   *vegetation.Observation // for a map that has dates
	Layers []fieldmap.Layer        // for a map that has none: the layers that have pixels
}

// day is the length of a civil day minus its last microsecond: databases resolve no shorter times.
const day = 24*time.Hour - time.Microsecond

// Finished returns the finished profiles or maps of one product, in the outlines that they cover. A date of a map is the part of its order with
// the number that [PartOf] assigns to it.
func (f *Features) Finished(product credit.Product) *Collection[vegetation.OrderState, Finished] {
	return &Collection[vegetation.OrderState, Finished]{
		deps: f.Deps, needs: []access.Permission{accessTo(product).View}, word: "item", chunk: chunkOfDrafts, parts: true, each: product != credit.VegetationIndexMap,
		only: []ports.Filter{{Name: "status", Value: string(vegetation.Active)}},
		list: listed(f.Deps, accessTo(product).View, func(tx ports.Repos) orders { return ordersOf(tx, product) }),
		get: func(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (vegetation.OrderState, error) {
			order, err := ordersOf(tx, product).Get(ctx, scope, id)
			if err == nil && order.Status != vegetation.Active {
				err = fault.Missing("item")
			}
			return order, err
		},
		features: func(ctx context.Context, tx ports.Repos, scope access.Scope, records []vegetation.OrderState) ([][]Feature[Finished], error) {
			names, err := namesOf(ctx, tx, scope, records)
			out := make([][]Feature[Finished], len(records))
			for i, r := range records {
				if err == nil {
					out[i], err = finished(ctx, tx, scope, Finished{OrderState: r, Field: names[r.FieldID].Name})
				}
			}
			return out, err
		},
	}
}

// accessTo returns the permissions on a satellite product.
func accessTo(product credit.Product) access.Resource {
	if product == credit.VegetationIndexProfile {
		return access.ProfileOrders
	}
	return satellite.MapAccess(product)
}

// orders is what the orders of all products have in common.
type orders interface {
	ports.List[vegetation.OrderState, ports.Query]
	Get(ctx context.Context, scope access.Scope, id int64) (vegetation.OrderState, error)
}

func ordersOf(tx ports.Repos, product credit.Product) orders {
	if product == credit.VegetationIndexProfile {
		return tx.Orders
	}
	return tx.Maps.Of(product)
}

func namesOf(ctx context.Context, tx ports.Repos, scope access.Scope, orders []vegetation.OrderState) (map[int64]farm.Field, error) {
	var ids []int64
	for _, r := range orders {
		if r.FieldID != 0 {
			ids = append(ids, r.FieldID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return tx.Fields.GetBare(ctx, scope, ids)
}

// finished returns the features of one order.
func finished(ctx context.Context, tx ports.Repos, scope access.Scope, of Finished) ([]Feature[Finished], error) {
	from, to := of.StartDate, of.EndDate
	if of.FirstDate != nil && of.LastDate != nil {
		from, to = *of.FirstDate, *of.LastDate
	}
	whole := Feature[Finished]{ID: ID{Record: of.ID}, Outline: of.Boundary, When: days(from, to)}
	switch of.Product {
	case "", credit.VegetationIndexProfile:
	case credit.VegetationIndexMap:
		series, _, err := tx.Maps.Of(of.Product).Dates(ctx, scope, of.ID)
		var out []Feature[Finished]
		for _, o := range series.Observations {
			one := whole
			one.ID.Part, one.When, one.Of = PartOf(o.Date), days(o.Date, o.Date), of
			one.Of.Date = &o
			out = append(out, one)
		}
		return out, err
	default:
		layers, err := tx.Maps.Of(of.Product).Layers(ctx, scope, of.ID)
		if err != nil {
			return nil, err
		}
		for _, l := range layers {
			if l.Object != "" {
				of.Layers = append(of.Layers, l)
			}
		}
	}
	whole.Of = of
	return []Feature[Finished]{whole}, nil
}

// days returns the time span of civil days, both inclusive.
func days(from, to time.Time) *ports.Span {
	end := to.Add(day)
	return &ports.Span{From: &from, To: &end}
}

// epoch is the day before the first numbered day.
var epoch = time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)

// PartOf returns the number of a date among those of a map; it does not depend on the other dates of the map.
func PartOf(date time.Time) int { return int(date.Sub(epoch) / (24 * time.Hour)) }

// DateOf returns the date with a number.
func DateOf(part int) time.Time { return epoch.AddDate(0, 0, part) }
