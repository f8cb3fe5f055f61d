package indexmap

import (
	"math"

	"tilth/core/vegetation"
)

// The ramps of the families of indices.
var (
	canopy   = ramp{"canopy", lch(0.95, 0.06, 95), lch(0.76, 0.22, 128), lch(0.30, 0.06, 160)}
	leaf     = ramp{"chlorophyll", lch(0.95, 0.06, 105), lch(0.72, 0.15, 165), lch(0.28, 0.09, 262)}
	moisture = ramp{"moisture", lch(0.94, 0.04, 80), lch(0.72, 0.13, 220), lch(0.28, 0.11, 268)}
	burn     = ramp{"burn", lch(0.94, 0.06, 90), lch(0.68, 0.22, 25), lch(0.26, 0.10, 310)}
)

// styles is the one table of how the indices are shown: the ramp of a family, and the values of its ends. Values beyond them have
// the colour of the end.
var styles = map[vegetation.IndexCode]struct {
	ramp      *ramp
	low, high float64
}{
	vegetation.NDVI:  {&canopy, 0, 1},
	vegetation.GNDVI: {&canopy, 0, 0.9},
	vegetation.EVI:   {&canopy, 0, 1},
	vegetation.EVI2:  {&canopy, 0, 1},
	vegetation.SAVI:  {&canopy, 0, 0.9},
	vegetation.OSAVI: {&canopy, 0, 0.9},
	vegetation.MSAVI: {&canopy, 0, 0.9},
	vegetation.NDRE:  {&leaf, 0, 0.8},
	vegetation.CIre:  {&leaf, 0, 6},
	vegetation.NDMI:  {&moisture, -0.4, 0.6},
	vegetation.NDWI:  {&moisture, -0.9, 0.3},
	vegetation.NBR:   {&burn, -0.3, 0.9},
}

// Shades is the number of colours of a style: with the transparent one, the maximum of a picture with a palette.
const Shades = 255

// Unseen is the colour of pixels of the field without a value, in pictures, which also hatch them. Tiles leave them out.
var Unseen = Color{0xc4, 0xc4, 0xc4}

// Style is how values of an index are shown: from Low in the first colour to High in the last.
type Style struct {
	Index     vegetation.IndexCode
	Family    string
	Low, High float64
	Colors    [Shades]Color
}

var colors = map[*ramp]*[Shades]Color{}

func init() {
	for _, r := range []*ramp{&canopy, &leaf, &moisture, &burn, &ground} {
		var of [Shades]Color
		for i, c := range r.even(Shades) {
			of[i] = c.shown()
		}
		colors[r] = &of
	}
}

// StyleOf returns the style of an index; that of NDVI for an unknown index.
func StyleOf(index vegetation.IndexCode) Style {
	s, ok := styles[index]
	if !ok {
		s = styles[vegetation.NDVI]
	}
	return Style{Index: index, Family: s.ramp.name, Low: s.low, High: s.high, Colors: *colors[s.ramp]}
}

// Between returns the style with other values at its ends, low below high.
func (s Style) Between(low, high float64) Style {
	s.Low, s.High = low, high
	return s
}

// Shade returns the number of the colour of a value; false for NaN.
func (s *Style) Shade(v float64) (uint8, bool) {
	if math.IsNaN(v) {
		return 0, false
	}
	return uint8(math.Round(min(1, max(0, (v-s.Low)/(s.High-s.Low))) * (Shades - 1))), true
}

// Stop is a value and its colour.
type Stop struct {
	Value float64
	Color Color
}

// Stops returns n values (at least 2) at equal distances, with their colours: a map that interpolates evenly between
// them has the style's colours, except for rounding.
func (s *Style) Stops(n int) []Stop {
	out := make([]Stop, n)
	for i := range out {
		t := float64(i) / float64(n-1)
		out[i] = Stop{s.Low + t*(s.High-s.Low), s.Colors[int(math.Round(t*(Shades-1)))]}
	}
	return out
}

// OfClass returns the colour of one of n classes, whatever their values: as far apart as the ramp allows.
func (s *Style) OfClass(number, n int) Color {
	if n < 2 {
		return s.Colors[Shades/2]
	}
	return s.Colors[int(math.Round(float64((number-1)*(Shades-1))/float64(n-1)))]
}
