package geo_test

import (
	"math"
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

// National grids have published points in both systems. Ordnance Survey prints its own from a grid
// of corrections, from which the parameters of the whole country deviate by up to 5 m; the Dutch
// points for validation hold to 0.25 m.
func TestNationalGrids(t *testing.T) {
	for _, tt := range []struct {
		epsg     int
		at, want geo.Position
		within   float64 // metres
	}{
		{27700, geo.Position{X: 1.716073973, Y: 52.658007833}, geo.Position{X: 651409.792, Y: 313177.448}, 5},
		{27700, geo.Position{X: 1.072628, Y: 51.297880}, geo.Position{X: 614300, Y: 159900}, 5},
		{27700, geo.Position{X: -6.29977752014, Y: 49.92226393730}, geo.Position{X: 91492.146, Y: 11318.804}, 5},
		{28992, geo.Position{X: 5.387203657, Y: 52.155172897}, geo.Position{X: 155000, Y: 463000}, 0.25},
		{28992, geo.Position{X: 4.824761912, Y: 53.160753042}, geo.Position{X: 117380.12, Y: 575040.34}, 0.25},
		{28992, geo.Position{X: 6.776726674, Y: 53.419482050}, geo.Position{X: 247380.56, Y: 604580.78}, 0.25},
		{28992, geo.Position{X: 5.773795548, Y: 50.792584916}, geo.Position{X: 182260.45, Y: 311480.67}, 0.25},
		{28992, geo.Position{X: 4.072887101, Y: 51.947393898}, geo.Position{X: 64640.89, Y: 440700.0101}, 0.25},
	} {
		plane, err := geo.NewPlane(tt.epsg)
		require.NoError(t, err)
		got := plane.Forward(tt.at)
		t.Logf("EPSG:%d %v: %.3f %.3f", tt.epsg, tt.want, got.X-tt.want.X, got.Y-tt.want.Y)
		require.InDelta(t, 0, math.Hypot(got.X-tt.want.X, got.Y-tt.want.Y), tt.within, "EPSG:%d %v", tt.epsg, tt.want)
		back := plane.Inverse(got)
		require.InDelta(t, 0, geo.Distance(tt.at, back), 2e-3, "EPSG:%d", tt.epsg)
		require.Equal(t, got, plane.Project(geo.MultiPolygon{{{tt.at}}})[0][0][0])
	}
}

func TestPlanesThatAreNotKnown(t *testing.T) {
	for _, epsg := range []int{0, -1, 4326, 3857, 2154, 25827, 25839, 26900, 26924, 28347, 28359, 7845, 7860, 32600, 32661} {
		_, err := geo.NewPlane(epsg)
		require.True(t, fault.Is(err, fault.Invalid), "EPSG:%d", epsg)
	}
	_, err := geo.NewPlane(2154)
	require.ErrorContains(t, err, "EPSG:2154")
}
