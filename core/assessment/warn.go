package assessment

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tilth/core/agronomy"
	"tilth/core/ghg"
)

const (
	// areaTolerance is how much more may be grown than is mapped: boundaries are drawn by hand, or not at all.
	areaTolerance = 1.10
	// muchNitrogen in kg N/ha is beyond what crops take up and most rules allow (ghg.md 3.5).
	muchNitrogen = 500.0
)

// zoneTemperatures bounds the climate zones in °C (IPCC 2019 V4 ch3 annex 3A.5), by the beginning of their keys.
var zoneTemperatures = []struct {
	zone         string
	lower, upper float64
}{
	{"tropical", 18, math.Inf(1)},
	{"warm_temperate", 10, 18},
	{"cool_temperate", 0, 10},
	{"boreal", math.Inf(-1), 0},
}

// usualYields are bounds of a fresh harvest in t/ha and growing cycle. Outside them, a wrong unit or a misplaced
// decimal point is more likely than such a harvest. They are our own and deliberately wide: from a harvest that is
// hardly worth the fuel to more than the reported records. They only warn; crops that are not listed have no bounds.
var usualYields = map[string][2]float64{
	"grains": {0.3, 20}, "winter_wheat": {0.5, 18}, "spring_wheat": {0.3, 14}, "barley": {0.3, 16}, "oats": {0.3, 14},
	"maize": {0.3, 40}, "rye": {0.3, 14}, "rice": {0.5, 20}, "rice_paddy": {0.5, 20}, "millet": {0.2, 10}, "sorghum": {0.2, 16},
	"beans_and_pulses": {0.2, 12}, "soybeans": {0.3, 12}, "peanuts": {0.3, 12}, "potatoes_and_tubers": {3, 120},
	"sugar_beet": {15, 160}, "sugarcane": {20, 250}, "cotton": {0.2, 12}, "oilseed_rape": {0.3, 8}, "sunflower": {0.3, 7},
	"oil_palm": {2, 45}, "banana": {2, 120}, "coffee": {0.1, 10}, "cocoa": {0.05, 5}, "tea": {0.3, 30}, "grapes": {1, 60},
}

// oddities returns what is possible and yet worth a second look before a submission.
func (t *Table) oddities(a *Assessment, sheet Sheet, facts Facts) []Finding {
	in, warnings, _ := t.Normalise(a, sheet, facts)
	out, g := findings(warnings), in.General
	if m := facts.MappedAreaHa; m != nil && *m > 0 && g.AreaHa > *m*areaTolerance {
		out.add("area_above_map", keyArea, "%.4g ha are grown, but the map shows %.4g ha.", g.AreaHa, *m)
	}
	for _, z := range zoneTemperatures {
		if c := g.TemperatureC; c != nil && strings.HasPrefix(g.ClimateRegion, z.zone) && (*c < z.lower || *c > z.upper) {
			out.add("temperature_outside_zone", keyTemperature, "%.3g °C does not belong to the climate zone %s.", *c, g.ClimateRegion)
		}
	}
	if n := nitrogenKgHa(in); n > muchNitrogen {
		out.add("nitrogen_high", secFertilizers,
			"Fertilizers and organic inputs bring %.0f kg N/ha; more than %.0f is rare.", n, muchNitrogen)
	}
	yieldOddities(&out, in)
	counted := slices.ContainsFunc(in.Machinery, func(o ghg.Operation) bool { return !o.CountedElsewhere })
	if counted && slices.ContainsFunc(in.FuelEnergy, func(f ghg.Fuel) bool { return f.Purpose == "" || f.Purpose == "field" }) {
		out.add("fuel_and_machinery", secMachinery,
			"Fuel for field work and machinery are both entered; set fuel_counted_elsewhere where the fuel includes that of the machinery.")
	}
	for i, row := range sheet[secIrrigation] {
		v := row.Values
		if water, _, _ := v.amount("water_volume"); water > 0 && v.text("power_source") == "" && v.text("source") != "mains" && !v.flag("energy_counted_elsewhere") {
			out.add("power_unknown", at(secIrrigation, i, "power_source"), "Without the power of the pump its energy is not counted.")
		}
	}
	if crop := sheet.first(secCrop); crop.text("planting_date") > crop.text("harvest_date") && crop.text("harvest_date") != "" {
		out.add("dates_out_of_order", "crop.harvest_date", "The harvest date is before the planting date.")
	}
	t.oddGrowth(&out, a, sheet)
	if land := in.LandManagement; land != nil && !land.NoChange20y && len(land.Changes) == 0 && len(in.LandUseChange) == 0 {
		out.add("history_unknown", "land_management.changes",
			"No change in the last 20 years is entered; none is assumed. Set no_change_20y if that is correct.")
	}
	return out
}

// nitrogenKgHa returns kg N per ha of growing area in all that is spread.
func nitrogenKgHa(in ghg.Input) float64 {
	sum := 0.0
	content := func(stated *float64, product string) float64 {
		p, _ := agronomy.FindProduct(product)
		if n := cmp.Or(stated, p.N); n != nil {
			return *n / 100
		}
		return 0
	}
	for _, f := range in.Fertilizers {
		sum += f.KgPerHa * f.AreaPct / 100 * content(f.NPct, f.Product)
	}
	for _, o := range in.OrganicInputs {
		sum += o.KgPerHa * content(o.NPct, o.Type)
	}
	return sum
}

func yieldOddities(out *findings, in ghg.Input) {
	c := in.Crop
	if c.Type == "generic" {
		out.add("crop_generic", "crop.crop_type", "The residues of a crop that is not listed are those of an average crop.")
	}
	if c.YieldKg == nil {
		return
	}
	if c.FarmGateYieldKg != nil && *c.FarmGateYieldKg > *c.YieldKg {
		out.add("farm_gate_above_harvest", "crop.farm_gate_yield", "More leaves the farm than is harvested.")
	}
	if *c.YieldKg == 0 {
		out.add("no_harvest", "crop.harvested_yield", "Without a harvest there are no figures per tonne.")
	}
	bounds, known := usualYields[c.Type]
	if !known || in.General.AreaHa == 0 || *c.YieldKg == 0 {
		return
	}
	if t := *c.YieldKg / agronomy.KgPerTonne / in.General.AreaHa / float64(c.GrowingCycles); t < bounds[0] || t > bounds[1] {
		out.add("yield_unusual", "crop.harvested_yield",
			"%.4g t/ha is unusual for %s, of which %g to %g t/ha are harvested.", t, c.Type, bounds[0], bounds[1])
	}
}
