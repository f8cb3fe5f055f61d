package geo

import "math"

// roundTurns bounds how often a geometry is rounded and cleared of crossings. One turn
// nearly always does; a turn moves vertices by half a unit of the last decimal at most.
const roundTurns = 8

// Rounded gives the geometry with that many decimals, and valid: rounding can make edges
// cross that ran close to each other, and parts vanish. Where they cross, the geometry is
// noded there, dissolved and rounded again (iterated snap rounding; Hobby, "Practical
// segment intersection with finite precision output", Computational Geometry 13 (1999)).
// Should that not come to an end, the parts and holes that are still invalid are left out:
// they are slivers of a few units of the last decimal.
func (m MultiPolygon) Rounded(decimals int) MultiPolygon {
	scale := math.Pow10(decimals)
	round := func(p Position) Position {
		return Position{X: math.Round(p.X*scale) / scale, Y: math.Round(p.Y*scale) / scale}
	}
	least := 1 / (scale * scale) // a triangle smaller than half a unit's square has no inside to speak of
	current := m
	for range roundTurns {
		current = current.mapped(round).withoutSlivers(least)
		if current.IsValid() {
			return current
		}
		clear, err := Union(current)
		if err != nil {
			break
		}
		current = clear
	}
	return current.mapped(round).withoutSlivers(least).validParts()
}

// withoutSlivers drops repeated positions and spikes, and then rings of less than an area.
func (m MultiPolygon) withoutSlivers(least float64) MultiPolygon {
	var out MultiPolygon
	for _, polygon := range m {
		var kept Polygon
		for i, ring := range polygon {
			r := tidyRing(ring)
			switch big := len(r) >= 4 && math.Abs(planarRingArea(r)) >= least; {
			case big:
				kept = append(kept, r)
			case i == 0:
				kept = nil
			}
			if i == 0 && kept == nil {
				break
			}
		}
		if kept != nil {
			out = append(out, kept)
		}
	}
	return out
}

// validParts keeps the polygons that are valid beside those kept before.
func (m MultiPolygon) validParts() MultiPolygon {
	var out MultiPolygon
	for _, polygon := range m {
		for _, attempt := range []Polygon{polygon, polygon[:1]} {
			if more := append(out[:len(out):len(out)], attempt); more.IsValid() {
				out = more
				break
			}
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
