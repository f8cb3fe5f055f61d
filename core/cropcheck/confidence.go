package cropcheck

import (
	"math"
	"slices"
)

// The temperatures of the softmax that makes probabilities of distances, in distance: those
// that FitTemperature gives for the distances of the labelled series of Mato Grosso, each to
// the curves of the other places (docs/crop-check.md has the figures, and the test that
// writes it holds these two against the data). Distances in two indices are larger.
const (
	TemperatureNDVI    = 0.0156
	TemperatureNDVIEVI = 0.0167
)

// Probabilities returns, for each class of a ranking, how probable it is that the series is of
// that class, given that it is of one of them: softmax(−distance/temperature). They sum to 1.
// The calibration holds for the sensor and region of the labelled series, and for no other.
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

// Labelled is a ranking of which the class is known.
type Labelled struct {
	Ranking []Ranked
	Class   string
}

// The range in which a temperature is sought: distances are of the order of 0.1.
const minTemperature, maxTemperature = 1e-4, 1.0

// FitTemperature returns the temperature under which labelled rankings are most likely (Guo,
// Pleiss, Sun and Weinberger 2017, On calibration of modern neural networks, ICML: temperature
// scaling). The logarithm of the likelihood is concave in 1/temperature, so a golden-section
// search finds its one maximum, here to a relative 1e-6. Rankings without their class are
// passed over; with none left the answer is maxTemperature.
func FitTemperature(labelled []Labelled) float64 {
	loss := func(inverse float64) float64 {
		sum := 0.0
		for _, l := range labelled {
			sum += surprise(l, inverse)
		}
		return sum
	}
	const golden = 0.6180339887498949 // (√5 − 1) / 2
	lo, hi := 1/maxTemperature, 1/minTemperature
	a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
	lossA, lossB := loss(a), loss(b)
	for hi-lo > 1e-6*lo {
		if lossA <= lossB {
			hi, b, lossB = b, a, lossA
			a = hi - golden*(hi-lo)
			lossA = loss(a)
		} else {
			lo, a, lossA = a, b, lossB
			b = lo + golden*(hi-lo)
			lossB = loss(b)
		}
	}
	return 2 / (lo + hi)
}

// surprise is −log of the probability of the true class.
func surprise(l Labelled, inverse float64) float64 {
	i := slices.IndexFunc(l.Ranking, func(r Ranked) bool { return r.Class == l.Class })
	if i < 0 {
		return 0
	}
	sum := 0.0
	for _, r := range l.Ranking {
		sum += math.Exp((l.Ranking[0].Distance - r.Distance) * inverse)
	}
	return math.Log(sum) + (l.Ranking[i].Distance-l.Ranking[0].Distance)*inverse
}
