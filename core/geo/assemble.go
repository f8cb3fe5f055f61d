package geo

import "slices"

// Assemble makes polygons from loose rings as shapefiles store them: a clockwise ring is an outer
// one, a counter-clockwise ring is a hole of the smallest outer ring around it. A hole outside all
// outer rings counts as an outer ring wound the wrong way, so that no land is lost. NewBoundary
// checks the result.
func Assemble(rings []Ring) MultiPolygon {
	var outers, holes []Ring
	for _, ring := range rings {
		if len(ring) < 4 || !counterClockwise(ring) {
			outers = append(outers, ring)
		} else {
			holes = append(holes, ring)
		}
	}
	return Nest(outers, holes)
}

// Nest makes polygons from outer rings and holes: each hole goes to the smallest outer ring around it. A hole outside
// all of them counts as an outer ring. NewBoundary checks the result.
func Nest(outers, holes []Ring) MultiPolygon {
	var out MultiPolygon
	var boxes []Box
	for _, ring := range outers {
		out, boxes = append(out, Polygon{ring}), append(boxes, ring.bounds())
	}
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
