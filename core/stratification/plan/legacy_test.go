package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
)

// Legacy points are kept besides the samples, at their places and on the way; new points keep their distance from them.
func TestLegacyPointsAreKept(t *testing.T) {
	f, z := halves(t)
	p := DefaultParams()
	p.Samples, p.Seed = 12, 5
	p.Legacy = []geo.Position{f.Centre(205), f.Centre(839), f.Centre(0)}
	plan, err := New(nil, &f, z, p)
	require.NoError(t, err)
	require.Equal(t, []int{12, 3}, []int{plan.Samples, plan.Legacy})
	require.True(t, plan.ProbabilitySample, "of the land around them")
	require.Positive(t, plan.Covered.ExistingHa)
	require.Equal(t, "legacy_points", plan.Concerns[len(plan.Concerns)-1].Code)
	kept := 0
	for i, point := range plan.Points {
		if point.Role != RoleLegacy {
			for _, at := range p.Legacy {
				require.GreaterOrEqual(t, distance(at, point.At), plan.MinDistanceUsed)
			}
			continue
		}
		kept++
		require.Contains(t, p.Legacy, point.At)
		require.Regexp(t, `^Z[12]-L0[123]$`, point.ID)
		require.Equal(t, i+1, point.Walk, "on the way of the samples")
	}
	require.Equal(t, 3, kept)
	counted := 0
	for _, zone := range plan.PerZone {
		counted += zone.Samples
	}
	require.Equal(t, 12, counted)

	again := p
	again.Legacy = nil
	without, err := New(nil, &f, z, again)
	require.NoError(t, err)
	require.NotEqual(t, without.PlanUUID, plan.PlanUUID)
	require.Less(t, without.WayKm, plan.WayKm)

	_, err = Customise(nil, &f, z, plan, []Operation{{Change: Move, Point: "Z1-L01", At: f.Centre(3)}})
	require.ErrorContains(t, err, "legacy point")
	fewer, err := Customise(nil, &f, z, plan, []Operation{{Change: Delete, Point: "Z1-L01"}})
	require.NoError(t, err)
	require.Equal(t, []int{12, 2}, []int{fewer.Samples, fewer.Legacy})
	require.True(t, fewer.ProbabilitySample)
	p.Legacy = append(p.Legacy, geo.Position{X: f.OriginX - 50, Y: f.OriginY})
	_, err = New(nil, &f, z, p)
	require.ErrorContains(t, err, "Point 4 lies outside the area of interest.")
}
