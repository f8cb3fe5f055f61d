package geo_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
)

// Published lengths: Vincenty's Australian test line Flinders Peak to Buninyong (GDA
// technical manual, GRS80, whose flattening differs from WGS84 in the tenth digit) and
// New York to Paris (the manual of GeodSolve, rounded to a metre there).
func TestDistance(t *testing.T) {
	dms := func(d, m, s float64) float64 { return d + m/60 + s/3600 }
	for _, c := range []struct {
		name      string
		a, b      geo.Position
		metres    float64
		tolerance float64
	}{
		{"Flinders Peak to Buninyong", geo.Position{X: dms(144, 25, 29.52440), Y: -dms(37, 57, 3.72030)},
			geo.Position{X: dms(143, 55, 35.38390), Y: -dms(37, 39, 10.15610)}, 54972.271, 1e-3},
		{"JFK to CDG", geo.Position{X: -73.8, Y: 40.6}, geo.Position{X: 2.55, Y: 49 + 1./60}, 5853226, 0.6},
		{"degree of the equator", geo.Position{X: 10, Y: 0}, geo.Position{X: 11, Y: 0}, 6378137 * math.Pi / 180, 1e-6},
		{"meridian quadrant", geo.Position{X: 10, Y: 0}, geo.Position{X: 10, Y: 90}, 10001965.729, 1e-3},
		{"nothing", geo.Position{X: 10, Y: 50}, geo.Position{X: 10, Y: 50}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.InDelta(t, c.metres, geo.Distance(c.a, c.b), c.tolerance)
			require.InDelta(t, c.metres, geo.Distance(c.b, c.a), c.tolerance)
		})
	}
}

// Published areas of geodesic polygons: GeographicLib's PolygonArea manual and its
// Planimeter test set.
func TestAreaOfPublishedPolygons(t *testing.T) {
	for _, c := range []struct {
		name string
		ring geo.Ring
		m2   float64
	}{
		{"degree square at the equator", geo.Ring{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}, {X: 0, Y: 0}}, 12308778361.469},
		{"diamond round the origin", geo.Ring{{X: -1, Y: 0}, {X: 0, Y: -1}, {X: 1, Y: 0}, {X: 0, Y: 1}, {X: -1, Y: 0}}, 24619419146.0},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.InEpsilon(t, c.m2, geo.AreaM2(geo.MultiPolygon{{c.ring}}), 1e-7)
		})
	}
}

// TestAreaOfCells compares cells between parallels and meridians, their parallels drawn
// with many vertices, with the surface integral of the two radii of curvature, taken
// numerically: no authalic latitude in it.
func TestAreaOfCells(t *testing.T) {
	const a, f = 6378137.0, 1 / 298.257223563
	const e2 = f * (2 - f)
	integral := func(lon0, lon1, lat0, lat1 float64) float64 {
		const n = 200
		density := func(lat float64) float64 {
			w := 1 - e2*math.Pow(math.Sin(lat*math.Pi/180), 2)
			return a * a * (1 - e2) * math.Cos(lat*math.Pi/180) / (w * w)
		}
		h, sum := (lat1-lat0)/n, 0.0
		for i := range n { // Simpson's rule
			lat := lat0 + float64(i)*h
			sum += h / 6 * (density(lat) + 4*density(lat+h/2) + density(lat+h))
		}
		return sum * (lon1 - lon0) * math.Pow(math.Pi/180, 2)
	}
	for _, size := range []float64{1e-5, 1e-3, 0.1} { // about 1 m, 100 m, 11 km
		for _, lat := range []float64{-89.8, -60, -33, -0.05, 0, 12, 45, 60, 71, 85, 89.8} {
			for _, lon := range []float64{-179.5, 0, 151.25, 179} {
				const n = 100
				var ring geo.Ring
				for i := range n + 1 {
					ring = append(ring, geo.Position{X: lon + size*float64(i)/n, Y: lat})
				}
				for i := range n + 1 {
					ring = append(ring, geo.Position{X: lon + size*float64(n-i)/n, Y: lat + size})
				}
				ring = append(ring, ring[0])
				// The cell that the floats enclose, not the one that was meant.
				want := integral(ring[0].X, ring[n].X, ring[0].Y, ring[n+1].Y)
				require.InDelta(t, want, geo.AreaM2(geo.MultiPolygon{{ring}}), 2e-6*want+1e-7, "%v° at %v, %v", size, lon, lat)
			}
		}
	}
}

// TestAreaFollowsGeodesics distinguishes the geodesic edge from the straight one of a map: a
// triangle with a 14 km side along a parallel at 60° differs by 6e-4 between the two, six times
// what is allowed. Drawing the geodesic in by hand must change nothing.
func TestAreaFollowsGeodesics(t *testing.T) {
	a, b, top := geo.Position{X: 10, Y: 60}, geo.Position{X: 10.25, Y: 60}, geo.Position{X: 10.125, Y: 60.12}
	plain := geo.AreaM2(geo.MultiPolygon{{{a, b, top, a}}})
	// The middle of a geodesic between two points of a parallel lies on the meridian between
	// them, where the two halves are shortest.
	low, high := 60.0, 60.01
	for range 100 {
		m1, m2 := low+(high-low)/3, high-(high-low)/3
		if geo.Distance(a, geo.Position{X: 10.125, Y: m1}) < geo.Distance(a, geo.Position{X: 10.125, Y: m2}) {
			high = m2
		} else {
			low = m1
		}
	}
	middle := geo.Position{X: 10.125, Y: low}
	require.InEpsilon(t, plain, geo.AreaM2(geo.MultiPolygon{{{a, middle, b, top, a}}}), 1e-5)
	straight := geo.AreaM2(geo.MultiPolygon{{{a, {X: 10.0625, Y: 60}, {X: 10.125, Y: 60}, {X: 10.1875, Y: 60}, b, top, a}}})
	require.Greater(t, math.Abs(straight/plain-1), 3e-4)
}

// A field that is cut from its first corner to another has the area of its two parts.
func TestPropertyAreaIsAdditive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawStar(t)
		ring := m[0][0]
		ring = append(ring, ring[0])
		i := rapid.IntRange(2, max(2, len(ring)-3)).Draw(t, "cut")
		signed := func(r geo.Ring) float64 { return math.Copysign(geo.AreaM2(geo.MultiPolygon{{r}}), planeArea(r)) }
		left := append(append(geo.Ring{}, ring[:i+1]...), ring[0])
		right := append(append(geo.Ring{ring[0]}, ring[i:]...), ring[0])
		if len(left) < 4 || len(right) < 4 {
			t.Skip("a triangle cannot be cut at a vertex")
		}
		whole, l, r := signed(ring), signed(left), signed(right)
		tolerance := 1e-8*whole + 1e-6
		if sliver := min(math.Abs(l), math.Abs(r)); sliver < 1e-3*whole {
			// Its sign in square degrees may be wrong: edges are geodesics, which bend away from straight lines in degrees.
			require.InDelta(t, sliver, math.Abs(whole-max(l, r)), tolerance)
			return
		}
		require.InDelta(t, whole, l+r, tolerance)
	})
}

func TestRoundHa(t *testing.T) {
	require.Equal(t, 23.2419, geo.RoundHa(23.24187))
	require.Equal(t, 0.0001, geo.RoundHa(0.00005))
}

func TestCentroid(t *testing.T) {
	b, err := parse(t, `[[[10,50],[10.03,50],[10.03,50.03],[10,50.03],[10,50]],[[10.01,50.01],[10.02,50.01],[10.02,50.02],[10.01,50.02],[10.01,50.01]]]`)
	require.NoError(t, err)
	require.InDelta(t, 10.015, b.Centroid().X, 1e-9)
	require.InDelta(t, 50.015, b.Centroid().Y, 1e-9)
	b, err = parse(t, `[[[10,50],[10.03,50],[10.03,50.01],[10.01,50.01],[10.01,50.03],[10,50.03],[10,50]]]`)
	require.NoError(t, err)
	require.InDelta(t, 10.011, b.Centroid().X, 1e-9) // three thirds of 0.01² at 0.005, two at 0.02 and 0.025
	require.InDelta(t, 50.011, b.Centroid().Y, 1e-9)
}
