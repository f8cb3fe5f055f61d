package frame

import (
	"slices"

	"tilth/core/effort"
	"tilth/core/geo"
)

// Outliner traces the outlines of zones.
type Outliner struct {
	frame *Frame
	board *Board // of the frame's cells and, after them, its fringe
}

// NewOutliner returns the outliner of a frame.
func NewOutliner(f *Frame) *Outliner { return &Outliner{f, NewBoard(f.Cells, f.fringe)} }

// Outlines returns the outlines of the zones 1 to k, clipped to the area of interest: for each zone
// the polygons of its 4-connected groups of cells. zones has the zone of each cell.
//
// The walk keeps the zone on its left and follows the sides of cells and, where it meets the area's
// outline, the outline. Where two cells of the zone meet only at a corner it stays with its cell, as
// 4-connected groups require. A ring that passes a place twice is split there, so that a hole may
// touch its outer ring at a point but no ring touches itself. A corner in a straight line is kept
// only where the zones on the other side change, so that both sides of an edge have the same
// vertices and still fit after a projection.
//
// Each side of a cell is a step of the budget. If the budget ends, the outlines are of no use.
func (o *Outliner) Outlines(budget *effort.Budget, zones []int32, k int) []geo.MultiPolygon {
	f, b := o.frame, o.board
	labels := slices.Grow(slices.Clone(zones), len(f.fringe))
	for _, fringe := range f.fringe {
		labels = append(labels, zones[fringe.like])
	}
	t := &tracer{Board: b, budget: budget, frame: f, labels: labels, seen: make([]uint8, len(labels))}
	rings := make([][]geo.Ring, k)
	keep := func(label int32, ring geo.Ring) {
		if budget.Err() != nil {
			return // the walk is incomplete
		}
		for _, simple := range geo.PartRing(ring) {
			slices.Reverse(simple) // Assemble takes clockwise rings for outer ones
			rings[label-1] = append(rings[label-1], append(simple, simple[0]))
		}
	}
	if f.course != nil {
		t.passed = make([]bool, len(f.course.chains))
		for c := range f.course.chains {
			if !t.passed[c] && budget.Err() == nil {
				label := labels[f.course.chains[c].cell]
				keep(label, t.walk(stand{chain: int32(c)}, label))
			}
		}
	}
	for _, i := range b.order {
		if budget.Spend(4) != nil {
			return make([]geo.MultiPolygon, k)
		}
		for side := range 4 {
			if t.seen[i]&(1<<side) == 0 && t.edge(i, side) && t.within(i, side) {
				keep(labels[i], t.walk(stand{chain: -1, cell: i, side: side}, labels[i]))
			}
		}
	}
	out := make([]geo.MultiPolygon, k)
	for h := range out {
		if budget.Spend(effort.Interval) != nil {
			return out
		}
		out[h] = geo.Assemble(rings[h])
		for _, polygon := range out[h] {
			for _, ring := range polygon {
				slices.Reverse(ring)
			}
		}
		// On the lattice of the course the sides of a narrow tongue of the area may cross.
		if whole, err := geo.Union(budget, out[h]); err == nil {
			out[h] = whole
		}
	}
	return out
}

// tracer walks along the edges of zones. A side of a cell has the number of the direction of a walk
// along it with the cell on the left: 0 eastwards along the southern side, 1 northwards along the
// eastern, 2 westwards along the northern, 3 southwards along the western.
type tracer struct {
	*Board
	budget *effort.Budget
	frame  *Frame
	labels []int32
	seen   []uint8 // bit side: walked along from its first corner
	passed []bool  // chains of the area's outline
	ring   geo.Ring
}

// stand is the place of the walk: at the beginning of a chain, or (chain -1) of a cell's side.
type stand struct {
	chain int32
	cell  int32
	side  int
}

// outward returns the direction from a cell across a side.
func outward(side int) int { return (side*2 + 6) % 8 }

// label returns the label of a neighbour; 0 where there is none.
func (t *tracer) label(i int32, direction int) int32 {
	j := t.Near[i][direction]
	if j < 0 {
		return 0
	}
	return t.labels[j]
}

// edge reports whether a side separates a zone from something else.
func (t *tracer) edge(i int32, side int) bool { return t.label(i, outward(side)) != t.labels[i] }

// within reports whether the area holds the corner in which a side begins.
func (t *tracer) within(i int32, side int) bool {
	if t.frame.course == nil {
		return true
	}
	row, col := t.end(i, (side+3)%4)
	return t.frame.course.holds(row, col)
}

func (t *tracer) walk(from stand, own int32) geo.Ring {
	t.ring = nil
	at := from
	for range 4*len(t.labels) + len(t.passed) { // the places at which a walk can be
		if t.budget.Spend(1) != nil {
			break
		}
		if at.chain >= 0 {
			at = t.alongChain(at.chain, own)
		} else {
			t.seen[at.cell] |= 1 << at.side
			at = t.alongSide(at.cell, at.side, -1, own)
		}
		if at == from {
			break
		}
	}
	return t.ring
}

// alongChain walks to the end of a chain and continues along the zone's edge.
func (t *tracer) alongChain(c, own int32) stand {
	course := t.frame.course
	here := &course.chains[c]
	t.passed[c] = true
	t.ring = append(t.ring, here.points...)
	if here.to < 0 { // an outline within one cell
		return stand{chain: c}
	}
	n := course.nodes[here.to]
	if t.labels[course.chains[n.next].cell] == own { // straight on into the next cell
		return stand{chain: n.next}
	}
	t.ring = append(t.ring, n.at)
	for side := range 4 {
		if t.key(here.cell, side) == n.side {
			return t.alongSide(here.cell, side, here.to, own)
		}
	}
	panic("stratification: a chain leaves its cell by none of its sides")
}

// alongSide walks from a node of a side, or (from -1) from the side's beginning, to the next node or round the corner.
func (t *tracer) alongSide(i int32, side int, from, own int32) stand {
	if course := t.frame.course; course != nil {
		if n := course.after(t.key(i, side), from, side == 0 || side == 3); n >= 0 {
			t.ring = append(t.ring, course.nodes[n].at)
			return stand{chain: course.nodes[n].next}
		}
	}
	ahead, beside := t.Near[i][side*2], t.Near[i][(side*2+7)%8]
	switch {
	case ahead < 0 || t.labels[ahead] != own: // round the cell's own corner
		t.corner(i, side)
		return stand{chain: -1, cell: i, side: (side + 1) % 4}
	case beside >= 0 && t.labels[beside] == own: // into the corner that the cell beside makes
		t.corner(i, side)
		return stand{chain: -1, cell: beside, side: (side + 3) % 4}
	default: // straight on
		if t.label(i, (side*2+7)%8) != t.label(i, outward(side)) {
			t.corner(i, side)
		}
		return stand{chain: -1, cell: ahead, side: side}
	}
}

func (t *tracer) corner(i int32, side int) {
	row, col := t.end(i, side)
	t.ring = append(t.ring, geo.Position{
		X: t.frame.OriginX + float64(float64(col)*t.frame.CellSize),
		Y: t.frame.OriginY - float64(float64(row)*t.frame.CellSize),
	})
}

// end returns the corner at the end of a side, as the cell that lies south-east of it.
func (t *tracer) end(i int32, side int) (row, col int32) {
	row, col = t.at[i][0], t.at[i][1]
	if side == 0 || side == 3 {
		row++
	}
	if side == 0 || side == 1 {
		col++
	}
	return row, col
}

func (t *tracer) key(i int32, side int) sideKey {
	row, col := t.at[i][0], t.at[i][1]
	return [4]sideKey{{row + 1, col, false}, {row, col + 1, true}, {row, col, false}, {row, col, true}}[side]
}
