// Package baseyear compares an inventory with that of the base year of its farm, and says when the base year is to be
// recalculated (GHG Protocol, corporate standard, chapter 5).
package baseyear

import (
	"math"

	"tilth/core/ghg"
	"tilth/core/ghg/report"
)

// What is known of a base year.
const (
	NotStated = "not_stated" // the farm has none
	NoVersion = "no_version" // no submitted version of that year is of the same land and crop
	Compared  = "compared"
)

// Rule is the base year of a farm, with the rule by which it is recalculated.
type Rule struct {
	Year         int     `json:"year"`
	ThresholdPct float64 `json:"threshold_pct"`
	Policy       string  `json:"policy"`
}

// Report is an inventory beside that of its base year.
type Report struct {
	State         string             `json:"state"`
	BaseYear      *Rule              `json:"base_year"`
	AssessmentID  *int64             `json:"assessment_id"`  // of the base year's version
	ResultVersion *int               `json:"result_version"` // its number
	Recalculation *Recalculation     `json:"recalculation"`
	Comparison    *report.Comparison `json:"comparison"` // from the base year's version to the inventory
}

// Why a base year gives another figure today.
const (
	EngineChanged  = "engine_changed"
	FactorsChanged = "factors_changed"
	GWPChanged     = "warming_potentials_changed"
)

// Recalculation is what the base year's content makes with the methods of today, t CO2e.
type Recalculation struct {
	Submitted    float64  `json:"submitted"`    // emissions, as the version has them
	Recalculated float64  `json:"recalculated"` // emissions of the same snapshot now
	ChangePct    *float64 `json:"change_pct"`   // of the submitted ones; nil where these are 0
	Due          bool     `json:"due"`
	Reasons      []string `json:"reasons"` // what differs between the methods
}

// Judge says whether a base year is to be recalculated: when its own content makes emissions that differ by the threshold.
func Judge(rule Rule, submitted, recalculated report.Report) Recalculation {
	was, is := submitted.Totals.Emissions, recalculated.Totals.Emissions
	out := Recalculation{Submitted: was, Recalculated: is, Reasons: []string{}}
	if per, ok := ghg.Intensity((is-was)*100, was); ok {
		pct := ghg.Rounded(per)
		out.ChangePct, out.Due = &pct, math.Abs(pct) >= rule.ThresholdPct
	} else {
		out.Due = is > 0
	}
	for _, reason := range []struct {
		name    string
		differs bool
	}{
		{EngineChanged, submitted.Engine != recalculated.Engine},
		{FactorsChanged, submitted.FactorSet != recalculated.FactorSet},
		{GWPChanged, submitted.GWPSet != recalculated.GWPSet},
	} {
		if reason.differs {
			out.Reasons = append(out.Reasons, reason.name)
		}
	}
	return out
}
