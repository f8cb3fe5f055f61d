package assessment

import (
	"math"
	"slices"
	"strconv"
)

// shareTolerance is how far shares with two decimals may miss 100: three thirds are 99.99.
const shareTolerance = 0.011

// transitionYears is how long soil and biomass take from one equilibrium to the next
// (IPCC 2006, volume 4, chapter 2, section 2.3.3.1).
const transitionYears = 20

// contradictions returns what blocks a submission although every value is possible by itself: what people entered in
// one place contradicts what they entered in another.
func (t *Table) contradictions(a *Assessment, sheet Sheet, facts Facts) []Finding {
	var out findings
	crop, residues := sheet.first(secCrop), sheet.first(secResidues)
	// The main product keeps something.
	if sum := shareSum(crop.items("co_products")); sum >= 100 {
		out.add("shares_too_large", "crop.co_products",
			"The co-products carry %s %% of the emissions; together they must carry less than 100 %%.", decimal(sum))
	}
	// All residues go somewhere, and none twice.
	management := residues.items("management")
	if sum := shareSum(management); len(management) > 0 && math.Abs(sum-100) > shareTolerance {
		out.add("shares_not_100", "residues.management",
			"The shares add up to %s %%; they must add up to 100 %%.", decimal(math.Round(sum*1e6)/1e6))
	}
	// The regression is known for some crops only.
	if word := crop.text("crop_type"); t.noRegression[word] && residues.text("method") == "slope_intercept" {
		out.add("method_unknown", "residues.method", "There are no slope and intercept for %s; choose ratio.", word)
	}
	// Nothing can be counted for a power source that is not known, so its energy must be entered elsewhere.
	for i, row := range sheet[secIrrigation] {
		if row.Values.text("power_source") == "other" && !row.Values.flag("energy_counted_elsewhere") {
			out.add("energy_not_counted", at(secIrrigation, i, "power_source"),
				"Enter the energy under fuel_energy and set energy_counted_elsewhere, or choose another power source.")
		}
	}
	a.landHistory(&out, sheet)
	a.soilCarbonContradictions(&out, sheet)
	out = append(out, a.samplingObstacles(sheet, facts)...)
	// Parcels do not overlap.
	converted := 0.0
	for _, row := range sheet[secConversion] {
		converted += row.Values.numberOr("area_pct", 100)
	}
	if converted > 100+1e-6 { // decimal fractions in binary
		out.add("shares_too_large", secConversion,
			"The converted shares of the area add up to %s %%; at most 100 %% is possible.", decimal(math.Round(converted*1e6)/1e6))
	}
	t.stands(&out, a, sheet, facts)
	return out
}

func shareSum(list []Values) float64 {
	sum := 0.0
	for _, item := range list {
		sum += item.numberOr("share_pct", 0)
	}
	return sum
}

// landHistory finds changes beside a declaration of no change in 20 years, changed areas that differ, and years that repeat.
func (a *Assessment) landHistory(out *findings, sheet Sheet) {
	land := sheet.first(secLand)
	changes := land.items("changes")
	for i, change := range changes {
		if i > 0 && change.numberOr("area_pct", 100) != changes[0].numberOr("area_pct", 100) {
			out.add("areas_differ", at(secLand+".changes", i, "area_pct"), "The changed share of the area must be the same in all changes.")
		}
		year := change.number("year")
		if year != nil && slices.ContainsFunc(changes[:i], func(o Values) bool { return o.numberOr("year", 0) == *year }) {
			out.add("year_twice", at(secLand+".changes", i, "year"), "Two states cannot end in the same year.")
		}
	}
	if !land.flag("no_change_20y") || a.Year == nil {
		return
	}
	if slices.ContainsFunc(changes, a.inWindow) || slices.ContainsFunc(sheet[secConversion], func(row Row) bool { return a.inWindow(row.Values) }) {
		out.add("no_change_denied", "land_management.no_change_20y",
			"Changes in the last %d years are entered; remove them, or set no_change_20y to false.", transitionYears)
	}
}

// inWindow reports whether a change still acts in the assessment year: one in year y does in y .. y+19.
func (a *Assessment) inWindow(change Values) bool {
	year := change.number("year")
	if year == nil {
		return false
	}
	age := float64(*a.Year) - *year
	return age >= 0 && age < transitionYears
}

// requiredBeyond holds the rules that require a field for reasons outside its object, or that no condition on one
// member can express. The field's RequiredNote states each.
func (t *Table) requiredBeyond(section, field string, v Values, sheet Sheet) bool {
	switch section + "." + field {
	case "residues.straw_incorporation_timing":
		return floodedRice(sheet) && strawStays(v)
	case "organic_inputs.density_kg_l":
		_, isVolume := m3PerHa(0, v.unit("rate"))
		return isVolume && v["type"] != nil && v["density_kg_l"] == nil && ownDensity(v) == nil
	case "perennial_biomass.growth":
		return t.growthNeeded[v.text("system")] && (!twoStocks(v) || v["removed_area"] != nil)
	case "perennial_biomass.measured_stocks":
		return standArea(v) == nil && standLength(v) == nil && v["count"] != nil
	case "perennial_biomass.width_m":
		return standArea(v) == nil && standLength(v) != nil
	}
	return false
}

// floodedRice reports whether the crop is flooded rice; upland rice is grown like any other cereal.
func floodedRice(sheet Sheet) bool {
	regime := sheet.first(secRice).text("water_regime")
	return sheet.first(secCrop).text("crop_type") == paddyRice && regime != "" && regime != "upland"
}

func strawStays(residues Values) bool {
	return slices.ContainsFunc(residues.items("management"), func(item Values) bool {
		practice := item.text("practice")
		return (practice == "left_on_field" || practice == "incorporated") && item.numberOr("share_pct", 0) > 0
	})
}

// twoStocks reports whether the stand was measured in two years.
func twoStocks(v Values) bool {
	stocks := v.items("measured_stocks")
	return slices.ContainsFunc(stocks, func(item Values) bool {
		year, first := item.number("year"), stocks[0].number("year")
		return year != nil && first != nil && *year != *first
	})
}

// at writes the path of a member of an item: fertilizers[3].rate.
func at(section string, item int, field string) string {
	return section + "[" + strconv.Itoa(item) + "]." + field
}
