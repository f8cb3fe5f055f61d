package stratification

import "tilth/core/geo"

// corner is a corner of cells: row and column of the cell that lies south-east of it.
type corner struct{ row, col int32 }

// lattice is a polygon on the corners of cells: an outer ring, counter-clockwise as seen with
// north up, and its holes, clockwise. Rings are not closed.
type lattice [][]corner

// trace outlines the zones 1 to k: for each, a polygon for each 4-connected group of its
// cells, in the row order of their first cells.
//
// The tracing walks along a zone's edge with the zone on its left and, where two cells of the
// zone meet only at a corner, stays with the cell it walks along, as 4-connected groups want.
// A way that passes a corner twice is parted there, so that a hole may touch its outer ring at
// a point but no ring touches itself: the polygons are valid by the OGC's rules. A corner in a
// straight line is kept only where the zones on the other side change, so that both sides of
// an edge have the same corners, and still fit when the corners are moved by a projection.
func (b *board) trace(labels []int32, k int) [][]lattice {
	t := &tracer{board: b, labels: labels, seen: make([]uint8, len(labels))}
	group, first := b.components(labels)
	polygons := make([]lattice, len(first))
	for _, i := range b.order {
		for side := range uint8(4) {
			if t.seen[i]&(1<<side) != 0 || !t.edge(i, int(side)) {
				continue
			}
			g := group[i]
			for _, ring := range partWhereItMeetsItself(t.walk(i, int(side))) {
				if twiceArea(ring) > 0 && len(polygons[g]) > 0 {
					polygons[g] = append(lattice{ring}, polygons[g]...)
				} else {
					polygons[g] = append(polygons[g], ring)
				}
			}
		}
	}
	zones := make([][]lattice, k)
	for g, i := range first {
		if label := labels[i]; label > 0 {
			zones[label-1] = append(zones[label-1], polygons[g])
		}
	}
	return zones
}

// tracer walks along the edges of cells. A side is numbered like the direction in which one
// walks along it with the cell on the left: 0 eastwards along the southern side, 1 northwards
// along the eastern, 2 westwards along the northern, 3 southwards along the western.
type tracer struct {
	*board
	labels []int32
	seen   []uint8 // bit side: walked along
}

// outward gives the direction from a cell across a side.
func outward(side int) int { return (side*2 + 6) % 8 }

// label gives the label of a neighbour; 0 where there is none.
func (t *tracer) label(i int32, direction int) int32 {
	j := t.near[i][direction]
	if j < 0 {
		return 0
	}
	return t.labels[j]
}

// edge reports whether a side parts a zone from something else.
func (t *tracer) edge(i int32, side int) bool { return t.label(i, outward(side)) != t.labels[i] }

// walk follows the edge from a side on, round to where it began.
func (t *tracer) walk(i int32, side int) []corner {
	var ring []corner
	from, fromSide, own := i, side, t.labels[i]
	for {
		t.seen[i] |= 1 << side
		right := t.label(i, outward(side))
		ahead, beside := t.near[i][side*2], t.near[i][(side*2+7)%8]
		switch {
		case ahead < 0 || t.labels[ahead] != own: // round the cell's own corner
			ring = append(ring, t.end(i, side))
			side = (side + 1) % 4
		case beside >= 0 && t.labels[beside] == own: // into the corner that the cell beside makes
			ring = append(ring, t.end(i, side))
			i, side = beside, (side+3)%4
		default: // straight on
			if t.label(i, (side*2+7)%8) != right {
				ring = append(ring, t.end(i, side))
			}
			i = ahead
		}
		if i == from && side == fromSide {
			return ring
		}
	}
}

// end gives the corner to which one comes along a side.
func (t *tracer) end(i int32, side int) corner {
	c := corner{t.at[i][0], t.at[i][1]}
	switch side {
	case 0: // south-east
		return corner{c.row + 1, c.col + 1}
	case 1: // north-east
		return corner{c.row, c.col + 1}
	case 2: // north-west
		return c
	default: // south-west
		return corner{c.row + 1, c.col}
	}
}

// partWhereItMeetsItself parts a ring at the corners that it passes twice.
func partWhereItMeetsItself(ring []corner) [][]corner {
	var out [][]corner
	place := make(map[corner]int, len(ring))
	var way []corner
	for _, c := range ring {
		if k, twice := place[c]; twice {
			loop := append([]corner(nil), way[k:]...)
			for _, passed := range loop[1:] {
				delete(place, passed)
			}
			way = way[:k+1]
			out = append(out, loop)
			continue
		}
		place[c] = len(way)
		way = append(way, c)
	}
	return append(out, way)
}

// twiceArea gives twice the area of a ring in cells; positive for counter-clockwise.
func twiceArea(ring []corner) int64 {
	var sum int64
	for i, a := range ring {
		b := ring[(i+1)%len(ring)]
		sum += int64(a.row)*int64(b.col) - int64(b.row)*int64(a.col)
	}
	return sum
}

// corners puts polygons of corners into the frame's plane and closes their rings.
func (f *Frame) corners(polygons []lattice) geo.MultiPolygon {
	out := make(geo.MultiPolygon, len(polygons))
	for i, polygon := range polygons {
		for _, ring := range polygon {
			closed := make(geo.Ring, 0, len(ring)+1)
			for _, c := range ring {
				closed = append(closed, geo.Position{
					X: f.OriginX + float64(float64(c.col)*f.CellSize),
					Y: f.OriginY - float64(float64(c.row)*f.CellSize),
				})
			}
			out[i] = append(out[i], append(closed, closed[0]))
		}
	}
	return out
}
