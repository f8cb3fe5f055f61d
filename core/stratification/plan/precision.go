package plan

import (
	"math"

	"tilth/core/stratification/internal/stats"
)

// expected returns half the width of the interval that is expected for a mean, divided by the mean, with
// these numbers of samples by stratum. It uses the formulas and the quantile of the estimate from samples:
//
//	V = Σ w_h² S_h²/n_h - Σ w_h S_h²/N    (Cochran, "Sampling Techniques" (1977), equation 5.7)
//
// times the design effect, and Student's quantile with Satterthwaite's degrees of freedom.
func (p Precision) expected(strata []Stratum, mean float64, samples []int) float64 {
	whole, pooled := varianceOf(strata, samples), 0.0
	for _, s := range strata {
		pooled += float64(s.Weight * s.SD * s.SD)
	}
	if p.Population > 0 {
		whole.Variance = math.Max(whole.Variance-pooled/float64(p.Population), 0)
	}
	quantile := stats.NormalQuantile(p.Confidence)
	if p.Student {
		quantile = stats.StudentQuantile(p.Confidence, whole.DF)
	}
	return quantile * math.Sqrt(whole.Variance*p.effect()) / mean
}

// varianceOf returns the variance of a mean, Σ w_h² S_h²/n_h, with the degrees of freedom of its estimate.
// Composites have fewer of these, although their mean varies as that of their points does.
func varianceOf(strata []Stratum, samples []int) stats.Part {
	var parts []stats.Part
	for h, s := range strata {
		if s.Weight == 0 && samples[h] == 0 {
			continue // no land
		}
		n := float64(samples[h])
		parts = append(parts, stats.Part{Variance: s.Weight * s.Weight * s.SD * s.SD / n, DF: math.Max(float64(s.units(samples[h])-1), 1)})
	}
	return stats.Sum(parts...)
}

// within is the factor by which rounding may raise an expected error that still counts as reached.
const within = 1 + 1e-9

// PrecisionReached reports whether the plan expects the precision that it was asked for.
func (plan Plan) PrecisionReached() bool {
	return plan.ExpectedRelativeError <= plan.Params.Precision.RelativeError*within
}

// reached returns a function that reports whether given numbers of samples are expected to reach the precision.
func (p Precision) reached(strata []Stratum, mean float64) func(samples []int) bool {
	return func(samples []int) bool { return p.expected(strata, mean, samples) <= p.RelativeError*within }
}

// reach adds samples one by one until they are enough: a minimum by zone, whole numbers and the
// degrees of freedom may require more than the formula for their sum. room is false where the zones
// hold no more, ok where a plan may have no more.
func reach(enough func(samples []int) bool, samples []int, priorities []float64, upper []int) (ok, room bool) {
	total := 0
	for _, n := range samples {
		total += n
	}
	for ; !enough(samples); total++ {
		if total >= maxSamples {
			return false, true
		}
		if !another(samples, priorities, upper) {
			return false, false
		}
	}
	return true, true
}

// Needed returns the number of samples that reach the precision for a mean when they are allocated in
// whole numbers, at least a minimum to each stratum. It may be more than a plan can have.
func (p Precision) Needed(strata []Stratum, mean float64, a Allocation, minimum int) int {
	n := p.Samples(strata, mean, a == Neyman || a == CostOptimal)
	lower, fewest := floors(strata, minimum), 0
	for _, n := range lower {
		fewest += n
	}
	if n = max(n, fewest); n > maxSamples {
		return n
	}
	priorities := a.priorities(strata)
	samples, _ := Allocate(priorities, n, lower, nil)
	reach(p.reached(strata, mean), samples, priorities, nil)
	total := 0
	for _, n := range samples {
		total += n
	}
	return total
}

func (p Precision) effect() float64 {
	if p.DesignEffect == 0 {
		return 1
	}
	return p.DesignEffect
}
