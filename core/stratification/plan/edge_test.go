package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The strip along the edges is sampled as a stratum: it weighs what the zones lose, its points lie in it,
// and changes by hand keep it.
func TestEdgesAsAStratum(t *testing.T) {
	f, z := halves(t)
	p := DefaultParams()
	p.Edge, p.Samples, p.Seed = EdgeStratum, 20, 3
	for _, placement := range []Placement{StratifiedRandom, SpatiallyBalanced} {
		p.Placement = placement
		plan, err := New(nil, &f, z, p)
		require.NoError(t, err)
		require.Len(t, plan.PerZone, 3)
		require.Equal(t, 2, plan.Zones())
		require.Equal(t, []bool{false, false, true}, []bool{plan.PerZone[0].Edge, plan.PerZone[1].Edge, plan.PerZone[2].Edge})
		// 28 × 38 and 8 × 38 of 40 × 40 cells keep 10 m.
		require.InDelta(t, 28*38/1600.0, plan.PerZone[0].Weight, 1e-9)
		require.InDelta(t, 8*38/1600.0, plan.PerZone[1].Weight, 1e-9)
		require.InDelta(t, 1-36*38/1600.0, plan.PerZone[2].Weight, 1e-9)
		require.InDelta(t, f.AreaHa, plan.Covered.Ha, 1e-9)
		require.Zero(t, plan.Covered.StripHa)
		require.Empty(t, plan.Statement())
		require.True(t, plan.ProbabilitySample)
		edges := 0
		for _, point := range plan.Points {
			require.Equal(t, point.Zone == 3, point.Edge < 10, "%s at %g m", point.ID, point.Edge)
			if point.Zone == 3 && point.Role == RoleSample {
				edges++
			}
		}
		require.Equal(t, plan.PerZone[2].Samples, edges)
		require.GreaterOrEqual(t, edges, 3)

		inner := plan.Points[plan.index("Z1-01")]
		to := f.Centre(0)
		custom, err := Customise(nil, &f, z, plan, []Operation{{Change: Swap, Point: "Z3-01", With: "Z3-R01"}, {Change: Move, Point: inner.ID, At: to}})
		require.NoError(t, err)
		require.Equal(t, edges+1, custom.PerZone[2].Samples, "5 m from the corner's edges is the strip")
		require.Equal(t, plan.PerZone[2].Weight, custom.PerZone[2].Weight)
	}
	for name, spoil := range map[string]func(p *Params){
		"no strip": func(p *Params) { p.ZoneOffset = 0 },
		"coverage": func(p *Params) { p.Placement = Coverage },
		"unknown":  func(p *Params) { p.Edge = "strip" },
	} {
		p := p
		spoil(&p)
		require.ErrorContains(t, p.Check(2), "edge", name)
	}
}
