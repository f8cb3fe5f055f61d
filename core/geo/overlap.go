package geo

import "github.com/peterstace/simplefeatures/geom"

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
	polygons := make([]geom.Polygon, len(m))
	for i, p := range m {
		rings := make([]geom.LineString, len(p))
		for j, r := range p {
			flat := make([]float64, 0, 2*len(r))
			for _, q := range r {
				flat = append(flat, q.X, q.Y)
			}
			rings[j] = geom.NewLineString(geom.NewSequence(flat, geom.DimXY))
		}
		polygons[i] = geom.NewPolygon(rings)
	}
	return geom.NewMultiPolygon(polygons).AsGeometry()
}
