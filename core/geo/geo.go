// Package geo holds the geometry that farming needs: field boundaries with their validity rules,
// areas on the ellipsoid, the UTM projection of satellite rasters, unions and intersections.
// Longitude comes first everywhere. It is not a general GIS: it has no CRS database and no files.
package geo

// Position is longitude, latitude in degrees (WGS84) or easting, northing in metres; the context
// says which.
type Position struct{ X, Y float64 }

// Ring is a closed ring: the first position is repeated at the end.
type Ring []Position

// Polygon is an outer ring followed by its holes.
type Polygon []Ring

// MultiPolygon is a set of polygons with disjoint interiors.
type MultiPolygon []Polygon

// Box is an axis-parallel bounding box.
type Box struct{ MinX, MinY, MaxX, MaxY float64 }

// Bounds returns the bounding box over all rings; the zero Box where there are none.
func (m MultiPolygon) Bounds() Box {
	var b Box
	first := true
	for _, p := range m {
		for _, r := range p {
			for _, q := range r {
				if first {
					b, first = Box{q.X, q.Y, q.X, q.Y}, false
					continue
				}
				b.MinX, b.MaxX = min(b.MinX, q.X), max(b.MaxX, q.X)
				b.MinY, b.MaxY = min(b.MinY, q.Y), max(b.MaxY, q.Y)
			}
		}
	}
	return b
}

func (r Ring) bounds() Box { return MultiPolygon{{r}}.Bounds() }

// boxOf returns the bounding box of an edge.
func boxOf(a, b Position) Box { return Box{min(a.X, b.X), min(a.Y, b.Y), max(a.X, b.X), max(a.Y, b.Y)} }

func (b Box) union(o Box) Box {
	return Box{min(b.MinX, o.MinX), min(b.MinY, o.MinY), max(b.MaxX, o.MaxX), max(b.MaxY, o.MaxY)}
}

// Intersects reports whether two boxes share at least a point.
func (b Box) Intersects(o Box) bool {
	return b.MinX <= o.MaxX && o.MinX <= b.MaxX && b.MinY <= o.MaxY && o.MinY <= b.MaxY
}
