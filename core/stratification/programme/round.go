package programme

import (
	"math"

	"tilth/core/effort"
)

// whole is the distance from a whole number within which a number counts as whole.
const whole = 1e-9

// Round rounds a table of expected numbers to whole ones at random, each up or down, so that every number
// keeps its expectation and the sums of rows and columns are rounded up or down as well: row sums that are
// whole stay the same. With the numbers of points by zone (row) and field (column) that follow from the
// areas, every place of a zone keeps the same chance to be drawn, while no field gets fewer points than
// its expected number rounded down.
//
// It is the dependent rounding of Gandhi, Khuller, Parthasarathy and Srinivasan, "Dependent Rounding and Its
// Applications to Approximation Algorithms", Journal of the ACM 53 (2006) 324, section 2, which serves as
// the unbiased controlled rounding of Cox, Journal of the American Statistical Association 82 (1987) 520.
// unit returns random numbers in [0, 1). The error is that of the budget.
func Round(budget *effort.Budget, expected [][]float64, unit func() float64) ([][]int, error) {
	t := newTable(expected)
	for {
		way := t.way(budget)
		if err := budget.Err(); err != nil {
			return nil, err
		}
		if way == nil {
			return t.rounded(), nil
		}
		t.shift(way, unit)
	}
}

// table holds the fractional parts of the expected numbers, as a graph between rows and columns.
type table struct {
	rows, cols int
	base       []int     // by row, then column: rounded down
	part       []float64 // of 1
}

func newTable(expected [][]float64) *table {
	t := &table{rows: len(expected)}
	for _, row := range expected {
		t.cols = len(row)
		for _, v := range row {
			low := math.Floor(v + whole)
			t.base, t.part = append(t.base, int(low)), append(t.part, settled(v-low))
		}
	}
	return t
}

// settled rounds a part that is nearly 0 or 1, and returns any other unchanged.
func settled(v float64) float64 {
	if r := math.Round(v); math.Abs(v-r) < whole {
		return r
	}
	return v
}

func (t *table) open(cell int) bool { return t.part[cell] > 0 && t.part[cell] < 1 }

// next returns an open cell of a node (a row or, from t.rows on, a column) that is not other, and the node to which it leads; -1: there is none.
func (t *table) next(budget *effort.Budget, node, other int) (cell, to int) {
	if node < t.rows {
		for c := range t.cols {
			if i := node*t.cols + c; i != other && t.open(i) {
				_ = budget.Spend(c + 1) // way finds the error
				return i, t.rows + c
			}
		}
		return -1, -1
	}
	for r := range t.rows {
		if i := r*t.cols + node - t.rows; i != other && t.open(i) {
			return i, r
		}
	}
	return -1, -1
}

// way returns the open cells along a cycle, or along a path that cannot be extended at either end; nil where
// no cell is open.
func (t *table) way(budget *effort.Budget) []int {
	first := -1
	for i := range t.part {
		if t.open(i) {
			first = i
			break
		}
	}
	if first < 0 || budget.Spend(len(t.part)) != nil {
		return nil
	}
	// Walk to an end, if there is one, and from there as far as possible.
	way, cycle := t.walk(budget, first/t.cols, -1)
	if cycle {
		return way
	}
	last := way[len(way)-1]
	end := last / t.cols
	if len(way)%2 == 1 { // the walk from a row ended in a column
		end = t.rows + last%t.cols
	}
	way, _ = t.walk(budget, end, -1)
	return way
}

// walk follows open cells until it comes to a node again, and returns the cycle, or to an end, and returns the path.
func (t *table) walk(budget *effort.Budget, node, by int) (way []int, cycle bool) {
	at := map[int]int{node: 0} // the length of the way at each node
	for {
		cell, to := t.next(budget, node, by)
		if cell < 0 {
			return way, false
		}
		way = append(way, cell)
		if start, seen := at[to]; seen {
			return way[start:], true
		}
		at[to], node, by = len(way), to, cell
	}
}

// shift moves parts along a way from every second cell to the others, or the reverse, until one is whole,
// so that each keeps its expectation.
func (t *table) shift(way []int, unit func() float64) {
	up, down := math.Inf(1), math.Inf(1)
	for i, cell := range way {
		rise, fall := 1-t.part[cell], t.part[cell]
		if i%2 == 1 {
			rise, fall = fall, rise
		}
		up, down = math.Min(up, rise), math.Min(down, fall)
	}
	by := up
	if unit() >= down/(up+down) {
		by = -down
	}
	for i, cell := range way {
		step := by
		if i%2 == 1 {
			step = -by
		}
		t.part[cell] = settled(t.part[cell] + step)
	}
}

func (t *table) rounded() [][]int {
	out := make([][]int, t.rows)
	for r := range out {
		out[r] = make([]int, t.cols)
		for c := range out[r] {
			i := r*t.cols + c
			out[r][c] = t.base[i] + int(math.Round(t.part[i]))
		}
	}
	return out
}
