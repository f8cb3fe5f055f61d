package geo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
)

// The middle and the box of land on both sides of 180° are those there, not on the other side of the globe.
func TestTheMiddleOfLandAcrossTheAntimeridian(t *testing.T) {
	t.Parallel()
	side := func(west, east float64) geo.Polygon {
		return geo.Polygon{{{X: west, Y: -17}, {X: east, Y: -17}, {X: east, Y: -16.9}, {X: west, Y: -17}}}
	}
	both := geo.MultiPolygon{side(179.97, 180), side(-180, -179.99)}
	require.InDelta(t, 179.99, both.MiddleLongitude(), 1e-9)
	require.InDelta(t, -179.995, both[1:].MiddleLongitude(), 1e-9)
	require.InEpsilon(t, both[:1].BoxArea()*4/3, both.BoxArea(), 1e-9)
}
