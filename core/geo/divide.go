package geo

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/fault"
)

// Cut returns the parts into which a line divides a geometry, from west to east: the faces between its outline and the
// line. Their areas add up to that of the geometry. A line that begins or ends inside does not divide there. Cut fails
// where the two cross more often than fields do.
func Cut(budget *effort.Budget, m MultiPolygon, line []Position) (MultiPolygon, error) {
	unit := latticeOf([]MultiPolygon{m, {{Ring(line)}}})
	for range latticeTries {
		out, err := cutOnLattice(budget, m.onLattice(unit), onLattice(line, unit))
		if !errors.Is(err, errUnsettled) {
			return fromWest(out.offLattice(unit)), err
		}
		unit *= latticeCoarser
	}
	return nil, errUnsettled
}

// onLattice returns a line in whole units, without repeated positions.
func onLattice(line []Position, unit float64) []Position {
	out := make([]Position, len(line))
	for i, p := range line {
		out[i] = Position{X: math.RoundToEven(p.X / unit), Y: math.RoundToEven(p.Y / unit)}
	}
	return slices.Compact(out)
}

// cutOnLattice is Cut on whole coordinates. The line goes out and back as a loop that covers nothing, so that noding gives it and
// the outline a common vertex wherever they meet. Its edges inside are walked in both directions, each along a different face.
func cutOnLattice(budget *effort.Budget, m MultiPolygon, line []Position) (MultiPolygon, error) {
	if len(m) == 0 || len(line) < 2 {
		return m, nil
	}
	back := slices.Clone(line[:len(line)-1])
	slices.Reverse(back)
	var loops []loop
	for _, ring := range m.Rings() {
		loops = append(loops, loop{at: ring})
	}
	loops = append(loops, loop{at: Ring(append(slices.Clone(line), back...))})
	if err := node(budget, loops, m.Bounds().Union(Ring(line).bounds())); err != nil {
		return nil, err
	}
	pieces, err := bounding(budget, loops, 1)
	if err != nil {
		return nil, err
	}
	sides, certain := sidesOf(loops)
	where := newShelves(sides)
	for i, s := range sides[:certain] {
		if s.n != 0 {
			continue
		}
		if err := budget.Spend(where.crowd(s.middle())); err != nil {
			return nil, err
		}
		if where.winding(sides, s.middle(), i) > 0 {
			pieces = append(pieces, Ring{s.a, s.b}, Ring{s.b, s.a})
		}
	}
	rings, err := woven(pieces)
	if err != nil {
		return nil, err
	}
	return faces(budget, rings)
}

// faces makes polygons from the rings of adjacent faces: a hole belongs to the smallest outer ring around it, except
// for the rings of the faces that fill it, which run along its edges in the opposite direction.
func faces(budget *effort.Budget, rings []Ring) (out MultiPolygon, err error) {
	type way struct{ a, b Position }
	var holes []Ring
	of := map[way]int{} // the outer ring of an edge
	for _, r := range rings {
		if planarRingArea(r) < 0 {
			holes = append(holes, r)
			continue
		}
		for k := 1; k < len(r); k++ {
			of[way{r[k-1], r[k]}] = len(out)
		}
		out = append(out, Polygon{r})
	}
	outers := slices.Clone(out)
	for _, hole := range holes {
		filling := map[int]bool{}
		for k := 1; k < len(hole); k++ {
			if i, ok := of[way{hole[k], hole[k-1]}]; ok {
				filling[i] = true
			}
		}
		best, smallest := -1, math.Inf(1)
		for i, outer := range outers {
			if filling[i] || !outer[0].bounds().Contains(hole[0]) {
				continue
			}
			if err := budget.Spend(len(outer[0])); err != nil {
				return nil, err
			}
			if area := planarRingArea(outer[0]); area < smallest && sideOf(hole, Polygon{outer[0]}) == inside {
				best, smallest = i, area
			}
		}
		if best >= 0 {
			out[best] = append(out[best], hole)
		}
	}
	return out, nil
}

// fromWest orders polygons by the western end of their boxes, then by the southern.
func fromWest(m MultiPolygon) MultiPolygon {
	slices.SortStableFunc(m, func(a, b Polygon) int {
		p, q := a[0].bounds(), b[0].bounds()
		return cmp.Or(cmp.Compare(p.MinX, q.MinX), cmp.Compare(p.MinY, q.MinY))
	})
	return m
}

// Inside reports whether a position lies inside a geometry, and not on its outline.
func (m MultiPolygon) Inside(p Position) bool {
	return slices.ContainsFunc(m, func(polygon Polygon) bool { return locate(p, polygon) == inside })
}

// Fit states by how much pieces fail to divide a geometry exactly, in square metres.
type Fit struct {
	Gap      float64   // of the geometry, that no piece covers
	Beyond   []float64 // of each piece, that lies outside the geometry
	Overlaps []Overlap // of two pieces each
}

// Overlap is the area that two pieces have in common.
type Overlap struct {
	A, B int // their indices among the pieces
	M2   float64
}

// Fitted compares pieces with the geometry that they are to divide.
func Fitted(budget *effort.Budget, whole MultiPolygon, pieces []MultiPolygon) (Fit, error) {
	out := Fit{Beyond: make([]float64, len(pieces))}
	within := make([]MultiPolygon, len(pieces))
	for i, piece := range pieces {
		var err error
		if within[i], err = Intersection(budget, whole, piece); err != nil {
			return out, err
		}
		out.Beyond[i] = max(0, AreaM2(piece)-AreaM2(within[i]))
		for j, other := range pieces[:i] {
			if !piece.Bounds().Intersects(other.Bounds()) {
				continue
			}
			common, err := Intersection(budget, other, piece)
			if err != nil {
				return out, err
			}
			if m2 := AreaM2(common); m2 > 0 {
				out.Overlaps = append(out.Overlaps, Overlap{j, i, m2})
			}
		}
	}
	covered, err := Union(budget, within...)
	out.Gap = max(0, AreaM2(whole)-AreaM2(covered))
	return out, err
}

// LineField is the request field that every refusal of [ParseLine] names.
const LineField = "line"

// ParseLine reads a GeoJSON LineString with longitude and latitude (RFC 7946), of at most maxPositions positions.
// Further numbers of a position are dropped.
func ParseLine(raw []byte, maxPositions int) ([]Position, error) {
	line, err := parseLine(raw, maxPositions)
	if f, ok := fault.As(err); ok {
		return nil, fault.Field(LineField, fault.Messages(f.Fields[BoundaryField])[0])
	}
	return line, err
}

func parseLine(raw []byte, maxPositions int) (line []Position, err error) {
	var o geoObject
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, refuse("The line is not a GeoJSON object: %v.", err)
	}
	if o.Type != "LineString" {
		return nil, refuse("The type is %.40q; a line must be a LineString.", o.Type)
	}
	if len(o.Coordinates) == 0 || string(o.Coordinates) == "null" {
		return nil, refuse("The LineString has no coordinates.")
	}
	r := coordinateReader{raw: o.Coordinates, maxPositions: maxPositions}
	line, err = array(&r, "a line", func() (Position, error) {
		if r.positions++; r.positions > r.maxPositions {
			return Position{}, refuse("The line has more than %d positions.", r.maxPositions)
		}
		p, err := r.position()
		if err == nil && !(math.Abs(p.X) <= 180 && math.Abs(p.Y) <= 90) {
			err = refuse("%s is not a longitude and latitude.", p)
		}
		return p, err
	})
	if err == nil && len(line) < 2 {
		err = refuse("The line has %d positions; it needs at least 2.", len(line))
	}
	return line, err
}
