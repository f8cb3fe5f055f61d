package storetest

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/core/stratification/carbon"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
	"tilth/ports"
)

// Areas of interest, their orders, layers and subscriptions: stored as they are, seen only by
// their company, one unfinished order per area.
func testStratification(t *testing.T, b Backend) {
	w := newWorld(t, b)
	aoi := stratification.AOI{
		Meta: w.meta(w.ours), UUID: w.ids.UUID(), Name: "Área", Fields: []stratification.AOIField{{ID: w.ours.field.ID, UUID: w.ours.field.UUID}},
	}
	w.write(func(tx ports.Repos) error { return tx.AOIs.Insert(w.ctx, w.ours.scope, []*stratification.AOI{&aoi}) })
	now := w.clock.Now().UTC().Truncate(time.Microsecond)
	day := now.Truncate(24 * time.Hour)
	order := stratification.OrderState{
		DataUUID: w.ids.UUID(), AOI: stratification.AOIRef{ID: aoi.ID, UUID: aoi.UUID, Name: aoi.Name}, Status: stratification.OrderPending,
		RequestDate: day, RequestBy: stratification.Requester{ID: w.ours.user.ID, Email: "Ours@Example.org"}, CreatedAt: now, UpdatedAt: now,
		AreaM2: 12345, Charge: 678, MapType: "SOC", Carbon: &carbon.Map{Survey: carbon.Survey{PlanUUID: w.ids.UUID(), Round: 2, ToCm: 30, Confidence: .9}, ZonesUUID: w.ids.UUID()},
		Land: []stratification.Land{{FieldID: w.ours.field.ID, FieldUUID: w.ours.field.UUID, Geometry: geo.MultiPolygon{{{{X: 1, Y: 2}, {X: 3, Y: 2}, {X: 3, Y: 4}, {X: 1, Y: 2}}}}}},
	}
	second := order
	second.DataUUID = w.ids.UUID()
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.StratificationOrders.Insert(w.ctx, w.ours.scope, &order))
		err := tx.StratificationOrders.Insert(w.ctx, w.ours.scope, &second)
		require.True(t, fault.Is(err, fault.Conflict), "%v", err)
		return nil // the transaction goes on after the refusal
	})
	layers := []layer.PreparedLayer{
		layer.Prepare(layer.Layer{Name: "clay", Source: "s", Coarse: true, Classes: true, Values: []float64{1.5, -2, 0.25}},
			layer.Provenance{Kind: layer.FromRaster, Raster: "clay", Checksum: "abc", Years: []int{}, Scenes: []string{}}),
		layer.Drop("ndvi_sd", "s", "one year", layer.Provenance{Kind: layer.FromSentinel2, Years: []int{2025}, Dates: 9, Scenes: []string{"x"}}),
	}
	began, ended := now.Add(time.Second), now.Add(3*time.Second)
	w.write(func(tx ports.Repos) error {
		got, err := tx.StratificationOrders.GetForUpdate(w.ctx, w.ours.scope, order.ID)
		require.NoError(t, err)
		order.RequestBy.Email, order.Notes = got.RequestBy.Email, got.Notes
		require.Equal(t, order, got)
		order.Status, order.ProcessingAt, order.CompletedAt = stratification.OrderActive, &began, &ended
		order.Grid, order.Digest, order.Notes, order.Synthetic = frame.Settings{CellSize: 10, EPSG: 32630, EdgeMask: 1}, "d", []string{"n"}, true
		order.Carbon.Zones, order.Carbon.Notes = []carbon.Zone{{Zone: 1, AreaHa: 3, Points: 4, Stock: carbon.Figure{Mean: 50, SE: 1, Low: 48, High: 52, DF: 3}}}, []string{"n"}
		require.NoError(t, tx.StratificationOrders.Update(w.ctx, w.ours.scope, order))
		return tx.StratificationOrders.PutLayers(w.ctx, w.ours.scope, order.ID, layers)
	})
	w.read(func(tx ports.Repos) error {
		got, err := tx.StratificationOrders.Get(w.ctx, w.ours.scope, order.ID)
		require.NoError(t, err)
		require.Equal(t, order, got)
		stored, err := tx.StratificationOrders.Layers(w.ctx, w.ours.scope, order.ID, true)
		require.NoError(t, err)
		require.Equal(t, layers, stored)
		for mapType, there := range map[string]bool{"": true, "SOC": true, "STR": false} {
			latest, err := tx.StratificationOrders.Latest(w.ctx, w.ours.scope, aoi.ID, mapType)
			require.Equal(t, !there, fault.Is(err, fault.NotFound), "%s: %v", mapType, err)
			require.Equal(t, there, latest.ID == order.ID, mapType)
		}
		for _, foreign := range []access.Scope{w.theirs.scope, access.SharedWith(w.theirs.scope.Company()), {}} {
			_, err = tx.StratificationOrders.Get(w.ctx, foreign, order.ID)
			require.True(t, fault.Is(err, fault.NotFound))
			_, err = tx.StratificationOrders.Layers(w.ctx, foreign, order.ID, true)
			require.True(t, fault.Is(err, fault.NotFound))
			_, err = tx.StratificationOrders.Latest(w.ctx, foreign, aoi.ID, "")
			require.True(t, fault.Is(err, fault.NotFound))
			_, err = tx.AOIs.Get(w.ctx, foreign, aoi.ID)
			require.True(t, fault.Is(err, fault.NotFound))
			_, err = tx.AOIs.IDOf(w.ctx, foreign, aoi.UUID)
			require.True(t, fault.Is(err, fault.NotFound))
			n, err := tx.StratificationOrders.Count(w.ctx, foreign, ports.Query{})
			require.NoError(t, err)
			require.Zero(t, n)
		}
		return nil
	})
	w.write(func(tx ports.Repos) error {
		require.True(t, fault.Is(tx.StratificationOrders.Update(w.ctx, w.theirs.scope, order), fault.NotFound))
		require.True(t, fault.Is(tx.StratificationOrders.PutLayers(w.ctx, w.theirs.scope, order.ID, layers), fault.NotFound))
		return nil
	})
	w.missingValues(order.ID)
	w.subscriptions()
}

// missingValues checks that missing values of a cell are read back as missing.
func (w *world) missingValues(order int64) {
	w.write(func(tx ports.Repos) error {
		return tx.StratificationOrders.PutLayers(w.ctx, w.ours.scope, order, []layer.PreparedLayer{
			layer.Prepare(layer.Layer{Name: "a", Values: []float64{math.NaN(), 1}}, layer.Provenance{}),
		})
	})
	w.read(func(tx ports.Repos) error {
		got, err := tx.StratificationOrders.Layers(w.ctx, w.ours.scope, order, true)
		require.NoError(w.t, err)
		require.Len(w.t, got, 1, "the layers before are replaced")
		require.True(w.t, math.IsNaN(got[0].Values[0]))
		require.InDelta(w.t, 0.5, got[0].ValidShare, 0)
		return nil
	})
}

func (w *world) subscriptions() {
	ours := w.ours.scope.Company()
	day := time.Date(2026, 6, 30, 0, 0, 0, 0, time.UTC)
	active := func(on time.Time) (yes bool) {
		w.operate(func(tx ports.OperatorRepos) (err error) {
			yes, err = tx.Subscriptions.Active(w.ctx, ours, access.Stratification, on)
			return err
		})
		return yes
	}
	require.False(w.t, active(day))
	w.operate(func(tx ports.OperatorRepos) error {
		require.True(w.t, fault.Is(tx.Subscriptions.Drop(w.ctx, ours, access.Stratification), fault.NotFound))
		return tx.Subscriptions.Put(w.ctx, ports.Subscription{CompanyID: ours, Service: access.Stratification, Until: &day, GrantedAt: w.clock.Now()})
	})
	require.True(w.t, active(day.Add(23*time.Hour)), "the last day is whole")
	require.False(w.t, active(day.Add(24*time.Hour)))
	w.operate(func(tx ports.OperatorRepos) error {
		return tx.Subscriptions.Put(w.ctx, ports.Subscription{CompanyID: ours, Service: access.Stratification, GrantedAt: w.clock.Now()})
	})
	require.True(w.t, active(day.AddDate(50, 0, 0)))
	w.operate(func(tx ports.OperatorRepos) error { return tx.Subscriptions.Drop(w.ctx, ours, access.Stratification) })
	require.False(w.t, active(day))
}
