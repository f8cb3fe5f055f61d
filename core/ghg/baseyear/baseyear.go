// Package baseyear compares an inventory with that of its farm's base year, and decides when the base year has to be
// recalculated (GHG Protocol, corporate standard, chapter 5).
package baseyear

import (
	"math"

	"tilth/core/ghg"
	"tilth/core/ghg/report"
)

// States of a Report.
const (
	NotStated = "not_stated" // the farm has none
	NoVersion = "no_version" // no submitted version of that year covers the same land and crop
	Compared  = "compared"
)

// Rule is the base year of a farm, with the rule by which it is recalculated.
type Rule struct {
	Year         int     `json:"year" doc:"The year whose inventory is the base."`
	ThresholdPct float64 `json:"threshold_pct" doc:"The change of the base year's emissions at which they are recalculated, per cent."`
	Policy       string  `json:"policy" doc:"The rule in the company's words."`
}

// Report compares an inventory with that of its base year.
type Report struct {
	State         string             `json:"state" doc:"not_stated: the farm has no base year. no_version: there is no submitted version of that year for the same land and crop. compared."`
	BaseYear      *Rule              `json:"base_year" doc:"The farm's base year; null where none is stated."`
	AssessmentID  *int64             `json:"assessment_id" doc:"Assessment of the base year; null where there is no version of it."`
	ResultVersion *int               `json:"result_version" doc:"Number of its version; null where there is none."`
	Recalculation *Recalculation     `json:"recalculation" doc:"The result of the base year's content with today's methods; null where there is no version of it."`
	Comparison    *report.Comparison `json:"comparison" doc:"From the base year's version to the inventory; null where there is no version of it."`
}

// Reasons why the figure of a base year differs today.
const (
	EngineChanged  = "engine_changed"
	FactorsChanged = "factors_changed"
	GWPChanged     = "warming_potentials_changed"
)

// Recalculation holds the emissions of the base year's content by today's methods, t CO2e.
type Recalculation struct {
	Submitted    float64  `json:"submitted" doc:"Emissions as stated in the version, t CO2e."`
	Recalculated float64  `json:"recalculated" doc:"Emissions of the same snapshot with today's methods, t CO2e."`
	ChangePct    *float64 `json:"change_pct" doc:"Change of the emissions, per cent of the submitted ones; null where these are 0."`
	Due          bool     `json:"due" doc:"Whether the change reaches the threshold, so that the base year is to be recalculated."`
	Reasons      []string `json:"reasons" doc:"What differs between the methods: engine_changed, factors_changed, warming_potentials_changed."`
}

// Judge decides whether a base year has to be recalculated: when its own emissions change by the threshold or more.
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
