package sample

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tilth/core/list"
	"tilth/core/stratification/internal/stats"
)

// MaxReferenceMass bounds a reference mass, t/ha: solid quartz down to MaxDepthCm.
const MaxReferenceMass = 100 * maxBulkDensity * MaxDepthCm

// The lower fence of plausible masses: Tukey, "Exploratory Data Analysis" (1977), section 2C. Masses
// hardly below the median are plausible however close the others are to each other.
const (
	fence       = 1.5 // of the distance between the quartiles, below the lower one
	belowMedian = 0.9
)

// ReferenceMass returns the mass of fine soil from the surface, t/ha, in which the stocks of points
// are compared: the smallest plausible mass that the points of the first round hold down to a depth.
// Masses below Tukey's lower fence are not plausible, so a stony or mismeasured point does not set it.
// ok is false where no point has two or more intervals, which resolve the carbon by depth.
func ReferenceMass(profiles []Profile, toCm float64) (mass float64, ok bool) {
	var masses []float64
	for _, p := range profiles {
		intervals, reason := p.between(0, toCm)
		if reason != "" {
			continue // it has no stock to this depth either
		}
		masses = append(masses, massOf(intervals))
		ok = ok || len(intervals) > 1
	}
	if !ok {
		return 0, false
	}
	slices.Sort(masses)
	low, middle, high := stats.Quantile(masses, 0.25), stats.Quantile(masses, 0.5), stats.Quantile(masses, 0.75)
	lower := math.Min(low-float64(fence*(high-low)), belowMedian*middle)
	for _, mass := range masses {
		if mass >= lower && mass > 0 {
			return mass, true
		}
	}
	return 0, false
}

func massOf(intervals []DepthInterval) (sum float64) {
	for _, d := range intervals {
		sum += d.Mass()
	}
	return sum
}

// EquivalentStocks returns the stocks of points in the same mass of fine soil from the surface, so
// that loosening or compaction between two rounds does not count as a change of carbon. Within an
// interval the carbon is assumed to be spread evenly over the mass (Ellert and Bettany,
// "Calculation of organic matter and nutrients stored in soils under contrasting management
// regimes", Canadian Journal of Soil Science 75 (1995) 529; Wendt and Hauser, "An equivalent soil
// mass procedure for monitoring soil organic carbon in multiple soil layers", European Journal of
// Soil Science 64 (2013) 58, fit a spline instead). A point takes the mass from all its known intervals,
// including those below the depth of the survey. Points that do not hold it are left out, with the reason.
func EquivalentStocks(profiles []Profile, mass float64) (values []Value, out []Unusable) {
	for _, p := range profiles {
		intervals := p.fromSurface()
		stock, reason := stockInMass(intervals, mass)
		switch {
		case len(p.Places) > 0:
			reason = "it is a composite: how much fine soil each of its points holds is not known"
		case len(intervals) == 0:
			reason = "nothing is known of it at the surface"
		case len(intervals) == 1:
			reason = "it has one depth interval, which does not say where in the soil the carbon is"
		}
		if reason != "" {
			out = append(out, Unusable{p.Point, reason})
			continue
		}
		values = append(values, Value{Point: p.Point, Zone: p.Zone, At: p.At, Value: stock})
	}
	return values, out
}

// fromSurface returns the intervals that follow one another without gap or overlap, from the top.
func (p Profile) fromSurface() (intervals []DepthInterval) {
	at := 0.0
	for _, d := range slices.SortedStableFunc(slices.Values(p.Intervals), func(a, b DepthInterval) int { return cmp.Compare(a.FromCm, b.FromCm) }) {
		if d.FromCm != at || !(d.ToCm > d.FromCm) {
			break
		}
		intervals = append(intervals, d)
		at = d.ToCm
	}
	return intervals
}

// stockInMass sums the stock of intervals until a mass is reached.
func stockInMass(intervals []DepthInterval, mass float64) (stock float64, reason string) {
	left := mass
	for _, d := range intervals {
		own := d.Mass()
		if own >= left*(1-1e-12) { // the reference is the mass of some point, summed in the same order
			if own > 0 {
				stock += d.Stock() * math.Min(1, left/own)
			}
			return stock, ""
		}
		stock += d.Stock()
		left -= own
	}
	if left <= 1e-9*mass {
		return stock, ""
	}
	return 0, fmt.Sprintf("its intervals hold %.0f t/ha of fine soil, less than %.0f t/ha", mass-left, mass)
}

// MassBasis states where a reference mass comes from.
type MassBasis string

// The bases of a reference mass.
const (
	MassGiven      MassBasis = "given"
	MassFirstRound MassBasis = "first_round" // by ReferenceMass
)

// Reference defines the mass to which the stocks of a survey are referred.
type Reference struct {
	Mass float64 // t/ha; 0: that of the first round
	// First are the samples of the first round of the zones; nil where a round is the first.
	First []Sample
}

// mass returns the reference mass for rounds, the earliest first; 0 where there is none.
func (r Reference) mass(rounds []Round, toCm float64) (float64, MassBasis) {
	if r.Mass > 0 {
		return r.Mass, MassGiven
	}
	first := list.Map(rounds[:1], func(r Round) []Sample { return r.Samples })
	if r.First != nil {
		first = [][]Sample{r.First, first[0]} // the first round may not reach as deep
	}
	for _, samples := range first {
		if mass, ok := ReferenceMass(Round{Samples: samples}.profiles(true), toCm); ok {
			return mass, MassFirstRound
		}
	}
	return 0, ""
}
