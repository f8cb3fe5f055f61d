package plan

import (
	"fmt"
	"math"

	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/stratification/internal/stats"
)

// Monitoring states what a second round at the same points is to detect.
type Monitoring struct {
	// Change is the change of the mean that must be detected, in the unit of the pilot samples or,
	// without any, in t C/ha; 0: no change sets the number of samples.
	Change float64
	Power  float64 // probability of an interval without 0 where the mean changes by that much, in [0.5, 1)
	Years  float64 // between the rounds
	// SD is the standard deviation of the changes at points; 0: it follows from the zone's and Correlation.
	SD          float64
	Correlation float64 // of the two rounds at the same points, in [0, 1)
	Mean        float64 // expected stock in t C/ha; not used with pilot samples
}

// The assumptions of a plan without pilot samples: repeated stocks at places that are found again to within a few metres,
// and the stock of arable topsoil of temperate regions to 30 cm.
const (
	defaultPower       = 0.8
	defaultYears       = 5
	defaultCorrelation = 0.8
	defaultMean        = 60 // t C/ha
)

// DefaultMonitoring returns the default choices of the method.
func DefaultMonitoring() Monitoring {
	return Monitoring{Power: defaultPower, Years: defaultYears, Correlation: defaultCorrelation, Mean: defaultMean}
}

// check refuses choices out of range; fixed: something else sets the number of samples.
func (m Monitoring) check(fixed bool) fault.Fields {
	fields := fault.Fields{}
	fields.AddIf(m.Change < 0 || !stats.Finite(m.Change), "detectable_change", "It must be a number over 0, or 0 for none.")
	fields.AddIf(m.Change > 0 && fixed,
		"detectable_change", "Send a change to detect, or a number of samples (or per_zone, ha_per_sample, a budget), which determines the change that can be detected; not both.")
	fields.Within("power", m.Power, 0.5, 0.999)
	fields.Within("years", m.Years, 0.1, 100)
	fields.AddIf(m.SD < 0 || !stats.Finite(m.SD), "sd_of_change", "It must be a number over 0, or 0 for none.")
	fields.AddIf(!(m.Correlation >= 0 && m.Correlation < 1), "correlation", "It must be a number from 0 to below 1.")
	fields.AddIf(!(m.Mean > 0) || m.Mean > 10_000, "mean_stock", "It must be a number over 0, in t C/ha.")
	return fields
}

// Detection is the smallest change of the mean that a plan is expected to detect.
type Detection struct {
	Change  float64 // in the unit of the pilot samples, without any in t C/ha
	PerYear float64
	SD      float64 // of the changes at points, over all zones
}

// ofChange returns the strata with the standard deviations of the changes at their points, from the
// variance of a difference, S² + S² - 2 correlation S², for two rounds of equal variance:
//
//	S_d = S √(2 (1 - correlation))
func (m Monitoring) ofChange(strata []Stratum, pilot bool) []Stratum {
	scale := m.scale(pilot)
	return list.Map(strata, func(s Stratum) Stratum {
		if s.SD *= scale; m.SD > 0 {
			s.SD = m.SD
		}
		return s
	})
}

// scale returns S_d/S; without pilot samples it is multiplied by the expected mean, in t C/ha.
func (m Monitoring) scale(pilot bool) float64 {
	scale := math.Sqrt(2 * (1 - m.Correlation))
	if !pilot {
		scale *= m.Mean
	}
	return scale
}

// detectable returns the smallest change that these numbers of samples by stratum detect,
//
//	D = (t(1-α/2, f) + t(power, f)) √V    V = Σ w_h² S_dh²/n_h
//
// the inverse of n = (z + z)² s_d²/D² (Snedecor and Cochran, "Statistical Methods" (1989), section 6.14)
// with the quantiles and the degrees of freedom f of the estimate of a change.
func (m Monitoring) detectable(strata []Stratum, confidence float64, samples []int) Detection {
	pooled := 0.0
	for _, s := range strata {
		pooled += float64(s.Weight * s.SD * s.SD)
	}
	return m.seen(varianceOf(strata, samples), math.Sqrt(pooled), confidence)
}

// seen returns the smallest change that is detected, given the variance of the change of the mean.
func (m Monitoring) seen(whole stats.Part, sd, confidence float64) Detection {
	d := (stats.StudentQuantile(confidence, whole.DF) + stats.StudentQuantile(2*m.Power-1, whole.DF)) * math.Sqrt(whole.Variance)
	return Detection{Change: d, PerYear: d / m.Years, SD: sd}
}

// Summary states what a plan detects, such as "20 points see 1.1 t C/ha in 5 years at 80 %".
func (plan Plan) Summary() string {
	unit := " t C/ha"
	if plan.FromPilot {
		unit = ""
	}
	m := plan.Params.Monitoring
	return fmt.Sprintf("%d points see %.2g%s in %g years at %.0f %%", plan.Samples, plan.Detection.Change, unit, m.Years, 100*m.Power)
}
