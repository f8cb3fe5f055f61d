package frame

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/geo"
)

// maskEdges masks the cells whose centre lies nearer to an edge of a field than the width of the
// mask: hedges and tracks between fields are edges too. It masks nothing where fewer than MinCells
// remain.
func (f *Frame) maskEdges() {
	reach := float64(f.EdgeMask) * f.CellSize
	if f.EdgeMask == 0 {
		return
	}
	left := len(f.Cells)
	for _, field := range f.Fields {
		for a, b := range field.Edges() {
			f.EachNear(a, b, reach, func(i int) {
				// The slack: rounding must not decide about a centre that lies exactly at the
				// width of the mask.
				if !f.Cells[i].Masked && DistanceToSegment(f.Centre(i), a, b) < reach-1e-6 {
					f.Cells[i].Masked = true
					left--
				}
			})
		}
	}
	if left < MinCells {
		f.EdgeMask = 0
		for i := range f.Cells {
			f.Cells[i].Masked = false
		}
	}
}

// SegmentWithin returns the range of x of a segment between two heights; low > high where it lies outside them.
func SegmentWithin(a, b geo.Position, south, north float64) (low, high float64) {
	if a.Y > b.Y {
		a, b = b, a
	}
	if b.Y < south || a.Y > north {
		return 1, 0
	}
	at := func(y float64) float64 { return a.X + (b.X-a.X)*((y-a.Y)/(b.Y-a.Y)) }
	x1, x2 := a.X, b.X
	if a.Y < south {
		x1 = at(south)
	}
	if b.Y > north {
		x2 = at(north)
	}
	return min(x1, x2), max(x1, x2)
}

// DistanceToSegment returns the distance of a point to the nearest point of a segment.
func DistanceToSegment(p, a, b geo.Position) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	length := float64(dx*dx) + float64(dy*dy)
	t := 0.0
	if length > 0 {
		t = min(1, max(0, (float64((p.X-a.X)*dx)+float64((p.Y-a.Y)*dy))/length))
	}
	return math.Hypot(p.X-(a.X+float64(t*dx)), p.Y-(a.Y+float64(t*dy)))
}

// findFringe lists, by row, then column, the cells of the grid that the outline of the union passes
// and that are not in the frame. On a map they show the zone of the nearest cell.
func (f *Frame) findFringe() {
	if f.exact {
		return
	}
	f.course = newCourse(f)
	for _, c := range f.course.chains {
		if f.Index(int(c.row), int(c.col)) < 0 {
			f.fringe = append(f.fringe, fringeCell{row: c.row, col: c.col})
		}
	}
	slices.SortFunc(f.fringe, compareFringe)
	f.fringe = slices.CompactFunc(f.fringe, func(a, b fringeCell) bool { return compareFringe(a, b) == 0 })
	anyCell := func(int) bool { return true }
	for i := range f.fringe {
		c := &f.fringe[i]
		c.like = int32(f.Nearest(int(c.row), int(c.col), anyCell))
	}
	for i := range f.course.chains {
		c := &f.course.chains[i]
		at := f.Index(int(c.row), int(c.col))
		if at < 0 {
			at, _ = slices.BinarySearchFunc(f.fringe, fringeCell{row: c.row, col: c.col}, compareFringe)
			at += len(f.Cells)
		}
		c.cell = int32(at)
	}
}

func compareFringe(a, b fringeCell) int {
	return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
}

// fringeCell is a cell of the grid outside the frame that meets the area of interest.
type fringeCell struct {
	row, col int32
	like     int32 // index of the frame's cell whose zone it shows
}
