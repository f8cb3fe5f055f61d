package plan

import (
	"fmt"
	"math"

	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/zoning"
)

// Stratum holds what is known or assumed about a zone when samples are planned.
type Stratum struct {
	Weight float64 // share of the area; those of all zones add up to 1
	SD     float64 // of what is measured, between places of the zone
	Cost   float64 // of a sample, in any unit; 0 counts as 1
	// Field is the number, from 1, of the field that is a stratum of its own; 0: a zone, or the strip along edges.
	Field int
	// Draw is the number, from 1, of the draw of the field in a first stage; 0: it was not drawn.
	Draw int
	// Min is its minimum number of samples; 0: that of any zone; none where it has no land left.
	Min int
	// Composites is the number of composites into which its samples are pooled; 0: none.
	Composites int
}

// none is the Stratum.Min of a zone whose land is sampled in other strata.
const none = -1

// floors returns the minimum number of samples of each stratum, given that of zones.
func floors(strata []Stratum, ofZone int) []int {
	return list.Map(strata, func(s Stratum) int {
		switch {
		case s.Min == none:
			return 0
		case s.Min > 0:
			return s.Min
		}
		return ofZone
	})
}

// Precision is the required precision of an estimate of the mean.
type Precision struct {
	Confidence    float64 // of the interval, two-sided, in (0, 1)
	RelativeError float64 // half the width of the interval over the mean
	// Student takes the quantile of Student's distribution, with as many degrees of freedom as
	// samples minus zones, instead of the normal one: it asks for a few more samples, and is right for few.
	Student bool
	// Population is the number of places to choose from; 0 for land, where it is unlimited.
	Population int
	// DesignEffect is the variance of the design over that of the formulas here; 0 counts as 1.
	// Numbers of samples grow with it. (Brus, "Spatial Sampling with R", chapter 12, prints its
	// square root, against his own figures for Voorst: 92 samples become 70, which is 92/1.31.)
	DesignEffect float64
}

// maxSamples bounds the search for a number of samples, and the samples of a plan.
const maxSamples = 5000

// Samples returns the smallest number of samples that reach the precision for a mean, when they
// are allocated to the strata in proportion to their areas or (optimal) after Neyman:
//
//	n = t² V / (E² + t² ΣwS²/N)    V = ΣwS² in proportion, (ΣwS)² after Neyman; E = r·mean
//
// Cochran, "Sampling Techniques" (1977), equations 5.46 to 5.49. With (ΣwS)² it is the formula
// of the CDM's A/R methodological tool 03. The result may be more than anybody would take.
func (p Precision) Samples(strata []Stratum, mean float64, optimal bool) int {
	v, pooled := 0.0, 0.0
	for _, s := range strata {
		v += float64(s.Weight * s.SD)
		pooled += float64(s.Weight * s.SD * s.SD)
	}
	v *= v
	if !optimal {
		v = pooled
	}
	effect := p.effect()
	reached := p.RelativeError * mean
	samples := func(quantile float64) float64 {
		margin := reached * reached / (quantile * quantile)
		if p.Population > 0 {
			margin += pooled * effect / float64(p.Population)
		}
		// Slightly less, so that a whole number of samples is not rounded up to the next.
		return math.Ceil(v*effect/margin - 1e-9)
	}
	lower := math.Max(1, samples(stats.NormalQuantile(p.Confidence)))
	if !p.Student || lower > math.MaxInt32 {
		return int(math.Min(lower, math.MaxInt32))
	}
	// Student's quantile is above the normal one and falls with n, so the first n that suffices is the smallest.
	n := max(int(lower), len(strata)+1)
	for float64(n) < samples(stats.StudentQuantile(p.Confidence, float64(n-len(strata)))) {
		n++
	}
	return n
}

// SamplesByDensity returns the number of samples for an area at a number of hectares each.
func SamplesByDensity(areaHa, haPerSample float64) int {
	return int(math.Ceil(areaHa/haPerSample - 1e-9))
}

// Pilot summarises earlier samples of a zone.
type Pilot struct {
	N        int
	Mean, SD float64
}

// strataOf returns what is assumed about the zones of a map, and the mean to which that relates: from
// pilot samples where there are any, otherwise in units of the mean, the variance in a zone being
// cv² ((1 - rho2) + rho2 V_h/V) where the layers explain the share rho2 of it.
//
// Faults: Invalid for pilot samples that leave zones out or cannot be used.
func strataOf(zones []zoning.Zone, p Params) (strata []Stratum, mean float64, err error) {
	strata = make([]Stratum, len(zones))
	if p.InStages() { // zones are not strata
		_, mean = p.spread()
		return list.Map(strata, func(s Stratum) Stratum { s.Min = none; return s }), mean, nil
	}
	fields := fault.Fields{}
	spread := false
	for i, z := range zones {
		s := &strata[i]
		s.Weight, s.Cost, s.Composites = z.Share, p.Cost[z.Number], p.CompositesPerZone
		if len(p.Pilot) == 0 {
			s.SD = p.CV * math.Sqrt(1-p.Rho2+p.Rho2*z.RV)
			continue
		}
		pilot, ok := p.Pilot[z.Number]
		switch {
		case !ok:
			fields.Addf("pilot", "Zone %d is left out; pilot samples are needed for every zone, or for none.", z.Number)
		case pilot.N < 2 || !stats.Finite(pilot.Mean) || !(stats.Finite(pilot.SD) && pilot.SD >= 0):
			fields.Addf("pilot", "Zone %d needs n of 2 or more, a mean, and a standard deviation of 0 or more.", z.Number)
		}
		s.SD = pilot.SD
		mean += float64(z.Share * pilot.Mean)
		spread = spread || pilot.SD > 0
	}
	refuseUnknown(fields, "pilot", p.Pilot, len(zones))
	refuseUnknown(fields, "cost", p.Cost, len(zones)+p.Edge.strata())
	if len(p.Pilot) == 0 {
		return strata, 1, fields.Err()
	}
	fields.AddIf(len(fields) == 0 && !(mean > 0), "pilot", "The mean over the zones must be over 0, as the error is relative to it.")
	fields.AddIf(len(fields) == 0 && !spread,
		"pilot", "No zone has a standard deviation over 0: the pilot samples say nothing about what varies.")
	return strata, mean, fields.Err()
}

func refuseUnknown[T any](fields fault.Fields, name string, byZone map[int]T, zones int) {
	for h := range byZone {
		if h < 1 || h > zones {
			fields[name] = []string{fmt.Sprintf("The zones of the map are 1 to %d.", zones)}
		}
	}
}
