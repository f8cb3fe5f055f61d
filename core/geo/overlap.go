package geo

import (
	"github.com/peterstace/simplefeatures/geom"

	"tilth/core/list"
)

// overlapShare is the share of the smaller of two boundaries above which what they have in common
// counts as an overlap. Neighbours drawn along one fence share a sliver; a field drawn twice,
// nearly all.
const overlapShare = 0.005

// Overlaps reports whether two boundaries share more than half a percent of the smaller area.
func (b Boundary) Overlaps(other Boundary) bool {
	if !b.bounds.Intersects(other.bounds) {
		return false
	}
	// The overlay fails only where the two cross in more than a hundred thousand places; then there
	// is no warning. Shares of areas in degrees equal those on the ground: both lie at one latitude.
	shared, err := Intersection(b.geometry, other.geometry)
	return err == nil && shared.PlanarArea() > overlapShare*min(b.geometry.PlanarArea(), other.geometry.PlanarArea())
}

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
