package geo

import (
	"math"
	"slices"

	"tilth/core/effort"
)

// flank is an edge with the number of areas that begin on its left, minus those that begin on its
// right; or, in nested, with the number of its ring.
type flank struct {
	a, b Position
	n    int32
}

// middle returns a point inside the edge; halves of whole numbers are exact.
func (s flank) middle() Position { return Position{X: (s.a.X + s.b.X) / 2, Y: (s.a.Y + s.b.Y) / 2} }

// bounding returns the pieces of the outline of a result: the edges of noded loops whose left is
// covered at least depth times and whose right is not.
func bounding(budget *effort.Budget, loops []loop, depth int32) (pieces []Ring, err error) {
	sides, certain := sidesOf(loops)
	where := newShelves(sides)
	for i, s := range sides[:certain] {
		if s.n == 0 {
			continue
		}
		if s.n < 0 {
			s = flank{s.b, s.a, -s.n}
		}
		if err := budget.Spend(where.crowd(s.middle())); err != nil {
			return nil, err
		}
		west := where.winding(sides, s.middle(), i) // just west of the edge; of a horizontal one, just north
		left, right := west, west-s.n
		if s.b.Y < s.a.Y || s.b.Y == s.a.Y && s.b.X < s.a.X {
			left, right = west+s.n, west
		}
		if left >= depth && right < depth {
			pieces = append(pieces, Ring{s.a, s.b})
		}
	}
	if depth > 1 {
		return pieces, nil // what lies clear is covered once
	}
	for _, l := range loops {
		pieces = append(pieces, l.runs()...)
	}
	return pieces, nil
}

// sidesOf lists the edges of loops: first those that may coincide, each once, in the order of first
// appearance, then those that lie clear.
func sidesOf(loops []loop) (sides []flank, meeting int) {
	place := map[[2]Position]int{}
	for _, l := range loops {
		for k, clear := range l.clear {
			if clear {
				continue
			}
			a, b, n := l.at[k], l.at[k+1], int32(1)
			if b.X < a.X || b.X == a.X && b.Y < a.Y {
				a, b, n = b, a, -1
			}
			i, there := place[[2]Position{a, b}]
			if !there {
				i = len(sides)
				place[[2]Position{a, b}] = i
				sides = append(sides, flank{a: a, b: b})
			}
			sides[i].n += n
		}
	}
	meeting = len(sides)
	for _, l := range loops {
		for k, clear := range l.clear {
			if clear {
				sides = append(sides, flank{l.at[k], l.at[k+1], 1})
			}
		}
	}
	return sides, meeting
}

// runs returns the stretches of a loop that lie clear: the closed loop where all of it does.
func (l *loop) runs() (out []Ring) {
	n := len(l.clear)
	begin := slices.Index(l.clear, false)
	if begin < 0 {
		return []Ring{l.at}
	}
	var run Ring
	for i := 1; i <= n; i++ {
		switch k := (begin + i) % n; {
		case l.clear[k] && run == nil:
			run = Ring{l.at[k], l.at[k+1]}
		case l.clear[k]:
			run = append(run, l.at[k+1])
		case run != nil:
			out, run = append(out, run), nil
		}
	}
	return out
}

// shelves index edges by bands of y, to find those that a horizontal line meets.
type shelves struct {
	low, height float64
	from        []int32 // the start of each band in edges, and the end of the last
	edges       []int32
}

// newShelves chooses as many bands as there are edges where these are short, and fewer where they
// are long: on average an edge is in at most three.
func newShelves(sides []flank) *shelves {
	low, high, sum := math.Inf(1), math.Inf(-1), 0.0
	for _, s := range sides {
		low, high = min(low, s.a.Y, s.b.Y), max(high, s.a.Y, s.b.Y)
		sum += math.Abs(s.a.Y - s.b.Y)
	}
	n := float64(len(sides))
	out := &shelves{low: low, height: max((high-low)/n, sum/(2*n), 1)}
	bands := out.band(high) + 1
	out.from = make([]int32, bands+1)
	for _, s := range sides {
		for b := out.band(min(s.a.Y, s.b.Y)); b <= out.band(max(s.a.Y, s.b.Y)); b++ {
			out.from[b+1]++
		}
	}
	for b := range bands {
		out.from[b+1] += out.from[b]
	}
	next := slices.Clone(out.from)
	out.edges = make([]int32, out.from[bands])
	for i, s := range sides {
		for b := out.band(min(s.a.Y, s.b.Y)); b <= out.band(max(s.a.Y, s.b.Y)); b++ {
			out.edges[next[b]] = int32(i)
			next[b]++
		}
	}
	return out
}

func (s *shelves) band(y float64) int { return int((y - s.low) / s.height) }

// crowd returns how many edges west compares with a position.
func (s *shelves) crowd(p Position) int {
	b := s.band(p.Y)
	if b < 0 || b >= len(s.from)-1 {
		return 0
	}
	return int(s.from[b+1] - s.from[b])
}

// west calls visit for every edge that a horizontal line just north of a position meets west of it.
// No edge but the one numbered own passes through the position.
func (s *shelves) west(sides []flank, p Position, own int, visit func(e flank)) {
	b := s.band(p.Y)
	if b < 0 || b >= len(s.from)-1 {
		return
	}
	for _, i := range s.edges[s.from[b]:s.from[b+1]] {
		e := &sides[i]
		if (e.a.Y <= p.Y) == (e.b.Y <= p.Y) || int(i) == own || min(e.a.X, e.b.X) > p.X {
			continue
		}
		if max(e.a.X, e.b.X) < p.X || (orientation(e.a, e.b, p) < 0) == (e.b.Y > e.a.Y) {
			visit(*e)
		}
	}
}

// winding returns how many areas cover the place just west of (of a level edge: north of) p.
func (s *shelves) winding(sides []flank, p Position, own int) (n int32) {
	s.west(sides, p, own, func(e flank) {
		if e.b.Y > e.a.Y {
			n -= e.n
		} else {
			n += e.n
		}
	})
	return n
}
