package orders

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// redraw changes the field's outline to times the area of the shelf's.
func (h *farmhouse) redraw(times float64) {
	h.Helper()
	box, scale := h.shelf.Field.Bounds(), math.Sqrt(times)
	middle := geo.Position{X: (box.MinX + box.MaxX) / 2, Y: (box.MinY + box.MaxY) / 2}
	var out geo.MultiPolygon
	for _, polygon := range h.shelf.Field {
		var rings geo.Polygon
		for _, ring := range polygon {
			var scaled geo.Ring
			for _, p := range ring {
				scaled = append(scaled, geo.Position{X: middle.X + (p.X-middle.X)*scale, Y: middle.Y + (p.Y-middle.Y)*scale})
			}
			rings = append(rings, scaled)
		}
		out = append(out, rings)
	}
	boundary, err := geo.NewBoundary(nil, out, geo.DefaultLimits())
	require.NoError(h, err)
	h.field.Boundary = &boundary
	h.write(func(tx ports.Repos) error {
		if err := tx.Fields.Update(h.ctx, h.scope(), &h.field); err != nil {
			return err
		}
		if err := tx.Boundaries.Close(h.ctx, h.scope(), []int64{h.field.ID}, h.clock.Now()); err != nil {
			return err
		}
		return tx.Boundaries.Open(h.ctx, h.scope(), []int64{h.field.ID}, 0)
	})
}

// outdated returns the number of orders whose outline is, or is not, outdated.
func (h *farmhouse) outdated(is bool) int64 {
	h.Helper()
	list, err := h.orders.List(h.ctx, h.who, false, ports.Query{Filters: []ports.Filter{{Name: "boundary_outdated", Value: is}}})
	require.NoError(h, err)
	return list.Count
}

// recomputed has the series recomputed.
func (h *farmhouse) recomputed() satellite.Profile {
	h.Helper()
	_, err := h.orders.Recompute(h.ctx, h.who, h.order)
	require.NoError(h, err)
	require.NoError(h, h.refresh.RunRecompute(h.ctx, h.claim(satellite.RecomputeJob)))
	require.Empty(h, h.due())
	return h.retrieve()
}

// A series follows its field's outline on request: at no charge, and the earlier one stays.
func TestASeriesIsMadeAnewOnAnotherOutline(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h := settle(t, database, "2025-05-05", "2025-05-20")
		first := h.retrieve()
		require.NotZero(t, first.Order.BoundaryID)
		require.False(t, first.Order.BoundaryOutdated())
		require.Equal(t, []int64{1, 0}, []int64{h.outdated(false), h.outdated(true)})

		h.redraw(0.5)
		stale := h.retrieve()
		require.True(t, stale.Order.BoundaryOutdated())
		require.False(t, stale.Refreshing, "only who asks changes a series")
		require.Equal(t, []int64{0, 1}, []int64{h.outdated(false), h.outdated(true)})

		_, err := h.orders.Recompute(h.ctx, h.who, h.order)
		require.NoError(t, err)
		waiting := h.retrieve()
		require.True(t, waiting.Refreshing)
		require.Equal(t, first.Series, waiting.Series, "the earlier series is shown until then")
		require.NoError(t, h.refresh.RunRecompute(h.ctx, h.claim(satellite.RecomputeJob)))
		got := h.retrieve()
		require.False(t, got.Order.BoundaryOutdated() || got.Refreshing)
		require.Equal(t, stale.Order.TodaysBoundaryID, got.Order.BoundaryID)
		ndvi, err := vegetation.ParseIndex("NDVI")
		require.NoError(t, err)
		want, err := h.computer.Compute(h.ctx, satellite.SeriesRequest{
			Boundary: h.field.Boundary.Geometry(), From: h.season.StartDate, To: h.season.EndDate, Index: ndvi,
		})
		require.NoError(t, err)
		require.Equal(t, want, got.Series)
		require.Less(t, got.Series.Observations[0].NPolygon, first.Series.Observations[0].NPolygon)
		require.Equal(t, []string{"NDVI"}, h.eventsOf(event.TypeProfileCompleted))
		require.Equal(t, []int{2}, []int{got.Order.Points})

		earlier, err := h.orders.RetrieveOn(h.ctx, h.who, false, h.order, first.Order.BoundaryID, vegetation.Choice{})
		require.NoError(t, err)
		require.Equal(t, first.Series, earlier.Series)
		require.True(t, earlier.Order.BoundaryOutdated())
		_, err = h.orders.RetrieveOn(h.ctx, h.who, false, h.order, got.Order.BoundaryID+1, vegetation.Choice{})
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)

		// On the same outline it is a refresh, and emits no event.
		require.Equal(t, want, h.recomputed().Series)
		require.Empty(t, h.events())

		// Later refreshes update the series of the new outline.
		h.shelf.Hold("2025-05-05", "2025-05-20", "2025-05-30")
		later, read := h.refreshed()
		require.Equal(t, []string{h.shelf.Scene("2025-05-30")}, read)
		require.Equal(t, got.Series.Observations[0], later.Series.Observations[0])
		require.Equal(t, []string{"NDVI"}, h.events())

		ledger, err := h.orders.Transactions(h.ctx, h.who, ports.Query{})
		require.NoError(t, err)
		require.EqualValues(t, 3, ledger.Count, "credit, hold and capture of the order")
	})
}

// An outline may grow by a tenth of what was charged, however often it grows.
func TestAnotherFieldIsNoRecomputation(t *testing.T) {
	t.Parallel()
	h := settle(t, rig.SQLite(t), "2025-05-05", "2025-05-20")
	h.redraw(1.08)
	require.Len(t, h.recomputed().Series.Observations, 2)
	h.redraw(1.16)
	_, err := h.orders.Recompute(h.ctx, h.who, h.order)
	f, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, "boundary_too_different", f.Code)
	require.InEpsilon(t, 1.16, f.Details["area_ha"].(float64)/f.Details["charged_area_ha"].(float64), 1e-3)
	require.Empty(t, h.due())

	// An outline that grows while the series is computed: the worker checks again, and leaves the series.
	h.redraw(1.05)
	_, err = h.orders.Recompute(h.ctx, h.who, h.order)
	require.NoError(t, err)
	h.imagery.stall = func() { h.imagery.stall = nil; h.redraw(0.9) }
	require.NoError(t, h.refresh.RunRecompute(h.ctx, h.claim(satellite.RecomputeJob)))
	require.True(t, h.retrieve().Order.BoundaryOutdated(), "that was the outline of before")
	h.imagery.stall = func() { h.redraw(1.5) }
	require.NoError(t, h.refresh.RunRecompute(h.ctx, h.claim(satellite.RecomputeJob)))
	h.imagery.stall = nil
	require.True(t, h.retrieve().Order.BoundaryOutdated())
	require.Empty(t, h.due())

	h.write(func(tx ports.Repos) error {
		_, err := tx.Fields.SoftDelete(h.ctx, h.scope(), []int64{h.field.ID}, h.clock.Now())
		return err
	})
	_, err = h.orders.Recompute(h.ctx, h.who, h.order)
	f, _ = fault.As(err)
	require.Equal(t, "boundary_missing", f.Code)
}

// Where no date of the new outline is accepted, the earlier series stays in use.
func TestAnOutlineWithoutAPointLeavesTheSeries(t *testing.T) {
	t.Parallel()
	h := settle(t, rig.SQLite(t), "2025-05-05")
	before := h.retrieve()
	h.redraw(0.5)
	h.shelf.Hold()
	_, err := h.orders.Recompute(h.ctx, h.who, h.order)
	require.NoError(t, err)
	for tries := 0; len(h.imagery.read) == 0 && tries < vegetation.RefreshRetry.Tries; tries++ {
		require.NoError(t, h.refresh.RunRecompute(h.ctx, h.claim(satellite.RecomputeJob)))
		h.clock.move(6 * time.Hour)
	}
	after := h.retrieve()
	require.Equal(t, before.Series, after.Series)
	require.True(t, after.Order.BoundaryOutdated())
	require.Empty(t, h.events())
}
