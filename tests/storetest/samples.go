package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification"
	soilplan "tilth/core/stratification/plan"
	soilsample "tilth/core/stratification/sample"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// plan stores an area of interest with an order, a map of zones and a plan based on it.
func (w *world) plan() (plan soilplan.SamplePlan) {
	now := w.clock.Now().UTC().Truncate(time.Microsecond)
	aoi := stratification.AOI{Meta: w.meta(w.ours), UUID: w.ids.UUID(), Name: "A", Fields: []stratification.AOIField{{ID: w.ours.field.ID, UUID: w.ours.field.UUID}}}
	w.write(func(tx ports.Repos) error { return tx.AOIs.Insert(w.ctx, w.ours.scope, []*stratification.AOI{&aoi}) })
	ref := stratification.AOIRef{ID: aoi.ID, UUID: aoi.UUID, Name: aoi.Name}
	order := stratification.OrderState{
		DataUUID: w.ids.UUID(), AOI: ref, Status: stratification.OrderPending, RequestDate: now.Truncate(24 * time.Hour),
		RequestBy: stratification.Requester{ID: w.ours.user.ID}, CreatedAt: now, UpdatedAt: now,
		Land: []stratification.Land{{FieldID: w.ours.field.ID, FieldUUID: w.ours.field.UUID}},
	}
	plan = soilplan.SamplePlan{AOI: ref, CreatedAt: now, Plan: soilplan.Plan{PlanUUID: w.ids.UUID()}}
	plan.Map = zoning.Map{AOI: ref, CreatedAt: now, Candidate: zoning.Candidate{MapUUID: w.ids.UUID()}}
	w.write(func(tx ports.Repos) error {
		require.NoError(w.t, tx.StratificationOrders.Insert(w.ctx, w.ours.scope, &order))
		plan.OrderID, plan.Map.OrderID = order.ID, order.ID
		require.NoError(w.t, tx.StratificationMaps.Put(w.ctx, w.ours.scope, []*zoning.Map{&plan.Map}))
		return tx.SamplePlans.Put(w.ctx, w.ours.scope, &plan)
	})
	return plan
}

// Samples: stored as they are, seen only by their company, one per point and depth, and
// each label once.
func testSamples(t *testing.T, b Backend) {
	w := newWorld(t, b)
	now := w.clock.Now().UTC().Truncate(time.Microsecond)
	plan := w.plan()
	ref := plan.AOI
	accuracy, moved, density, limit := 3.5, 12.1, 1.31, 5.0
	day := now.Truncate(24 * time.Hour)
	sample := soilsample.Sample{
		Meta: w.meta(w.ours), PlanID: plan.ID, PlanUUID: plan.Plan.PlanUUID, MapUUID: plan.Map.Candidate.MapUUID, AOI: ref, Round: 1, SampledOn: &day,
		Point: "Z1-01", Zone: 1, Role: soilplan.RoleSample, Depth: soilsample.DepthOf(0, 7.5), Planned: geo.Position{X: 6.1234567, Y: 52},
		Status: soilsample.StatusAnalysed, Label: "L-1", Notes: "Ä", Composite: "Z1-C2",
		Collected: &soilsample.Collected{LonLat: &geo.Position{X: 6.2, Y: 52}, At: now, By: "Crew", AccuracyM: &accuracy, MovedM: &moved, Zone: 2},
		Lab:       &soilsample.Lab{SOCPct: 2.5, SOCLimitPct: &limit, BulkDensity: &density, Method: "dry combustion", Ref: "4711", At: &now},
	}
	twin := sample
	w.write(func(tx ports.Repos) error {
		return tx.SoilSamples.Insert(w.ctx, w.ours.scope, []*soilsample.Sample{&sample})
	})
	w.read(func(tx ports.Repos) error {
		got, err := tx.SoilSamples.Get(w.ctx, w.ours.scope, sample.ID)
		require.NoError(t, err)
		sample.Meta = got.Meta
		require.Equal(t, sample, got)
		for _, foreign := range []access.Scope{w.theirs.scope, access.SharedWith(w.theirs.scope.Company()), {}} {
			_, err = tx.SoilSamples.Get(w.ctx, foreign, sample.ID)
			require.True(t, fault.Is(err, fault.NotFound))
			list, err := tx.SoilSamples.OfPlan(w.ctx, foreign, plan.ID, 1)
			require.NoError(t, err)
			require.Empty(t, list)
			labelled, err := tx.SoilSamples.ByLabels(w.ctx, foreign, []string{"L-1", "\x00"})
			require.NoError(t, err)
			require.Empty(t, labelled)
			pooled, err := tx.SoilSamples.ByComposites(w.ctx, foreign, []string{sample.CompositeLabel()})
			require.NoError(t, err)
			require.Empty(t, pooled)
		}
		pooled, err := tx.SoilSamples.ByComposites(w.ctx, w.ours.scope, []string{sample.CompositeLabel(), "L-1", fmt.Sprintf("P%d-Z1-C9-0-30", plan.ID), "\x00"})
		require.NoError(t, err)
		require.Equal(t, map[string][]soilsample.Sample{sample.CompositeLabel(): {sample}}, pooled)
		return nil
	})
	for name, change := range map[string]func(s *soilsample.Sample){
		"point and depth": func(s *soilsample.Sample) { s.Label = "L-2" },
		"label":           func(s *soilsample.Sample) { s.Point = "Z1-02" },
	} {
		second := twin
		change(&second)
		err := w.Write(w.ctx, func(_ context.Context, tx ports.Repos) error {
			return tx.SoilSamples.Insert(w.ctx, w.ours.scope, []*soilsample.Sample{&second})
		})
		require.True(t, fault.Is(err, fault.Conflict), "the same %s twice: %v", name, err)
	}
	w.write(func(tx ports.Repos) error {
		sample.Status, sample.Lab, sample.Collected = soilsample.StatusPlanned, nil, nil
		return tx.SoilSamples.Update(w.ctx, w.ours.scope, &sample)
	})
	w.read(func(tx ports.Repos) error {
		got, err := tx.SoilSamples.ByLabels(w.ctx, w.ours.scope, []string{"L-1", "other"})
		require.NoError(t, err)
		require.Len(t, got, 1)
		require.Nil(t, got["L-1"].Lab)
		return nil
	})
	w.write(func(tx ports.Repos) error {
		_, err := tx.AOIs.SoftDelete(w.ctx, w.ours.scope, []int64{ref.ID}, w.clock.Now())
		return err
	})
	w.read(func(tx ports.Repos) error {
		_, err := tx.SoilSamples.Get(w.ctx, w.ours.scope, sample.ID)
		require.True(t, fault.Is(err, fault.NotFound), "the area of interest is gone")
		return nil
	})
}
