package imagery_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/vegetation"
)

// TestTheAntimeridian puts fields on both sides of 180° in Fiji, where zone 60 ends and zone
// 1 begins, below the tiles of both. There is one overflight, late on 31 May in UTC: by solar
// time it is the morning of 1 June in the eastern hemisphere, and 31 May in the western.
func TestTheAntimeridian(t *testing.T) {
	const south = -16.8
	around := func(epsg int) (vegetation.Grid, geo.UTM) {
		utm, err := geo.NewUTM(epsg)
		require.NoError(t, err)
		p := utm.Forward(geo.Position{X: 180, Y: south})
		return vegetation.Grid{EPSG: epsg, OriginX: 10 * math.Round(p.X/10-150), OriginY: 10 * math.Round(p.Y/10+100), PixelX: 10, PixelY: 10, Width: 300, Height: 200}, utm
	}
	// split is one class west of a meridian and another east of it, both counted from 180°.
	split := func(utm geo.UTM, at float64, west, east uint16) surface {
		return func(x, y float64) uint16 {
			beyond := math.Mod(utm.Inverse(geo.Position{X: x, Y: y}).X+360, 360) - 180
			if beyond < at {
				return west
			}
			return east
		}
	}
	g60, u60 := around(32760)
	g01, u01 := around(32701)
	// The tile of zone 60 is clear up to 0.001° before 180° and cloudy beyond; that of zone 1 is
	// clear from 0.0014° before it on, so about 40 m are clear in both.
	imagery := folder(t,
		made{id: "60", at: "2025-05-31T22:20:00Z", tile: "60KZF", orbit: 72, grid: g60, scl: split(u60, -0.001, 4, 9), red: flat(1000), nir: flat(3000)},
		made{id: "01", at: "2025-05-31T22:20:04Z", tile: "01KAB", orbit: 72, grid: g01, scl: split(u01, -0.0014, 9, 4), red: flat(1000), nir: flat(4000)})
	field := func(west, east float64) geo.MultiPolygon {
		return geo.MultiPolygon{{{{X: west, Y: south - 0.002}, {X: east, Y: south - 0.002}, {X: east, Y: south + 0.002}, {X: west, Y: south + 0.002}, {X: west, Y: south - 0.002}}}}
	}

	o := observed(t, compute(t, imagery, field(179.995, 180), vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard))
	require.Equal(t, day("2025-06-01"), o.Date)
	require.Equal(t, []string{"60", "01"}, o.Items, "the larger coverage first")
	require.Equal(t, o.NPolygon, o.NValid, "no pixel is lost between the zones")
	require.InDelta(t, 0.5*0.8+0.6*0.2, o.Value, 0.003, "four fifths lie in the west, which wins where both are clear")

	o = observed(t, compute(t, imagery, field(-180, -179.996), vegetation.NDVI, "2025-05-01", "2025-05-31", vegetation.MaskStandard))
	require.Equal(t, day("2025-05-31"), o.Date)
	require.Equal(t, []string{"01"}, o.Items)
	require.InDelta(t, 0.6, o.Value, 1e-12)

	none := compute(t, imagery, field(-180, -179.996), vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
	require.Empty(t, none.Observations)
	none = compute(t, imagery, field(179.995, 180), vegetation.NDVI, "2025-05-01", "2025-05-31", vegetation.MaskStandard)
	require.Empty(t, none.Observations)
}
