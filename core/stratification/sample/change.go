package sample

import (
	"math"
	"slices"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/internal/stats"
)

// samePlace is how far, in metres, a point of two rounds may lie apart: more than rounding.
const samePlace = 0.1

// Difference estimates the change from a first to a second round of the same zones, second less
// first. In a zone where every point of the round with fewer is a point of the other, the changes
// at the points are averaged, with their own standard error; in others the rounds count as
// independent samples and their variances add up (Cochran, section 12.10, on sampling on two
// occasions; de Gruijter et al., "Sampling for Natural Resource Monitoring" (2006), chapter 15).
// The degrees of freedom are n-H where all zones are paired, and Satterthwaite's otherwise.
//
// Faults: as MeanOf; Conflict for rounds of different maps of zones.
func Difference(first, second Survey, confidence float64) (Estimate, error) {
	if first.Map != second.Map || !slices.EqualFunc(first.Zones, second.Zones, func(a, b SurveyZone) bool { return a.Zone == b.Zone }) {
		return Estimate{}, fault.New(fault.Conflict, "other_zones", "The two rounds are of different maps of zones. Compare rounds of plans of one map.")
	}
	before, err := first.byZone()
	if err != nil {
		return Estimate{}, err
	}
	after, err := second.byZone()
	if err != nil {
		return Estimate{}, err
	}
	e := first.begin(confidence, append(first.reasons("First round: "), second.reasons("Second round: ")...))
	parts := make([]component, len(first.Zones))
	df := 0
	for h := range parts {
		if changes, ok := paired(before[h], after[h]); ok {
			parts[h] = e.zone(h, changes)
			e.Zones[h].Paired = true
			df += len(changes) - 1
			if b, a := len(before[h]), len(after[h]); b != a {
				e.note("Zone %d has %d values in the first round and %d in the second; the change is that at the points which have both.",
					e.Zones[h].Zone, b, a)
			}
			continue
		}
		parts[h] = e.independent(h, before[h], after[h])
	}
	if slices.ContainsFunc(e.Zones, func(z ZoneEstimate) bool { return !z.Paired }) {
		df = 0
	}
	e.notePlacement(second)
	e.conclude(parts, df)
	e.RelativeError = nil // meaningless for a change, which may be 0
	return e.Estimate, nil
}

// paired returns the changes at points of both rounds; ok where one has no others, and two or more.
func paired(before, after []Value) (changes []float64, ok bool) {
	used := make([]bool, len(before))
	for _, later := range after {
		i := -1
		for j, earlier := range before {
			if !used[j] && geo.Distance(earlier.At, later.At) <= samePlace {
				i = j
				break
			}
		}
		if i >= 0 {
			used[i] = true
			changes = append(changes, later.Value-before[i].Value)
		}
	}
	return changes, len(changes) >= 2 && len(changes) == min(len(before), len(after))
}

// independent estimates the change of a zone from two independent samples.
func (e *estimator) independent(h int, before, after []Value) component {
	z := &e.Zones[h]
	z.N = min(len(before), len(after))
	e.N += z.N
	if z.N < 2 {
		e.reason("Zone %d has %d and %d values; each round needs two.", z.Zone, len(before), len(after))
	}
	if z.N == 0 {
		return component{}
	}
	meanBefore, sdBefore := stats.MeanAndSD(numbers(before))
	meanAfter, sdAfter := stats.MeanAndSD(numbers(after))
	if z.N < 2 {
		z.Figure = &Figure{Mean: meanAfter - meanBefore}
		return component{}
	}
	a, b := sdBefore*sdBefore/float64(len(before)), sdAfter*sdAfter/float64(len(after))
	c := component{variance: a + b, df: 1}
	if c.variance > 0 {
		c.df = c.variance * c.variance / (a*a/float64(len(before)-1) + b*b/float64(len(after)-1))
	}
	e.settle(h, meanAfter-meanBefore, component{c.variance, math.Max(c.df, 1)})
	return c
}
