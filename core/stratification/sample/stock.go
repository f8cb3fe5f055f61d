package sample

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tilth/core/geo"
)

// DepthInterval is the analysis of a layer of soil.
type DepthInterval struct {
	FromCm, ToCm       float64
	SOCPct             float64 // soil organic carbon, % of the mass of fine soil
	BulkDensity        float64 // g/cm³ of fine soil
	CoarseFragmentsPct float64 // % of the volume that is stones
}

// Stock returns the soil organic carbon of the interval in t C/ha:
//
//	SOC % × bulk density (g/cm³) × depth (cm) × (1 - coarse fragments)
//
// because 1 % of 1 g/cm³ over 1 cm is 0.01 g/cm², and 1 g/cm² is 100 t/ha (FAO, "A protocol for
// measurement, monitoring, reporting and verification of soil organic carbon in agricultural
// landscapes" (2020), equation of the SOC stock).
func (d DepthInterval) Stock() float64 { return d.SOCPct * d.fineVolume() }

// Mass returns the mass of fine soil of the interval in t/ha.
func (d DepthInterval) Mass() float64 { return 100 * d.fineVolume() }

func (d DepthInterval) fineVolume() float64 {
	return d.BulkDensity * (d.ToCm - d.FromCm) * (1 - d.CoarseFragmentsPct/100)
}

// Profile is the analysis of a point, interval by interval.
type Profile struct {
	Point     string
	Zone      int          // in which the point was planned
	At        geo.Position // where it was planned: longitude, latitude
	Intervals []DepthInterval
}

// Unusable is a point that an estimate leaves out.
type Unusable struct{ Point, Reason string }

// Stocks returns the stocks of points between two depths, t C/ha. Points whose intervals do not
// fill the range without gap or overlap are left out, with the reason.
func Stocks(profiles []Profile, fromCm, toCm float64) (values []Value, out []Unusable) {
	return eachPoint(profiles, fromCm, toCm, func(intervals []DepthInterval) (stock float64, reason string) {
		for _, d := range intervals {
			stock += d.Stock()
		}
		return stock, ""
	})
}

// Concentrations returns the soil organic carbon of points between two depths, % of the mass of fine
// soil, each interval by its thickness. Points are left out as by Stocks.
func Concentrations(profiles []Profile, fromCm, toCm float64) (values []Value, out []Unusable) {
	return eachPoint(profiles, fromCm, toCm, func(intervals []DepthInterval) (float64, string) {
		sum := 0.0
		for _, d := range intervals {
			sum += d.SOCPct * (d.ToCm - d.FromCm)
		}
		return sum / (toCm - fromCm), ""
	})
}

// eachPoint computes the value of every point whose intervals fill a range of depths; the others,
// and those for which of returns a reason, are unusable.
func eachPoint(profiles []Profile, fromCm, toCm float64, of func([]DepthInterval) (float64, string)) (values []Value, out []Unusable) {
	for _, p := range profiles {
		v := Value{Point: p.Point, Zone: p.Zone, At: p.At}
		intervals, reason := p.between(fromCm, toCm)
		if reason == "" {
			v.Value, reason = of(intervals)
		}
		if reason != "" {
			out = append(out, Unusable{p.Point, reason})
			continue
		}
		values = append(values, v)
	}
	return values, out
}

// between returns the intervals that fill a range of depths, from the top.
func (p Profile) between(fromCm, toCm float64) (intervals []DepthInterval, reason string) {
	sorted := slices.Clone(p.Intervals)
	slices.SortStableFunc(sorted, func(a, b DepthInterval) int { return cmp.Compare(a.FromCm, b.FromCm) })
	at := fromCm
	for _, d := range sorted {
		if d.ToCm <= fromCm || d.FromCm >= toCm {
			continue
		}
		if d.FromCm != at || d.ToCm > toCm || !(d.ToCm > d.FromCm) {
			return nil, fmt.Sprintf("its depth intervals do not fill %g to %g cm without gap or overlap", fromCm, toCm)
		}
		intervals = append(intervals, d)
		at = d.ToCm
	}
	if at != toCm {
		return nil, fmt.Sprintf("nothing is known of it between %g and %g cm", at, toCm)
	}
	return intervals, ""
}

// CommonMass returns the largest mass of fine soil in t/ha, from the surface, that every point of
// every round reaches: the reference of equivalent stocks. ok is false where a point has fewer than
// two intervals, which do not resolve the carbon by depth.
func CommonMass(toCm float64, rounds ...[]Profile) (mass float64, ok bool) {
	mass = math.Inf(1)
	for _, profiles := range rounds {
		for _, p := range profiles {
			intervals, reason := p.between(0, toCm)
			if reason != "" {
				continue // EquivalentStocks leaves it out
			}
			if len(intervals) < 2 {
				return 0, false
			}
			sum := 0.0
			for _, d := range intervals {
				sum += d.Mass()
			}
			mass = math.Min(mass, sum)
		}
	}
	return mass, mass > 0 && !math.IsInf(mass, 1)
}

// EquivalentStocks returns the stocks of points in the same mass of fine soil from the surface, so
// that loosening or compaction between two rounds does not count as a change of carbon. Within an
// interval the carbon is assumed to be spread evenly over the mass (Ellert and Bettany,
// "Calculation of organic matter and nutrients stored in soils under contrasting management
// regimes", Canadian Journal of Soil Science 75 (1995) 529; Wendt and Hauser, "An equivalent soil
// mass procedure for monitoring soil organic carbon in multiple soil layers", European Journal of
// Soil Science 64 (2013) 58, fit a spline instead).
func EquivalentStocks(profiles []Profile, toCm, mass float64) (values []Value, out []Unusable) {
	return eachPoint(profiles, 0, toCm, func(intervals []DepthInterval) (float64, string) { return stockInMass(intervals, mass) })
}

// stockInMass sums the stock of intervals until a mass is reached.
func stockInMass(intervals []DepthInterval, mass float64) (stock float64, reason string) {
	left := mass
	for _, d := range intervals {
		own := d.Mass()
		if own >= left*(1-1e-12) { // the common mass is that of some point, summed in the same order
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
