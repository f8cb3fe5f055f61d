package orders

import (
	"testing"

	"github.com/stretchr/testify/require"

	farmapp "tilth/app/farm"
	"tilth/app/soil"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/carbon"
	"tilth/core/stratification/labtable"
	"tilth/core/stratification/sample"
	"tilth/tests/rig"
)

// A map of soil carbon is refused, with nothing held, while samples are missing. Its charge is that of the price
// list; it is released if samples are withdrawn before the map is made, and captured with the map, whose figures
// are those of the estimate.
func TestOrderOfSoilCarbon(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		v, ctx := readVoorst(t), t.Context()
		w := newSoilWorld(t, database)
		require.NoError(t, w.op.SetPrice(ctx, credit.ServiceSOC, 5_00))
		e, stranger := w.estate(10_000_00), w.estate(10_000_00)
		s := w.sampling()
		plan := w.saved(e, v)
		w.save(e, plan)
		w.work()
		before, paid := w.books(e)
		request := soil.OrderRequest{AOIID: e.aoi.ID, MapType: credit.ServiceSOC}
		lacks := func(what string, zones ...int) {
			t.Helper()
			_, err := w.orders.Place(ctx, e.who, request)
			require.Equal(t, "samples_missing", codeOf(t, err))
			require.ErrorContains(t, err, what)
			f, _ := fault.As(err)
			missing := f.Details["missing"].([]carbon.Lack)
			require.Len(t, missing, max(len(zones), 1))
			for i, zone := range zones {
				require.Equal(t, zone, missing[i].Zone)
			}
			now, lines := w.books(e)
			require.Equal(t, []any{before, paid}, []any{now, lines}, "no money moved")
		}
		lacks("no sample of a saved plan")

		day := begin
		_, err := s.Plan(ctx, e.who, soil.SampleRequest{Plan: plan.Plan.PlanUUID, Depths: []sample.Depth{sample.DepthOf(0, 30)}, Round: 1, Day: &day})
		require.NoError(t, err)
		all := w.samples(s, e.who)
		send := func(table labtable.Table) {
			t.Helper()
			_, err := s.Import(ctx, e.who, soil.SampleImportOptions{Atomic: true}, func() (labtable.Table, error) { return table, nil })
			require.NoError(t, err)
		}
		table := v.results(all, 0)
		some := labtable.Table{}
		zone := map[string]int{}
		for _, a := range all {
			zone[a.Label] = a.Zone
		}
		for _, r := range table.Rows {
			if zone[r.Label] < 4 {
				some.Rows = append(some.Rows, r)
			}
		}
		send(some)
		lacks("zone 5 has a stock between 0 and 30 cm at 0 of the 2 points", 4, 5)
		send(table)

		quote, err := w.orders.Price(ctx, e.who, e.aoi.ID)
		require.NoError(t, err)
		charge := credit.Charge(5_00, quote.AreaM2)
		require.Equal(t, []soil.Price{{MapType: "STR"}, {MapType: "SOC"}}, quote.Prices, "0 in every row once the area was ordered")
		require.Equal(t, []soil.Price{{MapType: "STR"}, {MapType: "SOC", PerHa: 5_00, Total: charge}}, quote.Charges)
		order, err := w.orders.Place(ctx, e.who, request)
		require.NoError(t, err)
		require.Equal(t, charge, order.Charge)
		wallet, _ := w.books(e)
		require.Equal(t, charge, wallet.Held)

		// The results of zone 5 are withdrawn before the map is made: it fails, and the charge is released.
		for _, a := range w.samples(s, e.who) {
			if a.Zone == 5 && a.Lab != nil {
				_, err := s.Update(ctx, e.who, a.ID, func(current sample.Sample) (farmapp.Draft[sample.Sample], error) {
					current.Lab = nil
					return farmapp.Draft[sample.Sample]{Record: current}, nil
				})
				require.NoError(t, err)
			}
		}
		require.Equal(t, 1, w.work())
		failed := w.order(e, order.ID)
		require.Equal(t, stratification.OrderFailed, failed.Status)
		require.Contains(t, failed.Reason, "zone 5 has a stock between 0 and 30 cm at 0 of the 2 points")
		wallet, lines := w.books(e)
		require.Equal(t, before, wallet)
		require.Equal(t, []credit.Kind{credit.Hold, credit.Release}, lines[len(paid):])

		send(table)
		order, err = w.orders.Place(ctx, e.who, request)
		require.NoError(t, err, "a failed order does not count for the year")
		_, err = w.orders.CarbonMap(ctx, e.who, order.ID)
		require.Equal(t, "order_not_active", codeOf(t, err))
		require.Equal(t, 1, w.work())
		made, err := w.orders.CarbonMap(ctx, e.who, order.ID)
		require.NoError(t, err)
		_, lines = w.books(e)
		require.Equal(t, []credit.Kind{credit.Hold, credit.Capture}, lines[len(lines)-2:])
		estimate, err := s.Estimate(ctx, e.who, soil.EstimateRequest{Plan: plan.Plan.PlanUUID, Round: 1, Confidence: 0.9})
		require.NoError(t, err)
		stock := estimate.Report.Stock
		require.Equal(t, carbon.Survey{PlanUUID: plan.Plan.PlanUUID, Round: 1, ToCm: 30, Confidence: 0.9}, made.Carbon.Survey)
		require.Len(t, made.Carbon.Zones, 5)
		for h, z := range made.Carbon.Zones {
			want := stock.Zones[h].Figure
			require.Equal(t, carbon.Figure{Mean: want.Mean, SE: want.Spread.SE, Low: want.Spread.Low, High: want.Spread.High, DF: want.Spread.DF}, z.Stock)
		}
		require.InDelta(t, stock.Mean.Mean, made.Carbon.AOI.Stock.Mean, 1e-12)
		require.InDelta(t, stock.Total.Spread.High, made.Carbon.Total.High, 1e-9)
		require.Equal(t, made.Carbon.Digest(), made.Digest)

		_, err = w.orders.Place(ctx, e.who, request)
		require.Equal(t, "order_within_year", codeOf(t, err))
		quote, err = w.orders.Price(ctx, e.who, e.aoi.ID)
		require.NoError(t, err)
		require.Equal(t, []soil.Price{{MapType: "STR"}, {MapType: "SOC"}}, quote.Charges, "paid for")
		_, err = w.orders.CarbonMap(ctx, stranger.who, order.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		request.AOIID, request.Carbon.Plan = stranger.aoi.ID, plan.Plan.PlanUUID
		_, err = w.orders.Place(ctx, stranger.who, request)
		require.True(t, fault.Is(err, fault.Invalid), "another company's plan: %v", err)
	})
}
