package assessment

import (
	"fmt"
	"maps"
	"slices"

	"tilth/core/assessment/conversion"
	"tilth/core/ghg"
)

// Members of the section soil that methods beyond Tier 1 need.
const (
	keyCarbonMethod = "carbon_method"
	keyClimateMonth = "monthly_climate"
	keyHistory      = "carbon_history"
	keyCarbonInput  = "carbon_input"
)

// maxClimateYears and maxPeriods bound what can be entered of them.
const (
	maxClimateYears = 40
	maxPeriods      = 40
)

func soilCarbonFields(v values) []Field {
	month := func(key, label string) Field { return integer(key, label, "", 1, 12) }
	input := func(about string) []Field {
		return []Field{
			number(keyCarbonInput, "Carbon input", "t C/ha/yr", 0, ghg.MaxCarbonInput).about(about),
			percentage("carbon_input_lignin_pct", "Lignin of the carbon input").mustWhen(keyCarbonInput).about("Of its dry matter."),
			number("carbon_input_nitrogen_pct", "Nitrogen of the carbon input", "%", ghg.MinNitrogenPct, 100).mustWhen(keyCarbonInput).about("Of its dry matter."),
		}
	}
	return slices.Concat([]Field{
		choice(keyCarbonMethod, "Method of soil carbon", ghg.SoilMethods).usual(ghg.SoilTier1).
			about("tier_2_steady_state is the three-pool model of IPCC 2019, volume 4, chapter 5; measured is the change between two rounds of sampling."),
		items(keyClimateMonth, "Climate by month", 12*maxClimateYears,
			integer("year", "Year", "", minYear, maxYear).about("Months without a year are normals: they apply to all years that are not listed."),
			month("month", "Month").must(),
			number("temperature_c", "Mean temperature", "°C", ghg.MinMonthC, ghg.MaxMonthC).must(),
			number("precipitation_mm", "Precipitation", "mm", 0, ghg.MaxMonthMm).must(),
			number("pet_mm", "Potential evapotranspiration", "mm", 0, ghg.MaxMonthMm).must(),
		).mustWhen(keyCarbonMethod, ghg.SoilTier2).about("When not given, it is taken from the climate file of the operator where that covers the land."),
		month("irrigated_from_month", "First irrigated month").mustWhen("irrigated_to_month"),
		month("irrigated_to_month", "Last irrigated month").mustWhen("irrigated_from_month").about("If it is before the first, irrigation extends over the turn of the year."),
		items(keyHistory, "History of carbon inputs", maxPeriods, slices.Concat([]Field{
			integer("first_year", "First year", "", minYear, maxYear).must(),
			integer("last_year", "Last year", "", minYear, maxYear).must(),
			choice("tillage", "Tillage", v.of(secLand, "tillage")).must(),
			choice("crop_type", "Crop type", v.of(secCrop, "crop_type")),
			number("yield_t_ha", "Harvest of a year, fresh", "t/ha", 0, 1000).mustWhen("crop_type"),
			percentage("residue_returned_pct", "Residues that stay on the field").usual(100.0),
			choice("organic_type", "Organic input", v.of(secOrganic, "type")),
			number("organic_t_ha", "Organic input of a year, fresh", "t/ha", 0, 1000).mustWhen("organic_type"),
			percentage("organic_n_pct", "Nitrogen (N) of the organic input, fresh").mustWhen("organic_type", "other").about("The type's own when not given."),
			percentage("organic_dry_matter_pct", "Dry matter of the organic input").about("The type's own when not given."),
		}, input("Replaces what follows from crop and organic input."))...).mustWhen(keyCarbonMethod, ghg.SoilTier2).
			about("Periods without gaps up to the year before the assessment; the first 20 years, or run_in_years, are the run-in."),
		integer("run_in_years", "Years of the run-in", "yr", ghg.MinRunIn, ghg.MaxRunIn).about("As many as the history has, 20 at most, when not given."),
	}, samplingFields(), input("Of the assessment year; replaces what follows from harvest, residues and organic inputs."))
}

// soilCarbon returns what a soil holds for methods beyond Tier 1; nil where none of it is entered.
func soilCarbon(v Values, log *conversion.Log) *ghg.SoilCarbon {
	out := ghg.SoilCarbon{
		Method: v.text(keyCarbonMethod), RunInYears: int(v.numberOr("run_in_years", 0)), Input: carbonInput(v),
		IrrigatedFrom: int(v.numberOr("irrigated_from_month", 0)), IrrigatedTo: int(v.numberOr("irrigated_to_month", 0)),
		Climate: climateYears(v.items(keyClimateMonth)),
	}
	for i, o := range v.items(keyHistory) {
		kg := func(member, key string) float64 {
			amount := conversion.Amount{Value: o.numberOr(key, 0), Unit: "t/ha"}
			if log != nil {
				amount.Path = fmt.Sprintf("sections.soil.%s[%d].%s", keyHistory, i, key)
			}
			if amount.Value == 0 {
				return 0
			}
			return log.Take(fmt.Sprintf("soil.carbon.history[%d].%s", i, member), "kg/ha", amount, conversion.Tonnes())
		}
		out.History = append(out.History, ghg.CarbonPeriod{
			FirstYear: int(o.numberOr("first_year", 0)), LastYear: int(o.numberOr("last_year", 0)), Tillage: o.text("tillage"),
			Input: carbonInput(o), Crop: o.text("crop_type"), YieldKgHa: kg("yield_kg_ha", "yield_t_ha"),
			ResidueReturnedPct: o.number("residue_returned_pct"), OrganicType: o.text("organic_type"),
			OrganicKgHa: kg("organic_kg_ha", "organic_t_ha"), OrganicNitrogenPct: o.number("organic_n_pct"),
			OrganicDryMatterPct: o.number("organic_dry_matter_pct"),
		})
	}
	if out.Method == "" && out.RunInYears == 0 && out.Input == nil && out.IrrigatedFrom == 0 && len(out.Climate) == 0 && len(out.History) == 0 {
		return nil
	}
	return &out
}

func carbonInput(v Values) *ghg.CarbonInput {
	carbon := v.number(keyCarbonInput)
	if carbon == nil {
		return nil
	}
	return &ghg.CarbonInput{TCHa: *carbon, LigninPct: v.numberOr("carbon_input_lignin_pct", 0), NitrogenPct: v.numberOr("carbon_input_nitrogen_pct", 0)}
}

// climateYears groups the entered months by year, in chronological order, whatever the order of entry.
func climateYears(months []Values) []ghg.ClimateYear {
	years := map[int][]Values{}
	for _, m := range months {
		year := int(m.numberOr("year", 0))
		years[year] = append(years[year], m)
	}
	var out []ghg.ClimateYear
	for _, year := range slices.Sorted(maps.Keys(years)) {
		one := ghg.ClimateYear{Year: year}
		for month := range 12 {
			for _, m := range years[year] {
				if int(m.numberOr("month", 0)) == month+1 {
					one.Months = append(one.Months, ghg.ClimateMonth{
						TemperatureC: m.numberOr("temperature_c", 0), PrecipitationMm: m.numberOr("precipitation_mm", 0), PETMm: m.numberOr("pet_mm", 0),
					})
				}
			}
		}
		out = append(out, one)
	}
	return out
}

// soilCarbonContradictions adds the reasons why the requested method of soil carbon cannot be used.
func (a *Assessment) soilCarbonContradictions(out *findings, sheet Sheet) {
	const path = secSoil + "."
	soil := sheet.first(secSoil)
	method := soil.text(keyCarbonMethod)
	if method != "" && method != ghg.SoilTier1 && soil.text("soil_class") == "organic" {
		out.add("method_unknown", path+keyCarbonMethod, "The method %s is for mineral soils; choose tier_1.", method)
	}
	switch {
	case method != ghg.SoilTier2:
		return
	case floodedRice(sheet):
		out.add("method_unknown", path+keyCarbonMethod, "The Tier 2 method does not apply to flooded rice; choose tier_1.")
	}
	for i, m := range soil.items(keyClimateMonth) {
		for _, o := range soil.items(keyClimateMonth)[:i] {
			if m["month"] == o["month"] && m["year"] == o["year"] {
				out.add("month_twice", fmt.Sprintf("%s%s[%d].month", path, keyClimateMonth, i), "This month of this year occurs twice.")
				break
			}
		}
	}
	if a.Year == nil || len(soil.items(keyClimateMonth)) == 0 || len(soil.items(keyHistory)) == 0 {
		return // reported as required fields
	}
	for _, p := range soilCarbon(soil, nil).Problems(*a.Year) {
		out.add("soil_carbon_input", path+p.Field, "%s", p.Message)
	}
}
