package pdf

import (
	"io"
	"math"

	"codeberg.org/go-pdf/fpdf"
	"github.com/golang/freetype/truetype"
	chart "github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"
)

// Draw gives a rectangle of the page to be drawn on as charts and maps are, width and height
// in their own units: pixels of a picture, which come out as lines and letters that stay sharp
// at any size.
func (d *Document) Draw(x, y, width float64, pixels, rows int, draw func(chart.Renderer) error) error {
	c := &canvas{f: d.f, letters: d.font, x: x, y: y, scale: width / float64(pixels), dpi: chart.DefaultDPI}
	next := d.At()
	d.f.ClipRect(x, y, width, float64(rows)*c.scale, false)
	err := draw(c)
	d.f.ClipEnd()
	// The page has its colours and letters again that it had before; the library does not know.
	d.f.SetFillColor(int(Tint.R), int(Tint.G), int(Tint.B))
	d.f.SetFontSize(TextSize)
	d.f.SetDashPattern(nil, 0)
	d.MoveTo(next) // lines of a path move the library's place
	return err
}

// canvas is a part of a page as the chart library draws on it.
type canvas struct {
	f       *fpdf.Fpdf
	letters *truetype.Font
	x, y    float64 // of its upper left corner
	scale   float64 // millimetres of a unit
	dpi     float64
	style   chart.Style
	path    []func() // the path in the making: a PDF takes no colours within one
	turn    float64  // of texts, radians clockwise
}

func (c *canvas) at(x, y int) (float64, float64) {
	return c.x + float64(x)*c.scale, c.y + float64(y)*c.scale
}

// ResetStyle implements chart.Renderer.
func (c *canvas) ResetStyle() {
	c.style = chart.Style{Font: c.style.Font}
	c.turn = 0
}

// GetDPI implements chart.Renderer.
func (c *canvas) GetDPI() float64 { return c.dpi }

// SetDPI implements chart.Renderer.
func (c *canvas) SetDPI(dpi float64) { c.dpi = dpi }

// SetClassName implements chart.Renderer: a page has no classes.
func (c *canvas) SetClassName(string) {}

// SetStrokeColor implements chart.Renderer.
func (c *canvas) SetStrokeColor(color drawing.Color) { c.style.StrokeColor = color }

// SetFillColor implements chart.Renderer.
func (c *canvas) SetFillColor(color drawing.Color) { c.style.FillColor = color }

// SetStrokeWidth implements chart.Renderer.
func (c *canvas) SetStrokeWidth(width float64) { c.style.StrokeWidth = width }

// SetStrokeDashArray implements chart.Renderer.
func (c *canvas) SetStrokeDashArray(dashes []float64) { c.style.StrokeDashArray = dashes }

// MoveTo implements chart.Renderer.
func (c *canvas) MoveTo(x, y int) {
	px, py := c.at(x, y)
	c.path = append(c.path, func() { c.f.MoveTo(px, py) })
}

// LineTo implements chart.Renderer.
func (c *canvas) LineTo(x, y int) {
	px, py := c.at(x, y)
	c.path = append(c.path, func() { c.f.LineTo(px, py) })
}

// QuadCurveTo implements chart.Renderer.
func (c *canvas) QuadCurveTo(cx, cy, x, y int) {
	pcx, pcy := c.at(cx, cy)
	px, py := c.at(x, y)
	c.path = append(c.path, func() { c.f.CurveTo(pcx, pcy, px, py) })
}

// arcStep is the angle of the chords that an arc is drawn with.
const arcStep = math.Pi / 90

// ArcTo implements chart.Renderer: angles begin at the right and run clockwise.
func (c *canvas) ArcTo(cx, cy int, rx, ry, start, delta float64) {
	px, py := c.at(cx, cy)
	steps := max(1, int(math.Ceil(math.Abs(delta)/arcStep)))
	for i := range steps + 1 {
		angle := start + delta*float64(i)/float64(steps)
		x, y := px+rx*c.scale*math.Cos(angle), py+ry*c.scale*math.Sin(angle)
		if len(c.path) == 0 {
			c.path = append(c.path, func() { c.f.MoveTo(x, y) })
			continue
		}
		c.path = append(c.path, func() { c.f.LineTo(x, y) })
	}
}

// Close implements chart.Renderer.
func (c *canvas) Close() { c.path = append(c.path, c.f.ClosePath) }

// Stroke implements chart.Renderer.
func (c *canvas) Stroke() { c.paint(false, true) }

// Fill implements chart.Renderer.
func (c *canvas) Fill() { c.paint(true, false) }

// FillStroke implements chart.Renderer.
func (c *canvas) FillStroke() { c.paint(true, true) }

// Circle implements chart.Renderer: as in pictures of pixels, it is a path to be painted.
func (c *canvas) Circle(radius float64, x, y int) {
	px, py := c.at(x, y)
	r := radius * c.scale
	const k = 0.5522847498 // control points of a quarter circle by a cubic curve
	c.path = append(c.path, func() {
		c.f.MoveTo(px+r, py)
		for _, q := range [][2]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} { // towards the next quarter, clockwise
			ux, uy := q[0], q[1]
			vx, vy := -uy, ux
			c.f.CurveBezierCubicTo(px+r*(ux+k*vx), py+r*(uy+k*vy), px+r*(vx+k*ux), py+r*(vy+k*uy), px+r*vx, py+r*vy)
		}
		c.f.ClosePath()
	})
}

// paint sets the colours, and draws the path.
func (c *canvas) paint(fill, stroke bool) {
	path := c.path
	c.path = nil
	fill = fill && !c.style.FillColor.IsZero()
	stroke = stroke && !c.style.StrokeColor.IsZero() && c.style.StrokeWidth > 0
	if len(path) == 0 || !fill && !stroke {
		return
	}
	how, alpha := "", uint8(255)
	if fill {
		color := c.style.FillColor
		c.f.SetFillColor(int(color.R), int(color.G), int(color.B))
		how, alpha = "F*", color.A
	}
	if stroke {
		color := c.style.StrokeColor
		c.f.SetDrawColor(int(color.R), int(color.G), int(color.B))
		c.f.SetLineWidth(c.style.StrokeWidth * c.scale)
		c.f.SetLineJoinStyle("round")
		dashes := make([]float64, len(c.style.StrokeDashArray))
		for i, d := range c.style.StrokeDashArray {
			dashes[i] = d * c.scale
		}
		c.f.SetDashPattern(dashes, 0)
		how = map[bool]string{false: "D", true: "FD*"}[fill]
	}
	c.opaque(alpha, func() {
		for _, step := range path {
			step()
		}
		c.f.DrawPath(how)
	})
}

// opaque draws with an opacity, of 255.
func (c *canvas) opaque(alpha uint8, draw func()) {
	if alpha == 255 {
		draw()
		return
	}
	c.f.SetAlpha(float64(alpha)/255, "Normal")
	draw()
	c.f.SetAlpha(1, "Normal")
}

// SetFont implements chart.Renderer: a page has one typeface.
func (c *canvas) SetFont(*truetype.Font) {}

// SetFontColor implements chart.Renderer.
func (c *canvas) SetFontColor(color drawing.Color) { c.style.FontColor = color }

// SetFontSize implements chart.Renderer.
func (c *canvas) SetFontSize(size float64) { c.style.FontSize = size }

// size gives the letters' size in points on paper.
func (c *canvas) size() float64 {
	return drawing.PointsToPixels(c.dpi, c.style.FontSize) * c.scale / perPoint
}

// Text implements chart.Renderer.
func (c *canvas) Text(body string, x, y int) {
	px, py := c.at(x, y)
	color := c.style.FontColor
	c.f.SetFont(family, "", c.size())
	c.f.SetTextColor(int(color.R), int(color.G), int(color.B))
	body = printable(c.letters, body)
	if c.turn == 0 {
		c.f.Text(px, py, body)
		return
	}
	c.f.TransformBegin()
	c.f.TransformRotate(-c.turn*180/math.Pi, px, py)
	c.f.Text(px, py, body)
	c.f.TransformEnd()
}

// MeasureText implements chart.Renderer.
func (c *canvas) MeasureText(body string) chart.Box {
	c.f.SetFont(family, "", c.size())
	box := chart.Box{
		Right:  int(math.Ceil(c.f.GetStringWidth(printable(c.letters, body)) / c.scale)),
		Bottom: int(drawing.PointsToPixels(c.dpi, c.style.FontSize)),
	}
	if c.turn == 0 {
		return box
	}
	return box.Corners().Rotate(chart.RadiansToDegrees(c.turn)).Box()
}

// SetTextRotation implements chart.Renderer.
func (c *canvas) SetTextRotation(radians float64) { c.turn = radians }

// ClearTextRotation implements chart.Renderer.
func (c *canvas) ClearTextRotation() { c.turn = 0 }

// Save implements chart.Renderer: the document is written as a whole.
func (c *canvas) Save(io.Writer) error { return nil }

var _ chart.Renderer = (*canvas)(nil)
