package satellite

import (
	"context"
	"io"
	"iter"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/vegetation"
	"tilth/ports"
)

// seriesAtOnce is the number of series held in memory while many are written.
const seriesAtOnce = 50

// SeriesOfMany returns a function that writes a file of the series of the active orders that a list would return: jsonl,
// csv, xlsx or geojson. A choice selects the stored series in that reading and leaves out orders without one.
func (f *ProfileFiles) SeriesOfMany(ctx context.Context, who access.Principal, shared bool, q ports.Query, choice vegetation.Choice, format string,
) (func(w io.Writer) error, error) {
	q.Filters = append(q.Filters, ports.Filter{Name: "status", Value: string(vegetation.Active)})
	found, err := f.Orders.List(ctx, who, shared, q)
	if err != nil {
		return nil, err
	}
	all := f.withSeries(ctx, who.Scope(shared), found.Each, choice)
	return func(w io.Writer) error { return f.Sheets.SeriesOfMany(w, format, all) }, nil
}

// withSeries adds their series to orders, some at a time, each time in a transaction of its own.
func (f *ProfileFiles) withSeries(ctx context.Context, scope access.Scope, orders iter.Seq2[vegetation.OrderState, error], choice vegetation.Choice,
) iter.Seq2[ports.OrderSeries, error] {
	return func(yield func(ports.OrderSeries, error) bool) {
		var waiting []vegetation.OrderState
		give := func() bool {
			series, err := app.In(ports.Patiently(ctx), f.Orders.Store.Read, func(ctx context.Context, tx ports.Repos) ([]ports.OrderSeries, error) {
				return tx.Orders.SeriesOf(ctx, scope, waiting)
			})
			waiting = waiting[:0]
			if err != nil {
				yield(ports.OrderSeries{}, err)
				return false
			}
			for _, one := range series {
				if !yield(one, nil) {
					return false
				}
			}
			return true
		}
		for order, err := range orders {
			if err != nil {
				yield(ports.OrderSeries{}, err)
				return
			}
			if waiting = append(waiting, order.As(choice.Of(order))); len(waiting) == seriesAtOnce && !give() {
				return
			}
		}
		if len(waiting) > 0 {
			give()
		}
	}
}
