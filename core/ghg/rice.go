package ghg

import "math"

const chapter5 = "IPCC 2019 V4 ch5 "

var (
	stepCycleRate = newStep("rate_per_cycle", "M / 1000 / A / n", "t/ha", "definition",
		of3(func(kg, area, cycles float64) float64 { return kg / 1000 / area / cycles }), "M kg", "A ha", "n cycles")
	stepStrawDM = newStep("straw_dry_matter", "M * d / 100", "kg dm", "definition", of2(part), "M kg", "d %")
	// The weight of one organic amendment: straw dry, the others fresh.
	stepAmendment = newStep("rice_amendment", "ROA * CFOA", "t/ha", chapter5+"Eq. 5.3", of2(product), "ROA t/ha", "CFOA factor")
	stepScaling   = newStep("rice_sfo", "pow(1 + sum, k)", "factor", chapter5+"Eq. 5.3",
		of2(func(sum, exponent float64) float64 { return math.Pow(1+sum, exponent) }), "sum t/ha", "k exponent")
	// The baseline of a day, scaled for water, pre-season and amendments, over the days of a cycle.
	stepRice = newStep("rice_ch4", "EFc * SFw * SFp * SFo * d * n * A", "kg CH4", chapter5+"Eq. 5.1, 5.2",
		func(v []float64) float64 { return v[0] * v[1] * v[2] * v[3] * v[4] * v[5] * v[6] },
		"EFc kg/(ha d)", "SFw factor", "SFp factor", "SFo factor", "d days", "n cycles", "A ha")
)

// rice emits the methane of a flooded paddy.
func (r *run) rice() {
	if r.in.Crop.Type != ricePaddy {
		return
	}
	r.at("rice", noItem)
	if r.in.Rice == nil {
		r.warn(WarnNoRice, "The methane of the paddy is not counted: its water regime is not stated.")
		return
	}
	if r.area.v <= 0 {
		return
	}
	rice := r.in.Rice
	region := r.country().Rice
	days := r.entered(rice.CultivationDays, "cultivation_days", "rice_region/cultivation_days", region)
	sfo := r.do(stepScaling, r.amendments(), r.factor("rice", "sfo_exponent"))
	ch4 := r.do(stepRice,
		r.factor("rice", "rice_region/efc", region),
		r.factor("rice", "water_regime/sfw", rice.WaterRegime), r.factor("rice", "pre_season/sfp", rice.PreSeason),
		sfo, days, r.cycles(), r.area)
	r.emit("rice_ch4", LabelRice, 1, CH4Biogenic, ch4)
}

// amendments sums rate x CFOA over the organic inputs and the crop's own straw.
func (r *run) amendments() quantity {
	var sum quantity
	add := func(rate, cfoa quantity) {
		sum = r.plus(sum, r.do(stepAmendment, rate, cfoa))
	}
	for i := range r.in.OrganicInputs {
		o := &r.in.OrganicInputs[i]
		r.at("organic_inputs", i)
		cfoa, counts := r.amendmentFactor(o)
		if !counts {
			continue
		}
		mass := r.organicMass(o)
		if o.Type == "straw" {
			mass = r.do(stepStrawDM, mass, r.organicPct(o, "type/dm", "dry_matter_pct", o.DryMatterPct))
		}
		add(r.do(stepCycleRate, mass, r.area, r.cycles()), cfoa)
	}
	r.at("rice", noItem)
	if r.straw.v > 0 {
		timing := r.in.Residues.StrawTiming
		if timing == "" {
			timing = "lt_30d"
			r.warn(WarnStrawTiming, "When the straw is worked in is not stated: less than 30 days before cultivation is assumed.")
		}
		add(r.do(stepCycleRate, r.straw, r.area, r.cycles()), r.factor("residues", "straw_incorporation_timing", timing))
	}
	return sum
}

// amendmentFactor is CFOA of an organic input; biochar has none.
func (r *run) amendmentFactor(o *OrganicInput) (cfoa quantity, counts bool) {
	when := "days_before_planting<30"
	if o.DaysBeforePlanting != nil && *o.DaysBeforePlanting >= 30 {
		when = "days_before_planting>=30"
	}
	row, ok := r.set.mapping.Find("organic_inputs", "type/rice_amendment", o.Type, when)
	if !ok {
		return r.unknown("type", o.Type), false
	}
	if _, none := row.Literal(); none {
		return quantity{}, false
	}
	return r.resolved(row), true
}
