package sample

import (
	"slices"

	"tilth/core/fault"
	"tilth/core/stratification/internal/stats"
)

// samePlace is the distance, in metres, by which the places of a point in two rounds may differ: more than rounding.
const samePlace = 0.1

// Difference estimates the change from a first to a second round of the same zones, second minus
// first. In a zone with two or more pairs (points of both rounds), the change is the mean of the changes
// at the pairs. Where each round has other points as well, because some were replaced, the difference
// of their means is an independent estimate of the same change, and the two are combined. If only one
// round has other points, these say nothing about a change. In a zone with fewer pairs the rounds count as
// independent samples and their variances add up (Cochran, section 12.10, on sampling on two
// occasions; de Gruijter et al., "Sampling for Natural Resource Monitoring" (2006), chapter 15;
// Brus, "Spatial Sampling with R" (2022), chapter 15).
//
// Faults: as MeanOf; Conflict for rounds of different maps of zones.
func Difference(first, second Survey, confidence float64) (Estimate, error) {
	staged := first.staged() || second.staged()
	if first.Map != second.Map || !staged && !slices.EqualFunc(first.Zones, second.Zones, func(a, b SurveyZone) bool { return a.Zone == b.Zone }) {
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
	e.local = first.local() && second.local()
	if staged {
		err := e.changeOfDraws(first, second, before, after)
		e.RelativeError = nil
		return e.Estimate, err
	}
	parts := make([]stats.Part, len(first.Zones))
	for h := range parts {
		parts[h] = e.change(h, before[h], after[h])
	}
	e.notePlacement()
	e.notePooled(second)
	e.conclude(parts)
	e.RelativeError = nil // meaningless for a change, which may be 0
	return e.Estimate, nil
}

// overlap holds the points of a zone in two rounds.
type overlap struct {
	changes       []Value // at points of both rounds
	before, after []Value // at points of one round only
}

func overlapOf(before, after []Value) (out overlap) {
	used := make([]bool, len(before))
	for _, later := range after {
		i := -1
		for j, earlier := range before {
			if !used[j] && samePoints(earlier, later) {
				i = j
				break
			}
		}
		if i < 0 {
			out.after = append(out.after, later)
			continue
		}
		used[i] = true
		later.Value -= before[i].Value
		out.changes = append(out.changes, later)
	}
	for i, earlier := range before {
		if !used[i] {
			out.before = append(out.before, earlier)
		}
	}
	return out
}

// change estimates the change of a zone.
func (e *estimator) change(h int, before, after []Value) stats.Part {
	both := overlapOf(before, after)
	if len(both.changes) < 2 {
		return e.independent(h, before, after)
	}
	c := e.zone(h, both.changes)
	z := &e.Zones[h]
	z.Paired, z.Pairs = true, len(both.changes) // pairs of composites where samples are pooled
	switch replaced := min(len(both.before), len(both.after)); {
	case replaced > 0 && c.Variance > 0:
		var mean float64
		mean, c = combined(z.Figure.Mean, c, both, before, after)
		e.N += replaced
		z.N += replaced
		e.settle(h, mean, c)
		e.note("Zone %d has %d points of both rounds, %d others in the first and %d in the second: the change at the pairs is combined with that between the others.",
			z.Zone, z.Pairs, len(both.before), len(both.after))
	case len(before) != len(after):
		e.note("Zone %d has %d values in the first round and %d in the second; the change is that at the points which have both.",
			z.Zone, len(before), len(after))
	}
	return c
}

// combined combines the mean change at the pairs of a zone with the difference of the means of its
// other points, for which V = s₁²/u₁ + s₂²/u₂ with the deviations of all its points in each round. The
// two are independent, so each is weighted by its share p_i of 1/V. As these weights are estimated,
//
//	V = 1/Σ(1/V_i) · (1 + 4 Σ p_i (1-p_i)/f_i)    1/f = Σ p_i²/f_i
//
// with f_i degrees of freedom (Meier, "Variance of a Weighted Mean", Biometrics 9 (1953) 59). The
// covariance of the rounds is in the variance of the changes: the closer the rounds are related, the
// less the others count.
func combined(change float64, pairs stats.Part, both overlap, before, after []Value) (mean float64, c stats.Part) {
	earlier, _, u1 := moments(both.before)
	later, _, u2 := moments(both.after)
	_, s1, _ := moments(before)
	_, s2, _ := moments(after)
	rest := stats.Sum(stats.OfMean(u1, s1, len(before)), stats.OfMean(u2, s2, len(after)))
	if rest.Variance == 0 {
		return change, pairs
	}
	p := rest.Variance / (pairs.Variance + rest.Variance)
	q := 1 - p
	c.Variance = p * pairs.Variance * (1 + float64(4*p*q*(1/pairs.DF+1/rest.DF)))
	c.DF = 1 / (p*p/pairs.DF + q*q/rest.DF)
	return float64(p*change) + float64(q*(later-earlier)), c
}

// independent estimates the change of a zone from two independent samples.
func (e *estimator) independent(h int, before, after []Value) stats.Part {
	z := &e.Zones[h]
	meanBefore, _, n1 := moments(before)
	meanAfter, _, n2 := moments(after)
	z.N, z.Units = min(n1, n2), min(len(before), len(after))
	z.Pooled = n1 > len(before) || n2 > len(after)
	e.N += z.N
	if z.Pooled && z.Units > 0 {
		e.note("Zone %d: composites of the two rounds are pairs where they hold the same points, and two are not there. The rounds count as independent samples, whose standard error is too large where they share points.", z.Zone)
	}
	if z.Units < 2 {
		e.reason("Zone %d has %d and %d values; each round needs two.", z.Zone, len(before), len(after))
	}
	if z.Units == 0 {
		return stats.Part{}
	}
	if z.Units < 2 {
		z.Figure = &Figure{Mean: meanAfter - meanBefore}
		return stats.Part{}
	}
	c := stats.Sum(e.meanPart(before), e.meanPart(after))
	e.settle(h, meanAfter-meanBefore, c)
	return c
}
