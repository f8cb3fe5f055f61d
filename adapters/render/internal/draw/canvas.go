// Package draw is the kit of all pictures and documents: their colours, spacings and letters, and
// a canvas of lines, areas and texts, which is stored as SVG or PNG, or is a part of a PDF page.
// It knows no charts and no maps.
package draw

import (
	"image"
	"io"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/ports"
)

// Point is a place on a canvas: pixels from its upper left corner.
type Point struct{ X, Y float64 }

// Box is a rectangle of a canvas.
type Box struct{ Left, Top, Right, Bottom float64 }

// Width returns the width of the box.
func (b Box) Width() float64 { return b.Right - b.Left }

// Height returns the height of the box.
func (b Box) Height() float64 { return b.Bottom - b.Top }

// Shared returns the area that two boxes have in common.
func (b Box) Shared(other Box) float64 {
	width, height := min(b.Right, other.Right)-max(b.Left, other.Left), min(b.Bottom, other.Bottom)-max(b.Top, other.Top)
	return max(0, width) * max(0, height)
}

// Style is how a shape is painted.
type Style struct {
	Fill, Edge Color
	Width      float64 // of the edge
}

// Format is what a canvas paints on.
type Format interface {
	// Path paints lines as one shape. Holes of an area run opposite to its outer ring.
	Path(lines [][]Point, closed bool, s Style)
	// Image paints an image into a box.
	Image(pixels *image.NRGBA, b Box)
	// Circle paints a circle.
	Circle(centre Point, radius float64, s Style)
	// Text writes a text whose baseline begins at a place, upwards if turned.
	Text(text string, at Point, l Letters, turned bool)
}

// Canvas is a rectangle to draw on.
type Canvas struct {
	Format
	Width, Height float64
}

// Measuring returns a canvas that paints nothing, to find out how high texts are.
func Measuring() Canvas { return Canvas{Format: nothing{}} }

type nothing struct{}

func (nothing) Path([][]Point, bool, Style)       {}
func (nothing) Image(*image.NRGBA, Box)           {}
func (nothing) Circle(Point, float64, Style)      {}
func (nothing) Text(string, Point, Letters, bool) {}

// Within returns a format that paints until a budget is spent. A point of a path, a letter or a byte of an image is a step.
func Within(budget *effort.Budget, on Format) Format { return bounded{on, budget} }

type bounded struct {
	on     Format
	budget *effort.Budget
}

func (b bounded) Path(lines [][]Point, closed bool, s Style) {
	points := 0
	for _, line := range lines {
		points += len(line)
	}
	if b.budget.Spend(points) == nil {
		b.on.Path(lines, closed, s)
	}
}

func (b bounded) Image(pixels *image.NRGBA, box Box) {
	if b.budget.Spend(len(pixels.Pix)) == nil {
		b.on.Image(pixels, box)
	}
}

func (b bounded) Circle(centre Point, radius float64, s Style) {
	if b.budget.Spend(1) == nil {
		b.on.Circle(centre, radius, s)
	}
}

func (b bounded) Text(text string, at Point, l Letters, turned bool) {
	if b.budget.Spend(len(text)) == nil {
		b.on.Text(text, at, l, turned)
	}
}

// Size is the size of a picture.
type Size struct {
	Width, Height int
	Density       int // pixels of a PNG for one of the canvas, each way; 0: one
}

// Picture draws a picture as SVG or PNG, on white. Faults: Internal for another format; the
// budget's error where it ends.
func Picture(budget *effort.Budget, w io.Writer, format string, size Size, draw func(Canvas)) error {
	var on interface {
		Format
		save(w io.Writer) error
	}
	switch format {
	case ports.SVG:
		on = newVectors(size.Width, size.Height)
	case ports.PNG:
		on = newRaster(size)
	default:
		return fault.Newf(fault.Internal, "unknown_format", "no drawing in the format %q", format)
	}
	draw(Canvas{Format: Within(budget, on), Width: float64(size.Width), Height: float64(size.Height)})
	if err := budget.Err(); err != nil {
		return err
	}
	return on.save(w)
}

// Line draws a straight line.
func (c Canvas) Line(x0, y0, x1, y1 float64, edge Color, width float64) {
	c.Path([][]Point{{{x0, y0}, {x1, y1}}}, false, Style{Edge: edge, Width: width})
}

// Box draws a rectangle.
func (c Canvas) Box(b Box, s Style) {
	c.Path([][]Point{{{b.Left, b.Top}, {b.Right, b.Top}, {b.Right, b.Bottom}, {b.Left, b.Bottom}}}, true, s)
}

// Write writes a text whose baseline begins at a place.
func (c Canvas) Write(text string, x, y float64, l Letters) { c.Text(text, Point{x, y}, l, false) }

// Align is where the place of a text lies on its baseline: Left, Centre or Right.
type Align float64

// The alignments.
const (
	Left   Align = 0
	Centre Align = 0.5
	Right  Align = 1
)

// Aligned writes a text that is aligned to a place.
func (c Canvas) Aligned(a Align, text string, x, y float64, l Letters) {
	c.Write(text, x-float64(a)*Measure(text, l), y, l)
}
