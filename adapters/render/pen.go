package render

import (
	"fmt"
	"math"
	"strings"

	"tilth/adapters/render/internal/draw"
	"tilth/adapters/render/internal/placer"
	"tilth/core/geo"
	"tilth/core/stratification/plan"
)

// pen draws the parts of maps.
type pen struct {
	draw.Canvas
	size float64 // of marks and lines: 1, or less where a map is small
}

// Sizes of the marks of points and of lines, for a pen of size 1.
const (
	sampleRadius  = 7
	reserveRadius = 9
	edgeWidth     = 3 // of a field
	labelHeight   = 17.0
)

// label writes a text on a light ground around a place.
func (p pen) label(text string, letters draw.Letters, at draw.Point) {
	half := draw.Measure(text, letters)/2 + 2
	p.Box(draw.Box{Left: at.X - half, Top: at.Y - labelHeight/2, Right: at.X + half, Bottom: at.Y + labelHeight/2}, draw.Style{Fill: draw.Veil})
	p.Aligned(draw.Centre, text, at.X, at.Y+4.5, letters)
}

// caption writes a text beside a mark, where there is room; a line leads to a text that is farther off.
func (p pen) caption(text string, letters draw.Letters, mark draw.Point, room *placer.Placer) {
	b, away := room.Beside(mark, draw.Measure(text, letters)+4, labelHeight)
	middle := draw.Point{X: (b.Left + b.Right) / 2, Y: (b.Top + b.Bottom) / 2}
	if away {
		p.Line(mark.X, mark.Y, middle.X, middle.Y, draw.Ink, 1)
	}
	p.label(text, letters, middle)
}

// point draws a dot with a light edge for a sample, a light diamond for a reserve, and a triangle for a point kept
// from before: three shapes, so that they can be told apart without colours.
func (p pen) point(role plan.Role, at draw.Point) {
	r := reserveRadius * p.size
	dark := draw.Style{Fill: draw.Ink, Edge: draw.White, Width: 2 * p.size}
	switch role {
	case plan.RoleReserve:
		p.Path([][]draw.Point{{{X: at.X, Y: at.Y - r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X - r, Y: at.Y}}}, true,
			draw.Style{Fill: draw.White, Edge: draw.Ink, Width: 2 * p.size})
	case plan.RoleLegacy:
		p.Path([][]draw.Point{{{X: at.X, Y: at.Y - r}, {X: at.X + r, Y: at.Y + 0.8*r}, {X: at.X - r, Y: at.Y + 0.8*r}}}, true, dark)
	default:
		p.Circle(at, sampleRadius*p.size, dark)
	}
}

func (p pen) area(polygon geo.Polygon, at func(geo.Position) draw.Point, s draw.Style) {
	var rings [][]draw.Point
	for _, ring := range polygon {
		var line []draw.Point
		for _, q := range ring[:len(ring)-1] {
			next := at(q)
			if n := len(line); n > 0 && math.Hypot(next.X-line[n-1].X, next.Y-line[n-1].Y) < 0.5 {
				continue // in outlines of many cells, most corners share a pixel
			}
			line = append(line, next)
		}
		rings = append(rings, line)
	}
	p.Path(rings, true, s)
}

// northArrow draws an arrow with its upper left corner at a place.
func (p pen) northArrow(x, y float64) {
	const high = 24.0
	p.Path([][]draw.Point{{{X: x + 8, Y: y}, {X: x + 16, Y: y + high}, {X: x + 8, Y: y + high - 5}, {X: x, Y: y + high}}}, true, draw.Style{Fill: draw.Ink})
	p.Aligned(draw.Centre, "N", x-8, y+high-2, draw.Strong)
}

// scaleBar draws a scale with its lower left end at a place; it is at most as long as given.
func (p pen) scaleBar(x, y, longest, metresPerPixel float64) {
	length, label := roundLength(longest * metresPerPixel)
	width := length / metresPerPixel
	bar := draw.Style{Fill: draw.White, Edge: draw.Ink, Width: 1}
	p.Box(draw.Box{Left: x, Top: y - 6, Right: x + width, Bottom: y}, bar)
	bar.Fill = draw.Ink
	p.Box(draw.Box{Left: x, Top: y - 6, Right: x + width/2, Bottom: y}, bar)
	p.Write("0", x-2, y-10, draw.Text)
	p.Aligned(draw.Centre, label, x+width, y-10, draw.Text)
}

// wrapped writes a text from its first baseline on in lines of a width, and returns the baseline below.
func (p pen) wrapped(text string, x, y, width float64, l draw.Letters) float64 {
	line := ""
	for _, word := range strings.Fields(text) {
		if longer := strings.TrimSpace(line + " " + word); line == "" || draw.Measure(longer, l) <= width {
			line = longer
			continue
		}
		p.Write(line, x, y, l)
		y += lineHigh * l.Size
		line = word
	}
	p.Write(line, x, y, l)
	return y + lineHigh*l.Size
}

// lineHigh is the height of a line in pixels for a point of its letters.
const lineHigh = 1.45 * draw.PerPoint

// roundLength returns the longest length of 1, 2 or 5 times a power of ten up to a number of
// metres, and how it is written.
func roundLength(longest float64) (metres float64, label string) {
	power := math.Pow(10, math.Floor(math.Log10(longest)))
	metres = power
	for _, times := range []float64{2, 5} {
		if times*power <= longest {
			metres = times * power
		}
	}
	if metres >= 1000 {
		return metres, fmt.Sprintf("%g km", metres/1000)
	}
	return metres, fmt.Sprintf("%g m", metres)
}
