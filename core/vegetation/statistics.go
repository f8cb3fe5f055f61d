package vegetation

import (
	"cmp"
	"math"
	"slices"
)

type weighted struct{ value, weight float64 }

// statistics returns the figures of the valid pixels; there is at least one.
func (c *Composite) statistics() Observation {
	pixels := make([]weighted, 0, len(c.states))
	for i, s := range c.states {
		if s == valid {
			pixels = append(pixels, weighted{c.values[i], c.footprint.Cells[i].Weight})
		}
	}
	var sum, weight float64
	for _, p := range pixels {
		sum += p.weight * p.value
		weight += p.weight
	}
	mean := sum / weight
	var squares float64
	for _, p := range pixels {
		squares += p.weight * (p.value - mean) * (p.value - mean)
	}
	slices.SortFunc(pixels, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	at := quantiles(pixels)
	return Observation{
		Value: mean, Std: math.Sqrt(squares / weight),
		Min: pixels[0].value, Max: pixels[len(pixels)-1].value,
		Median: at(0.5), P10: at(0.1), P90: at(0.9), Histogram: histogramOf(pixels),
	}
}

// quantiles returns the quantile function of sorted values. Each value stands at the middle of its
// stretch of the summed weights; the first stands at 0 and the last at 1, and between the values
// the function is linear. With equal weights this is definition 7 of Hyndman and Fan, "Sample
// quantiles in statistical packages", The American Statistician 50 (1996).
func quantiles(sorted []weighted) func(p float64) float64 {
	places := make([]float64, len(sorted))
	for i := 1; i < len(sorted); i++ {
		places[i] = places[i-1] + (sorted[i-1].weight+sorted[i].weight)/2
	}
	length := places[len(places)-1]
	return func(p float64) float64 {
		target := p * length
		i, _ := slices.BinarySearch(places, target)
		switch {
		case i == 0:
			return sorted[0].value
		case i == len(places):
			return sorted[i-1].value
		}
		low, high := sorted[i-1], sorted[i]
		t := (target - places[i-1]) / (places[i] - places[i-1])
		return low.value + t*(high.value-low.value)
	}
}
