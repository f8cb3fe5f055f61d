package geo

import "math"

// IsValid reports whether a geometry is valid in the sense of the OGC's Simple Features.
func (m MultiPolygon) IsValid() bool { return m.planar().Validate() == nil }

// PlanarArea returns the area in the square of the coordinates' unit; holes are taken off.
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

// Centroid returns the area's centre in the plane of the coordinates. It may lie outside a bent
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

// mapped returns the geometry with every vertex replaced.
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

// Contains reports whether a position lies in the geometry or on its edge.
func (m MultiPolygon) Contains(p Position) bool {
	for _, polygon := range m {
		if locate(p, polygon) != outside {
			return true
		}
	}
	return false
}
