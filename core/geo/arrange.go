package geo

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"tilth/core/effort"
)

// nodingTurns bounds the rounds of noding: moving crossings may create new ones. Edges that lie within a unit of one another
// can do so for ever; from snappingTurn on, edges pass through every vertex whose square of the lattice they enter, which
// ends it (Halperin and Packer, "Iterated snap rounding", Computational Geometry 23 (2002)).
const (
	nodingTurns  = 64
	snappingTurn = 24
)

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
	for turn := range nodingTurns {
		segments, cuts := arranged(loops), map[edge][]Position{}
		var err error
		if turn >= snappingTurn {
			err = snap(budget, segments, cuts)
		}
		if len(cuts) == 0 && err == nil { // edges that are to be snapped do not keep their crossings
			err = cross(budget, segments, cuts)
		}
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

// arranged returns the edges of the loops that may meet others.
func arranged(loops []loop) []segment {
	var segments []segment
	for i, l := range loops {
		for k, clear := range l.clear {
			if a, b := l.at[k], l.at[k+1]; !clear {
				segments = append(segments, segment{a: a, b: b, part: i, index: k, last: k == len(l.clear)-1, box: boxOf(a, b)})
			}
		}
	}
	return segments
}

// cross adds to the cuts the whole positions at which edges meet.
func cross(budget *effort.Budget, segments []segment, cuts map[edge][]Position) error {
	if len(segments) == 0 {
		return nil
	}
	crossings := 0
	cut := func(s *segment, at Position) {
		if at != s.a && at != s.b {
			e := edge{s.part, s.index}
			cuts[e] = append(cuts[e], at)
			crossings++
		}
	}
	return eachMeeting(budget, segments, func(s, t *segment, kind contact, at Position) error {
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
}

// snap adds to the cuts the vertices whose squares are entered by edges. Each vertex compared is a step of the budget.
func snap(budget *effort.Budget, segments []segment, cuts map[edge][]Position) error {
	vertices := make([]Position, 0, len(segments))
	for _, s := range segments {
		vertices = append(vertices, s.a, s.b)
	}
	order := func(p, q Position) int { return cmp.Or(cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y)) }
	slices.SortFunc(vertices, order)
	vertices = slices.Compact(vertices)
	for i := range segments {
		s := &segments[i]
		near := Box{s.box.MinX - 0.5, s.box.MinY - 0.5, s.box.MaxX + 0.5, s.box.MaxY + 0.5}
		first, _ := slices.BinarySearchFunc(vertices, Position{near.MinX, near.MinY}, order)
		for _, p := range vertices[first:] {
			if p.X > near.MaxX {
				break
			}
			if err := budget.Spend(1); err != nil {
				return err
			}
			if p != s.a && p != s.b && near.Contains(p) && s.enters(p) {
				e := edge{s.part, s.index}
				cuts[e] = append(cuts[e], p)
			}
		}
	}
	return nil
}

// enters reports whether a segment passes through the square of the lattice around a vertex near its box.
func (s *segment) enters(p Position) bool {
	reach := (math.Abs(s.b.X-s.a.X) + math.Abs(s.b.Y-s.a.Y)) / 2 // the farthest corner of the square from the line through p
	return math.Abs(orientation(s.a, s.b, p)) < reach
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
