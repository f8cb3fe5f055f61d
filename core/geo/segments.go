package geo

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/effort"
)

// segment is an edge of a ring.
type segment struct {
	a, b       Position
	part, ring int // indices in the MultiPolygon
	index      int // of the edge in its ring
	last       bool
	box        Box
}

// contact is how two segments meet.
type contact int

const (
	apart    contact = iota
	touch            // one common point, an end of at least one of the two
	crossing         // one common point inside both
	overlap          // a common stretch
)

func segmentsOf(m MultiPolygon) (out []segment) {
	for i, polygon := range m {
		for j, ring := range polygon {
			for k := 1; k < len(ring); k++ {
				a, b := ring[k-1], ring[k]
				out = append(out, segment{a: a, b: b, part: i, ring: j, index: k - 1, last: k == len(ring)-1, box: boxOf(a, b)})
			}
		}
	}
	return out
}

// eachMeeting calls visit for every pair of segments that share a point, except the common vertex of neighbours in a
// ring, until visit returns an error. The order is that of a sweep along the axis on which the segments overlap less,
// and so the same for the same input. Its time depends on the number of pairs whose boxes overlap: close to linear for
// real outlines. Each pair compared is a step of the budget.
func eachMeeting(budget *effort.Budget, segments []segment, visit func(s, t *segment, kind contact, at Position) error) error {
	low, high := sweepAxis(segments)
	order := make([]*segment, len(segments))
	for i := range segments {
		order[i] = &segments[i]
	}
	slices.SortStableFunc(order, func(s, t *segment) int { return cmp.Compare(low(s.box), low(t.box)) })
	for i, s := range order {
		end := high(s.box)
		behind, _ := slices.BinarySearchFunc(order[i+1:], end, func(t *segment, end float64) int {
			if low(t.box) > end {
				return 1
			}
			return -1
		})
		if err := budget.Spend(behind + 1); err != nil {
			return err
		}
		for _, t := range order[i+1 : i+1+behind] {
			if !s.box.Intersects(t.box) {
				continue
			}
			kind, at := meet(s, t)
			if kind == apart || (kind == touch && neighbours(s, t)) {
				continue
			}
			if err := visit(s, t, kind, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweepAxis chooses the axis along which segments are shorter in sum, relative to the extent.
func sweepAxis(segments []segment) (low, high func(Box) float64) {
	whole := segments[0].box
	var sumX, sumY float64
	for i := range segments {
		b := segments[i].box
		whole = whole.Union(b)
		sumX += b.MaxX - b.MinX
		sumY += b.MaxY - b.MinY
	}
	if sumX*(whole.MaxY-whole.MinY) <= sumY*(whole.MaxX-whole.MinX) {
		return func(b Box) float64 { return b.MinX }, func(b Box) float64 { return b.MaxX }
	}
	return func(b Box) float64 { return b.MinY }, func(b Box) float64 { return b.MaxY }
}

func neighbours(s, t *segment) bool {
	if s.part != t.part || s.ring != t.ring {
		return false
	}
	if s.index > t.index {
		s, t = t, s
	}
	return t.index == s.index+1 || (s.index == 0 && t.last)
}

// meet returns how two segments meet and where (for an overlap: one of its ends).
func meet(s, t *segment) (contact, Position) {
	ta, tb := orientation(s.a, s.b, t.a), orientation(s.a, s.b, t.b)
	if (ta > 0 && tb > 0) || (ta < 0 && tb < 0) {
		return apart, Position{}
	}
	sa, sb := orientation(t.a, t.b, s.a), orientation(t.a, t.b, s.b)
	if (sa > 0 && sb > 0) || (sa < 0 && sb < 0) {
		return apart, Position{}
	}
	if ta == 0 && tb == 0 {
		return meetOnLine(s, t)
	}
	for _, end := range [...]struct {
		turn float64
		at   Position
		of   Box
	}{{ta, t.a, s.box}, {tb, t.b, s.box}, {sa, s.a, t.box}, {sb, s.b, t.box}} {
		if end.turn == 0 && end.of.Contains(end.at) {
			return touch, end.at
		}
	}
	if ta == 0 || tb == 0 || sa == 0 || sb == 0 {
		return apart, Position{} // an end on the other's line, but beyond it
	}
	along := ta / (ta - tb)
	return crossing, Position{X: t.a.X + along*(t.b.X-t.a.X), Y: t.a.Y + along*(t.b.Y-t.a.Y)}
}

// meetOnLine is meet for two segments of one straight line.
func meetOnLine(s, t *segment) (contact, Position) {
	from := Position{max(s.box.MinX, t.box.MinX), max(s.box.MinY, t.box.MinY)}
	to := Position{min(s.box.MaxX, t.box.MaxX), min(s.box.MaxY, t.box.MaxY)}
	switch {
	case from.X > to.X || from.Y > to.Y:
		return apart, Position{}
	case from == to:
		return touch, from
	}
	for _, p := range [...]Position{s.a, s.b} { // an end of the common stretch is an end of one
		if t.box.Contains(p) {
			return overlap, p
		}
	}
	return overlap, t.a
}

// Contains reports whether a position lies in a box or on its edge.
func (b Box) Contains(p Position) bool {
	return b.MinX <= p.X && p.X <= b.MaxX && b.MinY <= p.Y && p.Y <= b.MaxY
}

// orientation is positive where a → b → c turns left, negative where right, zero where in line.
func orientation(a, b, c Position) float64 {
	return differenceOfProducts(b.X-a.X, c.Y-a.Y, b.Y-a.Y, c.X-a.X)
}

// differenceOfProducts returns a·b − c·d without the cancellation of the naive form, at most 1.5
// ulp off and of the right sign: Kahan's method with fused multiply-add (Jeannerod, Louvet, Muller,
// "Further analysis of Kahan's algorithm", Mathematics of Computation 82 (2013)).
func differenceOfProducts(a, b, c, d float64) float64 {
	cd := c * d
	return math.FMA(a, b, -cd) + math.FMA(-c, d, cd)
}
