package geo

import (
	"math"
	"slices"
)

// Rounded returns the geometry, which is valid or nearly so, rounded to a number of decimals and
// valid. Rounding can make close edges meet and narrow parts vanish: then it is rebuilt as in an
// overlay.
func (m MultiPolygon) Rounded(decimals int) MultiPolygon {
	if len(m) == 0 {
		return nil
	}
	// Whole numbers near 0 are compared exactly.
	scale := math.Pow10(decimals)
	origin := Position{X: math.Round(m[0][0][0].X * scale), Y: math.Round(m[0][0][0].Y * scale)}
	whole := m.mapped(func(p Position) Position {
		return Position{X: math.Round(p.X*scale) - origin.X, Y: math.Round(p.Y*scale) - origin.Y}
	}).withoutSlivers()
	if !whole.IsValid() {
		if rebuilt, err := overlaid(nil, whole, nil, 1); err == nil {
			whole = rebuilt
		}
	}
	if !whole.IsValid() {
		whole = whole.validParts()
	}
	return whole.mapped(func(p Position) Position {
		return Position{X: (p.X + origin.X) / scale, Y: (p.Y + origin.Y) / scale}
	})
}

// hasInside reports whether a ring is wider than a unit on average; anything narrower is rounding.
func (r Ring) hasInside() bool {
	around := 0.0
	for i := 1; i < len(r); i++ {
		around += math.Hypot(r[i].X-r[i-1].X, r[i].Y-r[i-1].Y)
	}
	return math.Abs(planarRingArea(r)) >= around/2
}

// withoutSlivers drops repeated positions and spikes, then rings without an inside.
func (m MultiPolygon) withoutSlivers() MultiPolygon {
	var out MultiPolygon
	for _, polygon := range m {
		var kept Polygon
		for i, ring := range polygon {
			if r := tidyRing(ring); r != nil {
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

// tidyRing returns a closed ring without repeated positions and spikes; nil where no inside remains.
func tidyRing(ring Ring) Ring {
	out := withoutSpikes(ring.opened())
	if len(out) < 3 {
		return nil
	}
	if out = append(out, out[0]); !out.hasInside() {
		return nil
	}
	return out
}

// validParts keeps polygons that are valid with those before, without invalid holes.
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

// PartRing splits an open ring at positions that it passes twice, into parts of three or more positions.
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
