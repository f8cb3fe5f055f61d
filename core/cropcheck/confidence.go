package cropcheck

import "math"

// The temperatures, in units of distance, of the softmax that turns distances into probabilities:
// those under which the labelled series of Mato Grosso are most likely, each by the curves of the
// other places. docs/crop-check.md has the figures; its test checks these two against the data.
// Distances in two indices are larger.
const (
	TemperatureNDVI    = 0.0156
	TemperatureNDVIEVI = 0.0167
)

// Probabilities returns, for each class of a ranking, the probability that the series is of that
// class, given that it is of one of them: softmax(−distance/temperature). The calibration holds
// only for the sensor and region of the labelled series.
func Probabilities(ranking []Ranked, withEVI bool) []float64 {
	temperature := TemperatureNDVI
	if withEVI {
		temperature = TemperatureNDVIEVI
	}
	return Softmax(ranking, temperature)
}

// Softmax returns softmax(−distance/temperature) for the classes of a ranking.
func Softmax(ranking []Ranked, temperature float64) []float64 {
	nearest := math.Inf(1)
	for _, r := range ranking {
		nearest = min(nearest, r.Distance)
	}
	out, sum := make([]float64, len(ranking)), 0.0
	for i, r := range ranking {
		out[i] = math.Exp((nearest - r.Distance) / temperature)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}
