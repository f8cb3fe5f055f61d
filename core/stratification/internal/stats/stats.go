// Package stats holds the statistics that zones, plans and estimates share.
package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// MeanAndSD returns mean and standard deviation (n-1).
func MeanAndSD(values []float64) (mean, sd float64) {
	mean, variance := MeanAndVariance(values)
	return mean, math.Sqrt(variance)
}

// MeanAndVariance returns mean and variance (n-1); the variance of fewer than two values is 0.
func MeanAndVariance(values []float64) (mean, variance float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	if len(values) < 2 {
		return mean, 0
	}
	sum := 0.0
	for _, v := range values {
		sum += float64((v - mean) * (v - mean))
	}
	return mean, sum / float64(len(values)-1)
}

// Quantile interpolates between sorted values (Hyndman and Fan's type 7).
func Quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}

// NormalQuantile returns z of a two-sided confidence.
func NormalQuantile(confidence float64) float64 { return math.Sqrt2 * math.Erfinv(confidence) }

// StudentQuantile returns t of a two-sided confidence; df is positive and need not be whole.
func StudentQuantile(confidence, df float64) float64 {
	// P(|T| > t) is the regularised incomplete beta function of df/(df + t²) with df/2 and 1/2
	// (Abramowitz and Stegun 26.7.1). gonum's distribution does the same, but pulls in its
	// linear algebra: two megabytes of program.
	x := mathext.InvRegIncBeta(df/2, 0.5, 1-confidence)
	return math.Sqrt(float64(df*(1-x)) / x)
}

// Part is a part of a variance, such as s²/n of a zone, with its degrees of freedom.
type Part struct{ Variance, DF float64 }

// OfMean returns the variance of the mean of n values, given a variance with of - 1 degrees of freedom.
func OfMean(n int, variance float64, of int) Part {
	return Part{Variance: variance / float64(n), DF: float64(of - 1)}
}

// Sum adds independent parts. The degrees of freedom are those of Satterthwaite, "An Approximate
// Distribution of Estimates of Variance Components", Biometrics Bulletin 2 (1946) 110:
//
//	f = V² / Σ V_i²/f_i
//
// or, where no part varies, the sum of those of all parts.
func Sum(parts ...Part) (out Part) {
	below, all := 0.0, 0.0
	for _, p := range parts {
		out.Variance += p.Variance
		all += p.DF
		if p.Variance > 0 {
			below += p.Variance * p.Variance / p.DF
		}
	}
	if out.DF = all; below > 0 {
		out.DF = out.Variance * out.Variance / below
	}
	return out
}

// Finite reports whether v is a number and not infinite.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
