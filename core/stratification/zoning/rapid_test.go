package zoning

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/pcg"
	soillayer "tilth/core/stratification/layer"
	"tilth/tests/fields"
)

// Zones cover the area of interest and nothing else, do not overlap, and are valid, in the
// plane and in rounded degrees.
func TestMapsAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := fields.DrawFields(t)
		f, err := frame.New(nil, fields, frame.Options{
			CellSize: rapid.SampledFrom([]float64{10, 20, 7.5}).Draw(t, "cell"),
			EdgeMask: rapid.IntRange(0, 2).Draw(t, "mask"),
		})
		if err != nil {
			t.Skip(err)
		}
		random := pcg.New(uint64(rapid.IntRange(0, 1<<30).Draw(t, "values")), "values")
		wave := rapid.Float64Range(20, 300).Draw(t, "wave")
		layer := soillayer.Layer{Name: "a", Values: make([]float64, len(f.Cells))}
		for i := range f.Cells {
			p := f.Centre(i)
			layer.Values[i] = math.Sin(p.X/wave) + math.Cos(p.Y/wave) + random.Unit()
		}
		p := DefaultParams()
		p.MinZones, p.MaxZones, p.Starts = 2, rapid.IntRange(2, 5).Draw(t, "zones"), 2
		p.MinZoneAreaHa = rapid.SampledFrom([]float64{0.05, 0.25}).Draw(t, "least")
		r, err := Zones(t.Context(), &f, []soillayer.Layer{layer}, p, Work{})
		require.NoError(t, err)
		for _, c := range r.Candidates {
			requireWhole(t, &f, c)
		}
	})
}

func requireWhole(t *rapid.T, f *frame.Frame, c Candidate) {
	total, degrees, rounding := 0.0, 0.0, 0.0
	for h, zone := range c.Zones {
		require.True(t, zone.Outline.IsValid(), "outline of zone %d", h+1)
		require.True(t, zone.Geometry.IsValid(), "geometry of zone %d", h+1)
		require.Equal(t, zone.Geometry, zone.Geometry.Rounded(frame.DegreeDecimals))
		total += zone.AreaHa
		degrees += geo.AreaM2(zone.Geometry) / frame.M2PerHectare
		moved := roundingHa(zone.Outline)
		rounding += moved
		require.InDelta(t, zone.AreaHa, geo.AreaM2(zone.Geometry)/frame.M2PerHectare, 1e-5*f.AreaHa+moved)
		for g := range h {
			shared, err := geo.Intersection(nil, zone.Geometry, c.Zones[g].Geometry)
			require.NoError(t, err)
			require.LessOrEqual(t, geo.AreaM2(shared)/frame.M2PerHectare, 1e-5*f.AreaHa, "zones %d and %d overlap", h+1, g+1)
		}
	}
	require.InEpsilon(t, f.AreaHa, total, 1e-4)
	require.InDelta(t, f.AreaHa, degrees, 1e-5*f.AreaHa+rounding)
}

// roundingHa returns the area that an outline in metres can gain or lose, in hectares, when its corners are
// rounded to frame.DegreeDecimals: its perimeter times the distance that a corner can move. It matters for strips:
// a hectare 4 m wide has an outline of 5 km.
func roundingHa(m geo.MultiPolygon) float64 {
	perimeter := 0.0
	for _, polygon := range m {
		for _, ring := range polygon {
			for i := 1; i < len(ring); i++ {
				perimeter += math.Hypot(ring[i].X-ring[i-1].X, ring[i].Y-ring[i-1].Y)
			}
		}
	}
	metresPerDegree := geo.Distance(geo.Position{}, geo.Position{X: 1})
	moved := math.Sqrt2 / 2 * math.Pow10(-frame.DegreeDecimals) * metresPerDegree
	return perimeter * moved / frame.M2PerHectare
}
