package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/fieldmap"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
)

func testMapOrders(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope, theirs := w.ours.scope, w.theirs.scope
	of := func(tx ports.Repos) ports.MapOrders { return tx.Maps.Of(credit.VegetationIndexMap) }
	order := w.newOrder(w.ours)
	order.Product, order.Map = credit.VegetationIndexMap, vegetation.MapTerms{Output: "png", Classes: 5}
	day := date(2026, 5, 1)
	outlined := w.newOrder(w.ours)
	outlined.Product, outlined.Map = credit.VegetationIndexMap, vegetation.MapTerms{Day: &day, Outline: "6fb1"}
	outlined.FieldID, outlined.FieldUUID, outlined.SeasonID, outlined.BoundaryID, outlined.TodaysBoundaryID = 0, "", 0, 0, 0
	w.write(func(tx ports.Repos) error {
		require.NoError(t, of(tx).Insert(w.ctx, scope, &order))
		require.NoError(t, of(tx).Insert(w.ctx, scope, &outlined))
		again := order
		known, ok := fault.As(of(tx).Insert(w.ctx, scope, &again))
		require.True(t, ok)
		require.Equal(t, "order_exists", known.Code)
		require.True(t, fault.Is(tx.Maps.Of(credit.ZoningMap).Insert(w.ctx, scope, &again), fault.NotFound), "an order is of its product")
		return nil
	})
	for _, want := range []vegetation.OrderState{order, outlined} {
		w.write(func(tx ports.Repos) error {
			got, err := of(tx).FindForUpdate(w.ctx, scope, want.Key())
			require.Equal(t, want, got)
			require.NoError(t, err)
			got, err = of(tx).GetForUpdate(w.ctx, scope, want.ID)
			require.Equal(t, want, got)
			for _, s := range []access.Scope{theirs, access.SharedWith(scope.Company()), access.SharedWith(theirs.Company())} {
				_, err := of(tx).Get(w.ctx, s, want.ID)
				require.True(t, fault.Is(err, fault.NotFound))
			}
			_, err2 := tx.Maps.Of(credit.ZoningMap).Get(w.ctx, scope, want.ID)
			require.True(t, fault.Is(err2, fault.NotFound), "an order is of its product")
			return err
		})
	}
	openMaps(t, w, order, outlined)
	mapLayers(t, w)

	order.Status, order.Points, order.Mask, order.AreaM2 = vegetation.Active, 1, mask(t, "strict"), 7
	series := vegetation.Series{
		Index: vegetation.NDVI, Mask: order.Mask, Rejected: []vegetation.Rejection{{Date: date(2026, 5, 4), Reason: vegetation.ReasonCloud, NPolygon: 12, Items: []string{"c"}}},
		Observations: []vegetation.Observation{
			{Date: date(2026, 5, 1), Value: 0.5, NValid: 9, NPolygon: 12, Coverage: 0.75, Items: []string{"a", "b"}},
			{Date: date(2026, 5, 6), Value: 0.6, NValid: 12, NPolygon: 12, Coverage: 1, Items: []string{"d"}},
		},
	}
	files := []indexmap.File{{Day: date(2026, 5, 1), Object: "maps/1", Bytes: 3}, {Day: date(2026, 5, 6), Object: "maps/2", Bytes: 4}}
	w.write(func(tx ports.Repos) error {
		require.True(t, fault.Is(of(tx).Update(w.ctx, theirs, order), fault.NotFound))
		require.NoError(t, of(tx).Update(w.ctx, scope, order))
		require.True(t, fault.Is(of(tx).PutDates(w.ctx, theirs, order.ID, series, files), fault.NotFound))
		require.NoError(t, of(tx).PutDates(w.ctx, scope, order.ID, vegetation.Series{}, nil))
		return of(tx).PutDates(w.ctx, scope, order.ID, series, files)
	})
	w.read(func(tx ports.Repos) error {
		got, kept, err := of(tx).Dates(w.ctx, scope, order.ID)
		require.NoError(t, err)
		require.True(t, series.Same(got), "%+v", got)
		require.Equal(t, files, kept)
		_, _, err = of(tx).Dates(w.ctx, theirs, order.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		for want, day := range map[int]*time.Time{0: &files[0].Day, 1: nil} {
			whose, file, err := of(tx).File(w.ctx, scope, order.ID, day)
			require.NoError(t, err)
			require.Equal(t, order.ID, whose.ID)
			require.Equal(t, files[want], file)
			_, _, err = of(tx).File(w.ctx, theirs, order.ID, day)
			require.True(t, fault.Is(err, fault.NotFound))
		}
		for _, day := range []time.Time{date(2026, 5, 4), date(2026, 5, 7)} {
			_, _, err = of(tx).File(w.ctx, scope, order.ID, &day)
			require.True(t, fault.Is(err, fault.NotFound), "rejected, or never")
		}
		active, err := tx.Maps.ActiveOfSeason(w.ctx, scope, order.SeasonID)
		require.True(t, active)
		require.NoError(t, err)
		active, err = tx.Maps.ActiveOfSeason(w.ctx, theirs, order.SeasonID)
		require.False(t, active)
		require.NoError(t, err)
		for name, value := range map[string]any{"status": "active", "field": order.FieldID, "season": order.SeasonID, "index_code": order.Index, "farm": w.ours.farm.ID} {
			if name == "index_code" {
				value = "ndvi"
			}
			q := ports.Query{Filters: []ports.Filter{{Name: name, Value: value, Partial: name == "index_code"}}}
			found := collect(t, of(tx).Each(w.ctx, scope, q))
			require.Equal(t, order.ID, found[0].ID, name)
			require.Empty(t, collect(t, of(tx).Each(w.ctx, theirs, q)), name)
		}
		n, err := of(tx).Count(w.ctx, scope, ports.Query{})
		require.EqualValues(t, 2, n)
		return err
	})
}

// mapLayers asserts what maps without dates consist of.
func mapLayers(t *testing.T, w *world) {
	t.Helper()
	scope, theirs := w.ours.scope, w.theirs.scope
	of := func(tx ports.Repos) ports.MapOrders { return tx.Maps.Of(credit.ZoningMap) }
	order := w.newOrder(w.ours)
	order.Product = credit.ZoningMap
	layers := []fieldmap.Layer{
		{
			Subject: indexmap.Subject{Name: "zones", Title: "Zones", Kind: indexmap.Numbers, Low: 1, High: 2}, Source: "s", Scenes: []string{"a"}, Years: []int{2025}, Notes: []string{"n"},
			Zones:   []fieldmap.Zone{{Number: 1, AreaHa: 2.5, Pixels: 3, Mean: -0.125, Peaks: []float64{0.5}}},
			Seasons: []fieldmap.Season{{Start: date(2025, 3, 1), End: date(2025, 10, 31), Dates: 7, Used: true}}, Object: "maps/z", Bytes: 9, Synthetic: true,
		},
		{Subject: indexmap.Subject{Name: "mean"}, Reason: "there is none"},
	}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, of(tx).Insert(w.ctx, scope, &order))
		require.True(t, fault.Is(of(tx).PutLayers(w.ctx, theirs, order.ID, layers), fault.NotFound))
		require.True(t, fault.Is(tx.Maps.Of(credit.SoilMap).PutLayers(w.ctx, scope, order.ID, layers), fault.NotFound), "an order is of its product")
		require.NoError(t, of(tx).PutLayers(w.ctx, scope, order.ID, layers[1:]))
		return of(tx).PutLayers(w.ctx, scope, order.ID, layers)
	})
	w.read(func(tx ports.Repos) error {
		got, err := of(tx).Layers(w.ctx, scope, order.ID)
		require.Equal(t, layers, got)
		require.NoError(t, err)
		_, err = of(tx).Layers(w.ctx, theirs, order.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = tx.Maps.Of(credit.SoilMap).Layers(w.ctx, scope, order.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		return nil
	})
}

// openMaps asserts what the deletion of fields and seasons, and the failure of orders of an outline, query.
func openMaps(t *testing.T, w *world, order, outlined vegetation.OrderState) {
	t.Helper()
	ref := func(o vegetation.OrderState) []vegetation.OrderRef {
		return []vegetation.OrderRef{{Product: credit.VegetationIndexMap, ID: o.ID}}
	}
	w.read(func(tx ports.Repos) error {
		for name, find := range map[string]func(access.Scope) ([]vegetation.OrderRef, error){
			"field": func(s access.Scope) ([]vegetation.OrderRef, error) {
				return tx.Maps.OpenOfFields(w.ctx, s, []int64{order.FieldID, 0})
			},
			"season": func(s access.Scope) ([]vegetation.OrderRef, error) {
				return tx.Maps.OpenOfSeason(w.ctx, s, order.SeasonID)
			},
			"outline": func(s access.Scope) ([]vegetation.OrderRef, error) { return tx.Maps.OpenOfOutline(w.ctx, s, "6fb1") },
		} {
			want := ref(order)
			if name == "outline" {
				want = ref(outlined)
			}
			got, err := find(w.ours.scope)
			require.NoError(t, err)
			require.Equal(t, want, got, name)
			got, err = find(w.theirs.scope)
			require.NoError(t, err)
			require.Empty(t, got, name)
		}
		none, err := tx.Maps.OpenOfFields(w.ctx, w.ours.scope, nil)
		require.Empty(t, none)
		return err
	})
}

func mask(t *testing.T, text string) vegetation.Mask {
	t.Helper()
	m, err := vegetation.ParseMask(text)
	require.NoError(t, err)
	return m
}
