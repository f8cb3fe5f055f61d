package geo

import (
	"tilth/core/effort"
	"tilth/core/list"
)

// maxTouches bounds how often rings may touch one another. Real outlines touch a few times;
// thousands of touches are artificial, and each costs a scan of all others.
const maxTouches = 4_000

// meeting is a point that two different rings share.
type meeting struct {
	s, t *segment
	at   Position
}

// checkTopology refuses geometries that are invalid by the OGC's Simple Features (OGC 06-103r4,
// sections 6.1.11 and 6.1.14): rings that cross or touch themselves, holes that leave their outer
// ring, overlap or cut the interior in two, and parts that overlap. The rings must be closed and
// free of repeated positions and spikes.
func checkTopology(budget *effort.Budget, m MultiPolygon) error {
	var meetings []meeting
	err := eachMeeting(budget, segmentsOf(m), func(s, t *segment, kind contact, at Position) error {
		if err := refuseMeeting(s, t, kind, at, len(m)); err != nil {
			return err
		}
		if len(meetings) == maxTouches {
			return refuse("The rings touch one another in more than %d places.", maxTouches)
		}
		meetings = append(meetings, meeting{s, t, at})
		return nil
	})
	if err != nil {
		return err
	}
	if err := checkConnected(m, meetings); err != nil {
		return err
	}
	for i, polygon := range m {
		if err := checkHoles(budget, polygon, ringName{part: i, parts: len(m)}); err != nil {
			return err
		}
	}
	return checkParts(budget, m, meetings)
}

// refuseMeeting refuses every meeting of two segments but a touch of different rings.
func refuseMeeting(s, t *segment, kind contact, at Position, parts int) error {
	name := ringName{part: s.part, ring: s.ring, parts: parts}
	if s.part == t.part && s.ring == t.ring {
		switch kind {
		case overlap:
			return refuse("%s runs along itself at %s.", name, at)
		case touch:
			return refuse("%s touches itself at %s.", name, at)
		default:
			return refuse("%s crosses itself at %s.", name, at)
		}
	}
	if kind == touch {
		return nil
	}
	if s.part != t.part {
		return refuse("Parts %d and %d overlap or share an edge at %s.",
			min(s.part, t.part)+1, max(s.part, t.part)+1, at)
	}
	other := ringName{part: t.part, ring: t.ring, parts: parts}
	if s.ring > t.ring {
		name, other = other, name
	}
	how := "cross"
	if kind == overlap {
		how = "share an edge"
	}
	return refuse("%s and %s %s at %s.", name, lowerFirst(other.String()), how, at)
}

func lowerFirst(s string) string { return string(s[0]|0x20) + s[1:] }

// checkConnected refuses rings of one part whose touches close a circle, which cuts the interior in
// two: a hole that touches the outer ring twice, or holes that form a chain from edge to edge.
// Rings and points are the two sides of a graph that must be a forest.
func checkConnected(m MultiPolygon, meetings []meeting) error {
	type place struct {
		part int
		at   Position
	}
	type node struct {
		place place // the zero place for a ring
		ring  int   // -1 for a place
	}
	parent := map[node]node{}
	var root func(n node) node
	root = func(n node) node {
		up, ok := parent[n]
		if !ok || up == n {
			return n
		}
		top := root(up)
		parent[n] = top
		return top
	}
	linked := map[[2]node]bool{}
	for _, c := range meetings {
		if c.s.part != c.t.part {
			continue
		}
		point := node{place: place{c.s.part, c.at}, ring: -1}
		for _, s := range [...]*segment{c.s, c.t} {
			ring := node{place: place{part: s.part}, ring: s.ring}
			link := [2]node{ring, point}
			if linked[link] {
				continue
			}
			linked[link] = true
			a, b := root(ring), root(point)
			if a == b {
				return refuse("%s touches other rings so that the area falls apart at %s; draw it as several parts.",
					ringName{part: s.part, ring: s.ring, parts: len(m)}, c.at)
			}
			parent[a] = b
		}
	}
	return nil
}

// checkHoles refuses holes outside their outer ring or inside one another. The rings do not cross,
// so one point of a ring that is not on the other decides.
func checkHoles(budget *effort.Budget, polygon Polygon, name ringName) error {
	boxes := list.Map(polygon, Ring.bounds)
	for i := 1; i < len(polygon); i++ {
		name.ring = i
		if err := budget.Spend(len(polygon[0])); err != nil {
			return err
		}
		if sideOf(polygon[i], polygon[:1]) != inside {
			return refuse("%s lies outside its outer ring, at %s.", name, polygon[i][0])
		}
		for j := 1; j < i; j++ {
			if err := budget.Spend(1); err != nil {
				return err
			}
			if boxes[i].Intersects(boxes[j]) &&
				(sideOf(polygon[i], polygon[j:j+1]) == inside || sideOf(polygon[j], polygon[i:i+1]) == inside) {
				return refuse("%s and hole %d overlap, at %s.", name, j, polygon[i][0])
			}
		}
	}
	return nil
}

// checkParts refuses parts that overlap. One point of each decides; parts that touch may also cross
// through a vertex: then an edge next to the touch runs inside the other.
func checkParts(budget *effort.Budget, m MultiPolygon, meetings []meeting) error {
	overlapping := func(i, j int, at Position) error {
		return refuse("Parts %d and %d overlap at %s.", min(i, j)+1, max(i, j)+1, at)
	}
	boxes := list.Map(m, func(p Polygon) Box { return p[0].bounds() })
	for i := range m {
		for j := range i {
			if err := budget.Spend(1); err != nil {
				return err
			}
			if boxes[i].Intersects(boxes[j]) &&
				(sideOf(m[i][0], m[j]) == inside || sideOf(m[j][0], m[i]) == inside) {
				return overlapping(i, j, m[i][0][0])
			}
		}
	}
	for _, c := range meetings {
		if c.s.part == c.t.part {
			continue
		}
		for _, pair := range [...][2]*segment{{c.s, c.t}, {c.t, c.s}} {
			for _, end := range [...]Position{pair[0].a, pair[0].b} {
				if err := budget.Spend(len(meetings) + len(m[pair[1].part][0])); err != nil {
					return err
				}
				if runsInside(end, c, pair[0], meetings, m[pair[1].part], pair[1].part) {
					return overlapping(c.s.part, c.t.part, c.at)
				}
			}
		}
	}
	return nil
}

// runsInside reports whether segment s, leaving the touch c towards one of its ends, runs inside a
// polygon up to its next touch with that polygon.
func runsInside(end Position, c meeting, s *segment, meetings []meeting, polygon Polygon, part int) bool {
	if end == c.at {
		return false
	}
	next := end
	for _, o := range meetings {
		if (o.s == s && o.t.part == part) || (o.t == s && o.s.part == part) {
			if o.at != c.at && boxOf(c.at, next).Contains(o.at) { // the three are in line
				next = o.at
			}
		}
	}
	return locate(halfway(c.at, next), polygon) == inside
}

func halfway(a, b Position) Position { return Position{X: a.X + (b.X-a.X)/2, Y: a.Y + (b.Y-a.Y)/2} }

// side is where a point lies with respect to an area.
type side int

const (
	outside side = iota
	onEdge
	inside
)

// sideOf returns on which side of an area a ring lies that does not cross its edge: the side of the
// first vertex, or middle of an edge, that is not on the edge itself.
func sideOf(ring Ring, area Polygon) side {
	for _, p := range ring {
		if s := locate(p, area); s != onEdge {
			return s
		}
	}
	for i := 1; i < len(ring); i++ {
		if s := locate(halfway(ring[i-1], ring[i]), area); s != onEdge {
			return s
		}
	}
	return onEdge
}

// locate returns where a point lies in the area of closed rings by the even-odd rule.
func locate(p Position, area Polygon) side {
	odd := false
	for _, ring := range area {
		for i := 1; i < len(ring); i++ {
			a, b := ring[i-1], ring[i]
			if p.Y < min(a.Y, b.Y) || p.Y > max(a.Y, b.Y) || p.X > max(a.X, b.X) {
				continue
			}
			turn := orientation(a, b, p)
			if turn == 0 && p.X >= min(a.X, b.X) {
				return onEdge
			}
			if (a.Y <= p.Y) != (b.Y <= p.Y) && (turn > 0) == (b.Y > a.Y) {
				odd = !odd
			}
		}
	}
	if odd {
		return inside
	}
	return outside
}
