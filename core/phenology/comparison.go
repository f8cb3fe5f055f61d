package phenology

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// MinReferences is the minimum number of other years, or other fields, that a day is compared with.
const MinReferences = 3

// maxYears is how many years back and ahead a day is looked for.
const maxYears = 30

// Compared is a day of a line compared with the same day of others.
type Compared struct {
	Date  time.Time
	Value float64 // of the line
	// N is how many others were seen on the day; with fewer than MinReferences nothing else is known.
	N                int
	P10, Median, P90 float64
	Percentile       float64 // share of the others below, equal ones counted by half, in percent
	// Score is the difference of the line from the mean of the others, in standard deviations of a new value, the
	// spread of their mean included.
	Score float64
}

// Known reports whether there are enough others.
func (c Compared) Known() bool { return c.N >= MinReferences }

// Standing is the result of a comparison.
type Standing string

// The standings of the latest day that could be compared.
const (
	StandingUsual Standing = "usual"
	StandingLow   Standing = "low"  // lower than all but one in twenty such days would be
	StandingHigh  Standing = "high" // likewise
)

// unusual is the probability, on both sides together, at which a day counts as unusual.
const unusual = 0.1

// Comparison is a line compared with others on the days of its observations.
type Comparison struct {
	Days []Compared // those that could be compared, in order
	// Standing is that of the last of them; empty where there is none.
	Standing Standing
	// Probability is that of a day as far from the others as the last one, on either side, by Student's t with N−1 degrees
	// of freedom; NaN where there is none.
	Probability float64
	// MeanScore is the mean of the scores of all days.
	MeanScore float64
}

// WithYears compares a line with others of the same field on the same days of earlier and later years. Each year counts
// once, whatever the number of its lines.
func WithYears(line Line, others []Line) Comparison {
	values := valuesOf(others)
	return compare(line, func(day time.Time) (out []float64) {
		for years := 1; years <= maxYears; years++ {
			for _, at := range []time.Time{day.AddDate(-years, 0, 0), day.AddDate(years, 0, 0)} {
				if v := values[at]; len(v) > 0 {
					out = append(out, stat.Mean(v, nil))
				}
			}
		}
		return out
	})
}

// WithFields compares a line with those of other fields on the same days.
func WithFields(line Line, others []Line) Comparison {
	values := valuesOf(others)
	return compare(line, func(day time.Time) []float64 { return values[day] })
}

// valuesOf returns the values of lines on the days that were seen.
func valuesOf(lines []Line) map[time.Time][]float64 {
	out := map[time.Time][]float64{}
	for _, l := range lines {
		for _, run := range l.Runs {
			for _, d := range run {
				if d.Seen {
					out[d.Date] = append(out[d.Date], d.Value)
				}
			}
		}
	}
	return out
}

// compare returns the comparison of a line with others on the days of its observations.
func compare(line Line, others func(day time.Time) []float64) Comparison {
	out := Comparison{Probability: math.NaN(), MeanScore: math.NaN()}
	var scores []float64
	for _, run := range line.Runs {
		for _, d := range run {
			if !d.Observed {
				continue
			}
			if c := compareDay(d, others(d.Date)); c.Known() {
				out.Days, scores = append(out.Days, c), append(scores, c.Score)
			}
		}
	}
	if len(out.Days) == 0 {
		return out
	}
	out.MeanScore = stat.Mean(scores, nil)
	last := out.Days[len(out.Days)-1]
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(last.N - 1)}
	out.Probability = 2 * t.CDF(-math.Abs(last.Score))
	switch out.Standing = StandingUsual; {
	case out.Probability >= unusual:
	case last.Score < 0:
		out.Standing = StandingLow
	default:
		out.Standing = StandingHigh
	}
	return out
}

// minSpread is the smallest standard deviation of others, in units of the index: what one observation scatters at best.
const minSpread = 0.01

func compareDay(d Day, others []float64) Compared {
	out := Compared{Date: d.Date, Value: d.Value, N: len(others)}
	if !out.Known() {
		return out
	}
	sorted := slices.Sorted(slices.Values(others))
	quantile := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, sorted, nil) }
	out.P10, out.Median, out.P90 = quantile(0.1), quantile(0.5), quantile(0.9)
	below := 0.0
	for _, v := range sorted {
		switch {
		case v < d.Value:
			below++
		case v == d.Value:
			below += 0.5
		}
	}
	out.Percentile = 100 * below / float64(len(sorted))
	mean, spread := stat.MeanStdDev(sorted, nil)
	out.Score = (d.Value - mean) / (max(spread, minSpread) * math.Sqrt(1+1/float64(len(sorted))))
	return out
}
