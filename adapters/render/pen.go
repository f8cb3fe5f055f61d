package render

import (
	"github.com/golang/freetype/truetype"
	chart "github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"

	"tilth/core/geo"
)

// pen draws the parts of maps. Lengths are pixels, sizes of letters points.
type pen struct {
	r       chart.Renderer
	letters *truetype.Font
}

// Sizes of the marks of points.
const (
	sampleRadius  = 7
	reserveRadius = 9
	labelSize     = 10.5
)

// labelShade lies behind a label, so that it can be read upon any colour.
var labelShade = drawing.Color{R: 255, G: 255, B: 255, A: 205}

func (p pen) style(s chart.Style) chart.Style {
	s.Font = p.letters
	return s
}

func (p pen) text(text string, x, y int, size float64, color drawing.Color) {
	chart.Draw.Text(p.r, text, x, y, p.style(chart.Style{FontSize: size, FontColor: color}))
}

// measure gives the width of a text.
func (p pen) measure(text string, size float64) int {
	return chart.Draw.MeasureText(p.r, text, p.style(chart.Style{FontSize: size, FontColor: ink})).Width()
}

func (p pen) box(b chart.Box, fill, edge drawing.Color, width float64) {
	chart.Draw.Box(p.r, b, chart.Style{FillColor: fill, StrokeColor: edge, StrokeWidth: width})
}

func (p pen) line(color drawing.Color, width float64, x0, y0, x1, y1 int) {
	stroke(p.r, chart.Style{StrokeColor: color, StrokeWidth: width}, x0, y0, x1, y1)
}

// sample is a dot with a light edge.
func (p pen) sample(x, y int) {
	chart.Style{FillColor: ink, StrokeColor: drawing.ColorWhite, StrokeWidth: 2}.GetFillAndStrokeOptions().WriteToRenderer(p.r)
	defer p.r.ResetStyle()
	p.r.Circle(sampleRadius, x, y)
	p.r.FillStroke()
}

// reserve is an empty diamond.
func (p pen) reserve(x, y int) {
	p.polygon([][2]int{{x, y - reserveRadius}, {x + reserveRadius, y}, {x, y + reserveRadius}, {x - reserveRadius, y}},
		drawing.ColorWhite, ink, 2)
}

func (p pen) polygon(corners [][2]int, fill, edge drawing.Color, width float64) {
	chart.Style{FillColor: fill, StrokeColor: edge, StrokeWidth: width}.GetFillAndStrokeOptions().WriteToRenderer(p.r)
	defer p.r.ResetStyle()
	for i, c := range corners {
		if i == 0 {
			p.r.MoveTo(c[0], c[1])
			continue
		}
		p.r.LineTo(c[0], c[1])
	}
	p.r.Close()
	p.r.FillStroke()
}

// area draws one polygon with its holes; no fill where the colour is the zero Color.
func (p pen) area(polygon geo.Polygon, at func(geo.Position) (int, int), fill, edge drawing.Color, width float64) {
	chart.Style{FillColor: fill, StrokeColor: edge, StrokeWidth: width}.GetFillAndStrokeOptions().WriteToRenderer(p.r)
	defer p.r.ResetStyle()
	for _, ring := range polygon {
		lastX, lastY := at(ring[0])
		p.r.MoveTo(lastX, lastY)
		for _, q := range ring[1 : len(ring)-1] {
			x, y := at(q)
			if x == lastX && y == lastY {
				continue // of outlines of many cells most corners share a pixel
			}
			p.r.LineTo(x, y)
			lastX, lastY = x, y
		}
		p.r.Close()
	}
	if fill.IsZero() {
		p.r.Stroke()
		return
	}
	p.r.FillStroke()
}

// northArrow stands with its tip at the top.
func (p pen) northArrow(x, y int) {
	p.polygon([][2]int{{x, y}, {x + 10, y + 32}, {x, y + 25}, {x - 10, y + 32}}, ink, drawing.ColorWhite, 1)
	p.text("N", x-p.measure("N", 12)/2, y+52, 12, ink)
}

// scaleBar lies with its left end at a place; it is at most so long.
func (p pen) scaleBar(x, y, most int, metresPerPixel float64) {
	length, label := roundLength(float64(most) * metresPerPixel)
	width := int(length / metresPerPixel)
	p.box(chart.Box{Left: x - 6, Top: y - 26, Right: x + width + 8 + p.measure(label, 10), Bottom: y + 8}, labelShade, labelShade, 1)
	p.box(chart.Box{Left: x, Top: y - 6, Right: x + width, Bottom: y}, drawing.ColorWhite, ink, 1)
	p.box(chart.Box{Left: x, Top: y - 6, Right: x + width/2, Bottom: y}, ink, ink, 1)
	p.text("0", x-2, y-11, 10, ink)
	p.text(label, x+width-p.measure(label, 10)/2, y-11, 10, ink)
}
