package frame

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/geo"
)

func (f *Frame) indexRows() {
	f.rows = make([]int32, f.Rows+1)
	for _, c := range f.Cells {
		f.rows[c.Row+1]++
	}
	for i := range f.Rows {
		f.rows[i+1] += f.rows[i]
	}
}

// Indexed returns the frame with its rows indexed: itself or, if it was restored from storage, an indexed copy.
func (f *Frame) Indexed() *Frame {
	if f.rows != nil {
		return f
	}
	out := *f
	out.indexRows()
	return &out
}

// Index returns the index of a cell in Cells; -1 where the frame has no cell there.
func (f *Frame) Index(row, col int) int {
	if row < 0 || row >= f.Rows {
		return -1
	}
	from, to := f.rows[row], f.rows[row+1]
	at := int(from) + searchCol(f.Cells[from:to], col)
	if at == int(to) || int(f.Cells[at].Col) != col {
		return -1
	}
	return at
}

// searchCol returns the position of the first cell of a row whose column is at least col.
func searchCol(cells []Cell, col int) int {
	at, _ := slices.BinarySearchFunc(cells, col, func(c Cell, col int) int { return cmp.Compare(int(c.Col), col) })
	return at
}

// InWindow counts the cells within reach rows and columns of a place and, unless visit is nil, visits them in row order.
func (f *Frame) InWindow(row, col, reach int, visit func(i int)) int {
	count := 0
	for r := max(row-reach, 0); r <= min(row+reach, f.Rows-1); r++ {
		from, to := int(f.rows[r]), int(f.rows[r+1])
		first := from + searchCol(f.Cells[from:to], col-reach)
		last := from + searchCol(f.Cells[from:to], col+reach+1)
		count += last - first
		for i := first; visit != nil && i < last; i++ {
			visit(i)
		}
	}
	return count
}

// nearestRings is the number of rings of cells that are searched before all cells are.
const nearestRings = 16

// Nearest returns the index of the cell nearest to a place of the grid for which ok holds; of
// several, the first in row order; -1 where it holds for none.
func (f *Frame) Nearest(row, col int, ok func(i int) bool) int {
	best, lower := -1, math.MaxInt
	look := func(i int) {
		if i < 0 || !ok(i) {
			return
		}
		dr, dc := int(f.Cells[i].Row)-row, int(f.Cells[i].Col)-col
		if d := dr*dr + dc*dc; d < lower || d == lower && i < best {
			best, lower = i, d
		}
	}
	for r := 0; r <= nearestRings && r*r <= lower; r++ { // a ring holds no cell nearer than r
		for d := -r; d <= r; d++ {
			look(f.Index(row-r, col+d))
			look(f.Index(row+r, col+d))
			if d > -r && d < r {
				look(f.Index(row+d, col-r))
				look(f.Index(row+d, col+r))
			}
		}
	}
	if best < 0 || lower > nearestRings*nearestRings {
		for i := range f.Cells {
			look(i)
		}
	}
	return best
}

// EachNear visits the cells of the frame that may lie within reach of a segment: row by row, those
// in the box around the piece of the segment within reach of the row.
func (f *Frame) EachNear(a, b geo.Position, reach float64, visit func(i int)) {
	top, bottom := max(a.Y, b.Y)+reach, min(a.Y, b.Y)-reach
	first, last := f.rowOf(top), f.rowOf(bottom)
	for row := max(first, 0); row <= min(last, f.Rows-1); row++ {
		north := f.OriginY - float64(row)*f.CellSize + reach
		low, high := SegmentWithin(a, b, north-f.CellSize-2*reach, north)
		if low > high {
			continue
		}
		from, to := f.colOf(low-reach), f.colOf(high+reach)
		cells := f.Cells[f.rows[row]:f.rows[row+1]]
		for at := searchCol(cells, from); at < len(cells) && int(cells[at].Col) <= to; at++ {
			visit(int(f.rows[row]) + at)
		}
	}
}

func (f *Frame) rowOf(y float64) int { return int(math.Floor((f.OriginY - y) / f.CellSize)) }

func (f *Frame) colOf(x float64) int { return int(math.Floor((x - f.OriginX) / f.CellSize)) }
