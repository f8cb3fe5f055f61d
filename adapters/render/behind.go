package render

import (
	"image"
	"math"

	"tilth/adapters/render/internal/draw"
)

// coverOpacity is the opacity of zones on an image, out of 255: both stay legible, and a zone looks alike on bare soil and under crops.
const coverOpacity = 150

// cover returns the colour of a zone, translucent where there are images behind it.
func (s *scene) cover(c draw.Color) draw.Color {
	if len(s.in.Images.Images) > 0 {
		c.A = coverOpacity
	}
	return c
}

// images draws the images behind a view, as far as its frame goes.
func (s *scene) images(p pen, v view) {
	for i, img := range s.in.Images.Images {
		if i < len(s.boxes) && !s.boxes[i].Intersects(v.box) {
			continue
		}
		if pixels, b := cropped(img.Pixels, v.boxAt(img.Box), v.frame); pixels != nil {
			p.Image(pixels, b)
		}
	}
}

// cropped returns the whole pixels of an image in a box that lie within a frame, and their box; nil where
// there is none.
func cropped(pixels *image.NRGBA, b, frame draw.Box) (*image.NRGBA, draw.Box) {
	wide, high := b.Width()/float64(pixels.Rect.Dx()), b.Height()/float64(pixels.Rect.Dy())
	first := func(low, edge, size float64) int { return int(math.Ceil(max(0, edge-low) / size)) }
	left, top := first(b.Left, frame.Left, wide), first(b.Top, frame.Top, high)
	right, bottom := pixels.Rect.Dx()-first(frame.Right, b.Right, wide), pixels.Rect.Dy()-first(frame.Bottom, b.Bottom, high)
	if left >= right || top >= bottom {
		return nil, b
	}
	at := pixels.Rect.Min
	part, _ := pixels.SubImage(image.Rect(at.X+left, at.Y+top, at.X+right, at.Y+bottom)).(*image.NRGBA)
	return part, draw.Box{
		Left: b.Left + float64(left)*wide, Top: b.Top + float64(top)*high, Right: b.Left + float64(right)*wide, Bottom: b.Top + float64(bottom)*high,
	}
}
