package fieldmap

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/indexmap"
)

// Contour is the line of a height within a field, in pieces of longitudes and latitudes. The higher land lies on its left.
type Contour struct {
	Height float64
	Lines  [][]geo.Position
}

// The bounds of contours.
const (
	usualContours = 8
	maxContours   = 200
	minInterval   = 0.1 // metres
)

// ContourMethod describes, for people, how contours are made from heights.
const ContourMethod = "contours run between the middles of pixels (marching squares)"

// ContourInterval returns the interval of heights that yields some eight contours at round heights.
func ContourInterval(low, high float64) float64 {
	step := minInterval
	for k := 0; step*usualContours < high-low; k++ {
		step = []float64{0.2, 0.5, 1}[k%3] * math.Pow(10, math.Floor(float64(k)/3))
	}
	return step
}

// Contours returns the contours of a layer within a field (WGS84), at whole multiples of an interval; for 0 one is chosen.
// They run between the middles of pixels (marching squares; where lines may cross, the mean of the four decides).
//
// Faults: Invalid (interval) where there would be too many; the budget's error where it ends.
func Contours(budget *effort.Budget, l *indexmap.Layer, field geo.MultiPolygon, interval float64) ([]Contour, float64, error) {
	plane, err := geo.NewPlane(l.Grid.EPSG)
	if err != nil {
		return nil, 0, err
	}
	figures := l.Describe()
	if figures.Valid == 0 {
		return nil, interval, nil
	}
	if interval == 0 {
		interval = ContourInterval(figures.Min, figures.Max)
	}
	if !(interval >= minInterval && interval <= 1e4) || (figures.Max-figures.Min)/interval > maxContours {
		return nil, 0, fault.Field("interval", fmt.Sprintf("The interval must be from %g to 10000 m and give at most %d contours; the heights here span %.1f m.", minInterval, maxContours, figures.Max-figures.Min))
	}
	land := plane.Project(field)
	var out []Contour
	for k := math.Ceil(figures.Min/interval - 1e-9); k*interval <= figures.Max; k++ {
		c := Contour{Height: k * interval}
		for _, line := range trace(budget, l, c.Height) {
			for _, piece := range clipLine(budget, land, line) {
				for i := range piece {
					p := plane.Inverse(piece[i])
					piece[i] = geo.Position{X: math.Round(p.X*1e7) / 1e7, Y: math.Round(p.Y*1e7) / 1e7}
				}
				c.Lines = append(c.Lines, piece)
			}
		}
		if err := budget.Err(); err != nil {
			return nil, 0, err
		}
		if len(c.Lines) > 0 {
			out = append(out, c)
		}
	}
	return out, interval, nil
}

// The sides of a square between the middles of four pixels.
const (
	top = iota
	right
	bottom
	left
)

// turns holds, by the corners that lie above (8: upper left, 4: upper right, 2: lower right, 1: lower left), the sides from which and to
// which lines run with these corners on their left. The saddles, 5 and 10, occur twice: for a middle that lies below, then for one above.
var turns = map[int][][2]int{
	8: {{left, top}}, 4: {{top, right}}, 2: {{right, bottom}}, 1: {{bottom, left}},
	12: {{left, right}}, 6: {{top, bottom}}, 3: {{right, left}}, 9: {{bottom, top}},
	7: {{top, left}}, 11: {{right, top}}, 13: {{bottom, right}}, 14: {{left, bottom}},
	10: {{left, top}, {right, bottom}}, 5: {{top, right}, {bottom, left}},
	10 + 16: {{right, top}, {left, bottom}}, 5 + 16: {{top, left}, {bottom, right}},
}

// trace returns the lines of a height on a layer, in its plane.
func trace(budget *effort.Budget, l *indexmap.Layer, height float64) [][]geo.Position {
	next, entered := map[int]int{}, map[int]bool{} // by the side that a line crosses: from each it goes on to one other
	var order []int
	for row := range l.Rows - 1 {
		if budget.Spend(l.Cols) != nil {
			return nil
		}
		for col := range l.Cols - 1 {
			at := row*l.Cols + col
			corners := [4]float64{l.Values[at], l.Values[at+1], l.Values[at+1+l.Cols], l.Values[at+l.Cols]}
			which, sum := 0, 0.0
			for i, v := range corners {
				if sum += v; v >= height {
					which |= 8 >> i
				}
			}
			if math.IsNaN(sum) {
				continue
			}
			if (which == 5 || which == 10) && sum/4 >= height {
				which += 16
			}
			sides := [4]int{2 * at, 2*(at+1) + 1, 2 * (at + l.Cols), 2*at + 1} // each is numbered by its upper or left pixel
			for _, turn := range turns[which] {
				from, to := sides[turn[0]], sides[turn[1]]
				next[from], entered[to] = to, true
				order = append(order, from)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { // lines with an end come first, so that only rings remain
		return cmp.Compare(map[bool]int{true: 1}[entered[a]], map[bool]int{true: 1}[entered[b]])
	})
	var out [][]geo.Position
	for _, start := range order {
		if _, there := next[start]; !there {
			continue
		}
		line := []geo.Position{crossing(l, start, height)}
		for at := start; ; {
			to, there := next[at]
			if !there {
				break
			}
			delete(next, at)
			line, at = append(line, crossing(l, to, height)), to
		}
		out = append(out, line)
	}
	return out
}

// crossing returns where a height lies on a side between two middles of pixels.
func crossing(l *indexmap.Layer, side int, height float64) geo.Position {
	at := side / 2
	other, col, row := at+1, at%l.Cols, at/l.Cols
	a := l.Grid.Centre(col, row)
	b := l.Grid.Centre(col+1, row)
	if side%2 == 1 {
		other, b = at+l.Cols, l.Grid.Centre(col, row+1)
	}
	t := 0.5
	if low, high := l.Values[at], l.Values[other]; low != high {
		t = (height - low) / (high - low)
	}
	return geo.Position{X: a.X + t*(b.X-a.X), Y: a.Y + t*(b.Y-a.Y)}
}

// clipLine returns the pieces of a line that lie in an area of the same plane.
func clipLine(budget *effort.Budget, area geo.MultiPolygon, line []geo.Position) (out [][]geo.Position) {
	var piece []geo.Position
	end := func() {
		if len(piece) > 1 {
			out = append(out, piece)
		}
		piece = nil
	}
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		cuts := []float64{0}
		for p, q := range area.Edges() {
			if budget.Spend(1) != nil {
				return nil
			}
			if t, ok := meets(a, b, p, q); ok {
				cuts = append(cuts, t)
			}
		}
		cuts = append(cuts, 1)
		slices.Sort(cuts)
		on := func(t float64) geo.Position { return geo.Position{X: a.X + t*(b.X-a.X), Y: a.Y + t*(b.Y-a.Y)} }
		for k := 1; k < len(cuts); k++ {
			if cuts[k] == cuts[k-1] {
				continue
			}
			if !area.Contains(on((cuts[k] + cuts[k-1]) / 2)) {
				end()
				continue
			}
			if piece == nil {
				piece = []geo.Position{on(cuts[k-1])}
			}
			piece = append(piece, on(cuts[k]))
		}
	}
	end()
	return out
}

// meets returns where on a segment another crosses it, from 0 to 1.
func meets(a, b, p, q geo.Position) (t float64, ok bool) {
	d := (b.X-a.X)*(q.Y-p.Y) - (b.Y-a.Y)*(q.X-p.X)
	if d == 0 {
		return 0, false
	}
	t = ((p.X-a.X)*(q.Y-p.Y) - (p.Y-a.Y)*(q.X-p.X)) / d
	u := ((p.X-a.X)*(b.Y-a.Y) - (p.Y-a.Y)*(b.X-a.X)) / d
	return t, t > 0 && t < 1 && u >= 0 && u <= 1
}
