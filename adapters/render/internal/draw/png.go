package draw

import (
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"math"
	"slices"

	scaled "golang.org/x/image/draw"
	"golang.org/x/image/vector"
)

type raster struct {
	image   *image.RGBA
	mask    vector.Rasterizer
	density float64 // pixels of the image for one of the canvas
}

func newRaster(size Size) *raster {
	density := max(size.Density, 1)
	r := &raster{image: image.NewRGBA(image.Rect(0, 0, density*size.Width, density*size.Height)), density: float64(density)}
	draw.Draw(r.image, r.image.Rect, image.White, image.Point{}, draw.Src)
	return r
}

func (r *raster) save(w io.Writer) error {
	if err := png.Encode(w, r.image); err != nil {
		return fmt.Errorf("write the PNG: %w", err)
	}
	return nil
}

// polygons paints rings as one shape, through a mask that only covers their box.
func (r *raster) polygons(rings [][]Point, c Color) {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, ring := range rings {
		for _, p := range ring {
			left, top, right, bottom = min(left, p.X), min(top, p.Y), max(right, p.X), max(bottom, p.Y)
		}
	}
	d := r.density
	area := image.Rect(int(math.Floor(left*d)), int(math.Floor(top*d)), int(math.Ceil(right*d)), int(math.Ceil(bottom*d))).Intersect(r.image.Rect)
	if len(rings) == 0 || area.Empty() {
		return
	}
	r.mask.Reset(area.Dx(), area.Dy())
	for _, ring := range rings {
		for i, p := range ring {
			if x, y := float32(p.X*d-float64(area.Min.X)), float32(p.Y*d-float64(area.Min.Y)); i == 0 {
				r.mask.MoveTo(x, y)
			} else {
				r.mask.LineTo(x, y)
			}
		}
		r.mask.ClosePath()
	}
	r.mask.Draw(r.image, area, image.NewUniform(c), image.Point{})
}

func (r *raster) Path(lines [][]Point, closed bool, s Style) {
	if s.Fill.A > 0 {
		r.polygons(lines, s.Fill)
	}
	if s.Edge.A == 0 || s.Width == 0 {
		return
	}
	var edge [][]Point
	for _, line := range lines {
		one, other := beside(line, closed, s.Width/2), beside(line, closed, -s.Width/2)
		slices.Reverse(other)
		if closed {
			edge = append(edge, one, other)
		} else {
			edge = append(edge, append(one, other...))
		}
	}
	r.polygons(edge, s.Edge)
}

// beside returns the line at a distance to the right of a line, with mitred corners; those that
// are too sharp are cut off.
func beside(line []Point, closed bool, by float64) []Point {
	var out []Point
	n := len(line)
	for i, p := range line {
		before, after := line[max(i-1, 0)], line[min(i+1, n-1)]
		if closed {
			before, after = line[(i+n-1)%n], line[(i+1)%n]
		}
		in, ahead := normal(before, p), normal(p, after)
		if in == (Point{}) {
			in = ahead
		}
		if ahead == (Point{}) {
			ahead = in
		}
		if cos := in.X*ahead.X + in.Y*ahead.Y; cos > -0.5 {
			mitre := by / (1 + cos)
			out = append(out, Point{p.X + (in.X+ahead.X)*mitre, p.Y + (in.Y+ahead.Y)*mitre})
		} else {
			out = append(out, Point{p.X + in.X*by, p.Y + in.Y*by}, Point{p.X + ahead.X*by, p.Y + ahead.Y*by})
		}
	}
	return out
}

// normal returns the direction at right angles to a segment; zero where its ends are one point.
func normal(a, b Point) Point {
	length := math.Hypot(b.X-a.X, b.Y-a.Y)
	if length == 0 {
		return Point{}
	}
	return Point{(a.Y - b.Y) / length, (b.X - a.X) / length}
}

func (r *raster) Image(pixels *image.NRGBA, b Box) {
	pixel := func(v float64) int { return int(math.Round(v * r.density)) }
	onto := image.Rect(pixel(b.Left), pixel(b.Top), pixel(b.Right), pixel(b.Bottom))
	scaled.NearestNeighbor.Scale(r.image, onto, pixels, pixels.Rect, scaled.Over, nil)
}

func (r *raster) Circle(centre Point, radius float64, s Style) {
	corners := make([]Point, 16+4*int(radius))
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(corners)))
		corners[i] = Point{centre.X + radius*cos, centre.Y + radius*sin}
	}
	r.Path([][]Point{corners}, true, s)
}

func (r *raster) Text(text string, at Point, l Letters, turned bool) {
	rings := outline(Printable(text), l)
	for _, ring := range rings {
		for i, p := range ring {
			if turned {
				p = Point{p.Y, -p.X}
			}
			ring[i] = Point{at.X + p.X, at.Y + p.Y}
		}
	}
	r.polygons(rings, l.Color)
}
