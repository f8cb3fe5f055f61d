package phenology

import (
	"math"

	"tilth/core/vegetation"
)

// The window of the Savitzky-Golay filter: polynomials of the second degree over 31 days. The span that Chen et al.
// (2004, Remote Sensing of Environment 91: 332) found right for the long-term change of vegetation at steps of ten
// days, m = 4, is 81 days; five-day images allow a shorter one.
const (
	windowHalf   = 15
	windowDegree = 2
)

// savitzkyGolay filters the observations, joined by straight lines to a value a day (Savitzky and Golay 1964,
// Analytical Chemistry 36: 1627). At the ends of a run the polynomial is that of the days that exist. A filtered value
// is a weighted sum of observations; its variance follows from theirs.
func savitzkyGolay(runs [][]vegetation.Weighted) Line {
	var out Line
	sums := make([][]map[int]float64, len(runs)) // of each day, the share of each observation
	var squares, freedom float64
	for at, run := range runs {
		days := daily(run)
		sums[at] = filterShares(run, len(days))
		for i := range days {
			for j, share := range sums[at][i] {
				days[i].Value += share * run[j].Value
			}
		}
		for j, p := range run {
			i := vegetation.DaysBetween(run[0].Date, p.Date)
			squares += p.Weight * (p.Value - days[i].Value) * (p.Value - days[i].Value)
			own := 0.0
			for _, share := range sums[at][i] {
				own += share * share
			}
			freedom += 1 - 2*sums[at][i][j] + own
		}
		out.Runs = append(out.Runs, days)
	}
	variance := math.NaN()
	if freedom >= 1 {
		variance = squares / freedom
		out.noise = math.Sqrt(variance)
	}
	limits := bands(freedom)
	for at, days := range out.Runs {
		for i := range days {
			spread := 0.0
			for j, share := range sums[at][i] {
				spread += share * share / runs[at][j].Weight
			}
			days[i].Low, days[i].High = limits(days[i].Value, variance*spread)
		}
	}
	return out
}

// filterShares returns the share that each observation of a run has in each filtered day.
func filterShares(run []vegetation.Weighted, n int) []map[int]float64 {
	joined := make([]map[int]float64, n)
	for j := range run {
		i := vegetation.DaysBetween(run[0].Date, run[j].Date)
		joined[i] = map[int]float64{j: 1}
		if j+1 == len(run) {
			break
		}
		gap := vegetation.DaysBetween(run[j].Date, run[j+1].Date)
		for d := 1; d < gap; d++ {
			joined[i+d] = map[int]float64{j: 1 - float64(d)/float64(gap), j + 1: float64(d) / float64(gap)}
		}
	}
	out := make([]map[int]float64, n)
	for i := range out {
		from, to := max(0, i-windowHalf), min(n-1, i+windowHalf)
		out[i] = map[int]float64{}
		for k, c := range polynomialShares(from-i, to-i) {
			for j, share := range joined[from+k] {
				out[i][j] += c * share
			}
		}
	}
	return out
}

// polynomialShares returns the share of each of the places from…to in the value at 0 of the polynomial of least squares
// through values there; with fewer places than it has coefficients, of one of a lower degree.
func polynomialShares(from, to int) []float64 {
	n := to - from + 1
	degree := min(windowDegree, n-1)
	var moments [2*windowDegree + 1]float64
	for x := from; x <= to; x++ {
		power := 1.0
		for k := range 2*degree + 1 {
			moments[k] += power
			power *= float64(x)
		}
	}
	normal := make([][]float64, degree+1)
	for r := range normal {
		normal[r] = make([]float64, degree+2)
		for c := range degree + 1 {
			normal[r][c] = moments[r+c]
		}
	}
	normal[0][degree+1] = 1 // the first row of the inverse: the normal matrix is symmetric
	row := solve(normal)
	out := make([]float64, n)
	for i := range out {
		power := 1.0
		for _, c := range row {
			out[i] += c * power
			power *= float64(from + i)
		}
	}
	return out
}

// solve solves a small positive definite system, given with its right side as the last column, in place.
func solve(rows [][]float64) []float64 {
	n := len(rows)
	for i := range n {
		for r := i + 1; r < n; r++ {
			f := rows[r][i] / rows[i][i]
			for c := i; c <= n; c++ {
				rows[r][c] -= f * rows[i][c]
			}
		}
	}
	out := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		out[i] = rows[i][n]
		for c := i + 1; c < n; c++ {
			out[i] -= rows[i][c] * out[c]
		}
		out[i] /= rows[i][i]
	}
	return out
}
