package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
)

// A plan states what it leaves out: the strip along the edges, and the land near existing points.
func TestWhatAPlanCovers(t *testing.T) {
	f := squareFrame(t, 20) // 4 ha
	z := oneZone(&f)
	p := DefaultParams()
	p.Samples = 9
	plan, err := New(nil, &f, z, p)
	require.NoError(t, err)
	require.InDelta(t, 0.19, plan.Covered.StripShare, 1e-9, "18² of 20² cells keep 10 m")
	require.InDelta(t, 0.19*f.AreaHa, plan.Covered.StripHa, 1e-9)
	require.InDelta(t, 0.81*f.AreaHa, plan.Covered.Ha, 1e-9)
	require.InDelta(t, plan.Covered.StripHa, plan.PerZone[0].StripHa, 1e-12)
	require.InDelta(t, 9*3.14159*0.04/(0.81*f.AreaHa), plan.Covered.Crowding, 1e-4)
	require.Contains(t, plan.Statement(), "19 % of the area, is not sampled")
	require.True(t, plan.ProbabilitySample)

	custom, err := Customise(nil, &f, z, plan, []Operation{{Change: Swap, Point: "Z1-01", With: "Z1-R01"}})
	require.NoError(t, err)
	require.Equal(t, plan.Covered, custom.Covered)
	require.Equal(t, plan.PerZone[0].StripHa, custom.PerZone[0].StripHa)

	p.Existing = []geo.Position{f.Centre(210)}
	near, err := New(nil, &f, z, p)
	require.NoError(t, err)
	require.InDelta(t, 0.09*f.AreaHa/4, near.Covered.ExistingHa, 0.021*f.AreaHa, "a circle of 20 m")
	require.InDelta(t, plan.Covered.Ha, near.Covered.Ha+near.Covered.ExistingHa, 1e-9)
	require.Contains(t, near.Statement(), "near existing points")

	p.ZoneOffset, p.Existing = 0, nil
	whole, err := New(nil, &f, z, p)
	require.NoError(t, err)
	require.Zero(t, whole.Covered.StripHa)
	require.Empty(t, whole.Statement())
}

// The distance rule changes the chance of a place only slightly, and by no more than documented: at a crowding
// of 0.7, places near the edges are drawn up to 6 % more often.
func TestChancesUnderTheDistanceRule(t *testing.T) {
	f := squareFrame(t, 20)
	params := loosely(StratifiedRandom, map[int]int{1: 23})
	params.MinDistance = 20
	d := designOf(t, &f, oneZone(&f), params)
	const runs = 1000
	edge := 0
	for seed := range runs {
		d.params.Seed = uint64(seed)
		found, err := d.place(0)
		require.NoError(t, err)
		require.Equal(t, 20.0, found.apart)
		covered, _ := d.covered(found)
		require.InDelta(t, 0.72, covered.Crowding, 0.01)
		for _, s := range found.samples {
			x, y := s.at.X-f.OriginX, f.OriginY-s.at.Y
			if min(x, y, 200-x, 200-y) < 20 {
				edge++
			}
		}
	}
	chance := float64(edge) / (23 * runs) / 0.36 // relative to that of any place
	require.True(t, chance > 1 && chance < 1.06, "%g", chance)
}
