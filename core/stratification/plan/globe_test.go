package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/stratification/frame"
	soillayer "tilth/core/stratification/layer"
	"tilth/core/stratification/zoning"
)

// across makes zones and a plan of two fields that touch at a longitude, where a UTM zone ends.
func across(t *testing.T, lon float64) (frame.Frame, zoning.Candidate, Plan) {
	t.Helper()
	field := func(west, east float64) geo.MultiPolygon {
		return geo.MultiPolygon{{{{X: west, Y: -17.004}, {X: east, Y: -17.004}, {X: east, Y: -17}, {X: west, Y: -17}, {X: west, Y: -17.004}}}}
	}
	beyond := geo.Turned(lon+0.003, 0)
	f, err := frame.New(nil, []geo.MultiPolygon{field(lon-0.004, lon), field(beyond-0.003, beyond)}, frame.Options{EdgeMask: 1})
	require.NoError(t, err)
	values := make([]float64, len(f.Cells))
	for i, c := range f.Cells {
		values[i] = float64(c.Row) // zones from west to east, across the line
	}
	p := zoning.DefaultParams()
	p.MinZones, p.MaxZones = 2, 2
	made, err := zoning.Zones(t.Context(), &f, []soillayer.Layer{{Name: "ndvi_mean", Values: values}}, p, zoning.Work{Workers: 1})
	require.NoError(t, err)
	require.Len(t, made.Candidates, 1)
	choices := DefaultParams()
	choices.Samples, choices.Seed = 12, 7
	plan, err := New(nil, &f, &made.Candidates[0].Zoning, choices)
	require.NoError(t, err)
	return f, made.Candidates[0], plan
}

// Land across 180° has the same zones and plan as like land across any other edge of a UTM zone; its outlines are
// cut in two there, and longitudes lie within ±180°.
func TestLandAcrossTheAntimeridian(t *testing.T) {
	t.Parallel()
	f, zones, plan := across(t, 180)
	f6, zones6, plan6 := across(t, 6)
	require.Equal(t, []int{32760, 32731}, []int{f.EPSG, f6.EPSG})
	require.Equal(t, zones6.Labels, zones.Labels)
	require.InEpsilon(t, f6.AreaHa, f.AreaHa, 1e-9)
	for h, zone := range zones.Zones {
		b := zone.Geometry.Bounds()
		require.Equal(t, []float64{-180, 180}, []float64{b.MinX, b.MaxX}, "both sides, and nothing beyond")
		require.InEpsilon(t, zone.AreaHa, geo.AreaM2(zone.Geometry)/frame.M2PerHectare, 1e-5)
		require.InEpsilon(t, zones6.Zones[h].AreaHa, zone.AreaHa, 1e-9)
		require.True(t, zone.Geometry.IsValid())
		for i := range zone.Geometry {
			part := zone.Geometry[i : i+1].Bounds()
			require.Less(t, part.MaxX-part.MinX, 1.0, "no part goes around the globe")
		}
	}
	sides := map[bool]int{}
	for i, p := range plan.Points {
		require.InDelta(t, plan6.Points[i].At.X, p.At.X, 0.011)
		require.InDelta(t, plan6.Points[i].At.Y, p.At.Y, 0.011)
		require.InDelta(t, geo.Turned(plan6.Points[i].LonLat.X+174, 0), p.LonLat.X, 2e-7)
		sides[p.LonLat.X > 0]++
		back, _ := f.FromLonLat(*p.LonLat)
		require.InDelta(t, p.At.X, back.X, 0.02)
	}
	require.Positive(t, sides[true])
	require.Positive(t, sides[false])
}
