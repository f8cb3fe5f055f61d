package eudr

import (
	"slices"

	"tilth/core/effort"
	"tilth/core/geo"
)

// withoutHoles returns the outer rings of an area whose holes are cut open: a polygon with holes is divided by a
// meridian through the first of them, and each part again as long as it has a hole.
func withoutHoles(budget *effort.Budget, area geo.MultiPolygon) (rings []geo.Ring, cut bool, err error) {
	for _, polygon := range area {
		if len(polygon) == 1 {
			rings = append(rings, polygon[0])
			continue
		}
		cut = true
		halves, err := divided(budget, polygon)
		if err != nil {
			return nil, true, err
		}
		for _, half := range halves {
			parts, _, err := withoutHoles(budget, half)
			if err != nil {
				return nil, true, err
			}
			rings = append(rings, parts...)
		}
	}
	return rings, cut, nil
}

// divided returns the parts of a polygon west and east of the middle of its first hole, rounded.
func divided(budget *effort.Budget, polygon geo.Polygon) (out [2]geo.MultiPolygon, err error) {
	whole := geo.MultiPolygon{polygon}
	box, hole := whole.Bounds(), geo.MultiPolygon{{polygon[1]}}.Bounds()
	middle := (hole.MinX + hole.MaxX) / 2
	for i, side := range []geo.Box{{MinX: box.MinX, MaxX: middle}, {MinX: middle, MaxX: box.MaxX}} {
		side.MinY, side.MaxY = box.MinY, box.MaxY
		half, err := geo.Intersection(budget, whole, geo.MultiPolygon{{rectangle(side)}})
		if err != nil {
			return out, err
		}
		out[i] = half.Rounded(Decimals)
		for k, part := range out[i] {
			if len(part) >= len(polygon) { // the hole is narrower than the last decimal
				out[i][k] = part[:1]
			}
		}
	}
	return out, nil
}

func rectangle(b geo.Box) geo.Ring {
	return geo.Ring{{X: b.MinX, Y: b.MinY}, {X: b.MaxX, Y: b.MinY}, {X: b.MaxX, Y: b.MaxY}, {X: b.MinX, Y: b.MaxY}, {X: b.MinX, Y: b.MinY}}
}

// insideOf returns a place in a polygon: the middle of the widest part of the parallel halfway up that lies inside.
func insideOf(polygon geo.Polygon) geo.Position {
	box := geo.MultiPolygon{polygon}.Bounds()
	y := (box.MinY + box.MaxY) / 2
	var crossings []float64
	for _, ring := range polygon {
		for i := 1; i < len(ring); i++ {
			if a, b := ring[i-1], ring[i]; (a.Y > y) != (b.Y > y) {
				crossings = append(crossings, a.X+(y-a.Y)/(b.Y-a.Y)*(b.X-a.X))
			}
		}
	}
	slices.Sort(crossings)
	at, widest := geo.Position{X: (box.MinX + box.MaxX) / 2, Y: y}, -1.0
	for i := 1; i < len(crossings); i += 2 {
		if width := crossings[i] - crossings[i-1]; width > widest {
			at.X, widest = (crossings[i]+crossings[i-1])/2, width
		}
	}
	return at
}
