package assessment_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/engine"
	"tilth/core/assessment"
	"tilth/core/fault"
	"tilth/core/ghg"
)

func factors(t testing.TB) *ghg.FactorSet {
	t.Helper()
	set, err := engine.FactorSet(ghg.IPCC2019)
	require.NoError(t, err)
	return set
}

// TestTheWorkedExamplesComeOut follows the two examples of the design all the way from the body a client sends to the
// kilograms that are printed there.
func TestTheWorkedExamplesComeOut(t *testing.T) {
	t.Parallel()
	tab := table(t)
	for name, c := range map[string]struct {
		body             string
		kg, low, high    float64
		perHa, perTonne  float64
		productT, areaHa float64
	}{
		"wheat": {wheat, 18_579, 14_497, 25_183, 1858, 232, 80, 10},
		"paddy": {paddy, 18_523, 11_684, 29_866, 9261, 1684, 11, 2},
	} {
		a, sheet := read(t, tab, c.body)
		in, warnings, violations := tab.Normalise(a, sheet, today)
		require.Empty(t, violations, name)
		require.Empty(t, warnings, name)
		result, err := ghg.Calculate(in, factors(t), ghg.Options{})
		require.NoError(t, err)
		require.InDelta(t, c.kg, result.Emissions, 0.5, name)
		require.InDelta(t, c.low, result.Low, 0.5, name)
		require.InDelta(t, c.high, result.High, 0.5, name)
		require.InDelta(t, c.productT, result.ProductT, 1e-9, name)
		require.InDelta(t, c.areaHa, result.AreaHa, 1e-9, name)
		require.InDelta(t, c.perHa, result.Emissions/result.AreaHa, 0.5, name)
		require.InDelta(t, c.perTonne, result.Emissions/result.ProductT, 0.5, name)
		require.Zero(t, result.Removed, name)
	}
}

// TestEveryUnit normalises one item in every unit that its field has, on 10 ha, and
// compares with a figure worked out by hand from the definitions.
func TestEveryUnit(t *testing.T) {
	t.Parallel()
	tab := table(t)
	const pound, acre = 0.45359237, 0.40468564224
	for _, c := range []struct {
		section, field, body string // %q is the unit; the value is 7
		got                  func(ghg.Input) float64
		want                 map[string]float64
	}{
		{"crop", "harvested_yield", `{"crop_type": "maize", "harvested_yield": {"value": 7, "unit": %q}}`, func(in ghg.Input) float64 { return *in.Crop.YieldKg }, map[string]float64{
			"t": 7000, "kg": 7, "short_ton": 14_000 * pound, "long_ton": 15_680 * pound, "t/ha": 70_000, "kg/ha": 70, "t/acre": 70_000 / acre,
		}},
		{"crop", "farm_gate_yield", `{"crop_type": "maize", "farm_gate_yield": {"value": 7, "unit": %q}}`, func(in ghg.Input) float64 { return *in.Crop.FarmGateYieldKg }, map[string]float64{
			"t": 7000, "kg": 7, "short_ton": 14_000 * pound, "long_ton": 15_680 * pound, "t/ha": 70_000, "kg/ha": 70, "t/acre": 70_000 / acre,
		}},
		{"fertilizers", "rate", `[{"product": "uan", "applied_area_pct": 50, "density_kg_l": 1.3, "rate": {"value": 7, "unit": %q}}]`,
			func(in ghg.Input) float64 { return in.Fertilizers[0].KgPerHa }, map[string]float64{
				"kg/ha": 7, "t/ha": 7000, "l/ha": 9.1, "lb/acre": 7 * pound / acre, "kg": 1.4, "t": 1400, // a total of the treated 5 ha
			}},
		{"organic_inputs", "rate", `[{"type": "compost", "rate": {"value": 7, "unit": %q}}]`,
			func(in ghg.Input) float64 { return in.OrganicInputs[0].KgPerHa }, map[string]float64{
				"kg/ha": 7, "t/ha": 7000, "lb/acre": 7 * pound / acre, "kg": 0.7, "t": 700, "m3/ha": 4900, // at 0.7 t/m3
			}},
		{"crop_protection", "rate", `[{"category": "fungicide", "applications": 1, "active_ingredient_pct": 5, "rate": {"value": 7, "unit": %q}}]`,
			func(in ghg.Input) float64 { return *in.CropProtection[0].KgPerHa }, map[string]float64{"kg/ha": 7, "lb/acre": 7 * pound / acre}},
		{"seeds", "rate", `{"rate": {"value": 7, "unit": %q}}`, func(in ghg.Input) float64 { return in.Seeds.KgPerHa }, map[string]float64{"kg/ha": 7}},
		{"irrigation", "water_volume", `[{"method": "drip", "water_volume": {"value": 7, "unit": %q}}]`, func(in ghg.Input) float64 { return in.Irrigation[0].WaterM3 }, map[string]float64{
			"m3": 7, "mm": 700, "m3/ha": 70, "acre_ft": 7 * acre * 1e4 * 0.3048,
		}},
		{"transport", "weight", `[{"mode": "rail", "distance": {"value": 1, "unit": "km"}, "weight": {"value": 7, "unit": %q}}]`,
			func(in ghg.Input) float64 { return in.Transport[0].WeightT }, map[string]float64{
				"t": 7, "kg": 0.007, "short_ton": 14 * pound, "long_ton": 15.68 * pound, "lb": 0.007 * pound,
			}},
		{"transport", "distance", `[{"mode": "rail", "weight": {"value": 1, "unit": "t"}, "distance": {"value": 7, "unit": %q}}]`,
			func(in ghg.Input) float64 { return in.Transport[0].DistanceKm }, map[string]float64{"km": 7, "mi": 7 * 1.609344}},
		{"perennial_biomass", "area", `[{"system": "orchard", "planting_year": 2010, "area": {"value": 7, "unit": %q}}]`,
			func(in ghg.Input) float64 { return *in.PerennialBiomass[0].AreaHa }, map[string]float64{"ha": 7, "acre": 7 * acre, "m2": 0.0007, "km2": 700}},
		{"perennial_biomass", "removed_area", `[{"system": "orchard", "planting_year": 2010, "count": 1, "measured_stocks": [{"year": 2000, "t_c": 1}, {"year": 2001, "t_c": 1}], "removed_area": {"value": 7, "unit": %q}}]`,
			func(in ghg.Input) float64 { return *in.PerennialBiomass[0].RemovedAreaHa }, map[string]float64{"ha": 7, "acre": 7 * acre, "m2": 0.0007, "km2": 700}},
		{"perennial_biomass", "length", `[{"system": "orchard", "planting_year": 2010, "measured_stocks": [{"year": 2000, "t_c": 1}, {"year": 2001, "t_c": 1}], "width_m": 2, "length": {"value": 7, "unit": %q}}]`,
			func(in ghg.Input) float64 { return *in.PerennialBiomass[0].LengthM }, map[string]float64{"m": 7, "km": 7000}},
	} {
		s, _ := tab.Section(c.section)
		for _, f := range s.Fields {
			if f.Key == c.field {
				require.ElementsMatch(t, f.Units, slices.Collect(maps.Keys(c.want)), "%s.%s: every unit of the field has its figure", c.section, c.field)
			}
		}
		for unit, want := range c.want {
			a, sheet := read(t, tab, wheat)
			rows, wrong := tab.Check(c.section, tree(t, fmt.Sprintf(c.body, unit)))
			require.Empty(t, wrong)
			sheet[c.section] = rows
			in, _, _ := tab.Normalise(a, sheet, today)
			require.InEpsilon(t, want, c.got(in), 1e-9, "%s %s", c.section, unit)
		}
	}
}

func TestEnergyKeepsItsKind(t *testing.T) {
	t.Parallel()
	tab := table(t)
	for _, c := range []struct {
		carrier, unit string
		amount        float64
		normal        string
		ef            float64 // of 2 per entered unit
	}{
		{"diesel", "l", 7, "l", 2}, {"diesel", "gal", 7 * 3.785411784, "l", 2 / 3.785411784}, {"lpg", "kg", 7, "kg", 2}, {"coal", "t", 7000, "kg", 0.002},
		{"natural_gas", "m3", 7, "m3", 2}, {"electricity_grid", "kwh", 7, "kwh", 2}, {"district_heat", "mj", 7, "mj", 2},
	} {
		a, sheet := read(t, tab, wheat)
		rows, wrong := tab.Check("fuel_energy", tree(t, fmt.Sprintf(
			`[{"carrier": %q, "amount": {"value": 7, "unit": %q}, "manual_ef": 2, "manual_ef_note": "meter"}]`, c.carrier, c.unit)))
		require.Empty(t, wrong)
		sheet["fuel_energy"] = rows
		in, _, _ := tab.Normalise(a, sheet, today)
		f := in.FuelEnergy[0]
		require.InEpsilon(t, c.amount, f.Amount, 1e-12, c)
		require.Equal(t, c.normal, f.Unit)
		require.InEpsilon(t, c.ef, *f.ManualEF, 1e-12, c)
		require.InDelta(t, 100, f.AllocationPct, 0)
	}
}

func TestDefaultsOfTheForm(t *testing.T) {
	t.Parallel()
	tab := table(t)
	a, sheet := read(t, tab, wheat)
	for section, body := range map[string]string{
		"machinery": `[{"operation": "other", "passes": 1.5, "fuel_rate": 8}]`, "land_use_change": `[{"previous_use": "grassland", "year": 1990}]`,
		"land_management": `{"tillage": "full", "carbon_inputs": "low", "changes": [{"year": 2010, "tillage": "no_till"}]}`,
		"crop":            `{"crop_type": "maize", "price": 190, "co_products": [{"name": "stover", "share_pct": 5}, {"name": "cobs", "share_pct": 2, "basis": "mass", "amount": {"value": 500, "unit": "kg"}, "price": 30}]}`,
	} {
		rows, wrong := tab.Check(section, tree(t, body))
		require.Empty(t, wrong)
		sheet[section] = rows
	}
	in, _, _ := tab.Normalise(a, sheet, today)
	require.Equal(t, ghg.Operation{Operation: "other", Passes: 1.5, AreaPct: 100, FuelLPerHa: in.Machinery[0].FuelLPerHa}, in.Machinery[0])
	require.InDelta(t, 8, *in.Machinery[0].FuelLPerHa, 0)
	require.Equal(t, []ghg.Conversion{{PreviousUse: "grassland", Year: 1990, AreaPct: 100}}, in.LandUseChange)
	require.Equal(t, []ghg.LandChange{{Year: 2010, Tillage: "no_till", AreaPct: 100}}, in.LandManagement.Changes)
	half, price, main := 0.5, 30.0, 190.0
	require.Equal(t, []ghg.CoProduct{
		{Name: "stover", SharePct: 5, Basis: "economic"}, {Name: "cobs", SharePct: 2, Basis: "mass", MassT: &half, PricePerT: &price},
	}, in.Crop.CoProducts)
	require.Equal(t, &main, in.Crop.PricePerT)
	require.Equal(t, 1, in.Crop.GrowingCycles)
	require.Nil(t, in.Crop.YieldKg, "a crop that lacks its yield keeps the rest")
	require.InDelta(t, 100, in.Fertilizers[0].AreaPct, 0)
	require.InDelta(t, 100, in.CropProtection[0].TreatedPct, 0)
}

// TestDraftsAreCountedAsFarAsTheyGo: what is incomplete is left out with a warning, and
// the engine takes the rest.
func TestDraftsAreCountedAsFarAsTheyGo(t *testing.T) {
	t.Parallel()
	tab := table(t)
	a, sheet := read(t, tab, `{"resource_type": "farm", "resource_id": 1, "assessment_year": 2024, "climate_region": "boreal_dry",
		"fertilizers": [{"product": "urea"}, {"product": "urea", "rate": {"value": 1, "unit": "t"}}, {"product": "urea", "rate": {"value": 9, "unit": "kg/ha"}}],
		"irrigation": [{"method": "drip", "water_volume": {"value": 1, "unit": "mm"}}, {"method": "drip", "water_volume": {"value": 1, "unit": "m3"}}],
		"soil": {"soil_class": "organic"}, "residues": {"management": [{"practice": "removed", "share_pct": 100}]}, "seeds": {"rate": {"value": 5, "unit": "kg/ha"}},
		"land_management": {"tillage": "full", "carbon_inputs": "low"}, "land_use_change": [{"previous_use": "grassland", "year": 2020}],
		"perennial_biomass": [{"system": "shade_trees", "area": {"unit": "ha"}, "count": 12, "growth": 0.6, "planting_year": 2022}],
		"section_declarations": {"organic_inputs": "none", "transport": "none"}}`)
	in, warnings, violations := tab.Normalise(a, sheet, today)
	require.Empty(t, violations)
	require.ElementsMatch(t, []string{
		"section_empty crop", "section_empty crop_protection", "section_empty fuel_energy", "section_empty machinery", "incomplete perennial_biomass[0]",
		"incomplete soil", "incomplete fertilizers[0]", "area_needed fertilizers[1].rate", "area_needed irrigation[0].water_volume",
		"basis_missing seeds", "basis_missing residues", "basis_missing land_management", "basis_missing land_use_change",
	}, codes(warnings))
	require.Len(t, in.Fertilizers, 1)
	require.Len(t, in.Irrigation, 1)
	_, err := ghg.Calculate(in, factors(t), ghg.Options{})
	require.NoError(t, err)

	_, _, violations = tab.Normalise(&assessment.Assessment{}, nil, today)
	require.Equal(t, []string{"required assessment_year", "required climate_region"}, codes(violations))
	a.GrowingArea = map[string]any{"value": 5.0, "unit": "morgen"}
	_, warnings, _ = tab.Normalise(a, sheet, today)
	require.Contains(t, codes(warnings), "area_invalid growing_area.unit")
}

// TestUnitsChangeNothing enters the same amounts in other units: the result is the same.
func TestUnitsChangeNothing(t *testing.T) {
	t.Parallel()
	tab, set := table(t), factors(t)
	const pound, acre, gallon = 0.45359237, 0.40468564224, 3.785411784
	rapid.Check(t, func(r *rapid.T) {
		area := rapid.Float64Range(0.1, 5000).Draw(r, "ha")
		pct := rapid.Float64Range(1, 100).Draw(r, "treated %")
		bodies := [2]string{wheat, wheat}
		// restate puts a value in its base unit into one body, and in another into the other;
		// units holds what one of the base is in each.
		restate := func(old, base string, value float64, units map[string]float64) {
			unit := rapid.SampledFrom(slices.Sorted(maps.Keys(units))).Draw(r, old)
			bodies[0] = strings.Replace(bodies[0], old, fmt.Sprintf(`{"value": %.17g, "unit": %q}`, value, base), 1)
			bodies[1] = strings.Replace(bodies[1], old, fmt.Sprintf(`{"value": %.17g, "unit": %q}`, value*units[unit], unit), 1)
		}
		some := func(name string) float64 { return rapid.Float64Range(0.01, 1000).Draw(r, name) }
		restate(`{"value": 10, "unit": "ha"}`, "ha", area, map[string]float64{"acre": 1 / acre, "acres": 1 / acre, "m2": 1e4, "km2": 0.01, "hectares": 1})
		restate(`{"value": 8, "unit": "t/ha"}`, "t/ha", some("yield"), map[string]float64{
			"kg/ha": 1000, "t/acre": acre, "t": area, "kg": 1000 * area, "short_ton": 1000 * area / (2000 * pound), "long_ton": 1000 * area / (2240 * pound),
		})
		restate(`{"value": 200, "unit": "kg/ha"}`, "kg/ha", some("urea"), map[string]float64{
			"t/ha": 0.001, "lb/acre": acre / pound, "kg": area * pct / 100, "t": area * pct / 1e5, "l/ha": 1 / 1.25,
		})
		restate(`{"value": 900, "unit": "l"}`, "l", some("diesel"), map[string]float64{"gal": 1 / gallon})
		for i := range bodies {
			bodies[i] = strings.Replace(bodies[i], `"production_region"`, fmt.Sprintf(`"applied_area_pct": %.17g, "density_kg_l": 1.25, "production_region"`, pct), 1)
		}
		var results [2]ghg.Result
		for i, body := range bodies {
			a, sheet := read(t, tab, body)
			in, _, violations := tab.Normalise(a, sheet, today)
			require.Empty(r, violations)
			var err error
			results[i], err = ghg.Calculate(in, set, ghg.Options{})
			require.NoError(r, err)
			replayed(r, tab, set, a, sheet)
		}
		require.InEpsilon(r, results[0].Emissions, results[1].Emissions, 1e-9)
		require.InEpsilon(r, results[0].ProductT, results[1].ProductT, 1e-9)
	})
}

// TestWhatCanBeSubmittedCalculates fills every section at random from the schema; what
// passes the checks must give a result, and so must every draft that has no violations.
func TestWhatCanBeSubmittedCalculates(t *testing.T) {
	t.Parallel()
	tab, set := table(t), factors(t)
	client := plain(t, tab.Schema())
	properties, _ := client["properties"].(map[string]any)
	submitted := 0
	rapid.Check(t, func(r *rapid.T) {
		a, sheet := read(t, tab, rapid.SampledFrom([]string{wheat, paddy}).Draw(r, "base"))
		a.ClimateRegion = rapid.SampledFrom(assessment.ClimateRegions).Draw(r, "zone")
		for _, s := range tab.Sections() {
			if !rapid.Bool().Draw(r, "fill "+s.Key) {
				continue
			}
			schema, _ := properties[s.Key].(map[string]any)
			body := generator{r}.value(schema, s.Key)
			tame(body)
			if rapid.Bool().Draw(r, "draft "+s.Key) {
				prune(r, body)
			}
			rows, wrong := tab.Check(s.Key, body)
			require.Empty(r, wrong)
			if len(rows) > 0 {
				sheet[s.Key] = rows
				delete(a.Declarations, s.Key)
			}
		}
		for i, area := range []map[string]any{{"value": 3.0, "unit": "ha"}, nil} {
			a.GrowingArea = area
			violations, _ := tab.Submittable(a, sheet, today)
			in, _, unusable := tab.Normalise(a, sheet, today)
			if i == 0 && len(violations) == 0 {
				submitted++
			}
			require.True(r, len(violations) > 0 || len(unusable) == 0, "what is submitted is usable")
			if len(unusable) > 0 {
				continue
			}
			result, err := ghg.Calculate(in, set, ghg.Options{})
			if err != nil {
				require.True(r, noStockInTheSource(err), "%v", err)
				continue
			}
			require.False(r, math.IsNaN(result.Emissions) || math.IsInf(result.Emissions, 0))
			replayed(r, tab, set, a, sheet)
		}
	})
	require.Positive(t, submitted, "some of the random assessments can be submitted")
}

// prune removes members, as they are missing in a draft.
func prune(r *rapid.T, body any) {
	switch v := body.(type) {
	case []any:
		for _, item := range v {
			prune(r, item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if rapid.IntRange(0, 3).Draw(r, "without "+key) == 0 {
				delete(v, key)
				continue
			}
			prune(r, v[key])
		}
	}
}

// noStockInTheSource: some cells of the tables of soil carbon are empty, which the engine
// refuses by design.
func noStockInTheSource(err error) bool {
	f, ok := fault.As(err)
	return ok && strings.Contains(fmt.Sprint(f.Fields), "The source has no value")
}

// tame makes random sections consistent.
func tame(body any) {
	switch v := body.(type) {
	case []any:
		for _, item := range v {
			tame(item)
			if m, ok := item.(map[string]any); ok && len(v) > 0 {
				if _, has := m["area_pct"]; has {
					m["area_pct"] = 100.0 / float64(len(v))
				}
			}
		}
	case map[string]any:
		delete(v, "no_change_20y")
		if v["power_source"] == "other" {
			v["energy_counted_elsewhere"] = true
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			tame(v[key])
		}
		if shares, ok := v["management"].([]any); ok {
			for _, item := range shares {
				item.(map[string]any)["share_pct"] = 100 / float64(len(shares))
			}
		}
		if products, ok := v["co_products"].([]any); ok {
			for _, item := range products {
				item.(map[string]any)["share_pct"] = 99 / float64(len(products))
			}
		}
		if changes, ok := v["changes"].([]any); ok {
			for i, item := range changes {
				item.(map[string]any)["year"] = 2000.0 + float64(i)
				item.(map[string]any)["area_pct"] = 50.0
			}
		}
	}
}

// filled has something in every section.
func filled(t testing.TB, tab *assessment.Table) (*assessment.Assessment, assessment.Sheet) {
	t.Helper()
	a, sheet := read(t, tab, paddy)
	for section, body := range map[string]string{
		"machinery": `[{"operation": "sprayer", "passes": 3, "fuel_counted_elsewhere": true}, {"operation": "combine_harvester", "passes": 1, "fuel_counted_elsewhere": true}]`,
		"transport": `[{"mode": "truck", "weight": {"value": 11, "unit": "t"}, "distance": {"value": 40, "unit": "km"}, "leg": "outbound"}]`,
		"land_management": `{"tillage": "full", "carbon_inputs": "medium", "cover_crop": "legume", "cover_crop_share_pct": 40,
			"changes": [{"year": 2010, "tillage": "reduced"}, {"year": 2018, "tillage": "no_till", "carbon_inputs": "high"}]}`,
		"land_use_change":   `[{"previous_use": "forest", "forest_zone": "tropical_rainforest_asia_continental", "year": 2012, "area_pct": 20}]`,
		"perennial_biomass": `[{"system": "hedgerow", "area": {"value": 0.2, "unit": "ha"}, "growth": 1.5, "planting_year": 2015}]`,
	} {
		rows, wrong := tab.Check(section, tree(t, body))
		require.Empty(t, wrong)
		sheet[section] = rows
		delete(a.Declarations, section)
	}
	return a, sheet
}

func TestEverySectionFilled(t *testing.T) {
	t.Parallel()
	tab := table(t)
	a, sheet := filled(t, tab)
	require.Len(t, sheet, 15)
	state := tab.Complete(a, sheet, today)
	require.InDelta(t, 100, state.Percentage, 0)
	require.True(t, state.Ready)
	in, warnings, violations := tab.Normalise(a, sheet, today)
	require.Empty(t, warnings)
	require.Empty(t, violations)
	result, err := ghg.Calculate(in, factors(t), ghg.Options{})
	require.NoError(t, err)
	require.Positive(t, result.Emissions)
}

func BenchmarkComplete(b *testing.B) {
	tab := table(b)
	a, sheet := filled(b, tab)
	b.ReportAllocs()
	for b.Loop() {
		tab.Complete(a, sheet, today)
	}
}

func BenchmarkNormalise(b *testing.B) {
	tab := table(b)
	a, sheet := filled(b, tab)
	b.ReportAllocs()
	for b.Loop() {
		tab.Normalise(a, sheet, today)
	}
}

func BenchmarkCheck(b *testing.B) {
	tab := table(b)
	body, _ := tree(b, paddy).(map[string]any)
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range tab.Sections() {
			tab.Check(s.Key, body[s.Key])
		}
	}
}

// TestContractsAreOfGridElectricity: a market-based factor and losses of the grid reach the snapshot; for another
// carrier they are left out with a warning.
func TestContractsAreOfGridElectricity(t *testing.T) {
	t.Parallel()
	tab := table(t)
	a, sheet := read(t, tab, wheat)
	fuel := func(carrier, unit string) (ghg.Fuel, bool) {
		rows, wrong := tab.Check("fuel_energy", tree(t, fmt.Sprintf(`[{"carrier": %q, "amount": {"value": 7, "unit": %q}, "market_ef": 0.05, "market_basis": "supplier_contract",
			"market_ef_note": "guarantees of origin 2024", "grid_loss_pct": 6, "grid_loss_note": "operator"}]`, carrier, unit)))
		require.Empty(t, wrong)
		sheet["fuel_energy"] = rows
		in, warnings, _ := tab.Normalise(a, sheet, today)
		return in.FuelEnergy[0], slices.ContainsFunc(warnings, func(f assessment.Finding) bool { return f.Code == "contract_unused" && f.Path == "fuel_energy[0]" })
	}
	grid, warned := fuel("electricity_grid", "kwh")
	require.False(t, warned)
	require.InDelta(t, 0.05, *grid.MarketEF, 0)
	require.InDelta(t, 6, *grid.GridLossPct, 0)
	require.Equal(t, "supplier_contract", grid.MarketBasis)
	diesel, warned := fuel("diesel", "l")
	require.True(t, warned)
	require.Nil(t, diesel.MarketEF)
	require.Nil(t, diesel.GridLossPct)
}
