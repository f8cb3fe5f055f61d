package geo

import (
	"math"

	"github.com/peterstace/simplefeatures/geom"
)

// Union gives the area that any of the geometries covers, as disjoint valid parts. The
// geometries are valid and lie in one plane (or all in degrees). An error is a degeneracy
// that the overlay could not solve.
func Union(all ...MultiPolygon) (MultiPolygon, error) {
	pieces := make([]geom.Geometry, len(all))
	for i, m := range all {
		pieces[i] = m.planar()
	}
	whole, err := geom.UnionMany(pieces)
	if err != nil {
		return nil, err
	}
	return areasOf(whole), nil
}

// Intersection gives the area that both geometries cover; see Union.
func Intersection(a, b MultiPolygon) (MultiPolygon, error) {
	shared, err := geom.Intersection(a.planar(), b.planar())
	if err != nil {
		return nil, err
	}
	return areasOf(shared), nil
}

// IsValid reports whether a geometry is valid in the sense of the OGC's Simple Features.
func (m MultiPolygon) IsValid() bool { return m.planar().Validate() == nil }

// PlanarArea gives the area in the square of the coordinates' unit; holes are taken off.
func (m MultiPolygon) PlanarArea() float64 {
	total := 0.0
	for _, polygon := range m {
		for i, ring := range polygon {
			area := math.Abs(planarRingArea(ring))
			if i > 0 {
				area = -area
			}
			total += area
		}
	}
	return total
}

// Centroid gives the area's centre in the plane of the coordinates. It may lie outside a bent
// field. The geometry is not empty.
func (m MultiPolygon) Centroid() Position { return centroid(m) }

// planarRingArea is positive for a ring that runs counter-clockwise. Coordinates are taken
// relative to the first vertex, for the products of UTM coordinates would cancel.
func planarRingArea(ring Ring) float64 {
	if len(ring) == 0 {
		return 0
	}
	twice, o := 0.0, ring[0]
	for i := 1; i < len(ring); i++ {
		twice += differenceOfProducts(ring[i-1].X-o.X, ring[i].Y-o.Y, ring[i].X-o.X, ring[i-1].Y-o.Y)
	}
	return twice / 2
}

// Unproject turns every vertex of a geometry in the plane to degrees; the opposite of Project.
func (u UTM) Unproject(m MultiPolygon) MultiPolygon { return m.mapped(u.Inverse) }

// mapped gives the geometry with every vertex replaced.
func (m MultiPolygon) mapped(f func(Position) Position) MultiPolygon {
	out := make(MultiPolygon, len(m))
	for i, polygon := range m {
		out[i] = make(Polygon, len(polygon))
		for j, ring := range polygon {
			out[i][j] = make(Ring, len(ring))
			for k, p := range ring {
				out[i][j][k] = f(p)
			}
		}
	}
	return out
}

// areasOf takes the polygons out of an overlay's result, wound as RFC 7946 wants; shared
// points and lines have no area and are left out.
func areasOf(g geom.Geometry) MultiPolygon {
	var out MultiPolygon
	for _, part := range g.Dump() {
		polygon, ok := part.AsPolygon()
		if !ok || polygon.IsEmpty() {
			continue
		}
		var p Polygon
		for _, ring := range polygon.ForceCCW().DumpRings() {
			points := ring.Coordinates()
			r := make(Ring, points.Length())
			for i := range r {
				xy := points.GetXY(i)
				r[i] = Position{X: xy.X, Y: xy.Y}
			}
			p = append(p, r)
		}
		out = append(out, p)
	}
	return out
}

// Contains reports whether a position lies in the geometry or on its edge.
func (m MultiPolygon) Contains(p Position) bool {
	for _, polygon := range m {
		if locate(p, polygon) != outside {
			return true
		}
	}
	return false
}
