package pdf

import (
	"bytes"
	"fmt"
	"image"
	"image/png"

	"codeberg.org/go-pdf/fpdf"

	"tilth/adapters/render/internal/draw"
)

// Draw lets paint draw a block of a height over the whole width, which has the given number of
// pixels. Its lines and letters stay sharp at any size.
func (d *Document) Draw(height float64, pixels int, paint func(draw.Canvas)) {
	d.Need(height)
	y, scale := d.At(), d.width/float64(pixels)
	d.f.ClipRect(Margin, y, d.width, height, false)
	paint(draw.Canvas{Format: draw.Within(d.budget, canvas{d, y, scale}), Width: float64(pixels), Height: height / scale})
	d.f.ClipEnd()
	d.set, d.style = nil, nil // the end of a clip resets what was set within it
	d.MoveTo(y + height)
}

type canvas struct {
	*Document
	top   float64
	scale float64 // millimetres of a pixel
}

func (c canvas) at(p draw.Point) (x, y float64) { return Margin + p.X*c.scale, c.top + p.Y*c.scale }

// paint draws a shape in its colours.
func (c canvas) paint(s draw.Style, trace func(how string)) {
	s.Width *= c.scale * draw.PerMM
	c.shape(s)
	how := "F"
	switch {
	case s.Edge.A > 0 && s.Fill.A > 0:
		how = "FD"
	case s.Edge.A > 0:
		how = "D"
	}
	if s.Fill.A > 0 && s.Fill.A < 0xff {
		c.f.SetAlpha(float64(s.Fill.A)/0xff, "Normal")
		defer c.f.SetAlpha(1, "Normal")
	}
	trace(how)
}

func (c canvas) Path(lines [][]draw.Point, closed bool, s draw.Style) {
	c.paint(s, func(how string) {
		for _, line := range lines {
			c.f.MoveTo(c.at(line[0]))
			for _, p := range line[1:] {
				c.f.LineTo(c.at(p))
			}
			if closed {
				c.f.ClosePath()
			}
		}
		c.f.DrawPath(how)
	})
}

// Image implements draw.Format. The library orders images by width, and images of the same width
// differently at each call. Each therefore gets a width of its own by transparent columns on its right.
func (c canvas) Image(pixels *image.NRGBA, b draw.Box) {
	wide, pixel := pixels.Rect.Dx(), b.Width()/float64(pixels.Rect.Dx())
	for c.widths[wide] {
		wide++
	}
	if c.widths == nil {
		c.widths = map[int]bool{}
	}
	c.widths[wide] = true
	padded := image.NewNRGBA(image.Rect(0, 0, wide, pixels.Rect.Dy()))
	for row := range pixels.Rect.Dy() {
		from := pixels.PixOffset(pixels.Rect.Min.X, pixels.Rect.Min.Y+row)
		copy(padded.Pix[row*padded.Stride:], pixels.Pix[from:from+4*pixels.Rect.Dx()])
	}
	var file bytes.Buffer
	_ = png.Encode(&file, padded) // writing to a buffer never fails
	name, options := fmt.Sprintf("image %d", wide), fpdf.ImageOptions{ImageType: "PNG"}
	c.f.RegisterImageOptionsReader(name, options, &file)
	x, y := c.at(draw.Point{X: b.Left, Y: b.Top})
	c.f.ImageOptions(name, x, y, float64(wide)*pixel*c.scale, b.Height()*c.scale, false, options, 0, "")
}

func (c canvas) Circle(centre draw.Point, radius float64, s draw.Style) {
	x, y := c.at(centre)
	c.paint(s, func(how string) { c.f.Circle(x, y, radius*c.scale, how) })
}

func (c canvas) Text(text string, at draw.Point, l draw.Letters, turned bool) {
	x, y := c.at(at)
	l.Size *= draw.PerPoint * c.scale / perPoint
	c.letters(l)
	if turned {
		c.f.TransformBegin()
		defer c.f.TransformEnd()
		c.f.TransformRotate(90, x, y)
	}
	c.f.Text(x, y, draw.Printable(text))
}
