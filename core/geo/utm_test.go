package geo_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/fault"
	"tilth/core/geo"
)

func TestNewUTMKnowsOnlyWGS84Zones(t *testing.T) {
	for _, epsg := range []int{32601, 32660, 32701, 32760} {
		u, err := geo.NewUTM(epsg)
		require.NoError(t, err)
		require.Equal(t, epsg, u.EPSG())
	}
	for _, epsg := range []int{0, -1, 4326, 3857, 32600, 32661, 32700, 32761, 25832} {
		_, err := geo.NewUTM(epsg)
		require.True(t, fault.Is(err, fault.Invalid), "EPSG:%d", epsg)
		require.ErrorContains(t, err, "UTM")
	}
}

// The control values are published: the quick start of the PROJ manual (12°E 55°N), the
// manual of the Python package utm (7.5°E 51.2°N), and, for the scale along the central
// meridian, the WGS84 meridian quadrant of 10 001 965.729 m.
func TestUTMControlValues(t *testing.T) {
	for _, c := range []struct {
		name      string
		epsg      int
		lonlat    geo.Position
		east      float64
		north     float64
		tolerance float64
	}{
		{"PROJ quick start", 32632, geo.Position{X: 12, Y: 55}, 691875.632, 6098907.825, 6e-4},
		{"utm manual", 32632, geo.Position{X: 7.5, Y: 51.2}, 395201.3103811303, 5673135.241182375, 1e-3},
		{"quadrant", 32631, geo.Position{X: 3, Y: 90}, 500000, 0.9996 * 10001965.729, 1e-3},
		{"equator south", 32731, geo.Position{X: 3, Y: 0}, 500000, 10000000, 1e-9},
	} {
		t.Run(c.name, func(t *testing.T) {
			u, err := geo.NewUTM(c.epsg)
			require.NoError(t, err)
			got := u.Forward(c.lonlat)
			require.InDelta(t, c.east, got.X, c.tolerance)
			require.InDelta(t, c.north, got.Y, c.tolerance)
		})
	}
}

func TestUTMRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.IntRange(1, 60).Draw(t, "zone")
		base := rapid.SampledFrom([]int{32600, 32700}).Draw(t, "hemisphere")
		u, err := geo.NewUTM(base + zone)
		require.NoError(t, err)
		p := geo.Position{
			X: float64(6*zone-183) + rapid.Float64Range(-9, 9).Draw(t, "offset"),
			Y: rapid.Float64Range(-89, 89).Draw(t, "lat"),
		}
		back := u.Inverse(u.Forward(p))
		require.InDelta(t, p.X, back.X, 1e-11/math.Cos(p.Y*math.Pi/180))
		require.InDelta(t, p.Y, back.Y, 1e-11)
	})
}

func TestUTMZoneEPSG(t *testing.T) {
	for _, c := range []struct {
		at   geo.Position
		epsg int
	}{
		{geo.Position{X: -180, Y: 10}, 32601},
		{geo.Position{X: 180, Y: 10}, 32601},
		{geo.Position{X: 179.999, Y: -10}, 32760},
		{geo.Position{X: -4.87, Y: 41.77}, 32630},
		{geo.Position{X: 0, Y: 0}, 32631},
		{geo.Position{X: -47.9, Y: -15.8}, 32723},
	} {
		require.Equal(t, c.epsg, geo.UTMZoneEPSG(c.at), "%v", c.at)
	}
}
