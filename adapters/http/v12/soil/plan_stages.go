package soil

import (
	"tilth/adapters/http/v12/form"
	"tilth/core/geo"
	"tilth/core/stratification/plan"
)

// PlanStagesWrite requests a plan in two stages.
type PlanStagesWrite struct {
	Draws   *int     `json:"draws" required:"false" example:"12" doc:"Number of draws, each of a field, 2 to 999; left out: as many as change.detectable_change, costs.budget or relative_error requires."`
	Points  *int     `json:"points_per_field" required:"false" example:"3" doc:"Points at each draw, 1 to 100. Left out: S_w/S_b √(c₁/c₂), where c₁ is costs.per_field (and per_km for the drive to a field) and c₂ the cost of a point."`
	Share   *float64 `json:"share_between" required:"false" example:"0.5" doc:"Share of the variance cv² that lies between fields; default 0.5. Not used with pilot figures."`
	Mean    *float64 `json:"mean" required:"false" doc:"Pilot figures, all three or none: the mean,"`
	Between *float64 `json:"sd_between" required:"false" doc:"the standard deviation between the means of fields,"`
	Within  *float64 `json:"sd_within" required:"false" doc:"and that between places of a field."`
}

func (w *PlanStagesWrite) choices() *plan.Stages {
	if w == nil {
		return nil
	}
	d := plan.DefaultStages()
	d.Draws, d.Points, d.ShareBetween = form.OrZero(w.Draws), form.OrZero(w.Points), form.Or(w.Share, d.ShareBetween)
	if w.Mean != nil || w.Between != nil || w.Within != nil {
		missing := -1.0 // refused
		d.Pilot = &plan.StagesPilot{Mean: form.Or(w.Mean, missing), Between: form.Or(w.Between, missing), Within: form.Or(w.Within, missing)}
	}
	return &d
}

// PlanStages is what is specific to a plan in two stages.
type PlanStages struct {
	Draws       int         `json:"draws" doc:"Number of draws, each of a field, with replacement and a chance in proportion to its area."`
	Points      int         `json:"points_per_field" doc:"Points at each draw: a field that is drawn twice has twice as many."`
	Optimum     *float64    `json:"points_per_field_optimum" doc:"S_w/S_b √(c₁/c₂), before rounding; null where points_per_field was sent."`
	DrawsNeeded int         `json:"draws_needed" doc:"Draws needed for the target of the relative error, with this many points."`
	Between     float64     `json:"sd_between" doc:"Standard deviation assumed between the means of fields; relative to the mean, or in the unit of pilot samples."`
	Within      float64     `json:"sd_within" doc:"Standard deviation assumed between places of a field."`
	Mean        *float64    `json:"mean" doc:"Mean of the pilot samples; null without."`
	Drawn       int         `json:"fields_drawn" doc:"Fields that were drawn, each counted once."`
	Fields      []PlanField `json:"fields" doc:"All fields of the order: the sample also represents those that were not drawn and are not visited."`
}

// PlanField is a field of a plan in two stages.
type PlanField struct {
	Number int     `json:"field" doc:"Number of the field, from 1, in the order's fields, as in per_zone."`
	UUID   *string `json:"field_uuid" format:"uuid" doc:"Uuid of the field; null where none was recorded."`
	AreaHa float64 `json:"area_ha" doc:"Hectares."`
	Chance float64 `json:"chance" doc:"Probability of being drawn in a draw."`
	Draws  []int   `json:"draws" doc:"Numbers of the draws that selected it; empty: it is not visited."`
	Left   bool    `json:"left_out" doc:"Whether it has no room for the points of a draw, so that it was never drawn."`
}

func showStages(p plan.Plan) *PlanStages {
	return form.Pointed(p.Staged, func(s plan.Staged) PlanStages {
		number := 0
		return PlanStages{
			Draws: s.Draws, Points: s.Points, Optimum: form.If(s.Optimum > 0, s.Optimum), DrawsNeeded: s.Needed,
			Between: s.Spread.Between, Within: s.Spread.Within, Mean: form.If(p.FromPilot, s.Mean), Drawn: s.DrawnFields(),
			Fields: form.Each(s.Fields, func(f plan.StagedField) PlanField {
				number++
				return PlanField{number, form.OrNull(f.UUID), geo.RoundHa(f.AreaHa), f.Chance, append([]int{}, f.Draws...), f.LeftOut}
			}),
		}
	})
}
