package geo

import "slices"

// Assemble makes polygons of loose rings as shapefiles keep them: a clockwise ring is an outer one,
// a counter-clockwise ring is a hole of the smallest outer ring around it. A hole outside all outer
// rings counts as an outer ring wound the wrong way, so that no land is lost. NewBoundary checks
// the result.
func Assemble(rings []Ring) MultiPolygon {
	var out MultiPolygon
	var boxes []Box
	var holes []Ring
	for _, ring := range rings {
		if len(ring) < 4 || !counterClockwise(ring) {
			out, boxes = append(out, Polygon{ring}), append(boxes, ring.bounds())
			continue
		}
		holes = append(holes, ring)
	}
	outers := len(out)
	for _, hole := range holes {
		around, box := -1, hole.bounds()
		for i := range outers {
			if boxes[i].holds(box) && (around < 0 || boxes[around].holds(boxes[i])) && sideOf(hole, out[i][:1]) == inside {
				around = i
			}
		}
		if around < 0 {
			reversed := slices.Clone(hole)
			slices.Reverse(reversed)
			out = append(out, Polygon{reversed})
			continue
		}
		out[around] = append(out[around], hole)
	}
	return out
}

func (b Box) holds(o Box) bool {
	return b.MinX <= o.MinX && o.MaxX <= b.MaxX && b.MinY <= o.MinY && o.MaxY <= b.MaxY
}
