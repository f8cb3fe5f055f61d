package geo

import (
	"errors"
	"slices"

	"tilth/core/effort"
)

// overlapShare is the share of the smaller of two boundaries above which their common area counts
// as an overlap. Neighbours drawn along one fence share a sliver; a field drawn twice, nearly all.
const overlapShare = 0.005

// A Shape is a boundary prepared to be compared with many others.
type Shape struct {
	geometry MultiPolygon
	bounds   Box
	area     float64 // in square degrees: shares of it equal those on the ground, since both shapes lie at one latitude
	core     Box     // lies inside; without extent where none was found
	edges    int
}

// Shape prepares the boundary for comparisons. Each edge is a step of the budget.
func (b Boundary) Shape(budget *effort.Budget) (Shape, error) {
	s := Shape{geometry: b.geometry, bounds: b.bounds, area: b.geometry.PlanarArea(), edges: b.vertices}
	return s, s.findCore(budget)
}

// Overlaps reports whether two boundaries share more than half a percent of the smaller area. Their
// boxes, or boxes inside them, decide most cases at once; the others need the overlay. The overlay
// fails only where the two cross in more than a hundred thousand places; then they count as apart.
// Each pair of edges compared is a step of the budget; its end is the only error.
func (s Shape) Overlaps(budget *effort.Budget, other Shape) (bool, error) {
	if err := budget.Spend(1); err != nil {
		return false, err
	}
	threshold := overlapShare * min(s.area, other.area)
	if s.bounds.shared(other.bounds) <= threshold/certainty {
		return false, nil
	}
	if s.core.shared(other.core) > threshold*certainty {
		return true, nil
	}
	if err := budget.Spend(s.edges + other.edges); err != nil {
		return false, err
	}
	common, err := Intersection(budget, s.geometry, other.geometry)
	switch {
	case errors.Is(err, errTangled), errors.Is(err, errUnsettled), errors.Is(err, errBroken):
		return false, nil
	case err != nil:
		return false, err
	}
	return common.PlanarArea() > threshold, nil
}

// certainty is the factor by which boxes must pass the threshold, to allow for the rounding of areas.
const certainty = 1.001

// shared returns the area that two boxes have in common.
func (b Box) shared(o Box) float64 {
	return max(0, min(b.MaxX, o.MaxX)-max(b.MinX, o.MinX)) * max(0, min(b.MaxY, o.MaxY)-max(b.MinY, o.MinY))
}

// coreHalvings bounds how often the search for an inner box halves it.
const coreHalvings = 5

// findCore looks for a box inside the boundary: a square around the middle of the widest stretch at
// half its height, half as wide as that stretch, then smaller until no edge is in the way.
func (s *Shape) findCore(budget *effort.Budget) error {
	if err := budget.Spend(s.edges); err != nil {
		return err
	}
	middle, width := s.geometry.widestAt(s.bounds.MinY + (s.bounds.MaxY-s.bounds.MinY)/2)
	half := width / 4
	for range coreHalvings {
		if err := budget.Spend(s.edges); err != nil {
			return err
		}
		box := Box{middle.X, middle.Y, middle.X, middle.Y}.Grown(half)
		if half > 0 && s.geometry.clearOf(box) {
			s.core = box
			return nil
		}
		half /= 2
	}
	return nil
}

// widestAt returns the middle and the width of the widest stretch of a geometry along a parallel.
func (m MultiPolygon) widestAt(y float64) (middle Position, width float64) {
	var at []float64
	for a, b := range m.Edges() {
		if (a.Y <= y) != (b.Y <= y) {
			at = append(at, a.X+(y-a.Y)/(b.Y-a.Y)*(b.X-a.X))
		}
	}
	slices.Sort(at)
	for i := 1; i < len(at); i += 2 {
		if w := at[i] - at[i-1]; w > width {
			middle, width = Position{X: at[i-1] + w/2, Y: y}, w
		}
	}
	return middle, width
}

// clearOf reports whether no edge of a geometry passes through a box whose middle is inside.
func (m MultiPolygon) clearOf(box Box) bool {
	if !m.Contains(Position{X: (box.MinX + box.MaxX) / 2, Y: (box.MinY + box.MaxY) / 2}) {
		return false
	}
	for a, b := range m.Edges() {
		if passes(a, b, box) {
			return false
		}
	}
	return true
}
