package geo_test

import (
	"math"

	"github.com/peterstace/simplefeatures/geom"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
)

// simple turns a geometry into the type of simplefeatures, whose validity check is the
// oracle of these tests.
func simple(m geo.MultiPolygon) geom.MultiPolygon {
	polygons := make([]geom.Polygon, len(m))
	for i, polygon := range m {
		rings := make([]geom.LineString, len(polygon))
		for j, ring := range polygon {
			flat := make([]float64, 0, 2*len(ring))
			for _, p := range ring {
				flat = append(flat, p.X, p.Y)
			}
			rings[j] = geom.NewLineString(geom.NewSequence(flat, geom.DimXY))
		}
		polygons[i] = geom.NewPolygon(rings)
	}
	return geom.NewMultiPolygon(polygons)
}

// holeOutside asks simplefeatures whether some hole is not covered by its outer ring.
func holeOutside(t require.TestingT, m geo.MultiPolygon) bool {
	for _, polygon := range m {
		outer := simple(geo.MultiPolygon{polygon[:1]}).AsGeometry()
		for _, hole := range polygon[1:] {
			covered, err := geom.Covers(outer, simple(geo.MultiPolygon{{hole}}).AsGeometry())
			require.NoError(t, err)
			if !covered {
				return true
			}
		}
	}
	return false
}

// planeArea returns the signed area in square degrees.
func planeArea(r geo.Ring) float64 {
	sum := 0.0
	for i := 1; i < len(r); i++ {
		sum += (r[i-1].X-r[0].X)*(r[i].Y-r[0].Y) - (r[i].X-r[0].X)*(r[i-1].Y-r[0].Y)
	}
	return sum / 2
}

// circle returns n vertices on a circle of degrees; closed repeats the first.
func circle(lon, lat, radius float64, n int, closed bool) geo.Ring {
	out := make(geo.Ring, n, n+1)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		out[i] = geo.Position{X: lon + radius*cos, Y: lat + radius*sin}
	}
	if closed {
		out = append(out, out[0])
	}
	return out
}

// drawStar draws a star-shaped field of 10 m to 3 km anywhere that is farmed, as an open
// ring: valid by construction.
func drawStar(t *rapid.T) geo.MultiPolygon {
	lon := rapid.Float64Range(-179, 179).Draw(t, "lon")
	lat := rapid.Float64Range(-39, 70).Draw(t, "lat")
	size := math.Exp(rapid.Float64Range(math.Log(1e-4), math.Log(0.03)).Draw(t, "log size"))
	n := rapid.IntRange(3, 60).Draw(t, "n")
	ring := make(geo.Ring, n)
	for i := range ring {
		r := size * rapid.Float64Range(0.4, 1).Draw(t, "r")
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		ring[i] = geo.Position{X: lon + r*cos, Y: lat + r*sin}
	}
	return geo.MultiPolygon{{ring}}
}
