package cropcheck

import (
	"math"
	"slices"

	"tilth/core/cropcheck"
)

// Labelled is a ranking whose class is known.
type Labelled struct {
	Ranking []cropcheck.Ranked
	Class   string
}

// The range of the search: distances are of the order of 0.1.
const minTemperature, maxTemperature = 1e-4, 1.0

// fitTemperature returns the temperature under which labelled rankings are most likely (Guo,
// Pleiss, Sun and Weinberger 2017, On calibration of modern neural networks, ICML: temperature
// scaling). The logarithm of the likelihood is concave in 1/temperature, so a golden-section
// search finds its one maximum, here to a relative 1e-6. Rankings without their class are
// skipped; with none left the result is maxTemperature.
func fitTemperature(all []Labelled) float64 {
	loss := func(inverse float64) float64 {
		sum := 0.0
		for _, l := range all {
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
	i := slices.IndexFunc(l.Ranking, func(r cropcheck.Ranked) bool { return r.Class == l.Class })
	if i < 0 {
		return 0
	}
	sum := 0.0
	for _, r := range l.Ranking {
		sum += math.Exp((l.Ranking[0].Distance - r.Distance) * inverse)
	}
	return math.Log(sum) + (l.Ranking[i].Distance-l.Ranking[0].Distance)*inverse
}
