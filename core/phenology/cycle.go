package phenology

import (
	"math"
	"slices"
	"time"

	"tilth/core/fault"
	"tilth/core/vegetation"
)

// Reason is why a figure of a cycle is not known.
type Reason string

// The reasons.
const (
	// BeganBefore: the first observation is already above the level, or the highest.
	BeganBefore Reason = "began_before"
	// NotOver: the line has not come down to the level by the last observation, or is highest there. A start is then
	// measured from the highest value so far.
	NotOver Reason = "not_over"
	// InGap: it lies between two observations that are more than the longest gap apart.
	InGap Reason = "gap"
	// PeakUnknown: it is measured from the peak, which is not known.
	PeakUnknown Reason = "peak_unknown"
)

// Settings are what cycles are measured by.
type Settings struct {
	// Threshold is the share of the rise, above the lowest value before the peak, at which a season starts, and that of the
	// fall at which it ends.
	Threshold float64
	// MinAmplitude is the smallest height of a peak above the lowest values around it, in units of the index.
	MinAmplitude float64
	// MaxGap is the longest time between two observations, in days, within which a date is stated.
	MaxGap int
}

// DefaultSettings returns the usual settings. The threshold of twenty per cent is that of TIMESAT (Jönsson and Eklundh
// 2004, Computers and Geosciences 30: 833) and nearly that of MODIS' land cover dynamics (15 %).
func DefaultSettings() Settings { return Settings{Threshold: 0.2, MinAmplitude: 0.1, MaxGap: 25} }

// minShare is the smallest height of a peak above the values around it, as a share of the range of the line: smaller ones are
// swings within a cycle.
const minShare = 0.25

// noisy is the minimum height of a peak, in standard deviations of an observation.
const noisy = 3

// The levels between which rates are measured, as shares of the rise or fall (TIMESAT).
const (
	rateFrom = 0.2
	rateTo   = 0.8
)

// Moment is a day of a cycle.
type Moment struct {
	Date   *time.Time
	SD     *float64 // days; nil: not known
	Reason Reason   // why there is no date
	// Between are the observations before and after, where the date lies in a gap.
	Between *[2]time.Time
}

// Figure is a figure of a cycle.
type Figure struct {
	Value *float64
	SD    *float64 // nil: not known
}

// Cycle is the growth and ripening of a crop.
type Cycle struct {
	Start, Peak, End Moment
	Length           Figure // days from start to end
	Base             Figure // mean of the lowest values before and after the peak; one alone where the other was not seen
	PeakValue        Figure
	Amplitude        Figure // from the base to the peak
	Rise, Fall       Figure // per day, between 20 % and 80 % of the way
	Integral         Figure // of the index over the days from start to end
	IntegralAbove    Figure // of what is above the base
}

// Phenology is what the line of a series says about the season.
type Phenology struct {
	Settings
	Cycles []Cycle
	// Reason says why there is no cycle, for people; empty where there is one.
	Reason string
}

// Of returns the growing cycles of a series with the uncertainties of their figures.
func Of(s vegetation.Series, settings Settings) Phenology { return OfPoints(s.Weighted(), settings) }

// OfPoints is Of for points, at most one a day and in any order.
func OfPoints(points []vegetation.Weighted, settings Settings) Phenology {
	out := Phenology{Settings: settings}
	line := Fit(points, Whittaker)
	if line.Reason != "" {
		out.Reason = line.Reason
		return out
	}
	found := cyclesOf(line, settings)
	if out.Cycles = shown(found, points, settings); len(out.Cycles) == 0 {
		out.Reason = "No part of the line rises and falls enough to be a growing cycle."
	}
	return out
}

// cyclesOf returns the cycles of all runs of a line, in order.
func cyclesOf(line Line, settings Settings) []measured {
	low, high := math.Inf(1), math.Inf(-1)
	for _, run := range line.Runs {
		for _, d := range run {
			low, high = min(low, d.Value), max(high, d.Value)
		}
	}
	enough := max(settings.MinAmplitude, minShare*(high-low), noisy*line.noise)
	var out []measured
	for _, run := range line.Runs {
		z := make([]float64, len(run))
		for i, d := range run {
			z[i] = d.Value
		}
		peaks := peaksOf(z, enough)
		for i, peak := range peaks {
			from, to := 0, len(z)-1
			if i > 0 {
				from = peaks[i-1]
			}
			if i+1 < len(peaks) {
				to = peaks[i+1]
			}
			out = append(out, measure(run, z, limb{lowest(z, from, peak), peak, lowest(z, peak, to)}, settings))
		}
	}
	return out
}

// peaksOf returns the places of the maxima that stand at least enough above the lowest values between them and the next
// higher value on either side. A side without a higher value sets no condition, since the line may begin or end on the
// way; where neither side has a higher value, the deeper one counts.
func peaksOf(z []float64, enough float64) []int {
	var out []int
	for i := range z {
		if i > 0 && z[i-1] >= z[i] || i+1 < len(z) && z[i+1] > z[i] {
			continue
		}
		left, higherLeft := drop(z, i, -1)
		right, higherRight := drop(z, i, 1)
		height := max(left, right)
		switch {
		case higherLeft && higherRight:
			height = min(left, right)
		case higherLeft:
			height = left
		case higherRight:
			height = right
		}
		if height >= enough && height > 0 {
			out = append(out, i)
		}
	}
	return out
}

// drop returns how far the line falls on one side of a place before there is a higher value, and whether there is one.
func drop(z []float64, at, step int) (depth float64, higher bool) {
	lowest := z[at]
	i := at + step
	for ; i >= 0 && i < len(z) && z[i] <= z[at]; i += step {
		lowest = min(lowest, z[i])
	}
	return z[at] - lowest, i >= 0 && i < len(z)
}

// lowest returns the place of the lowest value from one place to another; of equals the nearest to the second.
func lowest(z []float64, from, to int) int {
	best := to
	for i := to; ; {
		if z[i] < z[best] {
			best = i
		}
		switch {
		case i == from:
			return best
		case from < to:
			i--
		default:
			i++
		}
	}
}

// limb holds the places of a cycle on its run: the lowest value before, the peak, the lowest value after.
type limb struct{ left, peak, right int }

// measured is a cycle in numbers, with days counted since 1970; NaN where a number is not known.
type measured struct {
	start, peak, end                   float64
	startReason, peakReason, endReason Reason
	base, top, height                  float64
	rise, fall                         float64
	integral, integralAbove            float64
}

// measure measures a cycle on a run.
func measure(run []Day, z []float64, l limb, s Settings) measured {
	nan := math.NaN()
	m := measured{start: nan, end: nan, rise: nan, fall: nan, integral: nan, integralAbove: nan, top: z[l.peak]}
	left, right := z[l.left], z[l.right]
	// At an end of the run the lowest value may lie in the middle of the rise or the fall.
	before := l.left == 0 && (l.peak == 0 || left > right+s.Threshold*(m.top-right))
	after := l.right == len(z)-1 && (l.peak == len(z)-1 || right > left+s.Threshold*(m.top-left))
	switch {
	case before && after:
		m.base = min(left, right)
	case before:
		m.base = right
	case after:
		m.base = left
	default:
		m.base = (left + right) / 2
	}
	m.height = m.top - m.base
	switch l.peak { // at an end of the run it is the highest value so far, or the first that was seen
	case len(z) - 1:
		m.peakReason = NotOver
	case 0:
		m.peakReason = BeganBefore
	}
	if before {
		m.startReason = BeganBefore
	} else {
		level := func(share float64) float64 { return left + share*(m.top-left) }
		m.start = crossing(z, l.peak, l.left, level(s.Threshold))
		m.rise = rate(z, l.peak, l.left, level)
	}
	if after {
		m.endReason = NotOver
	} else {
		level := func(share float64) float64 { return right + share*(m.top-right) }
		m.end = crossing(z, l.peak, l.right, level(s.Threshold))
		m.fall = rate(z, l.peak, l.right, level)
	}
	if !before && !after {
		m.integral = area(z, m.start, m.end)
		m.integralAbove = m.integral - m.base*(m.end-m.start)
	}
	origin := epochDay(run[0].Date)
	m.start, m.peak, m.end = m.start+origin, vertex(z, l.peak)+origin, m.end+origin
	return m
}

// vertex returns where the parabola through a maximum and its neighbours is highest, at most half a day away.
func vertex(z []float64, at int) float64 {
	if at == 0 || at == len(z)-1 {
		return float64(at)
	}
	bend := z[at-1] - 2*z[at] + z[at+1]
	if bend >= 0 {
		return float64(at)
	}
	return float64(at) + (z[at-1]-z[at+1])/(2*bend)
}

// crossing returns where a line that falls from the peak towards a place first reaches a level, interpolated between days.
func crossing(z []float64, peak, towards int, level float64) float64 {
	step := 1
	if towards < peak {
		step = -1
	}
	for i := peak; i != towards; i += step {
		if a, b := z[i], z[i+step]; b <= level {
			return float64(i) + float64(step)*(a-level)/(a-b)
		}
	}
	return float64(towards)
}

// rate returns how fast the line changes between two shares of the way, per day, as a positive number.
func rate(z []float64, peak, towards int, level func(share float64) float64) float64 {
	low, high := crossing(z, peak, towards, level(rateFrom)), crossing(z, peak, towards, level(rateTo))
	if low == high {
		return math.NaN()
	}
	return math.Abs((level(rateTo) - level(rateFrom)) / (high - low))
}

// area returns the integral of a line of straight pieces between two places.
func area(z []float64, from, to float64) (sum float64) {
	at := func(x float64) float64 {
		i := min(int(x), len(z)-2)
		return z[i] + (x-float64(i))*(z[i+1]-z[i])
	}
	for x := from; x < to; {
		next := min(to, math.Floor(x)+1)
		sum += (next - x) * (at(x) + at(next)) / 2
		x = next
	}
	return sum
}

// gapAt returns the observations around a day of a run, where they are too far apart for a date to be stated.
func gapAt(points []vegetation.Weighted, date time.Time, longest int) *[2]time.Time {
	i, there := slices.BinarySearchFunc(points, date, func(p vegetation.Weighted, d time.Time) int { return p.Date.Compare(d) })
	if there || i == 0 || i == len(points) || vegetation.DaysBetween(points[i-1].Date, points[i].Date) <= longest {
		return nil
	}
	return &[2]time.Time{points[i-1].Date, points[i].Date}
}

// Check returns what is wrong with settings, by the names of the interface.
func (s Settings) Check() fault.Fields {
	f := fault.Fields{}
	if !(s.Threshold >= 0.05 && s.Threshold <= 0.95) {
		f.Add("threshold", "A share from 0.05 to 0.95; usually 0.2.")
	}
	if !(s.MinAmplitude > 0 && s.MinAmplitude <= 10) {
		f.Add("min_amplitude", "More than 0, at most 10, in units of the index; usually 0.1.")
	}
	if s.MaxGap < 1 || s.MaxGap > vegetation.MaxSmoothGap {
		f.Addf("max_gap", "1 to %d days; usually 25.", vegetation.MaxSmoothGap)
	}
	return f
}
