package phenology

import (
	"math"
	"slices"
	"time"

	"tilth/core/vegetation"
)

// sameCycle is the maximum distance, in days, between the peaks of a cycle with and without one of the observations.
const sameCycle = 30

// enoughAgain is the share of the fits without one observation that must know a figure for its uncertainty to be stated.
const enoughAgain = 0.8

// shown returns cycles in the form of the answer: dates that lie in gaps without their day, and all figures with
// standard deviations by the jackknife, from fits that leave out one observation each (Efron and Stein 1981, Annals of
// Statistics 9: 586): √((n−1)/n · Σ(θᵢ − θ̄)²).
func shown(found []measured, points []vegetation.Weighted, s Settings) []Cycle {
	if len(found) == 0 {
		return nil
	}
	counted := slices.Concat(vegetation.Runs(points)...)
	again := make([][]measured, len(found))
	for i := range counted {
		without := slices.Delete(slices.Clone(counted), i, i+1)
		for _, m := range cyclesOf(Fit(without, Whittaker), s) {
			if at := nearest(found, m.peak); math.Abs(found[at].peak-m.peak) <= sameCycle {
				again[at] = append(again[at], m)
			}
		}
	}
	out := make([]Cycle, len(found))
	for i, m := range found {
		out[i] = m.shown(again[i], counted, s)
	}
	return out
}

func nearest(found []measured, peak float64) int {
	best := 0
	for i := range found {
		if math.Abs(found[i].peak-peak) < math.Abs(found[best].peak-peak) {
			best = i
		}
	}
	return best
}

// shown returns the cycle in the form of the answer. What is measured from a peak that lies in a gap is not known.
func (m measured) shown(again []measured, points []vegetation.Weighted, s Settings) Cycle {
	of := func(value func(measured) float64) Figure {
		x := value(m)
		if math.IsNaN(x) {
			return Figure{}
		}
		return Figure{&x, jackknife(again, len(points), value)}
	}
	moment := func(value func(measured) float64, reason Reason) Moment {
		f := of(value)
		if f.Value == nil {
			return Moment{Reason: reason}
		}
		date := dateOf(*f.Value)
		if around := gapAt(points, date, s.MaxGap); around != nil {
			return Moment{Reason: InGap, Between: around}
		}
		return Moment{Date: &date, SD: f.SD}
	}
	out := Cycle{Base: of(func(m measured) float64 { return m.base }), Peak: Moment{Reason: m.peakReason}}
	if m.peakReason == "" {
		out.Peak = moment(func(m measured) float64 { return m.peak }, "")
	}
	if out.Peak.Reason == InGap {
		out.Start.Reason, out.End.Reason = PeakUnknown, PeakUnknown
		return out
	}
	out.Start = moment(func(m measured) float64 { return m.start }, m.startReason)
	out.End = moment(func(m measured) float64 { return m.end }, m.endReason)
	if out.Peak.Date == nil {
		return out
	}
	out.PeakValue = of(func(m measured) float64 { return m.top })
	out.Amplitude = of(func(m measured) float64 { return m.height })
	if out.Start.Date != nil {
		out.Rise = of(func(m measured) float64 { return m.rise })
	}
	if out.End.Date != nil {
		out.Fall = of(func(m measured) float64 { return m.fall })
	}
	if out.Start.Date != nil && out.End.Date != nil {
		out.Length = of(func(m measured) float64 { return m.end - m.start })
		out.Integral = of(func(m measured) float64 { return m.integral })
		out.IntegralAbove = of(func(m measured) float64 { return m.integralAbove })
	}
	return out
}

// jackknife returns the standard deviation of a figure of n observations; nil where too few of the fits know it.
func jackknife(again []measured, n int, value func(measured) float64) *float64 {
	var known []float64
	sum := 0.0
	for _, m := range again {
		if x := value(m); !math.IsNaN(x) {
			known, sum = append(known, x), sum+x
		}
	}
	if len(known) < 3 || float64(len(known)) < enoughAgain*float64(n) {
		return nil
	}
	mean, squares := sum/float64(len(known)), 0.0
	for _, x := range known {
		squares += (x - mean) * (x - mean)
	}
	out := math.Sqrt(squares * float64(len(known)-1) / float64(len(known)))
	return &out
}

func epochDay(d time.Time) float64 { return float64(d.Unix() / 86400) }

// dateOf returns the day nearest to a place on the line.
func dateOf(day float64) time.Time { return time.Unix(int64(math.Round(day))*86400, 0).UTC() }
