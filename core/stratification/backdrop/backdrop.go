// Package backdrop renders reflectances of land as images that lie behind maps. It reads no imagery.
package backdrop

import (
	"image"
	"image/color"
	"math"
	"slices"

	"tilth/core/geo"
)

// The rules of an image.
const (
	margin    = 60.0 // metres around a field
	pixel     = 10.0 // metres: that of Sentinel-2
	maxPixels = 400  // along a side; larger fields have larger pixels
	lowTail   = 0.02 // reflectances beyond these quantiles are black or white
	highTail  = 0.98
	// brightest is the lowest reflectance that may be white in colour images, so that land of nothing but bare soil is brown, not bright.
	brightest = 0.3
)

// Image holds the reflectances of land by pixel, in one band (grey) or three (red, green, blue), by row from
// the north. NaN marks a pixel without a value.
type Image struct {
	Box           geo.Box // in the plane of a map, metres
	Width, Height int
	Bands         [][]float64
}

// Around returns the image around a field in the plane of a map, without values.
func Around(field geo.MultiPolygon, bands int) Image {
	box := field.Bounds().Grown(margin)
	size := max(pixel, (box.MaxX-box.MinX)/maxPixels, (box.MaxY-box.MinY)/maxPixels)
	out := Image{Width: int(math.Ceil((box.MaxX - box.MinX) / size)), Height: int(math.Ceil((box.MaxY - box.MinY) / size))}
	out.Box = geo.Box{MinX: box.MinX, MinY: box.MaxY - float64(out.Height)*size, MaxX: box.MinX + float64(out.Width)*size, MaxY: box.MaxY}
	for range bands {
		out.Bands = append(out.Bands, slices.Repeat([]float64{math.NaN()}, out.Width*out.Height))
	}
	return out
}

// Centre returns the middle of a pixel, by its number.
func (m Image) Centre(i int) geo.Position {
	return geo.Position{
		X: m.Box.MinX + (float64(i%m.Width)+0.5)*(m.Box.MaxX-m.Box.MinX)/float64(m.Width),
		Y: m.Box.MaxY - (float64(i/m.Width)+0.5)*(m.Box.MaxY-m.Box.MinY)/float64(m.Height),
	}
}

// Paint renders the images: a given reflectance has the same brightness in all images and all bands. White is the 98th percentile.
// If any image is in colour, white is also at least a reflectance of 0.3, and black is a reflectance of 0, so that bare soil stays
// brown. If all are grey, black is the 2nd percentile. Pixels without a value are transparent.
func Paint(images []Image) []*image.NRGBA {
	var all []float64
	for _, m := range images {
		for _, band := range m.Bands {
			for _, v := range band {
				if !math.IsNaN(v) {
					all = append(all, v)
				}
			}
		}
	}
	slices.Sort(all)
	low, high := 0.0, 1.0
	if len(all) > 0 {
		high = all[int(highTail*float64(len(all)-1))]
		if !slices.ContainsFunc(images, func(m Image) bool { return len(m.Bands) > 1 }) {
			low = all[int(lowTail*float64(len(all)-1))]
		} else {
			high = max(high, brightest)
		}
	}
	level := func(v float64) uint8 { return uint8(math.Round(255 * min(max((v-low)/max(high-low, 1e-9), 0), 1))) }
	out := make([]*image.NRGBA, len(images))
	for n, m := range images {
		out[n] = image.NewNRGBA(image.Rect(0, 0, m.Width, m.Height))
		last := len(m.Bands) - 1
		for i := range m.Width * m.Height {
			r, g, b := m.Bands[0][i], m.Bands[min(1, last)][i], m.Bands[last][i]
			if !math.IsNaN(r + g + b) {
				out[n].SetNRGBA(i%m.Width, i/m.Width, color.NRGBA{R: level(r), G: level(g), B: level(b), A: 0xff})
			}
		}
	}
	return out
}
