package geo

import (
	"fmt"

	"github.com/peterstace/simplefeatures/geom"

	"tilth/core/effort"
	"tilth/core/fault"
)

// A Sought is a geometry of any kind by which outlines are searched: a point, a line, an area, or several of them.
type Sought struct {
	geometry  geom.Geometry
	bounds    Box
	positions int
}

// SoughtField is the request field that every refusal of [ParseSought] names.
const SoughtField = "intersects"

// ParseSought reads a GeoJSON geometry (RFC 7946) of at most maxPositions positions.
func ParseSought(raw []byte, maxPositions int) (*Sought, error) {
	refuse := func(format string, args ...any) (*Sought, error) {
		return nil, fault.Field(SoughtField, fmt.Sprintf(format, args...))
	}
	// The validity of areas is checked after the count, since that can take long.
	g, err := geom.UnmarshalGeoJSON(raw, geom.NoValidate{})
	if err != nil {
		return refuse("This is not a GeoJSON geometry: %v.", err)
	}
	s := &Sought{geometry: g, positions: g.DumpCoordinates().Length()}
	low, high, some := g.Envelope().MinMaxXYs()
	switch {
	case !some:
		return refuse("The %s is empty.", g.Type())
	case s.positions > maxPositions:
		return refuse("Give at most %d positions; this has %d.", maxPositions, s.positions)
	}
	if err := g.Validate(); err != nil {
		return refuse("The %s is not valid: %v.", g.Type(), err)
	}
	s.bounds = Box{low.X, low.Y, high.X, high.Y}
	return s, nil
}

// Meets reports whether a geometry shares at least a point with what is sought. Each position of either is a step of
// the budget, whose end is the only error.
func (s *Sought) Meets(budget *effort.Budget, m MultiPolygon) (bool, error) {
	if err := budget.Spend(1); err != nil || !s.bounds.Intersects(m.Bounds()) {
		return false, err
	}
	if err := budget.Spend(s.positions + m.positions()); err != nil {
		return false, err
	}
	return geom.Intersects(s.geometry, m.planar()), nil
}
