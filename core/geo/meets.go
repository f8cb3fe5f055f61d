package geo

// Meets reports whether a geometry and a box share at least a point.
func (m MultiPolygon) Meets(box Box) bool {
	for a, b := range m.Edges() {
		if passes(a, b, box) {
			return true
		}
	}
	return m.Contains(Position{X: box.MinX, Y: box.MinY}) // no edge meets the box: all of it is inside, or none
}

// passes reports whether an edge shares a point with a box.
func passes(a, b Position, box Box) bool {
	if !boxOf(a, b).Intersects(box) {
		return false
	}
	left, right := 0, 0
	for _, c := range [...]Position{{box.MinX, box.MinY}, {box.MaxX, box.MinY}, {box.MaxX, box.MaxY}, {box.MinX, box.MaxY}} {
		switch turn := orientation(a, b, c); {
		case turn > 0:
			left++
		case turn < 0:
			right++
		}
	}
	return left < 4 && right < 4
}
