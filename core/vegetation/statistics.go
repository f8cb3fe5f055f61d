package vegetation

import (
	"cmp"
	"math"
	"slices"
)

type weighted struct{ value, weight float64 }

// Spread is the distribution of an index over pixels. The figures of an observation, and those of a map on the same
// pixels, are computed from it.
type Spread struct {
	Mean, Std float64 // weighted; Std is that of the population
	sorted    []weighted
	places    []float64 // of the sorted values, along their summed weights
}

// NewSpread returns the spread of at least one value; with nil weights each value counts in full.
func NewSpread(values, weights []float64) Spread {
	pixels := make([]weighted, len(values))
	var sum, weight float64
	for i, v := range values {
		pixels[i] = weighted{v, 1}
		if weights != nil {
			pixels[i].weight = weights[i]
		}
		sum += pixels[i].weight * v
		weight += pixels[i].weight
	}
	mean := sum / weight
	var squares float64
	for _, p := range pixels {
		squares += p.weight * (p.value - mean) * (p.value - mean)
	}
	slices.SortFunc(pixels, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	return Spread{Mean: mean, Std: math.Sqrt(squares / weight), sorted: pixels, places: placesOf(pixels)}
}

// Min returns the lowest value.
func (s Spread) Min() float64 { return s.sorted[0].value }

// Max returns the highest value.
func (s Spread) Max() float64 { return s.sorted[len(s.sorted)-1].value }

// Histogram returns the share of the pixels in each bin.
func (s Spread) Histogram() Histogram { return histogramOf(s.sorted) }

// Quantile returns the value below which a share of the pixels lies, 0…1. Each value stands at the middle of its
// stretch of the summed weights; the first stands at 0 and the last at 1, and between the values
// the function is linear. With equal weights this is definition 7 of Hyndman and Fan, "Sample
// quantiles in statistical packages", The American Statistician 50 (1996).
func (s Spread) Quantile(p float64) float64 {
	target := p * s.places[len(s.places)-1]
	i, _ := slices.BinarySearch(s.places, target)
	switch {
	case i == 0:
		return s.sorted[0].value
	case i == len(s.places):
		return s.sorted[i-1].value
	}
	low, high := s.sorted[i-1], s.sorted[i]
	t := (target - s.places[i-1]) / (s.places[i] - s.places[i-1])
	return low.value + t*(high.value-low.value)
}

func placesOf(sorted []weighted) []float64 {
	places := make([]float64, len(sorted))
	for i := 1; i < len(sorted); i++ {
		places[i] = places[i-1] + (sorted[i-1].weight+sorted[i].weight)/2
	}
	return places
}

// statistics returns the figures of the valid pixels; there is at least one.
func (c *Composite) statistics() Observation {
	values, weights := make([]float64, 0, len(c.states)), make([]float64, 0, len(c.states))
	for i, s := range c.states {
		if s == valid {
			values, weights = append(values, c.values[i]), append(weights, c.footprint.Cells[i].Weight)
		}
	}
	s := NewSpread(values, weights)
	return Observation{
		Value: s.Mean, Std: s.Std, Min: s.Min(), Max: s.Max(),
		Median: s.Quantile(0.5), P10: s.Quantile(0.1), P90: s.Quantile(0.9), Histogram: s.Histogram(),
	}
}
