package plan

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"tilth/core/fault"
	"tilth/core/stratification/internal/stats"
)

// Allocation is a rule that shares out samples to zones.
type Allocation string

// The allocations.
const (
	Proportional Allocation = "proportional" // to the zones' areas
	Neyman       Allocation = "neyman"       // to area times standard deviation
	CostOptimal  Allocation = "cost"         // to area times standard deviation over the root of the cost
	Equal        Allocation = "equal"
	Given        Allocation = "per_zone" // as in Params.PerZone
)

// Allocations lists the allocations.
var Allocations = []Allocation{Proportional, Neyman, CostOptimal, Equal, Given}

func (a Allocation) priorities(strata []Stratum) []float64 {
	out := make([]float64, len(strata))
	for h, s := range strata {
		switch a {
		case Neyman:
			out[h] = s.Weight * s.SD
		case CostOptimal:
			out[h] = s.Weight * s.SD
			if s.Cost > 0 {
				out[h] /= math.Sqrt(s.Cost)
			}
		case Equal:
			out[h] = 1
		default:
			out[h] = s.Weight
		}
	}
	return out
}

// Allocate shares n samples out so that Σ A²/n_h is as small as whole numbers allow, with between lower[h] and
// upper[h] samples in each zone (upper nil: without an upper bound). From the lower number on, each further sample goes to
// the zone with the largest A/√(n_h (n_h+1)) or, of several, to the one with the lowest number. Wright, "The Equivalence of
// Neyman Optimum Allocation for Sampling and Equal Proportions for Apportioning the U.S. House of
// Representatives", The American Statistician 66 (2012) 217.
//
// ok is false where the bounds do not allow n samples.
func Allocate(priorities []float64, n int, lower, upper []int) (samples []int, ok bool) {
	samples = slices.Clone(lower)
	total := 0
	for h, minimum := range lower {
		if upper != nil && upper[h] < minimum {
			return nil, false
		}
		total += minimum
	}
	for ; total < n; total++ {
		if !another(samples, priorities, upper) {
			return nil, false
		}
	}
	return samples, total == n
}

// another adds a sample to the zone of the largest priority; false where all are at their upper bounds.
func another(samples []int, priorities []float64, upper []int) bool {
	next, largest := -1, -1.0
	for h, have := range samples {
		if upper != nil && have >= upper[h] {
			continue
		}
		if p := priorities[h] / math.Sqrt(float64(have)*float64(have+1)); p > largest {
			next, largest = h, p
		}
	}
	if next < 0 {
		return false
	}
	samples[next]++
	return true
}

func (p Params) givenSamples(zones int) ([]int, error) {
	fields := fault.Fields{}
	out := make([]int, zones)
	total := 0
	for h := range out {
		n, ok := p.PerZone[h+1]
		switch {
		case !ok:
			fields.Addf("per_zone", "Zone %d is left out; every zone needs a number of samples.", h+1)
		case n < p.MinSamplesPerZone || n > maxSamples:
			fields.Addf("per_zone", "Zone %d needs %d to %d samples, not %d.", h+1, p.MinSamplesPerZone, maxSamples, n)
		}
		out[h] = n
		total += n
	}
	refuseUnknown(fields, "per_zone", p.PerZone, zones)
	fields.AddIf(len(fields) == 0 && p.Samples != 0 && p.Samples != total,
		"number_of_samples", "It is %d, but the zones' numbers add up to %d. Send one of the two.", p.Samples, total)
	fields.AddIf(len(fields) == 0 && total > maxSamples, "per_zone", "A plan has at most %d samples; this one has %d.", maxSamples, total)
	return out, fields.Err()
}

// number returns the number of samples: as requested, or by density, budget or precision, and at least the minimum of each zone.
func (p Params) number(of land, strata []Stratum, mean float64) (int, error) {
	lower := 0
	for _, n := range floors(strata, p.MinSamplesPerZone) {
		lower += n
	}
	n := p.Samples
	name := "number_of_samples"
	switch {
	case n != 0:
		if n < lower {
			return 0, fault.Field(name, fmt.Sprintf("%s need at least %d samples; %d were requested.", named(strata), lower, n))
		}
	case p.HaPerSample > 0:
		name = "ha_per_sample"
		n = max(lower, SamplesByDensity(of.areaHa, p.HaPerSample))
	case p.Costs.Budget > 0:
		if n = p.Costs.affordable(of, pooled(strata)); n < lower {
			return 0, fault.Field("costs", fmt.Sprintf("The budget pays for %d samples; %s need at least %d.", n, named(strata), lower))
		}
	case p.Monitoring.Change > 0:
		n = lower // allocate adds to it
	default:
		name = "relative_error"
		optimal := p.Allocation == Neyman || p.Allocation == CostOptimal
		n = max(lower, p.Precision.Samples(strata, mean, optimal))
	}
	if n > maxSamples {
		return 0, fault.Field(name, fmt.Sprintf("A plan has at most %d samples; this one needs %d.", maxSamples, n))
	}
	return n, nil
}

// allocate shares the samples out to the zones, none of which gets more samples than it has cells. Where
// the precision or a change sets their number, it is as many as that takes in whole numbers.
func (p Params) allocate(of land, strata []Stratum, mean float64, upper []int) ([]int, error) {
	if p.Allocation == Given {
		return p.givenSamples(len(strata))
	}
	n, err := p.number(of, strata, mean)
	if err != nil {
		return nil, err
	}
	samples, ok := Allocate(p.Allocation.priorities(strata), n, floors(strata, p.MinSamplesPerZone), upper)
	if !ok {
		return nil, errNoRoom
	}
	name, enough := "relative_error", p.Precision.reached(strata, mean)
	switch {
	case p.Samples != 0 || p.HaPerSample > 0 || p.Costs.Budget > 0:
		return samples, nil
	case p.Monitoring.Change > 0:
		changes := p.Monitoring.ofChange(strata, len(p.Pilot) > 0)
		name, enough = "change", func(samples []int) bool {
			return p.Monitoring.detectable(changes, p.Precision.Confidence, samples).Change <= p.Monitoring.Change*within
		}
	}
	switch ok, room := reach(enough, samples, p.Allocation.priorities(strata), upper); {
	case !room:
		return nil, errNoRoom
	case !ok:
		return nil, fault.Field(name, fmt.Sprintf("A plan has at most %d samples; this one needs more.", maxSamples))
	}
	return samples, nil
}

func (p Params) checkCosts(fields fault.Fields, zones int) {
	if p.Allocation != CostOptimal {
		fields.AddIf(len(p.Cost) > 0, "cost", "Costs are used only for the allocation %q.", CostOptimal)
		return
	}
	for h := 1; h <= zones; h++ {
		if c, ok := p.Cost[h]; !ok || !(c > 0) || !stats.Finite(c) {
			fields.Addf("cost", "Zone %d needs the cost of a sample, a number over 0.", h)
		}
	}
	for _, h := range slices.Sorted(maps.Keys(p.Cost)) {
		fields.AddIf(h < 1 || h > zones, "cost", "There is no zone %d.", h)
	}
}
