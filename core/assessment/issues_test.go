package assessment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/assessment"
)

func TestContradictionsBlock(t *testing.T) {
	t.Parallel()
	tab := table(t)
	for name, c := range map[string]struct {
		section, body string
		want          []string
	}{
		"co-products take all": {"crop", `{"crop_type": "winter_wheat", "harvested_yield": {"value": 8, "unit": "t/ha"},
			"co_products": [{"name": "straw", "share_pct": 60}, {"name": "chaff", "share_pct": 40}]}`, []string{"shares_too_large crop.co_products"}},
		"thirds are whole": {"residues", `{"management": [{"practice": "removed", "share_pct": 33.33}, {"practice": "grazed", "share_pct": 33.33}, {"practice": "left_on_field", "share_pct": 33.33}]}`, nil},
		"more than all":    {"residues", `{"management": [{"practice": "removed", "share_pct": 100}, {"practice": "grazed", "share_pct": 1}]}`, []string{"required residues.management", "shares_not_100 residues.management"}},
		"an unknown pump": {"irrigation", `[{"method": "drip", "water_volume": {"value": 5, "unit": "mm"}, "power_source": "other", "energy_counted_elsewhere": true},
			{"method": "drip", "water_volume": {"value": 5, "unit": "mm"}, "power_source": "other"}]`, []string{"energy_not_counted irrigation[1].power_source"}},
		"a change that was denied":  {"land_management", `{"tillage": "full", "carbon_inputs": "low", "no_change_20y": true, "changes": [{"year": 2005}]}`, []string{"no_change_denied land_management.no_change_20y"}},
		"a change before the 20":    {"land_management", `{"tillage": "full", "carbon_inputs": "low", "no_change_20y": true, "changes": [{"year": 2004}]}`, nil},
		"a conversion and a denial": {"land_use_change", `[{"previous_use": "grassland", "year": 2024}]`, []string{"no_change_denied land_management.no_change_20y"}},
		"parcels that overlap":      {"land_use_change", `[{"previous_use": "grassland", "year": 1990, "area_pct": 60}, {"previous_use": "wetland", "year": 1991, "area_pct": 41}]`, []string{"shares_too_large land_use_change"}},
		"changes of other areas":    {"land_management", `{"tillage": "full", "carbon_inputs": "low", "changes": [{"year": 2004}, {"year": 2010, "area_pct": 50}]}`, []string{"areas_differ land_management.changes[1].area_pct"}},
		"stocks of one year": {"perennial_biomass", `[{"system": "orchard", "count": 5, "planting_year": 2010, "measured_stocks": [{"year": 2020, "t_c": 5}, {"year": 2020, "t_c": 6}]}]`,
			[]string{"years_same perennial_biomass[0].measured_stocks"}},
		"two changes in a year": {"land_management", `{"tillage": "full", "carbon_inputs": "low", "changes": [{"year": 2004}, {"year": 2004}]}`, []string{"year_twice land_management.changes[1].year"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, sheet := read(t, tab, wheat)
			rows, wrong := tab.Check(c.section, tree(t, c.body))
			require.Empty(t, wrong, "a draft may hold it")
			sheet[c.section] = rows
			delete(a.Declarations, c.section)
			violations, _ := tab.Submittable(a, sheet, today)
			require.ElementsMatch(t, c.want, codes(violations))
			state := tab.Complete(a, sheet, today)
			require.Equal(t, len(c.want) == 0, state.Ready)
		})
	}
}

func TestTheRegressionIsKnownOfSomeCrops(t *testing.T) {
	t.Parallel()
	tab := table(t)
	a, sheet := read(t, tab, wheat)
	sheet["residues"][0].Values["method"] = "slope_intercept"
	require.True(t, tab.Complete(a, sheet, today).Ready)
	sheet["crop"][0].Values["crop_type"] = "cotton"
	violations, _ := tab.Submittable(a, sheet, today)
	require.Equal(t, []string{"method_unknown residues.method"}, codes(violations))
}

func TestTheGeneralPartBlocks(t *testing.T) {
	t.Parallel()
	tab := table(t)
	area := func(text string) func(*assessment.Assessment) {
		return func(a *assessment.Assessment) { a.GrowingArea, _ = tree(t, text).(map[string]any) }
	}
	temperature := func(text string) func(*assessment.Assessment) {
		return func(a *assessment.Assessment) { a.AverageTemperature, _ = tree(t, text).(map[string]any) }
	}
	year := func(y int) func(*assessment.Assessment) { return func(a *assessment.Assessment) { a.Year = &y } }
	for name, c := range map[string]struct {
		change func(*assessment.Assessment)
		want   []string
	}{
		"before 1980":           {year(1979), []string{"out_of_range assessment_year"}},
		"1980":                  {year(1980), nil},
		"next year":             {year(2027), nil},
		"the year after":        {year(2028), []string{"out_of_range assessment_year"}},
		"acres":                 {area(`{"value": 24.7, "unit": "acres"}`), nil},
		"no area":               {area(`{}`), []string{"required growing_area"}},
		"no unit":               {area(`{"value": 10}`), []string{"unknown_unit growing_area.unit"}},
		"a unit of nothing":     {area(`{"value": 10, "unit": "morgen"}`), []string{"unknown_unit growing_area.unit"}},
		"text":                  {area(`{"value": "10", "unit": "ha"}`), []string{"not_a_number growing_area.value"}},
		"a boolean":             {area(`{"value": true, "unit": "ha"}`), []string{"not_a_number growing_area.value"}},
		"nothing":               {area(`{"value": 0, "unit": "ha"}`), []string{"out_of_range growing_area.value"}},
		"a country":             {area(`{"value": 10001, "unit": "km2"}`), []string{"out_of_range growing_area.value"}},
		"another key":           {area(`{"value": 10, "unit": "ha", "note": "about"}`), []string{"unknown_member growing_area"}},
		"fahrenheit":            {temperature(`{"value": 49, "unit": "°F"}`), nil},
		"boiling":               {temperature(`{"value": 49, "unit": "°C"}`), []string{"out_of_range average_temperature.value"}},
		"-30":                   {temperature(`{"value": -22, "unit": "F"}`), nil},
		"kelvin":                {temperature(`{"value": 282, "unit": "K"}`), []string{"unknown_unit average_temperature.unit"}},
		"a zone that is none":   {func(a *assessment.Assessment) { a.ClimateRegion = "mild" }, []string{"not_a_choice climate_region"}},
		"no quality":            {func(a *assessment.Assessment) { a.DataQuality = "" }, []string{"required submitted_data_quality"}},
		"estimates are allowed": {func(a *assessment.Assessment) { a.DataQuality = "all_estimated_data" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, sheet := read(t, tab, wheat)
			c.change(a)
			violations, _ := tab.Submittable(a, sheet, today)
			require.ElementsMatch(t, c.want, codes(violations))
		})
	}
}

func TestOdditiesWarn(t *testing.T) {
	t.Parallel()
	tab := table(t)
	mapped := 9.0
	for name, c := range map[string]struct {
		section, body, want string
		facts               assessment.Facts
	}{
		"much nitrogen":         {"fertilizers", `[{"product": "urea", "rate": {"value": 1.2, "unit": "t/ha"}}]`, "nitrogen_high fertilizers", today},
		"half of the field":     {"fertilizers", `[{"product": "urea", "rate": {"value": 1.2, "unit": "t/ha"}, "applied_area_pct": 50}]`, "", today},
		"a slipped comma":       {"crop", `{"crop_type": "winter_wheat", "harvested_yield": {"value": 80, "unit": "t/ha"}}`, "yield_unusual crop.harvested_yield", today},
		"a farm that buys":      {"crop", `{"crop_type": "winter_wheat", "harvested_yield": {"value": 8, "unit": "t/ha"}, "farm_gate_yield": {"value": 81, "unit": "t"}}`, "farm_gate_above_harvest crop.farm_gate_yield", today},
		"a crop of no name":     {"crop", `{"crop_type": "generic", "harvested_yield": {"value": 8, "unit": "t/ha"}}`, "crop_generic crop.crop_type", today},
		"harvest before sowing": {"crop", `{"crop_type": "winter_wheat", "harvested_yield": {"value": 8, "unit": "t/ha"}, "planting_date": "2024-05-01", "harvest_date": "2024-04-01"}`, "dates_out_of_order crop.harvest_date", today},
		"fuel twice":            {"machinery", `[{"operation": "sprayer", "passes": 3}]`, "fuel_and_machinery machinery", today},
		"fuel once":             {"machinery", `[{"operation": "sprayer", "passes": 3, "fuel_counted_elsewhere": true}]`, "", today},
		"a silent pump":         {"irrigation", `[{"method": "drip", "water_volume": {"value": 100, "unit": "mm"}}]`, "power_unknown irrigation[0].power_source", today},
		"half a spray":          {"crop_protection", `[{"category": "herbicide", "applications": 1, "active_ingredient_pct": 50}]`, "rate_unused crop_protection[0]", today},
		"no history":            {"land_management", `{"tillage": "full", "carbon_inputs": "low"}`, "history_unknown land_management.changes", today},
		"rice in wheat":         {"rice", `{"water_regime": "upland"}`, "section_ignored rice", today},
		"beyond the map":        {"seeds", `{"rate": {"value": 180, "unit": "kg/ha"}}`, "area_above_map growing_area", assessment.Facts{Now: today.Now, ResourceLive: true, MappedAreaHa: &mapped}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, sheet := read(t, tab, wheat)
			rows, wrong := tab.Check(c.section, tree(t, c.body))
			require.Empty(t, wrong)
			sheet[c.section] = rows
			delete(a.Declarations, c.section)
			_, warnings := tab.Submittable(a, sheet, c.facts)
			want := []string{}
			if c.want != "" {
				want = append(want, c.want)
			}
			require.Equal(t, want, codes(warnings))
		})
	}
	a, sheet := read(t, tab, wheat)
	a.AverageTemperature = map[string]any{"value": 25.0, "unit": "C"}
	_, warnings := tab.Submittable(a, sheet, today)
	require.Equal(t, []string{"temperature_outside_zone average_temperature"}, codes(warnings))
}

func TestTopIssues(t *testing.T) {
	t.Parallel()
	tab := table(t)
	got := tab.TopIssues(map[string]int64{
		"soil.soil_class": 2, "fertilizers[].rate": 5, "farm_country": 2, "residues.management[].practice": 2, "fertilizers[].product": 2,
		"gone[].field": 9, "soil.gone": 9, "crop.crop_type": 0,
	})
	lines := []string{}
	for _, i := range got {
		lines = append(lines, i.Section+" "+i.Field)
		require.NotEmpty(t, i.Message)
	}
	require.Equal(t, []string{"fertilizers fertilizers[].rate", "fertilizers fertilizers[].product", "general farm_country",
		"residues residues.management[].practice", "soil soil.soil_class"}, lines)
	require.Equal(t, "Fertilizers and lime: enter rate with its unit.", got[0].Message)
}

// TestEveryMissingFieldHasAnIssue: whatever completeness misses, a dashboard can name.
func TestEveryMissingFieldHasAnIssue(t *testing.T) {
	t.Parallel()
	tab := table(t)
	sheet := assessment.Sheet{}
	for _, s := range tab.Sections() {
		sheet[s.Key] = []assessment.Row{{Values: assessment.Values{"notes": "x", "product": "custom", "type": "other", "system": "hedgerow", "length": map[string]any{}}}}
	}
	sheet["crop"][0].Values["crop_type"] = "rice_paddy"
	sheet["residues"][0].Values["management"] = []any{map[string]any{}}
	for _, s := range tab.Complete(&assessment.Assessment{}, sheet, today).Sections {
		for _, m := range s.Missing {
			issues := tab.TopIssues(map[string]int64{m.Field: 1})
			require.Len(t, issues, 1, m.Field)
			require.Equal(t, s.Section, issues[0].Section)
		}
	}
}
