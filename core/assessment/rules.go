package assessment

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// shareTolerance is what shares that are written with two decimals may miss 100 by:
// three thirds are 99.99.
const shareTolerance = 0.011

// transitionYears is how long soil and biomass take from one equilibrium to the next
// (IPCC 2006, volume 4, chapter 2, section 2.3.3.1).
const transitionYears = 20

// contradictions returns what blocks a submission although every value is possible by
// itself: what people entered in one place denies what they entered in another.
func (t *Table) contradictions(a *Assessment, sheet Sheet) []Finding {
	var out []Finding
	out = append(out, coProductShares(sheet.first(secCrop))...)
	out = append(out, residueShares(sheet.first(secResidues))...)
	out = append(out, t.residueMethod(sheet)...)
	out = append(out, pumpPower(sheet[secIrrigation])...)
	out = append(out, a.landHistory(sheet)...)
	out = append(out, convertedArea(sheet[secConversion])...)
	return append(out, stocksOfOneYear(sheet[secPerennial])...)
}

// coProductShares: the main product keeps something.
func coProductShares(crop Values) []Finding {
	if sum := shareSum(crop.items("co_products"), "share_pct"); sum >= 100 {
		return []Finding{{"shares_too_large", "crop.co_products", fmt.Sprintf(
			"The co-products carry %s %% of the emissions; together they must carry less than 100 %%.", decimal(sum))}}
	}
	return nil
}

// residueShares: all residues go somewhere, and none twice.
func residueShares(residues Values) []Finding {
	list := residues.items("management")
	if len(list) == 0 {
		return nil
	}
	if sum := shareSum(list, "share_pct"); math.Abs(sum-100) > shareTolerance {
		return []Finding{{"shares_not_100", "residues.management", fmt.Sprintf(
			"The shares add up to %s %%; they must add up to 100 %%.", decimal(math.Round(sum*1e6)/1e6))}}
	}
	return nil
}

// residueMethod: the regression is known of some crops alone.
func (t *Table) residueMethod(sheet Sheet) []Finding {
	crop := sheet.first(secCrop).text("crop_type")
	if !t.noRegression[crop] || sheet.first(secResidues).text("method") != "slope_intercept" {
		return nil
	}
	return []Finding{{"method_unknown", "residues.method", fmt.Sprintf("There is no slope and intercept for %s; choose ratio.", crop)}}
}

func shareSum(list []any, key string) float64 {
	sum := 0.0
	for _, item := range list {
		sum += object(item).numberOr(key, 0)
	}
	return sum
}

// pumpPower: of a power that is none of the known ones nothing can be counted, so it
// must stand elsewhere.
func pumpPower(rows []Row) []Finding {
	var out []Finding
	for i, row := range rows {
		if row.Values.text("power_source") == "other" && !row.Values.flag("energy_counted_elsewhere") {
			out = append(out, Finding{"energy_not_counted", at(secIrrigation, i, "power_source"),
				"Enter the energy under fuel_energy and set energy_counted_elsewhere, or choose another power source."})
		}
	}
	return out
}

// landHistory: no change in 20 years, and changes in them; changed areas that differ.
func (a *Assessment) landHistory(sheet Sheet) []Finding {
	land := sheet.first(secLand)
	changes := land.items("changes")
	var out []Finding
	for i, item := range changes {
		if i > 0 && object(item).numberOr("area_pct", 100) != object(changes[0]).numberOr("area_pct", 100) {
			out = append(out, Finding{"areas_differ", fmt.Sprintf("land_management.changes[%d].area_pct", i),
				"The changed share of the area must be the same in all changes."})
		}
		year := object(item).number("year")
		if year != nil && slices.ContainsFunc(changes[:i], func(o any) bool { return object(o).numberOr("year", 0) == *year }) {
			out = append(out, Finding{"year_twice", fmt.Sprintf("land_management.changes[%d].year", i),
				"Two states cannot end in the same year."})
		}
	}
	if !land.flag("no_change_20y") || a.Year == nil {
		return out
	}
	denied := slices.ContainsFunc(changes, func(item any) bool { return a.inWindow(object(item)) }) ||
		slices.ContainsFunc(sheet[secConversion], func(row Row) bool { return a.inWindow(row.Values) })
	if denied {
		out = append(out, Finding{"no_change_denied", "land_management.no_change_20y", fmt.Sprintf(
			"Changes of the last %d years are entered; take them out, or set no_change_20y to false.", transitionYears)})
	}
	return out
}

// inWindow tells whether a change of a year still acts in the assessment year: a change
// in year y does in y .. y+19.
func (a *Assessment) inWindow(change Values) bool {
	year := change.number("year")
	if year == nil {
		return false
	}
	age := float64(*a.Year) - *year
	return age >= 0 && age < transitionYears
}

// convertedArea: parcels do not overlap.
func convertedArea(rows []Row) []Finding {
	sum := 0.0
	for _, row := range rows {
		sum += row.Values.numberOr("area_pct", 100)
	}
	if sum > 100+1e-6 { // decimal fractions in binary
		return []Finding{{"shares_too_large", secConversion, fmt.Sprintf(
			"The converted shares of the area add up to %s %%; at most 100 %% is possible.", decimal(math.Round(sum*1e6)/1e6))}}
	}
	return nil
}

// stocksOfOneYear: two stocks tell a change only from one year to another.
func stocksOfOneYear(rows []Row) []Finding {
	var out []Finding
	for i, row := range rows {
		if len(row.Values.items("measured_stocks")) > 1 && !twoStocks(row.Values) {
			out = append(out, Finding{"years_same", at(secPerennial, i, "measured_stocks"), "Give measured stocks of two different years."})
		}
	}
	return out
}

// requiredBeyond are the rules that require a field for reasons outside its object, or
// that no condition on one member can say. Each is told in the field's RequiredNote.
func (t *Table) requiredBeyond(section, field string, v Values, sheet Sheet) bool {
	switch section + "." + field {
	case "residues.straw_incorporation_timing":
		return floodedRice(sheet) && strawStays(v)
	case "perennial_biomass.growth":
		return t.growthNeeded[v.text("system")] && (!twoStocks(v) || v["removed_area"] != nil)
	case "perennial_biomass.measured_stocks":
		return v["area"] == nil && (v["length"] != nil || v["count"] != nil)
	}
	return false
}

// floodedRice tells of paddies; upland rice is grown like any other cereal.
func floodedRice(sheet Sheet) bool {
	regime := sheet.first(secRice).text("water_regime")
	return sheet.first(secCrop).text("crop_type") == paddyRice && regime != "" && regime != "upland"
}

func strawStays(residues Values) bool {
	return slices.ContainsFunc(residues.items("management"), func(item any) bool {
		practice := object(item).text("practice")
		return (practice == "left_on_field" || practice == "incorporated") && object(item).numberOr("share_pct", 0) > 0
	})
}

// twoStocks tells whether the stand was measured in two years.
func twoStocks(v Values) bool {
	stocks := v.items("measured_stocks")
	return slices.ContainsFunc(stocks, func(item any) bool {
		year := object(item).number("year")
		first := object(stocks[0]).number("year")
		return year != nil && first != nil && *year != *first
	})
}

// at writes the path of a member of an item: fertilizers[3].rate.
func at(section string, item int, field string) string {
	return section + "[" + strconv.Itoa(item) + "]." + field
}
