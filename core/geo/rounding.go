package geo

import (
	"math"
	"slices"
)

// Rounded returns the geometry with that many decimals, and valid: rounding can make edges meet
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
		if anew, err := overlaid(whole, nil, 1); err == nil {
			whole = anew
		}
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

// tidyRing returns a closed ring without repeated positions and spikes; nil where nothing is left.
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
