package item

import (
	"math"

	"github.com/peterstace/simplefeatures/geom"

	"tilth/core/geo"
)

// meet reports whether a footprint's box meets a field's, and whether only around the globe.
// Longitudes are a circle: a box whose west is greater than its east crosses the antimeridian (RFC
// 7946, section 5.2), and catalogs also continue beyond 180°. A field's box lies within ±180° and
// crosses nothing.
func meet(footprint, field geo.Box) (meets, around bool) {
	if footprint.MinX > footprint.MaxX {
		footprint.MaxX += 360
	}
	for _, turn := range []float64{0, 360, -360} {
		turned := footprint
		turned.MinX += turn
		turned.MaxX += turn
		if turned.Intersects(field) {
			return true, turn != 0
		}
	}
	return false, false
}

// unwrap returns the box of a footprint that crosses the antimeridian in one piece, as tiles of the
// zones 1 and 60 do; its literal box would span the globe the other way. West may then be greater
// than east. unwrap returns false for a footprint that does not cross, or is cut in two there as
// RFC 7946 (section 3.1.9) requires.
func unwrap(footprint geom.Geometry, box geo.Box) (geo.Box, bool) {
	var parts []geom.Polygon
	if p, ok := footprint.AsPolygon(); ok {
		parts = append(parts, p)
	}
	if m, ok := footprint.AsMultiPolygon(); ok {
		for i := range m.NumPolygons() {
			parts = append(parts, m.PolygonN(i))
		}
	}
	crosses := false
	west, east := 180.0, -180.0 // the westernmost of the east, and the easternmost of the west
	for _, p := range parts {
		c := p.ExteriorRing().Coordinates()
		for i := range c.Length() {
			x := c.GetXY(i).X
			if x >= 0 {
				west = min(west, x)
			} else {
				east = max(east, x)
			}
			// An edge over more than half the globe goes the other way round; one over all of
			// it belongs to a footprint of the whole world.
			if i > 0 {
				long := math.Abs(x - c.GetXY(i-1).X)
				crosses = crosses || (long > 180 && long < 360)
			}
		}
	}
	if !crosses {
		return box, false
	}
	return geo.Box{MinX: west, MinY: box.MinY, MaxX: east, MaxY: box.MaxY}, true
}

// sidesOf splits a boundary that lies on both sides of the antimeridian.
func sidesOf(m geo.MultiPolygon) []geo.MultiPolygon {
	if b := m.Bounds(); len(m) < 2 || b.MaxX-b.MinX <= 180 {
		if len(m) == 0 {
			return nil
		}
		return []geo.MultiPolygon{m}
	}
	var east, west geo.MultiPolygon
	for i := range m {
		if m[i:i+1].Bounds().MinX >= 0 {
			east = append(east, m[i])
		} else {
			west = append(west, m[i])
		}
	}
	return []geo.MultiPolygon{east, west}
}
