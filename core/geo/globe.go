package geo

import (
	"math"
	"tilth/core/effort"
)

// Turned returns a longitude within ±180°, moved by a full turn where that brings it nearer to another.
func Turned(lon, near float64) float64 {
	switch away := lon - near; {
	case away > 180:
		return lon - 360
	case away < -180:
		return lon + 360
	default:
		return lon
	}
}

// InOnePiece returns a geometry that lies on both sides of the antimeridian (its parts span more than half the globe)
// with its western part moved east of 180°; any other geometry as it is.
func (m MultiPolygon) InOnePiece() MultiPolygon {
	if b := m.Bounds(); b.MaxX-b.MinX <= 180 {
		return m
	}
	return m.mapped(func(p Position) Position { return Position{Turned(p.X, 180), p.Y} })
}

// OnGlobe brings a geometry whose longitudes slightly exceed ±180° back into that range: cut in two at the
// antimeridian, as RFC 7946 (section 3.1.9) requires. Its error is that of [Intersection].
func (m MultiPolygon) OnGlobe(budget *effort.Budget) (MultiPolygon, error) {
	b := m.Bounds()
	if b.MinX >= -180 && b.MaxX <= 180 {
		return m, nil
	}
	var out MultiPolygon
	for _, west := range []float64{-540, -180, 180} {
		side := Box{MinX: west, MinY: b.MinY - 1, MaxX: west + 360, MaxY: b.MaxY + 1}
		if !side.Intersects(b) {
			continue
		}
		part, err := Intersection(budget, m, MultiPolygon{side.polygon()})
		if err != nil {
			return nil, err
		}
		out = append(out, part.mapped(func(p Position) Position { return Position{p.X - (west + 180), p.Y} })...)
	}
	return out, nil
}

// polygon returns a box as a polygon.
func (b Box) polygon() Polygon {
	return Polygon{{{b.MinX, b.MinY}, {b.MaxX, b.MinY}, {b.MaxX, b.MaxY}, {b.MinX, b.MaxY}, {b.MinX, b.MinY}}}
}

// MiddleLongitude returns the longitude in the middle of a geometry's box. Of one on both sides of the antimeridian this is the
// middle there, not that of the far side of the globe. It decides the solar day of land.
func (m MultiPolygon) MiddleLongitude() float64 {
	b := m.InOnePiece().Bounds()
	return Turned(b.MinX+(b.MaxX-b.MinX)/2, 0)
}

// BoxArea returns the approximate area of a geometry's box, m²; of one on both sides of the antimeridian, that of the box there.
func (m MultiPolygon) BoxArea() float64 {
	const degree = 111_320 // m
	b := m.InOnePiece().Bounds()
	return (b.MaxX - b.MinX) * degree * math.Cos((b.MinY+b.MaxY)/2*math.Pi/180) * (b.MaxY - b.MinY) * degree
}
