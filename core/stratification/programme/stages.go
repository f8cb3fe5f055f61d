package programme

import (
	"math"

	"tilth/core/stratification/internal/stats"
)

// Stages are the standard deviations of what is measured in land that is sampled in two stages: fields are drawn with
// replacement, each with a chance in proportion to its area, and at each draw points are drawn at random in the field.
// Both are weighted by area.
type Stages struct {
	Between float64 // between the means of fields
	Within  float64 // between places of a field
}

// SD returns the standard deviation between places of the land.
func (s Stages) SD() float64 { return math.Hypot(s.Between, s.Within) }

// PerDraw returns the variance of the mean of a draw of m points: V = S_b² + S_w²/m.
func (s Stages) PerDraw(points int) float64 {
	return float64(s.Between*s.Between) + float64(s.Within*s.Within)/float64(points)
}

// OfDraws returns the variance of the mean of n draws, each of the variance perDraw, with the degrees of freedom of its
// estimate: n - 1, however many points there are.
func OfDraws(n int, perDraw float64) stats.Part {
	return stats.Part{Variance: perDraw / float64(n), DF: math.Max(float64(n-1), 1)}
}

// Optimum returns the number of points at a draw for which a precision costs least, or a cost is most precise, where every
// draw costs c₁ and every point c₂:
//
//	m = S_w/S_b √(c₁/c₂)
//
// (de Gruijter, Brus, Bierkens and Knotters, "Sampling for Natural Resource Monitoring" (2006), section 7.2.4; Brus,
// "Spatial Sampling with R" (2022), chapter 7). It is infinite where fields do not differ.
func (s Stages) Optimum(perDraw, perPoint float64) float64 {
	if s.Between == 0 {
		return math.Inf(1)
	}
	return s.Within / s.Between * math.Sqrt(perDraw/perPoint)
}

// Points returns an optimum m as a whole number, from 1 to an upper bound. With m' its whole part, it returns m' + 1 where
// m² > m'(m' + 1), since m' + 1 points are better than m' there, and otherwise m' (Cochran, "Sampling Techniques" (1977), chapter
// 10).
func Points(optimum float64, upper int) int {
	if optimum >= float64(upper) {
		return upper
	}
	m := math.Floor(optimum)
	if optimum*optimum > m*(m+1) {
		m++
	}
	return max(1, int(m))
}

// MeanOfDraws returns the mean of the land from the means of the draws of a sample in two stages, and its variance:
//
//	ȳ = Σ ȳ_i/n    V = Σ (ȳ_i - ȳ)² / (n(n - 1))    f = n - 1
//
// (Hansen and Hurwitz, "On the Theory of Sampling from Finite Populations", Annals of Mathematical Statistics 14
// (1943) 333; Cochran, "Sampling Techniques" (1977), chapters 9A and 11). A field that is drawn twice counts twice.
// part is nil for fewer than two draws.
func MeanOfDraws(means []float64) (mean float64, part *stats.Part) {
	mean, variance := stats.MeanAndVariance(means)
	if len(means) < 2 {
		return mean, nil
	}
	of := OfDraws(len(means), variance)
	return mean, &of
}
