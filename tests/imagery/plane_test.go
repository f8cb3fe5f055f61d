package imagery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/vegetation"
)

// A field is found in imagery of another coordinate system: the pixels of a known pattern have the
// mean of its halves, and an unknown system rejects the date and is named.
func TestImageryInOtherSystems(t *testing.T) {
	for epsg, at := range map[int]geo.Position{25832: {X: 9.5, Y: 48.2}, 3035: {X: 9.5, Y: 48.2}, 26915: {X: -92.1, Y: 41.9}, 7855: {X: 146.3, Y: -35.2}} {
		plane, err := geo.NewPlane(epsg)
		require.NoError(t, err)
		middle := plane.Forward(at)
		left := func(x, _ float64) uint16 {
			if x < middle.X {
				return 500
			}
			return 3000
		}
		scene := made{id: "a", at: "2025-06-01T10:50:00Z", tile: "32UNU", orbit: 8, scl: flat(4), red: left, nir: flat(3000),
			grid: vegetation.Grid{EPSG: epsg, OriginX: middle.X - 1000, OriginY: middle.Y + 1000, PixelX: 10, PixelY: 10, Width: 200, Height: 200}}
		var ring geo.Ring
		for _, d := range [][2]float64{{-300, -200}, {300, -200}, {300, 200}, {-300, 200}, {-300, -200}} {
			ring = append(ring, plane.Inverse(geo.Position{X: middle.X + d[0], Y: middle.Y + d[1]}))
		}
		field := geo.MultiPolygon{{ring}}
		o := observed(t, compute(t, folder(t, scene), field, vegetation.NDVI, "2025-05-30", "2025-06-03", vegetation.MaskStandard))
		require.Equal(t, [2]int{2400, 2400}, [2]int{o.NPolygon, o.NValid}, "EPSG:%d", epsg)
		require.InDelta(t, 2500.0/3500/2, o.Value, 1e-12)
		scene.grid.EPSG = 2154
		got := compute(t, folder(t, scene), field, vegetation.NDVI, "2025-05-30", "2025-06-03", vegetation.MaskStandard)
		require.Len(t, got.Rejected, 1)
		require.Contains(t, got.Rejected[0].Note, "EPSG:2154")
	}
}
