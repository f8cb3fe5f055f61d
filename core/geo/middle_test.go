package satellite

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
)

// The solar day of land on both sides of 180° is that of its middle there, not that of Greenwich.
func TestTheSolarDayOfLandAcrossTheAntimeridian(t *testing.T) {
	t.Parallel()
	side := func(west, east float64) geo.Polygon {
		return geo.Polygon{{{X: west, Y: -17}, {X: east, Y: -17}, {X: east, Y: -16.9}, {X: west, Y: -17}}}
	}
	both := geo.MultiPolygon{side(179.97, 180), side(-180, -179.99)}
	require.InDelta(t, 179.99, middleLongitude(both), 1e-9)
	require.InDelta(t, -179.995, middleLongitude(both[1:]), 1e-9)
	require.Less(t, pixelsIn(both), 1.1*(pixelsIn(both[:1])*4/3))
}
