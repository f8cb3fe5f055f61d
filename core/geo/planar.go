package geo

import (
	"github.com/peterstace/simplefeatures/geom"

	"tilth/core/list"
)

// IsValid reports whether a geometry is valid in the sense of the OGC's Simple Features.
func (m MultiPolygon) IsValid() bool { return m.planar().Validate() == nil }

// planar converts the geometry for the check of validity.
func (m MultiPolygon) planar() geom.Geometry {
	return geom.NewMultiPolygon(list.Map(m, func(p Polygon) geom.Polygon {
		return geom.NewPolygon(list.Map(p, func(r Ring) geom.LineString {
			flat := make([]float64, 0, 2*len(r))
			for _, q := range r {
				flat = append(flat, q.X, q.Y)
			}
			return geom.NewLineString(geom.NewSequence(flat, geom.DimXY))
		}))
	})).AsGeometry()
}

// PlanarArea returns the area in the square of the coordinates' unit.
func (m MultiPolygon) PlanarArea() float64 { return m.area(planarRingArea) }

// planarRingArea is positive for a counter-clockwise ring. Coordinates are taken relative to the
// first vertex: the products of UTM coordinates would cancel.
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

func (m MultiPolygon) mapped(f func(Position) Position) MultiPolygon {
	return list.Map(m, func(polygon Polygon) Polygon {
		return list.Map(polygon, func(ring Ring) Ring { return list.Map(ring, f) })
	})
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
