package vegetation

import (
	"slices"
	"time"

	"tilth/core/list"
)

// SmoothLambda is the roughness penalty of smoothed profiles, in days⁴ on the daily grid.
//
// On a grid with an observation of weight 1 every k days the smoother passes an undulation of
// period P with the gain 1 / (1 + λ·k·(2·sin(π/P))⁴) (Eilers 2003, A perfect smoother, Analytical
// Chemistry 75: 3631; the factor k is the thinning of the weights). With 500 and Sentinel-2's five
// days a crop cycle of 120 days keeps 98 % of its amplitude, and swings within 20 days, which are
// weather and haze, keep 4 %. At the 16 days of a composite the cycle still keeps 94 %. The value
// is fixed so that the line of a field does not change its character when a date is added.
const SmoothLambda = 500

// MaxSmoothGap is the longest gap, in days, that a smoothed line crosses. In a longer one a crop
// can be cut and another come up; a line through it would be invented.
const MaxSmoothGap = 45

// Weighted is a value to smooth. Weight is its coverage, 0…1; one of weight 0 does not count.
type Weighted struct {
	Date   time.Time // UTC midnight
	Value  float64
	Weight float64
}

// Weighted returns the observations to smooth, weighted with their coverage.
func (s Series) Weighted() []Weighted {
	return list.Map(s.Observations, func(o Observation) Weighted { return Weighted{Date: o.Date, Value: o.Value, Weight: o.Coverage} })
}

// Runs returns the points that count, sorted by date and split where more than MaxSmoothGap days lie between two. The
// points are given in any order, at most one a day.
func Runs(points []Weighted) [][]Weighted {
	counted := slices.DeleteFunc(slices.Clone(points), func(p Weighted) bool { return p.Weight <= 0 })
	slices.SortStableFunc(counted, func(a, b Weighted) int { return a.Date.Compare(b.Date) })
	var runs [][]Weighted
	for len(counted) > 0 {
		end := 1
		for end < len(counted) && DaysBetween(counted[end-1].Date, counted[end].Date) <= MaxSmoothGap {
			end++
		}
		runs, counted = append(runs, counted[:end:end]), counted[end:]
	}
	return runs
}

// Daily returns a run as values and weights a day, from its first point to its last; a day without a point has the weight 0.
func Daily(run []Weighted) (values, weights []float64) {
	n := DaysBetween(run[0].Date, run[len(run)-1].Date) + 1
	values, weights = make([]float64, n), make([]float64, n)
	for _, p := range run {
		day := DaysBetween(run[0].Date, p.Date)
		values[day], weights[day] = p.Value, p.Weight
	}
	return values, weights
}

// Smooth smooths points, at most one a day and in any order, with SmoothLambda on a daily grid.
// Each run of the result has a value for every day from its first to its last point; between the
// runs lie the gaps of more than MaxSmoothGap days.
func Smooth(points []Weighted) []Profile {
	return list.Map(Runs(points), func(points []Weighted) Profile {
		values, weights := Daily(points)
		run := make(Profile, len(values))
		for day, v := range Whittaker(values, weights, SmoothLambda) {
			run[day] = Point{Date: points[0].Date.AddDate(0, 0, day), Value: v}
		}
		return run
	})
}

// DaysBetween counts days between UTC midnights, negative where to is before from.
func DaysBetween(from, to time.Time) int { return int(to.Sub(from) / (24 * time.Hour)) }

// Whittaker returns the z that minimises Σ wᵢ(yᵢ − zᵢ)² + λ Σ (zᵢ − 2zᵢ₊₁ + zᵢ₊₂)² on an even grid
// (Whittaker 1923; Eilers 2003), in time and memory proportional to its length. values and weights
// have one length; at least two weights are positive where there is more than one value. λ is
// positive. A value of weight 0 is ignored.
func Whittaker(values, weights []float64, lambda float64) []float64 {
	z, _ := whittaker(values, weights, lambda)
	return z
}

// WhittakerBand is Whittaker and also returns the diagonal of (W + λ·DᵀD)⁻¹. Multiplied by the variance of a value of
// weight 1 it is the variance of each z; the sum of its products with the weights is the number of degrees of freedom
// of the line (Eilers 2003; Wahba 1983, Journal of the Royal Statistical Society B 45: 133).
func WhittakerBand(values, weights []float64, lambda float64) (z, inverse []float64) {
	z, factors := whittaker(values, weights, lambda)
	return z, factors.inverseDiagonal()
}

// whittaker returns the line and the factors of its equations; a single value is its own line, with its weight as the only factor.
func whittaker(values, weights []float64, lambda float64) ([]float64, pentadiagonal) {
	n := len(values)
	if n < 2 {
		return slices.Clone(values), pentadiagonal{slices.Clone(weights), make([]float64, n), make([]float64, n)}
	}
	// The normal equations (W + λ·DᵀD)·z = W·y have five diagonals, and are symmetric.
	a := pentadiagonal{make([]float64, n), make([]float64, n), make([]float64, n)}
	copy(a.main, weights)
	for i := range n - 2 {
		a.main[i] += lambda
		a.main[i+1] += 4 * lambda
		a.main[i+2] += lambda
		a.near[i] -= 2 * lambda
		a.near[i+1] -= 2 * lambda
		a.far[i] += lambda
	}
	z := make([]float64, n)
	for i, w := range weights {
		if w > 0 {
			z[i] = w * values[i]
		}
	}
	solvePentadiagonal(a.main, a.near, a.far, z)
	return z, a
}

// pentadiagonal is a symmetric matrix of five diagonals: main[i] = A(i,i), near[i] = A(i,i+1), far[i] = A(i,i+2); or its
// factors L·D·Lᵀ in the same places, as solvePentadiagonal leaves them.
type pentadiagonal struct{ main, near, far []float64 }

// inverseDiagonal returns the diagonal of the inverse of the matrix with these factors, from its end to its beginning
// (Hutchinson and de Hoog 1985, Numerische Mathematik 47: 99).
func (f pentadiagonal) inverseDiagonal() []float64 {
	n := len(f.main)
	diagonal := make([]float64, n)
	var below, further, nextBelow float64 // of the inverse: (i+1,i+2), (i,i+2) and (i,i+1) of the row before
	for i := n - 1; i >= 0; i-- {
		var one, two float64
		if i+1 < n {
			one = diagonal[i+1]
		}
		if i+2 < n {
			two = diagonal[i+2]
		}
		nextBelow = -f.near[i]*one - f.far[i]*below
		further = -f.near[i]*below - f.far[i]*two
		diagonal[i] = 1/f.main[i] - f.near[i]*nextBelow - f.far[i]*further
		below = nextBelow
	}
	return diagonal
}

// solvePentadiagonal solves a symmetric positive definite system of five diagonals by L·D·Lᵀ
// without pivoting: main[i] = A(i,i), near[i] = A(i,i+1), far[i] = A(i,i+2). It leaves the solution
// in b and the factors in the diagonals.
func solvePentadiagonal(main, near, far, b []float64) {
	n := len(b)
	for i := range n {
		if i > 1 {
			main[i] -= far[i-2] * far[i-2] * main[i-2]
			b[i] -= far[i-2] * b[i-2]
		}
		if i > 0 {
			main[i] -= near[i-1] * near[i-1] * main[i-1]
			b[i] -= near[i-1] * b[i-1]
			near[i] -= near[i-1] * main[i-1] * far[i-1]
		}
		near[i] /= main[i]
		far[i] /= main[i]
	}
	for i := n - 1; i >= 0; i-- {
		b[i] /= main[i]
		if i+1 < n {
			b[i] -= near[i] * b[i+1]
		}
		if i+2 < n {
			b[i] -= far[i] * b[i+2]
		}
	}
}
