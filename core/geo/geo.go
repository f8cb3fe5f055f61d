// Package geo holds the geometry that farming needs: field boundaries with their validity rules,
// areas on the ellipsoid, the UTM projection of satellite rasters, unions and intersections.
// Longitude comes first everywhere. It is not a general GIS: it has no CRS database and no files.
package geo

import "iter"

// Position is longitude, latitude in degrees (WGS84) or, where said, easting, northing in metres.
type Position struct{ X, Y float64 }

// Ring is a closed ring: the first position is repeated at the end.
type Ring []Position

// Polygon is an outer ring followed by its holes.
type Polygon []Ring

// MultiPolygon is a set of polygons with disjoint interiors.
type MultiPolygon []Polygon

// Box is an axis-parallel bounding box.
type Box struct{ MinX, MinY, MaxX, MaxY float64 }

// Rings visits all rings with their place in their polygon: 0 for the outer one.
func (m MultiPolygon) Rings() iter.Seq2[int, Ring] {
	return func(yield func(int, Ring) bool) {
		for _, polygon := range m {
			for i, ring := range polygon {
				if !yield(i, ring) {
					return
				}
			}
		}
	}
}

// Edges visits the edges of all rings.
func (m MultiPolygon) Edges() iter.Seq2[Position, Position] {
	return func(yield func(a, b Position) bool) {
		for _, ring := range m.Rings() {
			for i := 1; i < len(ring); i++ {
				if !yield(ring[i-1], ring[i]) {
					return
				}
			}
		}
	}
}

// Bounds returns the bounding box over all rings; the zero Box where there are none.
func (m MultiPolygon) Bounds() (b Box) {
	first := true
	for _, ring := range m.Rings() {
		for _, p := range ring {
			at := Box{p.X, p.Y, p.X, p.Y}
			if first {
				b, first = at, false
			}
			b = b.Union(at)
		}
	}
	return b
}

func (r Ring) bounds() Box { return MultiPolygon{{r}}.Bounds() }

func boxOf(a, b Position) Box { return Box{min(a.X, b.X), min(a.Y, b.Y), max(a.X, b.X), max(a.Y, b.Y)} }

// Union returns the box around two boxes.
func (b Box) Union(o Box) Box {
	return Box{min(b.MinX, o.MinX), min(b.MinY, o.MinY), max(b.MaxX, o.MaxX), max(b.MaxY, o.MaxY)}
}

// Grown returns the box with a margin all round.
func (b Box) Grown(by float64) Box { return Box{b.MinX - by, b.MinY - by, b.MaxX + by, b.MaxY + by} }

// Intersects reports whether two boxes share at least a point.
func (b Box) Intersects(o Box) bool {
	return b.MinX <= o.MaxX && o.MinX <= b.MaxX && b.MinY <= o.MaxY && o.MinY <= b.MaxY
}
