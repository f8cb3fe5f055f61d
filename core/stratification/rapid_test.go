package stratification

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
)

// star draws a ring around a centre whose radius changes at random: bays, tongues and slivers.
func star(t *rapid.T, label string, centre geo.Position, least, most float64) geo.Ring {
	corners := rapid.IntRange(3, 24).Draw(t, label+" corners")
	squeeze := rapid.Float64Range(0.03, 1).Draw(t, label+" squeeze")
	var ring geo.Ring
	for i := range corners {
		r := rapid.Float64Range(least, most).Draw(t, label+" radius")
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(corners))
		ring = append(ring, geo.Position{X: centre.X + r*cos, Y: centre.Y + r*sin*squeeze})
	}
	return append(ring, ring[0])
}

// drawFields draws one to four fields, some with a hole, that may touch, overlap or lie apart.
func drawFields(t *rapid.T) []geo.MultiPolygon {
	utm, err := geo.NewUTM(32633)
	if err != nil {
		t.Fatal(err)
	}
	var fields []geo.MultiPolygon
	for range rapid.IntRange(1, 4).Draw(t, "fields") {
		centre := geo.Position{
			X: 500_000 + rapid.Float64Range(-600, 600).Draw(t, "x"),
			Y: 5_400_000 + rapid.Float64Range(-600, 600).Draw(t, "y"),
		}
		polygon := geo.Polygon{star(t, "outer", centre, 60, 300)}
		if rapid.Bool().Draw(t, "hole") {
			polygon = append(polygon, star(t, "hole", centre, 5, 40))
		}
		// The limits keep what is no boundary out of the test, as they do out of the product.
		b, err := geo.NewBoundary(utm.Unproject(geo.MultiPolygon{polygon}), geo.DefaultLimits())
		if err == nil {
			fields = append(fields, b.Geometry())
		}
	}
	if len(fields) == 0 {
		t.Skip("no valid field")
	}
	return fields
}

// Zones cover the area of interest and nothing else, do not overlap, and are valid, in the
// plane and in rounded degrees.
func TestMapsAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := drawFields(t)
		f, err := NewFrame(fields, FrameOptions{
			CellSize: rapid.SampledFrom([]float64{10, 20, 7.5}).Draw(t, "cell"),
			EdgeMask: rapid.IntRange(0, 2).Draw(t, "mask"),
		})
		if err != nil {
			t.Skip(err)
		}
		random := newStream(uint64(rapid.IntRange(0, 1<<30).Draw(t, "values")), "values")
		wave := rapid.Float64Range(20, 300).Draw(t, "wave")
		layer := Layer{Name: "a", Values: make([]float64, len(f.Cells))}
		for i := range f.Cells {
			p := f.Centre(i)
			layer.Values[i] = math.Sin(p.X/wave) + math.Cos(p.Y/wave) + random.unit()
		}
		p := DefaultParams()
		p.MinZones, p.MaxZones, p.Starts = 2, rapid.IntRange(2, 5).Draw(t, "zones"), 2
		p.MinZoneAreaHa = rapid.SampledFrom([]float64{0.05, 0.25}).Draw(t, "least")
		r, err := Zones(t.Context(), &f, []Layer{layer}, p, Work{})
		require.NoError(t, err)
		for _, c := range r.Candidates {
			requireWhole(t, &f, c)
		}
	})
}

func requireWhole(t *rapid.T, f *Frame, c Candidate) {
	total, degrees := 0.0, 0.0
	for h, zone := range c.Zones {
		require.True(t, zone.Outline.IsValid(), "outline of zone %d", h+1)
		require.True(t, zone.Geometry.IsValid(), "geometry of zone %d", h+1)
		require.Equal(t, zone.Geometry, zone.Geometry.Rounded(mapDecimals))
		total += zone.AreaHa
		degrees += geo.AreaM2(zone.Geometry) / squareMetres
		require.InDelta(t, zone.AreaHa, geo.AreaM2(zone.Geometry)/squareMetres, 0.001*f.AreaHa)
		for g := range h {
			shared, err := geo.Intersection(zone.Geometry, c.Zones[g].Geometry)
			require.NoError(t, err)
			require.LessOrEqual(t, geo.AreaM2(shared)/squareMetres, 1e-5*f.AreaHa, "zones %d and %d overlap", h+1, g+1)
		}
	}
	require.InEpsilon(t, f.AreaHa, total, 1e-4)
	require.InEpsilon(t, f.AreaHa, degrees, 1e-3)
}
