package frame

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/geo"
)

// course is the outline of an area cut into chains, one for each passage through a cell of a grid.
// It clips maps to the area exactly, whereas a general overlay of polygons decides by rounded
// coordinates: here whole numbers decide which cell comes next, and every crossing is computed once,
// for both zones that meet there.
//
// Vertices are moved to odd points of a lattice of a tenth of a millimetre or less, whose even
// points hold the grid's lines, so that no vertex lies on a line. An edge through the corner of four
// cells counts as passing just north of it.
type course struct {
	chains []chain
	nodes  []node
	// on lists the nodes of each crossed side of a cell, from west to east or north to south.
	on map[sideKey][]int32
	// lines lists, for each line between rows, the columns of its crossings, sorted.
	lines map[int32][]int32
}

// chain is the piece of an outline within a cell, with the area on its left.
type chain struct {
	row, col int32
	from, to int32 // nodes; -1 for an outline that never leaves the cell
	points   geo.Ring
	cell     int32 // index of the cell among the frame's and then the fringe's
}

// node is a crossing of an outline and a side.
type node struct {
	side  sideKey
	at    geo.Position
	along float64 // in lattice units, eastwards or southwards
	next  int32   // the chain that starts here
}

// sideKey names a side: the northern one of a cell, or the western one.
type sideKey struct {
	row, col int32
	western  bool
}

// point is a point of the lattice, x eastwards and y southwards from the grid's origin.
type point struct{ x, y int64 }

// chart builds the course of an area over a grid.
type chart struct {
	course
	cellSize, originX, originY float64
	side                       int64   // of a cell, in lattice units: a power of two
	unit                       float64 // metres
}

// newCourse follows the outlines of an area, outer rings counter-clockwise and holes clockwise.
func newCourse(f *Frame) *course {
	c := &chart{cellSize: f.CellSize, originX: f.OriginX, originY: f.OriginY, side: 1 << 10}
	for float64(c.side) < 10_000*f.CellSize {
		c.side *= 2
	}
	c.unit = f.CellSize / float64(c.side)
	c.on, c.lines = map[sideKey][]int32{}, map[int32][]int32{}
	for _, ring := range f.AOI.Rings() {
		c.follow(c.lattice(ring))
	}
	for _, at := range c.on {
		slices.SortFunc(at, func(a, b int32) int {
			return cmp.Or(cmp.Compare(c.nodes[a].along, c.nodes[b].along), cmp.Compare(a, b))
		})
	}
	for _, cols := range c.lines {
		slices.Sort(cols)
	}
	return &c.course
}

// lattice returns a ring's vertices as odd points, without consecutive repeats and without the closing vertex.
func (c *chart) lattice(ring geo.Ring) []point {
	odd := func(v float64) int64 { return 2*int64(math.Floor(v/c.unit/2)) + 1 }
	var out []point
	for _, v := range ring {
		p := point{odd(v.X - c.originX), odd(c.originY - v.Y)}
		if len(out) == 0 || out[len(out)-1] != p {
			out = append(out, p)
		}
	}
	for len(out) > 1 && out[0] == out[len(out)-1] {
		out = out[:len(out)-1]
	}
	return out
}

func (c *chart) position(x, y float64) geo.Position {
	return geo.Position{X: c.originX + float64(x*c.unit), Y: c.originY - float64(y*c.unit)}
}

// follow cuts a ring into chains. The chain in which the ring begins is completed at the end of the ring.
func (c *chart) follow(ring []point) {
	if len(ring) < 3 {
		return // smaller than the lattice
	}
	first := int32(len(c.chains))
	c.open(int32(floorDiv(ring[0].y, c.side)), int32(floorDiv(ring[0].x, c.side)), -1)
	for i, a := range ring {
		last := &c.chains[len(c.chains)-1]
		last.points = append(last.points, c.position(float64(a.x), float64(a.y)))
		c.cross(a, ring[(i+1)%len(ring)])
	}
	last := int32(len(c.chains)) - 1
	if last == first {
		return
	}
	// The last chain ends in the vertex with which the first begins.
	c.chains[first].from = c.chains[last].from
	c.chains[first].points = append(c.chains[last].points, c.chains[first].points...)
	c.nodes[c.chains[last].from].next = first
	c.chains = c.chains[:last]
}

func (c *chart) open(row, col, from int32) {
	if from >= 0 {
		c.nodes[from].next = int32(len(c.chains))
	}
	c.chains = append(c.chains, chain{row: row, col: col, from: from, to: -1})
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// cross passes from cell to cell along an edge.
func (c *chart) cross(a, b point) {
	dx, dy := b.x-a.x, b.y-a.y
	ends := [2]int32{int32(floorDiv(b.y, c.side)), int32(floorDiv(b.x, c.side))}
	for {
		here := &c.chains[len(c.chains)-1]
		row, col := here.row, here.col
		if [2]int32{row, col} == ends {
			return
		}
		nextX, nextY := int64(col)*c.side, int64(row)*c.side
		if dx > 0 {
			nextX += c.side
		}
		if dy > 0 {
			nextY += c.side
		}
		if row == ends[0] || col != ends[1] && c.sidewaysFirst(nextX-a.x, nextY-a.y, dx, dy) {
			y := float64(a.y) + float64(float64(nextX-a.x)*float64(dy))/float64(dx)
			key := sideKey{row, int32(nextX / c.side), true}
			c.pass(key, c.position(float64(nextX), y), y, row, col+int32(cmp.Compare(dx, 0)))
			continue
		}
		x := float64(a.x) + float64(float64(nextY-a.y)*float64(dx))/float64(dy)
		key := sideKey{int32(nextY / c.side), col, false}
		c.lines[key.row] = append(c.lines[key.row], col)
		c.pass(key, c.position(x, float64(nextY)), x, row+int32(cmp.Compare(dy, 0)), col)
	}
}

// sidewaysFirst reports whether an edge meets the line between columns, at the distance x, before
// that between rows, at the distance y. Through a corner an edge counts as running slightly further
// north (y falls): going south it reaches the line between rows later.
func (c *chart) sidewaysFirst(x, y, dx, dy int64) bool {
	across, down := magnitude(x)*magnitude(dy), magnitude(y)*magnitude(dx)
	return across < down || across == down && dy > 0
}

func magnitude(v int64) int64 { return max(v, -v) }

// pass ends the chain in a node and starts the next in the cell beyond.
func (c *chart) pass(key sideKey, at geo.Position, along float64, row, col int32) {
	n := int32(len(c.nodes))
	c.nodes = append(c.nodes, node{side: key, at: at, along: along})
	c.on[key] = append(c.on[key], n)
	c.chains[len(c.chains)-1].to = n
	c.open(row, col, n)
}

// holds reports whether the area holds the north-western corner of a cell: whether the outline
// crosses the line north of the cell's row an odd number of times west of that corner.
func (c *course) holds(row, col int32) bool {
	before, _ := slices.BinarySearch(c.lines[row], col)
	return before%2 == 1
}

// after returns the node of a side that follows node n in the order of the side's nodes or, where
// forward is false, against it; -1 where there is none. With n = -1 it returns the first in that direction.
func (c *course) after(side sideKey, n int32, forward bool) int32 {
	at := c.on[side]
	i := slices.Index(at, n)
	switch {
	case forward:
		i++
	case n < 0:
		i = len(at) - 1
	default:
		i--
	}
	if i < 0 || i >= len(at) {
		return -1
	}
	return at[i]
}
