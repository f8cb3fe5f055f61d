package route

import (
	"math"

	"tilth/core/effort"
	"tilth/core/geo"
)

// binPlaces is the approximate number of places that share a bin.
const binPlaces = 2

// bins holds places in a grid, to find those near others. The bins are filled as evenly as the places of one field lie.
type bins struct {
	places     []geo.Position
	west, low  float64
	size       float64 // of a bin
	cols, rows int
	of         [][]int // the members of each bin
}

// newBins sorts some of the places into bins.
func newBins(places []geo.Position, members []int) *bins {
	b := &bins{places: places, west: math.Inf(1), low: math.Inf(1)}
	east, high := math.Inf(-1), math.Inf(-1)
	for _, m := range members {
		p := places[m]
		b.west, b.low, east, high = min(b.west, p.X), min(b.low, p.Y), max(east, p.X), max(high, p.Y)
	}
	width, height, n := east-b.west, high-b.low, float64(len(members))/binPlaces
	b.size = max(math.Sqrt(width*height/n), max(width, height)/n, 0.01) // in a line as many bins as in a square
	b.cols, b.rows = int(width/b.size)+1, int(height/b.size)+1
	b.of = make([][]int, b.cols*b.rows)
	for _, m := range members {
		bin := b.bin(places[m])
		b.of[bin] = append(b.of[bin], m)
	}
	return b
}

// place returns the bin of a place or, outside the grid, of the place in the grid that is nearest to it. No member is nearer
// to the former than to the latter.
func (b *bins) place(p geo.Position) (col, row int) {
	at := func(v float64, n int) int { return int(min(max(v/b.size, 0), float64(n-1))) }
	return at(p.X-b.west, b.cols), at(p.Y-b.low, b.rows)
}

func (b *bins) bin(p geo.Position) int {
	col, row := b.place(p)
	return row*b.cols + col
}

// members returns the places that were not removed, in the order of their bins.
func (b *bins) members() (out []int) {
	for _, bin := range b.of {
		out = append(out, bin...)
	}
	return out
}

func (b *bins) remove(m int) {
	bin := b.bin(b.places[m])
	kept := b.of[bin][:0]
	for _, other := range b.of[bin] {
		if other != m {
			kept = append(kept, other)
		}
	}
	b.of[bin] = kept
}

// nearest returns the member nearest to a place; of several, the one with the lowest number.
func (b *bins) nearest(budget *effort.Budget, p geo.Position) (member int, away float64) {
	member, away = -1, math.Inf(1)
	for r := 0; r <= b.rings(p) && b.beyond(r) <= away; r++ {
		b.ring(budget, p, r, func(m int) bool {
			if d := distance(p, b.places[m]); d < away || d == away && m < member {
				member, away = m, d
			}
			return true
		})
	}
	return member, away
}

// around visits the members that may lie within a distance of a place, the nearer rings first, until visit returns false.
func (b *bins) around(budget *effort.Budget, p geo.Position, within float64, visit func(m int) (more bool)) {
	for r := 0; r <= b.rings(p) && b.beyond(r) <= within; r++ {
		if !b.ring(budget, p, r, visit) {
			return
		}
	}
}

// beyond returns a lower bound of the distance of the members of a ring; rings are counted around the bin of a place.
func (b *bins) beyond(ring int) float64 { return float64(ring-1) * b.size }

// rings returns the number of rings around the bin of a place.
func (b *bins) rings(p geo.Position) int {
	col, row := b.place(p)
	return max(col, b.cols-1-col, row, b.rows-1-row)
}

// ring visits the members of the bins that are r bins away, until visit returns false. The budget's steps are bins and members.
func (b *bins) ring(budget *effort.Budget, p geo.Position, r int, visit func(m int) (more bool)) (more bool) {
	col, row := b.place(p)
	for y := max(row-r, 0); y <= min(row+r, b.rows-1); y++ {
		stride := 2 * r
		if y == row-r || y == row+r || r == 0 {
			stride = 1
		}
		from, to := col-r, col+r
		if stride == 1 {
			from, to = max(from, 0), min(to, b.cols-1)
		}
		for x := from; x <= to; x += stride {
			if x < 0 || x >= b.cols {
				continue
			}
			bin := b.of[y*b.cols+x]
			_ = budget.Spend(1 + len(bin)) // the next place finds the error
			for _, m := range bin {
				if !visit(m) {
					return false
				}
			}
		}
	}
	return true
}
