package generated

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/audit"
	"tilth/core/geo"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
)

// A record states the request and its outcome, and is unchanged when it is read back from the trail.
func TestRecordsPassThroughTheTrail(t *testing.T) {
	t.Parallel()
	p := plan.DefaultParams()
	p.Scope, p.PerZone, p.Existing, p.MinDistance = "MAP", map[int]int{1: 4, 2: 3}, []geo.Position{{X: 1, Y: 2}}, 0
	p = p.Seeded(seed.Choice{Pulse: "round 9", Value: "00"})
	of := plan.SamplePlan{Plan: plan.Plan{
		PlanUUID: "PLAN", Params: p, Samples: 7, Reserves: 2, ProbabilitySample: true, AlgorithmVersion: plan.Version, BasedOn: "BASE",
		Points: []plan.Point{{ID: "Z1-01", At: geo.Position{X: 500_000.5, Y: 5_000_000}, ByHand: true}, {ID: "Z1-02", At: geo.Position{X: 500_010, Y: 5_000_000.25}}},
	}}
	of.Map.Candidate.MapUUID = "MAP"
	made := OfPlan(of)
	require.Equal(t, map[string]any{"1": int64(4), "2": int64(3)}, made.Parameters["per_zone"])
	require.Equal(t, int64(1), made.Parameters["existing_points"])
	for _, without := range []string{"seed", "scope", "origin", "min_distance"} {
		require.NotContains(t, made.Parameters, without)
	}
	require.Equal(t, int64(1), made.Outcome["points_by_hand"])
	// printf 'Z1-01 500000.50 5000000.00\nZ1-02 500010.00 5000000.25\n' | sha256sum
	require.Equal(t, "11bd2f2324d68cb646afc84169e18a3fe7ea7ac27ab5071970c7d40ec06d5c68", made.Outcome["points_sha256"])

	entry, err := Of(audit.Entry{ID: 3, Changes: made.Changes()})
	require.NoError(t, err)
	require.JSONEq(t, text(t, made), text(t, entry.Record))
	require.Equal(t, []string{"PLAN", "MAP", "BASE", "beacon", "00"}, []string{entry.Made[0], entry.MapUUID, entry.BasedOn, string(entry.SeedSource), entry.SeedValue})
	_, err = Of(audit.Entry{ID: 3, Changes: []audit.Change{{Member: "seed", After: "a word"}}})
	require.ErrorContains(t, err, "entry 3")

	z := zoning.DefaultParams()
	z.Weights = map[string]float64{"clay": 2}
	run := zoning.Run{Params: z.Seeded(seed.Of(7)), Layers: []string{"ndvi_mean", "clay"}}
	none := OfMaps(run, nil, "No zones.", "abc")
	require.Equal(t, map[string]any{"reason": "No zones.", "layers_sha256": "abc"}, none.Outcome)
	require.Equal(t, []any{"ndvi_mean", "clay"}, none.Parameters["layers"])
	require.Equal(t, map[string]any{"clay": 2.0}, none.Parameters["weights"])
	one := OfMaps(run, []*zoning.Map{{Candidate: zoning.Candidate{Zoning: zoning.Zoning{Zones: make([]zoning.Zone, 3)}, MapUUID: "MAP", Recommended: true}}}, "", "abc")
	require.Equal(t, []any{map[string]any{"map_uuid": "MAP", "zones": int64(3), "is_recommended": true}}, one.Outcome["maps"])
	require.Equal(t, seed.Given, one.SeedSource)
}

func text(t *testing.T, r Record) string {
	t.Helper()
	raw, err := json.Marshal(r)
	require.NoError(t, err)
	return string(raw)
}
