package indexmap

import (
	"math"

	"tilth/core/geo"
	"tilth/core/vegetation"
)

// percents are the percentiles of a layer.
var percents = []int{2, 5, 10, 25, 50, 75, 90, 95, 98}

// Percentile is the value below which a percentage of the pixels lies.
type Percentile struct {
	Percent int
	Value   float64
}

// Statistics are the figures of a layer over the field's pixels that have a value, by the rules of an observation of a profile.
type Statistics struct {
	Pixels, Valid  int     // of the field, and those of them with a value
	Coverage       float64 // valid / of the field, 0…1
	Mean, Std      float64 // and all that follows: NaN and empty where no pixel has a value
	Min, Max       float64
	Percentiles    []Percentile
	Histogram      vegetation.Histogram // of an index
	Bars           []Bar                // of a measure, see Figures
	spread         vegetation.Spread
	valid, pixels  float64 // weights
	values, weight []float64
}

// Describe returns the figures of a layer.
func (l *Layer) Describe() Statistics {
	s := Statistics{Mean: math.NaN(), Std: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	for i, inside := range l.Inside {
		if !inside {
			continue
		}
		w := l.weight(i)
		s.Pixels++
		s.pixels += w
		if v := l.Values[i]; !math.IsNaN(v) {
			s.Valid++
			s.valid += w
			s.values, s.weight = append(s.values, v), append(s.weight, w)
		}
	}
	if s.Pixels > 0 {
		s.Coverage = s.valid / s.pixels
	}
	if s.Valid == 0 {
		return s
	}
	s.spread = vegetation.NewSpread(s.values, s.weight)
	s.Mean, s.Std, s.Min, s.Max, s.Histogram = s.spread.Mean, s.spread.Std, s.spread.Min(), s.spread.Max(), s.spread.Histogram()
	for _, p := range percents {
		s.Percentiles = append(s.Percentiles, Percentile{p, s.spread.Quantile(float64(p) / 100)})
	}
	return s
}

// weight returns the weight of a pixel Inside.
func (l *Layer) weight(i int) float64 {
	if l.Weights == nil {
		return 1
	}
	return l.Weights[i]
}

// Pixel is what a layer holds at a place.
type Pixel struct {
	Col, Row int     // on the layer's grid, also beyond it
	Value    float64 // NaN where there is none
	Inside   bool    // it counts as the field's
}

// At returns the pixel that contains a place (longitude, latitude). Fault: Invalid, for a grid that no raster has.
func (l *Layer) At(lonlat geo.Position) (Pixel, error) {
	plane, err := geo.NewPlane(l.Grid.EPSG)
	if err != nil {
		return Pixel{}, err
	}
	col, row := l.Grid.PixelAt(plane.Forward(lonlat))
	p := Pixel{Col: col, Row: row, Value: math.NaN()}
	if i, ok := l.index(col, row); ok {
		p.Value, p.Inside = l.Values[i], l.Inside[i]
	}
	return p, nil
}

// index returns the place of a pixel among the values; false beyond the layer.
func (l *Layer) index(col, row int) (i int, ok bool) {
	return row*l.Cols + col, col >= 0 && row >= 0 && col < l.Cols && row < l.Rows
}
