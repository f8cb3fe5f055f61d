package geo

import (
	"fmt"
	"math"
	"slices"
)

// longestEdgeM is the length in metres of the longest edge that a boundary may have. A longer one
// comes from a stray vertex (often 0, 0). It also keeps the measuring of hostile shapes short.
const longestEdgeM = 200_000.0

// normalise copies a geometry with its rings closed, repeated positions and spikes dropped, and
// refuses rings that are not made of positions on Earth. Sizes are checked first.
func normalise(m MultiPolygon, limits Limits) (MultiPolygon, error) {
	if len(m) == 0 {
		return nil, refuse("The boundary is empty.")
	}
	vertices := 0
	for i, polygon := range m {
		if len(polygon) == 0 {
			return nil, refuse("Part %d has no rings.", i+1)
		}
		for _, ring := range polygon {
			vertices += openLength(ring)
		}
	}
	if vertices > limits.MaxVertices {
		return nil, tooManyVertices(limits.MaxVertices)
	}
	out := make(MultiPolygon, len(m))
	for i, polygon := range m {
		out[i] = make(Polygon, len(polygon))
		for j, ring := range polygon {
			name := ringName{part: i, ring: j, parts: len(m)}
			clean, err := normaliseRing(ring, name)
			if err != nil {
				return nil, err
			}
			out[i][j] = clean
		}
	}
	return out, nil
}

func tooManyVertices(limit int) error {
	return refuse("The boundary has more than %d vertices; simplify it.", limit)
}

// openLength counts the positions of a ring without the closing one.
func openLength(ring Ring) int {
	if n := len(ring); n > 1 && ring[0] == ring[n-1] {
		return n - 1
	}
	return len(ring)
}

func normaliseRing(ring Ring, name ringName) (Ring, error) {
	for _, p := range ring {
		if err := checkPosition(p, name); err != nil {
			return nil, err
		}
	}
	out := ring.opened()
	if len(out) < 3 {
		return nil, refuse("%s needs at least 4 positions, the last equal to the first, "+
			"of which 3 differ; it has %d.", name, len(ring))
	}
	if out = withoutSpikes(out); len(out) < 3 {
		return nil, refuse("%s encloses no area: it is a spike that runs straight back on itself.", name)
	}
	return append(out, out[0]), nil
}

// opened returns a copy of the ring without its closing position and without repeated positions.
func (r Ring) opened() Ring {
	out := slices.Compact(append(make(Ring, 0, len(r)+1), r...))
	return out[:openLength(out)]
}

func checkPosition(p Position, name ringName) error {
	switch {
	case math.IsNaN(p.X) || math.IsNaN(p.Y) || math.IsInf(p.X, 0) || math.IsInf(p.Y, 0):
		return refuse("%s holds a coordinate that is not a finite number.", name)
	case math.Abs(p.X) <= 180 && math.Abs(p.Y) <= 90:
		return nil
	case math.Abs(p.X) <= 90 && math.Abs(p.Y) <= 180:
		return refuse("%s: latitude %v is outside -90 to 90. Longitude comes first; "+
			"the two may be swapped.", name, p.Y)
	case math.Abs(p.X) <= 360 && math.Abs(p.Y) <= 90:
		return refuse("%s: longitude %v is outside -180 to 180. %s", name, p.X, antimeridianFix)
	default:
		return refuse("%s: longitude %v, latitude %v is not a position on Earth. The coordinates "+
			"may be projected (metres); give longitude and latitude in degrees (WGS84).", name, p.X, p.Y)
	}
}

const antimeridianFix = "A boundary cannot cross the antimeridian (180°): " +
	"draw it as two fields, one on each side, with longitudes between -180 and 180."

// checkExtent refuses boundaries that cross the antimeridian or lie on both sides of it (they span
// more than half a turn of longitude), and edges longer than those of fields.
func checkExtent(m MultiPolygon) error {
	if b := m.Bounds(); b.MaxX-b.MinX > 180 {
		return refuse("The boundary spans %.1f degrees of longitude. %s", b.MaxX-b.MinX, antimeridianFix)
	}
	for i, polygon := range m {
		for j, ring := range polygon {
			from := toSurface(ring[0])
			for k := 1; k < len(ring); k++ {
				to := toSurface(ring[k])
				if c := chord(from, to); c > longestEdgeM {
					return refuse("%s has an edge of %.0f km from %s to %s; no field has one over %.0f km.",
						ringName{part: i, ring: j, parts: len(m)}, c/1000, ring[k-1], ring[k], longestEdgeM/1000)
				}
				from = to
			}
		}
	}
	return nil
}

// wind reverses rings in place so that outer rings run counter-clockwise and holes clockwise.
func wind(m MultiPolygon) {
	for i, ring := range m.Rings() {
		if counterClockwise(ring) != (i == 0) {
			slices.Reverse(ring)
		}
	}
}

// counterClockwise returns the winding of a simple closed ring from the turn at its lowest, then
// leftmost, vertex, which is convex. Unlike the sign of a sum over all edges, it cannot drown in
// rounding.
func counterClockwise(ring Ring) bool {
	open := ring[:len(ring)-1]
	low := 0
	for i, p := range open {
		if p.Y < open[low].Y || (p.Y == open[low].Y && p.X < open[low].X) {
			low = i
		}
	}
	n := len(open)
	return orientation(open[(low+n-1)%n], open[low], open[(low+1)%n]) > 0
}

// String formats a position as "(longitude, latitude)" with six decimals (a decimetre).
func (p Position) String() string { return fmt.Sprintf("(%.6f, %.6f)", p.X, p.Y) }

// ringName names a ring in messages.
type ringName struct{ part, ring, parts int }

func (n ringName) String() string {
	name := "The outer ring"
	if n.ring > 0 {
		name = fmt.Sprintf("Hole %d", n.ring)
	}
	if n.parts > 1 {
		name += fmt.Sprintf(" of part %d", n.part+1)
	}
	return name
}
