package geo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/geo"
)

// The control values are PROJ 9.1's, by gdaltransform of GDAL 3.6.2.
func TestPlanes(t *testing.T) {
	for epsg, tt := range map[int]struct{ at, want geo.Position }{
		3035:  {geo.Position{X: 9.5, Y: 48.2}, geo.Position{X: 4283814.33291915, Y: 2787510.58622487}},
		25832: {geo.Position{X: 9.5, Y: 48.2}, geo.Position{X: 537153.311222272, Y: 5338650.63441022}},
		32632: {geo.Position{X: 9.5, Y: 48.2}, geo.Position{X: 537153.311222272, Y: 5338650.63441022}},
		26915: {geo.Position{X: -92.1, Y: 41.9}, geo.Position{X: 574652.78163571, Y: 4639065.01803981}},
		28355: {geo.Position{X: 146.3, Y: -35.2}, geo.Position{X: 436279.117416489, Y: 6104552.94740829}},
		7855:  {geo.Position{X: 146.3, Y: -35.2}, geo.Position{X: 436279.117416489, Y: 6104552.94740829}},
	} {
		plane, err := geo.NewPlane(epsg)
		require.NoError(t, err)
		got := plane.Forward(tt.at)
		require.InDelta(t, tt.want.X, got.X, 2e-4, "EPSG:%d", epsg)
		require.InDelta(t, tt.want.Y, got.Y, 2e-4, "EPSG:%d", epsg)
		back := plane.Inverse(got)
		require.InDelta(t, tt.at.X, back.X, 1e-11, "EPSG:%d", epsg)
		require.InDelta(t, tt.at.Y, back.Y, 1e-11, "EPSG:%d", epsg)
		ring := geo.MultiPolygon{{{tt.at, tt.at, tt.at, tt.at}}}
		require.Equal(t, got, plane.Project(ring)[0][0][0])
	}
	origin, err := geo.NewPlane(3035)
	require.NoError(t, err)
	require.InDelta(t, 4321000, origin.Forward(geo.Position{X: 10, Y: 52}).X, 1e-6)
	require.InDelta(t, 3210000, origin.Forward(geo.Position{X: 10, Y: 52}).Y, 1e-6)
	require.Equal(t, geo.Position{X: 10, Y: 52}, origin.Inverse(geo.Position{X: 4321000, Y: 3210000}))
}

func TestPlanesThatAreNotKnown(t *testing.T) {
	for _, epsg := range []int{0, -1, 4326, 3857, 2154, 25827, 25839, 26900, 26924, 28347, 28359, 7845, 7860, 32600, 32661} {
		_, err := geo.NewPlane(epsg)
		require.True(t, fault.Is(err, fault.Invalid), "EPSG:%d", epsg)
	}
	_, err := geo.NewPlane(2154)
	require.ErrorContains(t, err, "EPSG:2154")
}
