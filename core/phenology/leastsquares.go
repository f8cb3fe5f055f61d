package phenology

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tilth/core/vegetation"
)

// year is the period of the harmonics, in days.
const year = 365.25

// harmonics is the number of waves of the harmonic line: with two, a winter crop and a summer crop of one year are both
// seen (Jakubauskas et al. 2001, Photogrammetric Engineering and Remote Sensing 67: 461).
const harmonics = 2

// model is a curve of some parameters: its value at a day after the first observation, and how that changes with each parameter.
type model struct {
	parameters int
	at         func(p []float64, day float64) (value float64, gradient []float64)
}

// tooFew returns a line whose reason is that the curve has too many parameters for the observations.
func tooFew(method string, needed, there int) Line {
	return Line{Reason: fmt.Sprintf("A %s line needs at least %d observations; there are %d.", method, needed, there)}
}

// harmonic draws a mean and waves of a year and of half a year, by weighted least squares over all observations.
func harmonic(points []vegetation.Weighted, runs [][]vegetation.Weighted) Line {
	waves := model{2*harmonics + 1, func(p []float64, day float64) (float64, []float64) {
		gradient := make([]float64, 2*harmonics+1)
		gradient[0] = 1
		for k := 1; k <= harmonics; k++ {
			angle := 2 * math.Pi * float64(k) * day / year
			gradient[2*k-1], gradient[2*k] = math.Cos(angle), math.Sin(angle)
		}
		value := 0.0
		for i, g := range gradient {
			value += p[i] * g
		}
		return value, gradient
	}}
	needed := waves.parameters + 2
	if len(points) < needed {
		return tooFew("harmonic", needed, len(points))
	}
	if span := vegetation.DaysBetween(points[0].Date, points[len(points)-1].Date); float64(span) < year/2 {
		return Line{Reason: fmt.Sprintf("A harmonic line needs observations over at least half a year; these cover %d days.", span)}
	}
	fitted, ok := waves.improve(make([]float64, waves.parameters), points)
	if !ok {
		return Line{Reason: "No harmonic line fits the observations."}
	}
	return waves.line(fitted, points, runs)
}

// steps is the maximum number of steps in which a fit is improved.
const steps = 200

// improve returns the least-squares parameters by the method of Levenberg and Marquardt (Marquardt 1963, Journal of the
// Society for Industrial and Applied Mathematics 11: 431), starting from p; a sum of terms takes only a few steps.
func (m model) improve(p []float64, points []vegetation.Weighted) ([]float64, bool) {
	damping, cost := 1e-3, m.cost(p, points)
	for range steps {
		normal, gradient := m.normal(p, points)
		next, ok := damped(normal, gradient, damping)
		if !ok {
			damping *= 10
			continue
		}
		for i := range next {
			next[i] += p[i]
		}
		switch better := m.cost(next, points); {
		case math.IsNaN(better) || better > cost:
			if damping *= 10; damping > 1e12 {
				return p, true
			}
		default:
			done := cost-better <= 1e-12*cost
			p, cost = next, better
			if damping = max(damping/10, 1e-12); done {
				return p, true
			}
		}
	}
	return p, !math.IsNaN(cost)
}

func (m model) cost(p []float64, points []vegetation.Weighted) (sum float64) {
	for _, o := range points {
		v, _ := m.at(p, day(points, o))
		sum += o.Weight * (o.Value - v) * (o.Value - v)
	}
	return sum
}

func day(points []vegetation.Weighted, o vegetation.Weighted) float64 {
	return float64(vegetation.DaysBetween(points[0].Date, o.Date))
}

// normal returns JᵀWJ and JᵀW(y − f).
func (m model) normal(p []float64, points []vegetation.Weighted) (*mat.SymDense, []float64) {
	normal, right := mat.NewSymDense(m.parameters, nil), make([]float64, m.parameters)
	for _, o := range points {
		v, g := m.at(p, day(points, o))
		for i := range g {
			right[i] += o.Weight * g[i] * (o.Value - v)
			for j := i; j < len(g); j++ {
				normal.SetSym(i, j, normal.At(i, j)+o.Weight*g[i]*g[j])
			}
		}
	}
	return normal, right
}

func damped(normal *mat.SymDense, right []float64, damping float64) ([]float64, bool) {
	n := len(right)
	a := mat.NewSymDense(n, nil)
	a.CopySym(normal)
	for i := range n {
		a.SetSym(i, i, a.At(i, i)*(1+damping)+1e-12)
	}
	var factors mat.Cholesky
	if !factors.Factorize(a) {
		return nil, false
	}
	var out mat.VecDense
	if err := factors.SolveVecTo(&out, mat.NewVecDense(n, right)); err != nil {
		return nil, false
	}
	return out.RawVector().Data, true
}

// line returns the curve on the days of the runs, with a band by the first order of its parameters' covariance.
func (m model) line(p []float64, points []vegetation.Weighted, runs [][]vegetation.Weighted) Line {
	normal, _ := m.normal(p, points)
	var factors mat.Cholesky
	known := factors.Factorize(normal)
	freedom := float64(len(points) - m.parameters)
	variance := m.cost(p, points) / max(1, freedom)
	out, limits := Line{noise: math.Sqrt(variance)}, bands(freedom)
	for _, run := range runs {
		days := daily(run)
		for i := range days {
			v, g := m.at(p, float64(vegetation.DaysBetween(points[0].Date, days[i].Date)))
			days[i].Value = v
			spread := math.NaN()
			if known {
				var solved mat.VecDense
				gradient := mat.NewVecDense(len(g), g)
				if factors.SolveVecTo(&solved, gradient) == nil {
					spread = mat.Dot(gradient, &solved)
				}
			}
			days[i].Low, days[i].High = limits(v, variance*spread)
		}
		out.Runs = append(out.Runs, days)
	}
	return out
}
