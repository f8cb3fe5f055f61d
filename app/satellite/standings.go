package satellite

import (
	"context"
	"iter"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/phenology"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Standing is a profile alongside the other seasons of its field.
type Standing struct {
	Order   vegetation.OrderState
	Seasons int // the number available
	Years   phenology.Comparison
}

// Standings compares each of many active profiles with the other seasons of its field, as Compare does for one; filters are
// those of a list of orders. They are compared some at a time, outside any transaction.
func (o *Profiles) Standings(ctx context.Context, who access.Principal, q ports.Query) (app.List[Standing], error) {
	q.Filters = append(q.Filters, ports.Filter{Name: "status", Value: string(vegetation.Active)})
	found, err := o.List(ctx, who, false, q)
	return app.List[Standing]{Count: found.Count, Next: found.Next, Each: o.standing(ctx, who.Scope(false), found.Each)}, err
}

// standing compares orders as the sequence is consumed.
func (o *Profiles) standing(ctx context.Context, scope access.Scope, orders iter.Seq2[vegetation.OrderState, error]) iter.Seq2[Standing, error] {
	return func(yield func(Standing, error) bool) {
		var waiting []vegetation.OrderState
		give := func() bool {
			of, err := o.material(ctx, scope, waiting)
			for _, order := range waiting {
				if err == nil {
					err = ctx.Err() // a page may take long to compute
				}
				if err != nil {
					yield(Standing{}, err)
					return false
				}
				if !yield(of.standing(order), nil) {
					return false
				}
			}
			waiting = waiting[:0]
			return true
		}
		for order, err := range orders {
			if err != nil {
				yield(Standing{}, err)
				return
			}
			if waiting = append(waiting, order); len(waiting) == seriesAtOnce && !give() {
				return
			}
		}
		give()
	}
}

// material is what orders are compared with.
type material struct {
	own    map[int64]vegetation.Series   // by order
	others map[int64][]ports.OrderSeries // by order
}

func (m material) standing(order vegetation.OrderState) Standing {
	lines := linesOf(m.others[order.ID])
	return Standing{order, len(lines), phenology.WithYears(phenology.FitSeries(m.own[order.ID], phenology.Whittaker), lines)}
}

// material reads the series of orders, and of the newest other seasons of their fields in the reading of each.
func (o *Profiles) material(ctx context.Context, scope access.Scope, orders []vegetation.OrderState) (material, error) {
	out := material{map[int64]vegetation.Series{}, map[int64][]ports.OrderSeries{}}
	if len(orders) == 0 {
		return out, nil
	}
	var fields []int64
	for _, order := range orders {
		fields = append(fields, order.FieldID)
	}
	return app.In(ports.Patiently(ctx), o.Store.Read, func(ctx context.Context, tx ports.Repos) (material, error) {
		own, err := tx.Orders.SeriesOf(ctx, scope, orders)
		if err != nil {
			return out, err
		}
		for _, s := range own {
			out.own[s.Order.ID] = s.Series
		}
		var all []vegetation.OrderState
		byField := map[int64][]vegetation.OrderState{}
		for other, err := range tx.Orders.Each(ctx, scope, activeOf(0, ports.Filter{Name: "field", Value: fields})) {
			if err != nil {
				return out, err
			}
			if len(byField[other.FieldID]) <= maxSeasons { // including the order itself
				byField[other.FieldID] = append(byField[other.FieldID], other)
			}
		}
		type read struct {
			order int64
			in    vegetation.Reading
		}
		for _, order := range orders {
			for _, other := range byField[order.FieldID] {
				if other.ID != order.ID {
					out.others[order.ID] = append(out.others[order.ID], ports.OrderSeries{Order: other.As(order.Reading())})
					all = append(all, other.As(order.Reading()))
				}
			}
		}
		stored, err := tx.Orders.SeriesOf(ctx, scope, all)
		if err != nil {
			return out, err
		}
		series := map[read]vegetation.Series{}
		for _, s := range stored {
			series[read{s.Order.ID, s.Order.Reading()}] = s.Series
		}
		for _, others := range out.others {
			for i, other := range others {
				others[i].Series = series[read{other.Order.ID, other.Order.Reading()}] // empty where none is stored
			}
		}
		return out, nil
	})
}
