package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/vegetation"
	"tilth/ports"
)

func testOrders(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope := w.ours.scope

	// Many place the same order at once, on two replicas: the key lets one through.
	replicas := []*persistence.Database{w.Database, open(t, w.address, w.clock, w.ids)}
	placed := make([]vegetation.OrderState, 20)
	stored := 0
	for i, err := range together(len(placed), func(i int) error {
		placed[i] = w.newOrder(w.ours)
		return replicas[i%2].Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			err := tx.Orders.Insert(ctx, scope, &placed[i])
			if fault.Is(err, fault.Conflict) {
				// The transaction is still usable: the other's order can be read in it.
				if _, found := tx.Orders.FindForUpdate(ctx, scope, w.ours.field.ID, w.ours.season.ID); found != nil {
					return found
				}
			}
			return err
		})
	}) {
		if err == nil {
			placed[0], stored = placed[i], stored+1
			continue
		}
		known, ok := fault.As(err)
		require.True(t, ok, "%v", err)
		require.Equal(t, "order_exists", known.Code)
	}
	require.Equal(t, 1, stored)
	order := placed[0]

	find := func(s access.Scope) (out vegetation.OrderState, err error) {
		w.write(func(tx ports.Repos) error {
			out, err = tx.Orders.FindForUpdate(w.ctx, s, order.FieldID, order.SeasonID)
			return nil
		})
		return out, err
	}
	got, err := find(scope)
	require.NoError(t, err)
	require.Equal(t, order, got)
	_, err = find(w.theirs.scope)
	require.True(t, fault.Is(err, fault.NotFound))

	next := kept(begin.Add(time.Minute))
	order.Status, order.Reason, order.Attempts, order.NextTryAt, order.LastCheckedAt = vegetation.Pending, "waits", 3, &next, &next
	order.Index, order.Synthetic, order.NoSCL, order.SmallField = "EVI", true, true, true
	order.StartDate, order.Boundary, order.AreaM2 = date(2026, 2, 1), square(1, 2, 0.5/100).Geometry(), 9
	w.write(func(tx ports.Repos) error {
		require.True(t, fault.Is(tx.Orders.Update(w.ctx, w.theirs.scope, order), fault.NotFound))
		require.NoError(t, tx.Orders.Update(w.ctx, scope, order))
		got, err := tx.Orders.GetForUpdate(w.ctx, scope, order.ID)
		require.Equal(t, order, got)
		return err
	})
	w.read(func(tx ports.Repos) error {
		is := func(name string, value any) ports.Filter { return ports.Filter{Name: name, Value: value} }
		for _, f := range []ports.Filter{
			is("status", "pending"), is("field", order.FieldID), is("season", order.SeasonID), is("created_by", order.CreatedBy),
			is("company", scope.Company()), is("index_code", "EVI"), {Name: "index_code", Value: "ev", Partial: true}, is("farm", w.ours.farm.ID),
		} {
			q := ports.Query{Filters: []ports.Filter{f}}
			require.Equal(t, []vegetation.OrderState{order}, collect(t, tx.Orders.Each(w.ctx, scope, q)), f.Name)
			require.Empty(t, collect(t, tx.Orders.Each(w.ctx, w.theirs.scope, q)), f.Name)
		}
		for _, f := range []ports.Filter{is("status", "active"), is("field", int64(0)), is("index_code", "NDVI")} {
			n, err := tx.Orders.Count(w.ctx, scope, ports.Query{Filters: []ports.Filter{f}})
			require.NoError(t, err)
			require.Zero(t, n, f.Name)
		}
		_, err := tx.Orders.Get(w.ctx, w.theirs.scope, order.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		return nil
	})
	openOrders(t, w, order)
}

// openOrders asserts what the deletion of fields and seasons queries.
func openOrders(t *testing.T, w *world, order vegetation.OrderState) {
	t.Helper()
	scope := w.ours.scope
	second := w.newField(w.ours, "second")
	w.write(func(tx ports.Repos) error { return tx.Fields.Insert(w.ctx, scope, []*farm.Field{&second}) })
	active := w.newOrder(w.ours)
	active.FieldID, active.FieldUUID, active.Status = second.ID, second.UUID, vegetation.Active
	w.write(func(tx ports.Repos) error {
		season, err := tx.Orders.ActiveOfSeason(w.ctx, scope, order.SeasonID)
		require.NoError(t, err)
		require.False(t, season)
		return tx.Orders.Insert(w.ctx, scope, &active)
	})
	w.read(func(tx ports.Repos) error {
		ids, err := tx.Orders.OpenOfFields(w.ctx, scope, []int64{order.FieldID, second.ID})
		require.NoError(t, err)
		require.Equal(t, []int64{order.ID}, ids)
		ids, err = tx.Orders.OpenOfSeason(w.ctx, scope, order.SeasonID)
		require.NoError(t, err)
		require.Equal(t, []int64{order.ID}, ids)
		ids, err = tx.Orders.OpenOfSeason(w.ctx, w.theirs.scope, order.SeasonID)
		require.NoError(t, err)
		require.Empty(t, ids)
		season, err := tx.Orders.ActiveOfSeason(w.ctx, scope, order.SeasonID)
		require.NoError(t, err)
		require.True(t, season)
		season, err = tx.Orders.ActiveOfSeason(w.ctx, w.theirs.scope, order.SeasonID)
		require.False(t, season)
		return err
	})
}

func testSeries(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope := w.ours.scope
	order := w.newOrder(w.ours)
	w.write(func(tx ports.Repos) error { return tx.Orders.Insert(w.ctx, scope, &order) })
	series := vegetation.Series{Index: "NDVI", NoSCL: true, Synthetic: true}
	for i := range 300 {
		series.Observations = append(series.Observations, vegetation.Observation{
			Date: date(2026, 3, 1).AddDate(0, 0, i), Value: 0.1 + float64(i)/7, Median: 1.0 / 3, Std: 1e-17, Min: -1, Max: 1, P10: 0.1, P90: 0.9, Histogram: vegetation.Histogram{{At: -20, Share: 1}, {At: i, Share: 9_999}},
			Coverage: 0.75, NValid: 30, NPolygon: 40, Items: []string{fmt.Sprintf("S2A_%d", i), "S2B"},
			Offsets: []vegetation.AppliedOffset{
				{Item: fmt.Sprintf("S2A_%d", i), Offset: -0.1, Basis: vegetation.OffsetByBaseline}, {Item: "S2B", Basis: vegetation.OffsetByPixels},
			},
			Origin: vegetation.Origin{Fingerprint: fmt.Sprintf("%032x", i), NoSCL: i%2 == 0, SmallField: i%3 == 0, Synthetic: i%5 == 0},
		})
	}
	series.Rejected = []vegetation.Rejection{
		{Date: date(2026, 2, 1), Reason: vegetation.ReasonCloud, Coverage: 0.25, NValid: 10, NPolygon: 40, Items: []string{"x"}, Origin: vegetation.Origin{Fingerprint: "f", NoSCL: true}},
		{Date: date(2026, 2, 2), Reason: vegetation.ReasonError, Note: "B08.tif cannot be read."},
	}
	series.Observations[7].Sensor = &vegetation.Sensor{
		Dataset: vegetation.HLSS30, Platform: "sentinel-2a", Adjusted: []vegetation.Adjustment{{Band: "B04", Slope: 0.9765, Offset: 0.0009}}, Source: "a source", NotAdjusted: []string{"B08"},
	}
	shorter := vegetation.Series{Index: "NDVI", SmallField: true, Observations: series.Observations[5:6]}
	other := vegetation.Series{Index: "EVI", Observations: series.Observations[:2]}
	check := func(want vegetation.Series) {
		t.Helper()
		w.read(func(tx ports.Repos) error {
			got, err := tx.Orders.Series(w.ctx, scope, order.ID, want.Reading())
			require.Equal(t, want, got)
			return err
		})
	}
	put := func(s vegetation.Series) {
		t.Helper()
		w.write(func(tx ports.Repos) error { return tx.Orders.PutSeries(w.ctx, scope, order.ID, s) })
	}
	readings := func(want ...string) {
		t.Helper()
		w.read(func(tx ports.Repos) error {
			got, err := tx.Orders.Readings(w.ctx, scope, order.ID)
			require.Equal(t, strings.Join(want, "; "), strings.Join(list.Map(got, vegetation.Reading.String), "; "))
			return err
		})
	}
	check(vegetation.Series{Index: "NDVI"})
	readings()
	put(series)
	readings("NDVI standard all")
	check(series)
	put(other)
	put(shorter)
	check(shorter)
	check(other)
	strict, ofHLS := shorter, other
	strict.Mask, ofHLS.Dataset = vegetation.MaskStrict, vegetation.HLSS30
	check(vegetation.Series{Index: "NDVI", Mask: vegetation.MaskStrict})
	for range 2 { // stored, and replaced
		put(strict)
		put(ofHLS)
	}
	check(strict)
	check(ofHLS)
	check(shorter)
	check(other)
	readings("EVI standard all", "EVI standard hls-s30", "NDVI standard all", "NDVI strict all")
	w.write(func(tx ports.Repos) error {
		_, err := tx.Orders.Series(w.ctx, w.theirs.scope, order.ID, vegetation.Reading{Index: "NDVI"})
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = tx.Orders.Readings(w.ctx, w.theirs.scope, order.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		err = tx.Orders.PutSeries(w.ctx, w.theirs.scope, order.ID, series)
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = tx.Orders.SeriesOn(w.ctx, w.theirs.scope, order.ID, order.BoundaryID, vegetation.Reading{Index: "NDVI"})
		require.True(t, fault.Is(err, fault.NotFound))
		return nil
	})

	// On another outline the order has another series; the earlier one stays.
	before := order.BoundaryID
	order.BoundaryID, order.Points, order.FirstDate, order.LastDate = before+1, 2, &series.Observations[0].Date, &series.Observations[1].Date
	w.write(func(tx ports.Repos) error { return tx.Orders.Update(w.ctx, scope, order) })
	check(vegetation.Series{Index: "NDVI"})
	readings()
	put(series)
	check(series)
	readings("NDVI standard all")
	on := func(boundaryID int64, want vegetation.Series) {
		t.Helper()
		w.read(func(tx ports.Repos) error {
			got, err := tx.Orders.SeriesOn(w.ctx, scope, order.ID, boundaryID, want.Reading())
			require.Equal(t, want, got)
			return err
		})
	}
	on(before, shorter)
	on(before, other)
	on(before+1, series)
	w.read(func(tx ports.Repos) error {
		all, err := tx.Orders.SeriesOf(w.ctx, scope, []vegetation.OrderState{order, {ID: order.ID, BoundaryID: before, Index: "EVI"},
			{ID: order.ID, BoundaryID: before, Index: "NDVI", Mask: vegetation.MaskStrict}, {ID: order.ID, Index: "SAVI"}})
		require.NoError(t, err)
		require.Equal(t, []vegetation.Series{series, other, strict}, []vegetation.Series{all[0].Series, all[1].Series, all[2].Series})
		require.Len(t, all, 3, "of the last there is no series")
		all, err = tx.Orders.SeriesOf(w.ctx, w.theirs.scope, []vegetation.OrderState{order})
		require.NoError(t, err)
		require.Empty(t, all)
		_, err = tx.Orders.SeriesOn(w.ctx, scope, order.ID, before+1, vegetation.Reading{Index: "EVI"})
		require.True(t, fault.Is(err, fault.NotFound))
		got, err := tx.Orders.Get(w.ctx, scope, order.ID)
		require.Equal(t, order, got)
		return err
	})
}
