package sample

import (
	"cmp"
	"fmt"
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
	Places    []geo.Position // of the points of a composite, whose id Point is; nil for a point
	Wrong     string         // why it has no value; empty where it may have one
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
// soil, each interval weighted by its thickness. Points are left out as by Stocks.
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
		v := Value{Point: p.Point, Zone: p.Zone, At: p.At, Places: p.Places}
		intervals, reason := p.between(fromCm, toCm)
		if p.Wrong != "" {
			reason = p.Wrong
		}
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
