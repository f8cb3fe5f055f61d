package phenology

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"tilth/core/fault"
	"tilth/core/vegetation"
)

// Method is how a line is drawn through observations.
type Method string

// The methods.
const (
	Whittaker      Method = "whittaker"
	SavitzkyGolay  Method = "savitzky_golay"
	Harmonic       Method = "harmonic"
	DoubleLogistic Method = "double_logistic"
)

// Methods are all methods, the usual one first.
var Methods = []Method{Whittaker, SavitzkyGolay, Harmonic, DoubleLogistic}

// ParseMethod returns the method of a word; empty is the usual one. Fault: Invalid, of the field "smoothing".
func ParseMethod(word string) (Method, error) {
	if word == "" {
		return Whittaker, nil
	}
	if m := Method(word); slices.Contains(Methods, m) {
		return m, nil
	}
	words := make([]string, len(Methods))
	for i, m := range Methods {
		words[i] = string(m)
	}
	return "", fault.Field("smoothing", fmt.Sprintf("%.30q is not a way to smooth; choose one of %s.", word, strings.Join(words, ", ")))
}

// MaxSeenGap is the longest time between two observations, in days, within which a line counts as seen: three passes of
// Sentinel-2, which comes every five days. In a longer gap the line is a guess that nothing contradicts.
const MaxSeenGap = 16

// confidence is that of the bands.
const confidence = 0.95

// Day is a day of a line.
type Day struct {
	Date  time.Time
	Value float64
	// Low and High are the limits of the band in which the index of the field lies with a probability of 95 %; both are
	// NaN where there are too few observations to tell how much they scatter.
	Low, High float64
	Seen      bool // it lies in no gap of more than MaxSeenGap days between observations
	Observed  bool // there is an observation
}

// Line is a line through the observations of a series: runs of days without a gap of more than [vegetation.MaxSmoothGap] days.
type Line struct {
	Method Method
	Runs   [][]Day
	// RMSE is the root mean square of the observations' differences from the line; N is the number of observations.
	RMSE float64
	N    int
	// Reason says why there is no line, for people; empty where there is one.
	Reason string

	noise float64 // standard deviation of an observation of weight 1; 0: not known
}

// bands returns the function of the limits of a value with a variance, where the noise was estimated with a number of degrees of freedom.
func bands(freedom float64) func(value, variance float64) (low, high float64) {
	if freedom < 1 {
		return func(float64, float64) (float64, float64) { return math.NaN(), math.NaN() }
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(1 - (1-confidence)/2)
	return func(value, variance float64) (float64, float64) {
		half := t * math.Sqrt(max(0, variance))
		return value - half, value + half
	}
}

// Fit draws a line through points, at most one a day and in any order; those of weight 0 do not count.
func Fit(points []vegetation.Weighted, method Method) Line {
	runs := vegetation.Runs(points)
	if len(runs) == 0 {
		return Line{Method: method, Reason: "There are no observations."}
	}
	counted := slices.Concat(runs...)
	var out Line
	switch method {
	case SavitzkyGolay:
		out = savitzkyGolay(runs)
	case Harmonic:
		out = harmonic(counted, runs)
	case DoubleLogistic:
		out = doubleLogistic(counted, runs)
	default:
		out = whittaker(runs)
	}
	out.Method, out.N = method, len(counted)
	out.see(counted)
	return out
}

// FitSeries draws a line through the observations of a series, weighted with their coverage.
func FitSeries(s vegetation.Series, method Method) Line { return Fit(s.Weighted(), method) }

// see marks the days that lie in no long gap, and measures how far the observations are from the line.
func (l *Line) see(points []vegetation.Weighted) {
	var sum float64
	n, at := 0, 0 // at: the last point at or before the day
	for _, run := range l.Runs {
		for i := range run {
			day := &run[i]
			for at+1 < len(points) && !points[at+1].Date.After(day.Date) {
				at++
			}
			here := points[at].Date.Equal(day.Date)
			if day.Observed = here; here {
				sum += (points[at].Value - day.Value) * (points[at].Value - day.Value)
				n++
			}
			day.Seen = here || at+1 < len(points) && vegetation.DaysBetween(points[at].Date, points[at+1].Date) <= MaxSeenGap
		}
	}
	if n > 0 {
		l.RMSE = math.Sqrt(sum / float64(n))
	}
}

// daily returns the days from the first point of a run to its last, without values.
func daily(run []vegetation.Weighted) []Day {
	first := run[0].Date
	out := make([]Day, vegetation.DaysBetween(first, run[len(run)-1].Date)+1)
	for i := range out {
		out[i].Date = first.AddDate(0, 0, i)
	}
	return out
}
