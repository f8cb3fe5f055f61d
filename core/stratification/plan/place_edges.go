package plan

import (
	"math"
	"slices"

	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/zoning"
)

// edgeIndex finds the edge nearest to a place. It divides the plane into squares and knows the edges that pass through each.
type edgeIndex struct {
	edges [][2]geo.Position
	size  float64 // of a square
	bins  map[[2]int32][]int32
	low   [2]int32 // of the squares in use
	high  [2]int32
}

// binCells is the width of a square of an edgeIndex in cells.
const binCells = 4

// newEdgeIndex collects the edges that points keep their distance from: the outlines of the zones
// and those of the fields, because there may be a track where two fields of a zone meet.
func newEdgeIndex(f *frame.Frame, zones []zoning.Zone) *edgeIndex {
	x := &edgeIndex{size: binCells * f.CellSize, bins: map[[2]int32][]int32{}}
	outlines := slices.Clone(f.Fields)
	for _, zone := range zones {
		outlines = append(outlines, zone.Outline)
	}
	seen := map[[2]geo.Position]bool{} // two zones share their common edges
	for _, outline := range outlines {
		for a, b := range outline.Edges() {
			if a.X > b.X || a.X == b.X && a.Y > b.Y {
				a, b = b, a
			}
			if edge := [2]geo.Position{a, b}; !seen[edge] {
				seen[edge] = true
				x.add(edge)
			}
		}
	}
	return x
}

// add enters an edge in the squares it passes, row by row.
func (x *edgeIndex) add(edge [2]geo.Position) {
	number := int32(len(x.edges))
	x.edges = append(x.edges, edge)
	a, b := edge[0], edge[1]
	for row := x.square(min(a.Y, b.Y)); row <= x.square(max(a.Y, b.Y)); row++ {
		south := float64(row) * x.size
		low, high := frame.SegmentWithin(a, b, south, south+x.size)
		for col := x.square(low); col <= x.square(high); col++ {
			key := [2]int32{col, row}
			if len(x.bins) == 0 {
				x.low, x.high = key, key
			}
			x.bins[key] = append(x.bins[key], number)
			for axis, v := range key {
				x.low[axis], x.high[axis] = min(x.low[axis], v), max(x.high[axis], v)
			}
		}
	}
}

func (x *edgeIndex) square(v float64) int32 { return int32(math.Floor(v / x.size)) }

// distance searches rings of squares around a place until no further ring can hold a nearer edge.
func (x *edgeIndex) distance(p geo.Position) float64 {
	col, row := x.square(p.X), x.square(p.Y)
	last := max(col-x.low[0], x.high[0]-col, row-x.low[1], x.high[1]-row)
	lower := math.Inf(1)
	look := func(col, row int32) {
		for _, e := range x.bins[[2]int32{col, row}] {
			lower = min(lower, frame.DistanceToSegment(p, x.edges[e][0], x.edges[e][1]))
		}
	}
	for r := int32(0); r <= last && lower > float64(r-1)*x.size; r++ {
		for d := -r; d <= r; d++ {
			look(col+d, row-r)
			look(col+d, row+r)
			if d > -r && d < r {
				look(col-r, row+d)
				look(col+r, row+d)
			}
		}
	}
	return lower
}

// crowd holds points that keep a distance from each other, whatever their zones.
type crowd struct {
	apart float64
	size  int
	bins  map[[2]int32][]member
}

// member is a point of a crowd, with its number in the order in which points were added.
type member struct {
	at     geo.Position
	number int
}

func newCrowd(apart float64, existing []geo.Position) *crowd {
	c := &crowd{apart: apart, bins: map[[2]int32][]member{}}
	for _, p := range existing {
		c.add(p)
	}
	return c
}

func (c *crowd) key(p geo.Position) [2]int32 {
	return [2]int32{int32(math.Floor(p.X / c.apart)), int32(math.Floor(p.Y / c.apart))}
}

func (c *crowd) add(p geo.Position) {
	if c.apart > 0 {
		c.bins[c.key(p)] = append(c.bins[c.key(p)], member{p, c.size})
	}
	c.size++
}

// remove takes out a point that was added.
func (c *crowd) remove(p geo.Position) {
	if c.apart > 0 {
		key := c.key(p)
		if i := slices.IndexFunc(c.bins[key], func(q member) bool { return q.at == p }); i >= 0 {
			c.bins[key] = slices.Delete(c.bins[key], i, i+1)
		}
	}
}

// near visits the points that may lie nearer to a place than the distance, until visit returns false.
func (c *crowd) near(p geo.Position, visit func(q member) (more bool)) {
	if c.apart == 0 {
		return
	}
	key := c.key(p)
	for dx := int32(-1); dx <= 1; dx++ {
		for dy := int32(-1); dy <= 1; dy++ {
			for _, q := range c.bins[[2]int32{key[0] + dx, key[1] + dy}] {
				if !visit(q) {
					return
				}
			}
		}
	}
}

// free reports whether no point lies nearer to a place than the distance.
func (c *crowd) free(p geo.Position) bool {
	free := true
	c.near(p, func(q member) bool {
		free = distance(p, q.at) >= c.apart
		return free
	})
	return free
}

// nearest returns the number of the point nearest to a place (of several, the first) if that is nearer than the distance,
// and how far away it is; -1 where there is none. looked is the number of points that it looked at.
func (c *crowd) nearest(p geo.Position) (number int, away float64, looked int) {
	number, away = -1, c.apart
	c.near(p, func(q member) bool {
		looked++
		if d := distance(p, q.at); d < away || d == away && q.number < number {
			number, away = q.number, d
		}
		return true
	})
	return number, away, looked
}
