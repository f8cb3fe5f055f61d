package geo

import (
	"errors"
	"math"
	"slices"

	"tilth/core/effort"
)

// nodingTurns bounds the rounds of noding: moving crossings may create new ones.
const nodingTurns = 32

// maxCrossings bounds one overlay: real outlines of 10,000 vertices cross some thousand times.
const maxCrossings = 500_000

var (
	errTangled   = errors.New("the outlines cross one another in too many places")
	errUnsettled = errors.New("the outlines do not come to rest on the lattice")
)

// loop is a closed ring of an overlay.
type loop struct {
	at    Ring
	clear []bool // whether edge k, from at[k] to at[k+1], lies where only its own geometry is
}

// overlaid returns, as valid parts, the area that two geometries cover at least depth times (1:
// their union, 2: their intersection). Both have whole coordinates and are wound as wind leaves
// them.
//
// Edges of the two get a common vertex at every crossing, moved to the lattice, until they meet in
// vertices only (iterated snap rounding; Hobby, "Practical segment intersection with finite
// precision output", Computational Geometry 13 (1999)). Then the winding number on both sides of
// every edge decides whether the edge bounds the result. The winding number is an exact sum along a
// ray, so an edge that rounding has bent cannot break the outline.
func overlaid(budget *effort.Budget, a, b MultiPolygon, depth int32) (MultiPolygon, error) {
	if len(a) == 0 {
		a, b = b, nil
	}
	if len(a) == 0 || len(b) == 0 && depth > 1 {
		return nil, nil
	}
	window := a.Bounds()
	if len(b) > 0 {
		other := b.Bounds()
		window = Box{max(window.MinX, other.MinX), max(window.MinY, other.MinY), min(window.MaxX, other.MaxX), min(window.MaxY, other.MaxY)}
	}
	var far MultiPolygon // parts that cannot meet the other geometry
	var loops []loop
	for _, m := range [...]MultiPolygon{a, b} {
		for _, polygon := range m {
			if !polygon[0].bounds().Intersects(window) {
				far = append(far, polygon)
				continue
			}
			for _, ring := range polygon {
				loops = append(loops, loop{at: ring})
			}
		}
	}
	if depth > 1 {
		far = nil
	}
	if len(loops) == 0 {
		return far, nil
	}
	if err := node(budget, loops, window); err != nil {
		return nil, err
	}
	pieces, err := bounding(budget, loops, depth)
	if err != nil {
		return nil, err
	}
	rings, err := woven(pieces)
	if err != nil {
		return nil, err
	}
	return append(nested(rings), far...), nil
}

// node inserts a vertex wherever edges of the loops may meet. These are the edges that touch the
// window of both and those next to them: moving a crossing bends edges by less than a unit.
func node(budget *effort.Budget, loops []loop, window Box) error {
	reach := window
	for range 2 {
		grown := reach
		for i := range loops {
			l := &loops[i]
			l.clear = make([]bool, len(l.at)-1)
			for k := range l.clear {
				box := boxOf(l.at[k], l.at[k+1])
				if l.clear[k] = !box.Intersects(reach); !l.clear[k] {
					grown = grown.Union(box)
				}
			}
		}
		reach = grown
	}
	for range nodingTurns {
		cuts, err := cutsOf(budget, loops)
		if err != nil {
			return err
		}
		if len(cuts) == 0 {
			return nil
		}
		for i := range loops {
			loops[i].cut(i, cuts)
		}
	}
	return errUnsettled
}

// edge names an edge of a loop.
type edge struct{ loop, index int }

// cutsOf lists, by edge, the whole positions at which edges need a vertex.
func cutsOf(budget *effort.Budget, loops []loop) (map[edge][]Position, error) {
	var segments []segment
	for i, l := range loops {
		for k, clear := range l.clear {
			if a, b := l.at[k], l.at[k+1]; !clear {
				segments = append(segments, segment{a: a, b: b, part: i, index: k, last: k == len(l.clear)-1, box: boxOf(a, b)})
			}
		}
	}
	cuts := map[edge][]Position{}
	if len(segments) == 0 {
		return cuts, nil
	}
	crossings := 0
	cut := func(s *segment, at Position) {
		if at != s.a && at != s.b {
			e := edge{s.part, s.index}
			cuts[e] = append(cuts[e], at)
			crossings++
		}
	}
	err := eachMeeting(budget, segments, func(s, t *segment, kind contact, at Position) error {
		if kind != overlap {
			at = Position{X: math.RoundToEven(at.X), Y: math.RoundToEven(at.Y)}
			cut(s, at)
			cut(t, at)
		} else {
			for _, pair := range [...][2]*segment{{s, t}, {t, s}} {
				for _, p := range [...]Position{pair[0].a, pair[0].b} {
					if pair[1].box.Contains(p) {
						cut(pair[1], p)
					}
				}
			}
		}
		if crossings > maxCrossings {
			return errTangled
		}
		return nil
	})
	return cuts, err
}

func (l *loop) cut(own int, cuts map[edge][]Position) {
	var out loop
	for k, clear := range l.clear {
		a := l.at[k]
		at := cuts[edge{own, k}]
		slices.SortFunc(at, func(p, q Position) int { return compareDistance(a, p, q) })
		for _, p := range append([]Position{a}, at...) {
			if n := len(out.at); n == 0 || out.at[n-1] != p {
				out.at, out.clear = append(out.at, p), append(out.clear, clear)
			}
		}
	}
	out.at = append(out.at, l.at[len(l.at)-1])
	*l = out
}

// compareDistance orders positions by their distance from another.
func compareDistance(from, p, q Position) int {
	d := (p.X-from.X)*(p.X-from.X) + (p.Y-from.Y)*(p.Y-from.Y) - (q.X-from.X)*(q.X-from.X) - (q.Y-from.Y)*(q.Y-from.Y)
	return int(max(-1, min(1, d)))
}
