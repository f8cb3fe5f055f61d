package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/core/stratification"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// ordered stores an area of interest with a stratification order for a company, and returns the order.
func (w *world) ordered(e estate) stratification.OrderState {
	w.t.Helper()
	aoi := stratification.AOI{
		Meta: w.meta(e), UUID: w.ids.UUID(), Name: e.name + " aoi", Fields: []stratification.AOIField{{ID: e.field.ID, UUID: e.field.UUID}},
	}
	order := stratification.OrderState{
		DataUUID: w.ids.UUID(), Status: stratification.OrderPending, RequestDate: date(2026, 3, 1), RequestBy: stratification.Requester{ID: e.user.ID},
		CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now(), AreaM2: 12345,
		Land: []stratification.Land{{FieldID: e.field.ID, FieldUUID: e.field.UUID, Geometry: square(10, 45, 0.01).Geometry()}},
	}
	w.write(func(tx ports.Repos) error {
		if err := tx.AOIs.Insert(w.ctx, e.scope, []*stratification.AOI{&aoi}); err != nil {
			return err
		}
		order.AOI = stratification.AOIRef{ID: aoi.ID, UUID: aoi.UUID, Name: aoi.Name}
		return tx.StratificationOrders.Insert(w.ctx, e.scope, &order)
	})
	return order
}

// newMap is a map of two zones, as it is read back.
func (w *world) newMap(order stratification.OrderState, uuid string) zoning.Map {
	outline := geo.MultiPolygon{{{{X: 500_000.5, Y: 1}, {X: 500_010, Y: 1}, {X: 500_010, Y: 9.25}, {X: 500_000.5, Y: 1}}}}
	return zoning.Map{
		OrderID: order.ID, AOI: order.AOI, CreatedAt: kept(w.clock.Now()),
		About: zoning.About{
			Params: zoning.DefaultParams(), Layers: []zoning.LayerUse{{Name: "ndvi_mean", Weight: 1, Mean: 0.1}},
			AlgorithmVersion: "1", CellSize: 10, EPSG: 32632, AreaHa: 12.5, SamplesWithoutZones: 25,
		},
		Candidate: zoning.Candidate{
			MapUUID: uuid, Requested: 2, RV: 0.6, Recommended: true, SamplesNeeded: 21,
			Zoning: zoning.Zoning{
				Labels: []int32{1, 2, 2, 1},
				Zones: []zoning.Zone{
					{Number: 1, AreaHa: 1.5, Means: []float64{0.25}, SDs: []float64{0.5}, Outline: outline, Geometry: outline},
					{Number: 2, AreaHa: 11, Means: []float64{0.75}, SDs: []float64{0.125}, Outline: outline, Geometry: outline},
				},
			},
		},
	}
}

// newPlan is a plan of a stored map.
func (w *world) newPlan(of zoning.Map, uuid string) plan.SamplePlan {
	return plan.SamplePlan{
		OrderID: of.OrderID, Map: of, AOI: of.AOI, CreatedAt: kept(w.clock.Now()),
		Plan: plan.Plan{
			PlanUUID: uuid, Samples: 2, Reserves: 1, ProbabilitySample: true, AlgorithmVersion: "1",
			Points:  []plan.Point{{Zone: 1}, {Zone: 2}, {Zone: 2}},
			PerZone: []plan.ZonePlan{{Zone: 1, Samples: 1}, {Zone: 2, Samples: 1}},
		},
	}
}

// inPart returns a map as it is read: without labels, and without outlines if they are not wanted.
func inPart(m zoning.Map, outlines bool) zoning.Map {
	m.Candidate.Labels = nil
	if !outlines {
		m.Candidate.Zones = append([]zoning.Zone(nil), m.Candidate.Zones...)
		for i := range m.Candidate.Zones {
			m.Candidate.Zones[i].Outline, m.Candidate.Zones[i].Geometry = geo.MultiPolygon{}, geo.MultiPolygon{}
		}
	}
	return m
}

func (w *world) putMap(e estate, m *zoning.Map) {
	w.t.Helper()
	w.write(func(tx ports.Repos) error { return tx.StratificationMaps.Put(w.ctx, e.scope, []*zoning.Map{m}) })
}

func (w *world) putPlan(e estate, p *plan.SamplePlan) {
	w.t.Helper()
	w.write(func(tx ports.Repos) error { return tx.SamplePlans.Put(w.ctx, e.scope, p) })
}

func (w *world) deleteAOI(e estate, id int64) {
	w.t.Helper()
	w.write(func(tx ports.Repos) error {
		_, err := tx.AOIs.SoftDelete(w.ctx, e.scope, []int64{id}, w.clock.Now())
		return err
	})
}

// A call that makes maps: stored once under its key, however many make it at once.
func testStratificationRuns(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope, theirs := w.ours.scope, w.theirs.scope
	order := w.ordered(w.ours)
	fresh := zoning.Run{
		OrderID: order.ID, Key: "key", Layers: []string{"ndvi_mean", "slope"}, Params: zoning.DefaultParams(), Status: zoning.RunQueued,
		CreatedBy: w.ours.user.ID, CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now(), Maps: []string{},
	}
	replicas := []*persistence.Database{w.Database, open(t, w.address, w.clock, w.ids)}
	runs := make([]zoning.Run, 10)
	var run zoning.Run
	for i, err := range together(len(runs), func(i int) error {
		runs[i] = fresh
		return replicas[i%2].Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			return tx.StratificationRuns.Insert(ctx, scope, &runs[i])
		})
	}) {
		if err == nil {
			require.Zero(t, run.ID, "stored twice")
			run = runs[i]
			continue
		}
		known, _ := fault.As(err)
		require.NotNil(t, known, "%v", err)
		require.Equal(t, "run_exists", known.Code)
	}
	require.NotZero(t, run.ID)

	w.write(func(tx ports.Repos) error {
		require.True(t, fault.Is(tx.StratificationRuns.Update(w.ctx, theirs, run), fault.NotFound))
		for _, get := range []func(access.Scope) (zoning.Run, error){
			func(s access.Scope) (zoning.Run, error) { return tx.StratificationRuns.Get(w.ctx, s, run.ID) },
			func(s access.Scope) (zoning.Run, error) {
				return tx.StratificationRuns.GetForUpdate(w.ctx, s, run.ID)
			},
			func(s access.Scope) (zoning.Run, error) {
				return tx.StratificationRuns.Find(w.ctx, s, order.ID, "key")
			},
		} {
			got, err := get(scope)
			require.NoError(t, err)
			require.Equal(t, run, got)
			_, err = get(theirs)
			require.True(t, fault.Is(err, fault.NotFound))
		}
		_, err := tx.StratificationRuns.Find(w.ctx, scope, order.ID, "another")
		require.True(t, fault.Is(err, fault.NotFound))

		run.Status, run.Done, run.Total, run.Reason, run.Maps = zoning.RunDone, 3, 4, "why", []string{"a", "b"}
		require.NoError(t, tx.StratificationRuns.Update(w.ctx, scope, run))
		got, err := tx.StratificationRuns.Get(w.ctx, scope, run.ID)
		require.Equal(t, run, got)
		return err
	})
	w.deleteAOI(w.ours, order.AOI.ID)
	w.read(func(tx ports.Repos) error {
		_, err := tx.StratificationRuns.Get(w.ctx, scope, run.ID)
		require.True(t, fault.Is(err, fault.NotFound), "a deleted area of interest hides it")
		return nil
	})
}

// Maps and plans: stored completely, read in part, saved once under a tag, seen only by their company.
func testStratificationMaps(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope, theirs := w.ours.scope, w.theirs.scope
	order := w.ordered(w.ours)
	first, second := w.newMap(order, "map-1"), w.newMap(order, "map-2")
	w.putMap(w.ours, &first)
	w.putMap(w.ours, &second)
	first.CompanyID = scope.Company()

	// A map that is put again keeps its id and lives as long as a new one.
	w.clock.move(time.Hour)
	again := w.newMap(order, "map-1")
	w.putMap(w.ours, &again)
	require.Equal(t, first.ID, again.ID)
	first.CreatedAt = again.CreatedAt
	plan, other := w.newPlan(first, "plan-1"), w.newPlan(second, "plan-2")
	w.putPlan(w.ours, &plan)
	w.putPlan(w.ours, &other)
	id := plan.ID
	w.putPlan(w.ours, &plan)
	require.Equal(t, id, plan.ID)
	plan.CompanyID, plan.Map = scope.Company(), inPart(first, false)

	w.write(func(tx ports.Repos) error {
		got, err := tx.StratificationMaps.ByUUID(w.ctx, scope, "map-1", true)
		require.NoError(t, err)
		require.Equal(t, first, got)
		got, err = tx.StratificationMaps.ByUUIDForUpdate(w.ctx, scope, "map-1")
		require.NoError(t, err)
		require.Equal(t, inPart(first, false), got)
		held, err := tx.SamplePlans.ByUUID(w.ctx, scope, "plan-1", true)
		require.NoError(t, err)
		require.Equal(t, plan, held)
		_, err = tx.StratificationMaps.ByUUID(w.ctx, theirs, "map-1", false)
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = tx.SamplePlans.ByUUIDForUpdate(w.ctx, theirs, "plan-1")
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = tx.StratificationMaps.GetSaved(w.ctx, scope, first.ID, false)
		require.True(t, fault.Is(err, fault.NotFound), "a candidate is not saved")
		return nil
	})

	// A tag is used once within an order.
	saving := zoning.Saving{Name: "Zones", Tag: "str-k2", At: kept(w.clock.Now()), By: w.ours.user.ID}
	first.Saved, second.Saved = &saving, &saving
	plan.Saved, other.Saved = &saving, &saving
	w.write(func(tx ports.Repos) error {
		require.True(t, fault.Is(tx.StratificationMaps.Save(w.ctx, theirs, first), fault.NotFound))
		require.True(t, fault.Is(tx.SamplePlans.Save(w.ctx, theirs, plan), fault.NotFound))
		require.NoError(t, tx.StratificationMaps.Save(w.ctx, scope, first))
		require.NoError(t, tx.SamplePlans.Save(w.ctx, scope, plan))
		for _, err := range []error{tx.StratificationMaps.Save(w.ctx, scope, second), tx.SamplePlans.Save(w.ctx, scope, other)} {
			known, _ := fault.As(err)
			require.NotNil(t, known, "%v", err)
			require.Equal(t, "tag_taken", known.Code)
		}
		return nil
	})
	plan.Map = inPart(first, false)

	// The saved ones of a company are found by their external ids; the use cases ensure that only one of them has each id.
	plan.Saved = &zoning.Saving{Name: "Zones", Tag: "str-k2", At: saving.At, By: saving.By, External: record.External{ExternalID: "key", Source: "LIMS"}}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.SamplePlans.Save(w.ctx, scope, plan))
		require.NoError(t, tx.SamplePlans.HoldKeys(w.ctx, scope))
		held, err := tx.SamplePlans.ByExternalID(w.ctx, scope, []string{"key", "other", ""})
		require.NoError(t, err)
		require.Equal(t, map[string][]int64{"key": {plan.ID}}, held)
		held, err = tx.SamplePlans.ByExternalID(w.ctx, w.theirs.scope, []string{"key"})
		require.NoError(t, err)
		require.Empty(t, held, "each company has its own")
		for key, n := range map[string]int{"key": 1, "ke": 0} {
			found := collect(t, tx.SamplePlans.EachSaved(w.ctx, scope, ports.Query{Filters: []ports.Filter{{Name: "external_id", Value: []string{key, "x"}}}}, false))
			require.Len(t, found, n, key)
			require.Empty(t, collect(t, tx.StratificationMaps.EachSaved(w.ctx, scope, ports.Query{Filters: []ports.Filter{{Name: "external_id", Value: []string{key}}}}, false)))
		}
		return nil
	})

	is := func(name string, value any) []ports.Filter { return []ports.Filter{{Name: name, Value: value}} }
	w.read(func(tx ports.Repos) error {
		for filter, n := range map[*[]ports.Filter]int{
			{}: 1, ptr(is("order", order.ID)): 1, ptr(is("order", order.ID+1)): 0, ptr(is("aoi", order.AOI.ID)): 1, ptr(is("aoi", int64(0))): 0,
			ptr(is("map_tag", "str-k2")): 1, ptr(is("map_tag", "x")): 0,
		} {
			q := ports.Query{Filters: *filter}
			count, err := tx.StratificationMaps.CountSaved(w.ctx, scope, q)
			require.NoError(t, err)
			require.EqualValues(t, n, count, "%v", *filter)
			for _, outlines := range []bool{false, true} {
				maps := collect(t, tx.StratificationMaps.EachSaved(w.ctx, scope, q, outlines))
				require.Len(t, maps, n, "%v", *filter)
				if n > 0 {
					require.Equal(t, inPart(first, outlines), maps[0])
				}
			}
			count, err = tx.SamplePlans.CountSaved(w.ctx, scope, q)
			require.NoError(t, err)
			require.EqualValues(t, n, count, "%v", *filter)
			require.Empty(t, collect(t, tx.SamplePlans.EachSaved(w.ctx, theirs, q, false)))
			require.Empty(t, collect(t, tx.StratificationMaps.EachSaved(w.ctx, theirs, q, false)))
		}
		for filter, n := range map[*[]ports.Filter]int{
			ptr(is("stratification_map", first.ID)): 1, ptr(is("stratification_map", second.ID)): 0, ptr(is("plan_tag", "str-k2")): 1, ptr(is("plan_tag", "x")): 0,
		} {
			plans := collect(t, tx.SamplePlans.EachSaved(w.ctx, scope, ports.Query{Filters: *filter}, true))
			require.Len(t, plans, n, "%v", *filter)
			if n > 0 {
				require.Equal(t, plan, plans[0])
			}
		}
		_, err := tx.SamplePlans.GetSaved(w.ctx, theirs, plan.ID, false)
		require.True(t, fault.Is(err, fault.NotFound))
		return nil
	})

	w.deleteAOI(w.ours, order.AOI.ID)
	w.read(func(tx ports.Repos) error {
		_, err := tx.StratificationMaps.ByUUID(w.ctx, scope, "map-1", false)
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = tx.SamplePlans.GetSaved(w.ctx, scope, plan.ID, false)
		require.True(t, fault.Is(err, fault.NotFound))
		require.Empty(t, collect(t, tx.StratificationMaps.EachSaved(w.ctx, scope, ports.Query{}, false)))
		require.Empty(t, collect(t, tx.SamplePlans.EachSaved(w.ctx, scope, ports.Query{}, false)))
		return nil
	})
}

func ptr[T any](v T) *T { return &v }

// What was not saved is removed after its time, in bounded steps; what was saved stays, and so
// does a map that a plan is based on.
func testPruning(t *testing.T, b Backend) {
	w := newWorld(t, b)
	order := w.ordered(w.ours)
	maps := make([]zoning.Map, 5)
	for i := range maps {
		maps[i] = w.newMap(order, fmt.Sprint("map-", i))
		w.putMap(w.ours, &maps[i])
	}
	saved := w.newPlan(maps[1], "saved")
	w.putPlan(w.ours, &saved)
	saving := zoning.Saving{Name: "n", Tag: "t", At: w.clock.Now(), By: w.ours.user.ID}
	maps[0].Saved, saved.Saved = &saving, &saving
	run := zoning.Run{OrderID: order.ID, Key: "k", Layers: []string{"a"}, Status: zoning.RunDone, CreatedAt: w.clock.Now(), UpdatedAt: w.clock.Now()}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.StratificationMaps.Save(w.ctx, w.ours.scope, maps[0]))
		require.NoError(t, tx.SamplePlans.Save(w.ctx, w.ours.scope, saved))
		return tx.StratificationRuns.Insert(w.ctx, w.ours.scope, &run)
	})
	before := w.clock.Now().Add(time.Hour)
	w.clock.move(2 * time.Hour)
	young := w.newPlan(maps[2], "young") // a plan of an old map
	w.putPlan(w.ours, &young)

	prune := func(until time.Time, limit int) (n int64) {
		w.operate(func(tx ports.OperatorRepos) (err error) {
			n, err = tx.Maps.Prune(w.ctx, until, limit)
			return err
		})
		return n
	}
	there := func() (out []string) {
		w.read(func(tx ports.Repos) error {
			for _, m := range maps {
				if _, err := tx.StratificationMaps.ByUUID(w.ctx, w.ours.scope, m.Candidate.MapUUID, false); err == nil {
					out = append(out, m.Candidate.MapUUID)
				}
			}
			return nil
		})
		return out
	}
	require.Zero(t, prune(begin.Add(-time.Hour), 10), "nothing is that old")
	require.EqualValues(t, 2, prune(before, 1), "one map and the run: the steps are bounded")
	require.Len(t, there(), 4)
	require.EqualValues(t, 1, prune(before, 10))
	require.Equal(t, []string{"map-0", "map-1", "map-2"}, there(), "saved, under a saved plan, under a plan")
	require.EqualValues(t, 2, prune(w.clock.Now().Add(time.Hour), 10), "the plan, and the map that it stood on")
	require.Equal(t, []string{"map-0", "map-1"}, there())
	w.read(func(tx ports.Repos) error {
		_, err := tx.SamplePlans.GetSaved(w.ctx, w.ours.scope, saved.ID, true)
		require.NoError(t, err)
		_, err = tx.StratificationRuns.Get(w.ctx, w.ours.scope, run.ID)
		require.True(t, fault.Is(err, fault.NotFound))
		return nil
	})
}
