package vegetation

import (
	"math"

	"tilth/core/geo"
)

// awayFrom returns the cells whose centres lie at least the given number of metres from every edge. It works along the
// edges, so that its running time depends on the length of the outline and not on the area of the field.
func awayFrom(m geo.MultiPolygon, g Grid, cells []Cell, metres float64) []Cell {
	if len(cells) == 0 {
		return nil
	}
	box := cellBox(cells)
	near := make([]bool, box.Width*box.Height)
	for a, b := range m.Edges() {
		reach := box.meeting(g, a, b, metres)
		for row := reach.Row; row < reach.Row+reach.Height; row++ {
			for col := reach.Col; col < reach.Col+reach.Width; col++ {
				if distance(g.Centre(col, row), a, b) < metres {
					near[(row-box.Row)*box.Width+col-box.Col] = true
				}
			}
		}
	}
	var out []Cell
	for _, c := range cells {
		if !near[(c.Row-box.Row)*box.Width+c.Col-box.Col] {
			out = append(out, c)
		}
	}
	return out
}

// cellBox returns the window around cells.
func cellBox(cells []Cell) Window {
	low, high := cells[0], cells[0]
	for _, c := range cells {
		low.Col, low.Row = min(low.Col, c.Col), min(low.Row, c.Row)
		high.Col, high.Row = max(high.Col, c.Col), max(high.Row, c.Row)
	}
	return Window{Col: low.Col, Row: low.Row, Width: high.Col - low.Col + 1, Height: high.Row - low.Row + 1}
}

// meeting returns the part of a window whose pixels may lie within the given number of metres of an edge.
func (w Window) meeting(g Grid, a, b geo.Position, metres float64) Window {
	col0, row0 := g.PixelAt(geo.Position{X: min(a.X, b.X) - metres, Y: max(a.Y, b.Y) + metres})
	col1, row1 := g.PixelAt(geo.Position{X: max(a.X, b.X) + metres, Y: min(a.Y, b.Y) - metres})
	col0, row0 = max(col0, w.Col), max(row0, w.Row)
	return Window{Col: col0, Row: row0, Width: min(col1+1, w.Col+w.Width) - col0, Height: min(row1+1, w.Row+w.Height) - row0}
}

// distance returns how far a point is from an edge.
func distance(p, a, b geo.Position) float64 {
	dx, dy := b.X-a.X, b.Y-a.Y
	t := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		t = max(0, min(1, ((p.X-a.X)*dx+(p.Y-a.Y)*dy)/length))
	}
	return math.Hypot(p.X-a.X-t*dx, p.Y-a.Y-t*dy)
}
