package geo

import (
	"math"
	"slices"
)

// Rounded gives the geometry with that many decimals, and valid: rounding can make edges meet
// that ran close to each other, and narrow parts vanish. Where edges meet they get a common
// vertex, until none meet but in vertices (iterated snap rounding; Hobby, "Practical segment
// intersection with finite precision output", Computational Geometry 13 (1999)), and what
// they enclose is put together anew. The geometry is valid, or nearly so.
func (m MultiPolygon) Rounded(decimals int) MultiPolygon {
	if len(m) == 0 {
		return nil
	}
	// The work is done in whole numbers near 0, which are compared exactly.
	scale := math.Pow10(decimals)
	origin := Position{X: math.Round(m[0][0][0].X * scale), Y: math.Round(m[0][0][0].Y * scale)}
	whole := m.mapped(func(p Position) Position {
		return Position{X: math.Round(p.X*scale) - origin.X, Y: math.Round(p.Y*scale) - origin.Y}
	}).withoutSlivers()
	if !whole.IsValid() {
		whole = whole.renoded().withoutSlivers()
	}
	if !whole.IsValid() {
		whole = whole.validParts()
	}
	return whole.mapped(func(p Position) Position {
		return Position{X: (p.X + origin.X) / scale, Y: (p.Y + origin.Y) / scale}
	})
}

// hasInside reports whether a ring on whole numbers is wider than a unit in the mean: what is
// narrower is rounding.
func (r Ring) hasInside() bool {
	around := 0.0
	for i := 1; i < len(r); i++ {
		around += math.Hypot(r[i].X-r[i-1].X, r[i].Y-r[i-1].Y)
	}
	return math.Abs(planarRingArea(r)) >= around/2
}

// withoutSlivers drops repeated positions and spikes, and then rings without an inside.
func (m MultiPolygon) withoutSlivers() MultiPolygon {
	var out MultiPolygon
	for _, polygon := range m {
		var kept Polygon
		for i, ring := range polygon {
			r := tidyRing(ring)
			if len(r) >= 4 && r.hasInside() {
				kept = append(kept, r)
			} else if i == 0 {
				break
			}
		}
		if kept != nil {
			out = append(out, kept)
		}
	}
	return out
}

// tidyRing gives a closed ring without repeated positions and spikes; nil where nothing is left.
func tidyRing(ring Ring) Ring {
	out := make(Ring, 0, len(ring))
	for _, p := range ring {
		if len(out) == 0 || out[len(out)-1] != p {
			out = append(out, p)
		}
	}
	out = out[:openLength(out)]
	if len(out) >= 3 {
		out = withoutSpikes(out)
	}
	if len(out) < 3 {
		return nil
	}
	return append(out, out[0])
}

// validParts keeps the polygons that are valid beside those kept before, without their holes
// where these are the trouble.
func (m MultiPolygon) validParts() MultiPolygon {
	var out MultiPolygon
	for _, polygon := range m {
		for _, attempt := range []Polygon{polygon, polygon[:1]} {
			if more := append(slices.Clone(out), attempt); more.IsValid() {
				out = more
				break
			}
		}
	}
	return out
}

// nodingTurns bounds the turns of noding; each moves a crossing to the lattice, which may make
// a new one.
const nodingTurns = 32

// renoded gives edges on whole numbers a vertex wherever they meet, and puts the areas on
// their left together anew.
func (m MultiPolygon) renoded() MultiPolygon {
	for range nodingTurns {
		cut, changed := m.cutAtMeetings()
		if m = cut; !changed {
			break
		}
	}
	var rings []Ring
	for _, ring := range linked(edgesOf(m)) {
		for _, simple := range PartRing(ring) {
			slices.Reverse(simple) // Assemble takes clockwise rings for outer ones
			rings = append(rings, append(simple, simple[0]))
		}
	}
	out := Assemble(rings)
	wind(out)
	return out
}

// cutAtMeetings gives every edge the vertices at which others meet it, on whole numbers.
func (m MultiPolygon) cutAtMeetings() (out MultiPolygon, changed bool) {
	type edge struct{ part, ring, index int }
	cuts := map[edge][]Position{}
	cut := func(s *segment, at Position) {
		if at != s.a && at != s.b {
			e := edge{s.part, s.ring, s.index}
			cuts[e] = append(cuts[e], at)
		}
	}
	_ = eachMeeting(segmentsOf(m), func(s, t *segment, kind contact, at Position) error {
		at = Position{X: math.Round(at.X), Y: math.Round(at.Y)}
		if kind != overlap {
			cut(s, at)
			cut(t, at)
			return nil
		}
		for _, p := range [...]Position{s.a, s.b} {
			if t.box.contains(p) {
				cut(t, p)
			}
		}
		for _, p := range [...]Position{t.a, t.b} {
			if s.box.contains(p) {
				cut(s, p)
			}
		}
		return nil
	})
	out = make(MultiPolygon, len(m))
	for i, polygon := range m {
		for j, ring := range polygon {
			var r Ring
			for k := 1; k < len(ring); k++ {
				a := ring[k-1]
				at := cuts[edge{i, j, k - 1}]
				slices.SortFunc(at, func(p, q Position) int { return compareDistance(a, p, q) })
				r = append(append(r, a), slices.Compact(at)...)
			}
			out[i] = append(out[i], append(r, ring[len(ring)-1]))
		}
	}
	return out, len(cuts) > 0
}

// compareDistance orders positions by their distance from another.
func compareDistance(from, p, q Position) int {
	d := (p.X-from.X)*(p.X-from.X) + (p.Y-from.Y)*(p.Y-from.Y) - (q.X-from.X)*(q.X-from.X) - (q.Y-from.Y)*(q.Y-from.Y)
	return int(max(-1, min(1, d)))
}

// edgesOf lists the edges from each position, in order, save those that run both ways: they
// have the area on both sides, or on none.
func edgesOf(m MultiPolygon) (from []Position, to map[Position][]Position) {
	count := map[[2]Position]int{}
	var order [][2]Position
	for _, polygon := range m {
		for _, ring := range polygon {
			for k := 1; k < len(ring); k++ {
				e := [2]Position{ring[k-1], ring[k]}
				if e[0] == e[1] {
					continue
				}
				if back := [2]Position{e[1], e[0]}; count[back] > 0 {
					count[back]--
					continue
				}
				count[e]++
				order = append(order, e)
			}
		}
	}
	to = map[Position][]Position{}
	for _, e := range order {
		if count[e] > 0 {
			count[e]--
			from = append(from, e[0])
			to[e[0]] = append(to[e[0]], e[1])
		}
	}
	return from, to
}

// linked joins edges to rings (not closed). Where several go on it takes the one furthest to
// the left, so that rings touch but do not cross.
func linked(from []Position, to map[Position][]Position) []Ring {
	var out []Ring
	for _, start := range from {
		if len(to[start]) == 0 {
			continue
		}
		ring := Ring{}
		before, at := start, start
		for len(to[at]) > 0 {
			ring = append(ring, at)
			choices := to[at]
			best := 0
			for i := range choices {
				if len(ring) > 1 && leftTurn(before, at, choices[i]) > leftTurn(before, at, choices[best]) {
					best = i
				}
			}
			next := choices[best]
			to[at] = slices.Delete(choices, best, best+1)
			before, at = at, next
		}
		out = append(out, ring)
	}
	return out
}

// leftTurn gives the angle, from -π to π, by which the way from a over b to c turns left.
func leftTurn(a, b, c Position) float64 {
	cross := (b.X-a.X)*(c.Y-b.Y) - (b.Y-a.Y)*(c.X-b.X)
	dot := (b.X-a.X)*(c.X-b.X) + (b.Y-a.Y)*(c.Y-b.Y)
	return math.Atan2(cross, dot)
}

// PartRing parts a ring that is not closed at the positions that it passes twice. What has
// fewer than three positions encloses nothing and is left out.
func PartRing(ring Ring) []Ring {
	var out []Ring
	keep := func(r Ring) {
		if len(r) > 2 {
			out = append(out, r)
		}
	}
	place := make(map[Position]int, len(ring))
	var way Ring
	for _, p := range ring {
		if k, twice := place[p]; twice {
			loop := slices.Clone(way[k:])
			for _, passed := range loop[1:] {
				delete(place, passed)
			}
			way = way[:k+1]
			keep(loop)
			continue
		}
		place[p] = len(way)
		way = append(way, p)
	}
	keep(way)
	return out
}
