package vegetation

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/geo"
)

// minShare is the share of a pixel's area below which the pixel counts as not met: what rounding
// leaves where a field ends on a pixel's edge. For a pixel of 10 m it is 0.1 mm by 1 mm.
const minShare = 1e-9

// outline is a ring in units of pixels, columns to the right and rows down, relative to the first
// pixel of the field: at coordinates of millions of metres the areas of small figures would lose
// half their digits. Its signed area times sign is positive for outer rings and negative for holes.
type outline struct {
	points []geo.Position // not closed
	sign   float64
}

// sharesIn returns the pixels that meet a field and the share of each that lies in it. It halves
// the field's box down to single pixels and drops empty halves, so that its running time depends on
// the length of the outline and not on the area of the box.
func sharesIn(m geo.MultiPolygon, g Grid) []Cell {
	box := m.Bounds()
	col0, row0 := g.PixelAt(geo.Position{X: box.MinX, Y: box.MaxY})
	col1, row1 := g.PixelAt(geo.Position{X: box.MaxX, Y: box.MinY})
	origin := geo.Position{X: g.OriginX + float64(col0)*g.PixelX, Y: g.OriginY - float64(row0)*g.PixelY}
	var outlines []outline
	for _, polygon := range m {
		for i, ring := range polygon {
			o := outline{sign: 1, points: make([]geo.Position, 0, len(ring))}
			for _, p := range ring[:max(0, len(ring)-1)] {
				o.points = append(o.points, geo.Position{X: (p.X - origin.X) / g.PixelX, Y: (origin.Y - p.Y) / g.PixelY})
			}
			if (planeArea(o.points) < 0) != (i > 0) {
				o.sign = -1
			}
			outlines = append(outlines, o)
		}
	}
	var cells []Cell
	halve(outlines, 0, 0, col1-col0+1, row1-row0+1, func(col, row int, share float64) {
		cells = append(cells, Cell{Col: col0 + col, Row: row0 + row, Weight: share})
	})
	slices.SortFunc(cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col))
	})
	return cells
}

// halve calls found for every pixel of a box that outlines meet. The outlines have been cut to the box.
func halve(outlines []outline, col, row, width, height int, found func(col, row int, share float64)) {
	if len(outlines) == 0 {
		return
	}
	if width == 1 && height == 1 {
		share := 0.0
		for _, o := range outlines {
			share += o.sign * planeArea(o.points)
		}
		if share > minShare {
			found(col, row, min(1, share))
		}
		return
	}
	if width >= height {
		half := width / 2
		at := float64(col + half)
		halve(cutAll(outlines, at, abscissa, -1), col, row, half, height, found)
		halve(cutAll(outlines, at, abscissa, 1), col+half, row, width-half, height, found)
		return
	}
	half := height / 2
	at := float64(row + half)
	halve(cutAll(outlines, at, ordinate, -1), col, row, width, half, found)
	halve(cutAll(outlines, at, ordinate, 1), col, row+half, width, height-half, found)
}

func abscissa(p *geo.Position) *float64 { return &p.X }

func ordinate(p *geo.Position) *float64 { return &p.Y }

// cutAll keeps what lies on one side (-1: below, 1: above) of a value on an axis and is not flat.
func cutAll(outlines []outline, at float64, axis func(*geo.Position) *float64, side float64) []outline {
	var out []outline
	for _, o := range outlines {
		kept := cut(o.points, at, axis, side)
		flat := true
		for i := range kept {
			flat = flat && *axis(&kept[i]) == at
		}
		if !flat {
			out = append(out, outline{points: kept, sign: o.sign})
		}
	}
	return out
}

// cut keeps one side of a ring: one step of Sutherland and Hodgman, "Reentrant polygon clipping",
// CACM 17 (1974). Pieces that fall apart stay joined by stretches along the cut that enclose no
// area. New vertices lie exactly on the cut, which identifies such stretches.
func cut(ring []geo.Position, at float64, axis func(*geo.Position) *float64, side float64) []geo.Position {
	var kept []geo.Position
	for i := range ring {
		p, before := ring[i], ring[(i+len(ring)-1)%len(ring)]
		from, to := side*(*axis(&before)-at), side*(*axis(&p)-at)
		if (from > 0 && to < 0) || (from < 0 && to > 0) {
			t := from / (from - to)
			q := geo.Position{X: before.X + t*(p.X-before.X), Y: before.Y + t*(p.Y-before.Y)}
			*axis(&q) = at
			kept = append(kept, q)
		}
		if to >= 0 {
			kept = append(kept, p)
		}
	}
	return kept
}

// planeArea returns the signed area of a ring, relative to the first vertex to keep precision.
func planeArea(ring []geo.Position) float64 {
	sum := 0.0
	for i := 1; i+1 < len(ring); i++ {
		ax, ay := ring[i].X-ring[0].X, ring[i].Y-ring[0].Y
		bx, by := ring[i+1].X-ring[0].X, ring[i+1].Y-ring[0].Y
		sum += math.FMA(ax, by, -(ay * bx))
	}
	return sum / 2
}
