package geo_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
)

// box returns a clockwise ring, as shapefiles wind their outer rings.
func box(west, south, east, north float64) geo.Ring {
	return geo.Ring{{X: west, Y: south}, {X: west, Y: north}, {X: east, Y: north}, {X: east, Y: south}, {X: west, Y: south}}
}

func hole(west, south, east, north float64) geo.Ring {
	r := box(west, south, east, north)
	slices.Reverse(r)
	return r
}

func TestAssemble(t *testing.T) {
	for _, c := range []struct {
		name  string
		rings []geo.Ring
		want  []int // rings of each part
	}{
		{"one ring", []geo.Ring{box(0, 0, 10, 10)}, []int{1}},
		{"hole before its ring", []geo.Ring{hole(2, 2, 4, 4), box(0, 0, 10, 10)}, []int{2}},
		{"two parts, a hole each", []geo.Ring{box(0, 0, 10, 10), box(20, 0, 30, 10), hole(22, 2, 24, 4), hole(2, 2, 4, 4)}, []int{2, 2}},
		{"island in a hole, itself with a hole", []geo.Ring{box(0, 0, 10, 10), hole(1, 1, 9, 9), box(2, 2, 8, 8), hole(3, 3, 4, 4)}, []int{2, 2}},
		{"all wound the wrong way", []geo.Ring{hole(0, 0, 1, 1), hole(5, 5, 6, 6)}, []int{1, 1}},
		{"too short to have a winding", []geo.Ring{{{X: 1, Y: 1}}, {}}, []int{1, 1}},
		{"none", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []int
			for _, polygon := range geo.Assemble(c.rings) {
				got = append(got, len(polygon))
			}
			require.Equal(t, c.want, got)
		})
	}
	nested := geo.Assemble([]geo.Ring{box(0, 0, 10, 10), hole(1, 1, 9, 9), box(2, 2, 8, 8), hole(3, 3, 4, 4)})
	require.Equal(t, hole(3, 3, 4, 4), nested[1][1], "a hole belongs to the smallest ring around it")
}

func TestFromWebMercator(t *testing.T) {
	// The corner of the square that web maps cover, and a known position (EPSG guidance
	// note 7-2, method 1024: Mexico City's region).
	corner := geo.FromWebMercator(geo.Position{X: 20037508.342789244, Y: 20037508.342789244})
	require.InDelta(t, 180, corner.X, 1e-9)
	require.InDelta(t, 85.0511287798066, corner.Y, 1e-9)
	p := geo.FromWebMercator(geo.Position{X: -11169055.58, Y: 2800000.00})
	require.InDelta(t, -(100 + 20.0/60), p.X, 1e-6)
	require.InDelta(t, 24+22.0/60+54.433/3600, p.Y, 1e-6)
	require.False(t, math.IsNaN(geo.FromWebMercator(geo.Position{}).X))
}
