package assessment_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/assessment"
	"tilth/core/fault"
)

func TestTheWorkedExamplesAreComplete(t *testing.T) {
	t.Parallel()
	tab := table(t)
	for name, body := range map[string]string{"wheat": wheat, "paddy": paddy} {
		a, sheet := read(t, tab, body)
		state := tab.Complete(a, sheet, today)
		require.InDelta(t, 100, state.Percentage, 0, name)
		require.True(t, state.Ready, name)
		for _, s := range state.Sections {
			require.Equal(t, s.Applies, s.Status == assessment.Complete, "%s %s", name, s.Section)
			require.Empty(t, s.Missing)
		}
		violations, warnings := tab.Submittable(a, sheet, today)
		require.Empty(t, violations, name)
		require.Empty(t, warnings, name)
	}
}

func TestAnEmptyAssessmentIsNothing(t *testing.T) {
	t.Parallel()
	tab := table(t)
	state := tab.Complete(&assessment.Assessment{}, nil, today)
	require.InDelta(t, 0, state.Percentage, 0)
	require.False(t, state.Ready)
	require.Len(t, state.Sections, 16)
	for _, s := range state.Sections {
		require.Equal(t, assessment.NotStarted, s.Status, s.Section)
		require.Zero(t, s.Filled)
	}
	violations, _ := tab.Submittable(&assessment.Assessment{}, nil, assessment.Facts{Now: today.Now})
	require.Equal(t, []string{
		"required assessment_year", "required growing_area", "required average_temperature", "required climate_region",
		"required farm_country", "required submitted_data_quality", "resource_deleted resource_id", "section_empty crop", "section_empty soil",
		"section_empty fertilizers", "section_empty organic_inputs", "section_empty crop_protection", "section_empty residues",
		"section_empty irrigation", "section_empty fuel_energy", "section_empty land_management",
	}, codes(violations))
}

// TestCompletenessByHand counts one assessment with the weights of the design: each change of the wheat subtracts what
// it should.
func TestCompletenessByHand(t *testing.T) {
	t.Parallel()
	tab := table(t)
	set := func(section, body string) func(testing.TB, *assessment.Assessment, assessment.Sheet) {
		return func(t testing.TB, a *assessment.Assessment, sheet assessment.Sheet) {
			rows, wrong := tab.Check(section, tree(t, body))
			require.Empty(t, wrong)
			sheet[section] = rows
			delete(a.Declarations, section)
		}
	}
	for name, c := range map[string]struct {
		change     func(testing.TB, *assessment.Assessment, assessment.Sheet)
		percentage float64
		ready      bool
		missing    []string
	}{
		"no yield: half of crop's 15": {set("crop", `{"crop_type": "winter_wheat"}`), 92.5, false, []string{"crop.harvested_yield"}},
		"a yield without a unit":      {set("crop", `{"crop_type": "winter_wheat", "harvested_yield": {"value": 8}}`), 92.5, false, []string{"crop.harvested_yield"}},
		"one of six general fields: 10/6": {func(_ testing.TB, a *assessment.Assessment, _ assessment.Sheet) { a.FarmCountry = "" },
			98.3, false, []string{"farm_country"}},
		"a temperature that is no number": {func(_ testing.TB, a *assessment.Assessment, _ assessment.Sheet) {
			a.AverageTemperature = map[string]any{"value": "9", "unit": "C"}
		}, 98.3, false, []string{"average_temperature.value"}},
		"three of four fertilizer fields": {set("fertilizers", `[{"product": "urea", "rate": {"value": 1, "unit": "kg/ha"}}, {"product": "can"}]`),
			96.2, false, []string{"fertilizers[1].rate"}}, // 100 - 15/4, rounded down
		"custom asks for four more": {set("fertilizers", `[{"product": "custom", "rate": {"value": 1, "unit": "kg/ha"}, "n_pct": 10, "p2o5_pct": 0, "k2o_pct": 0}]`),
			97.5, false, []string{"fertilizers[0].n_class"}}, // 15/6
		"a forage asks for the years of its stand": {set("crop", `{"crop_type": "alfalfa", "harvested_yield": {"value": 8, "unit": "t/ha"}}`), 95, false, []string{"crop.renewal_years"}},
		"a volume of no known density asks for it": {set("organic_inputs", `[{"type": "sewage_sludge", "rate": {"value": 8, "unit": "m3/ha"}}]`), 98, false, []string{"organic_inputs[0].density_kg_l"}},
		"litres ask for the density":               {set("fertilizers", `[{"product": "uan", "rate": {"value": 1, "unit": "l/ha"}}]`), 95, false, []string{"fertilizers[0].density_kg_l"}},
		"an own factor asks for its source": {set("fertilizers", `[{"product": "urea", "rate": {"value": 1, "unit": "kg"}, "manual_production_ef": 1.2}]`),
			95, false, []string{"fertilizers[0].manual_ef_note"}},
		"organic soil asks for its share": {set("soil", `{"soil_class": "organic"}`), 95, false, []string{"soil.drained_organic_share_pct"}},
		"shares that do not add up":       {set("residues", `{"management": [{"practice": "removed", "share_pct": 60}]}`), 97.3, false, []string{"residues.management"}}, // 8/3
		"an undeclared core section":      {func(_ testing.TB, a *assessment.Assessment, _ assessment.Sheet) { delete(a.Declarations, "irrigation") }, 95, false, []string{"irrigation[].method", "irrigation[].water_volume"}},
		"an undeclared optional section":  {func(_ testing.TB, a *assessment.Assessment, _ assessment.Sheet) { delete(a.Declarations, "transport") }, 99, true, nil},
		"an incomplete optional section":  {set("transport", `[{"mode": "rail", "weight": {"value": 5, "unit": "t"}}]`), 99.6, true, []string{"transport[0].distance"}},
		"seeds, which require nothing":    {set("seeds", `{"origin": "own"}`), 100, true, nil},
		"seeds with nothing in them":      {set("seeds", `{}`), 99.5, true, nil},
		"a hedge without growth":          {set("perennial_biomass", `[{"system": "hedgerow", "area": {"value": 1, "unit": "ha"}, "planting_year": 2010}]`), 99.8, true, []string{"perennial_biomass[0].growth"}},
		"a hedge without any measure":     {set("perennial_biomass", `[{"system": "hedgerow", "growth": 1, "planting_year": 2010}]`), 99.8, true, []string{"perennial_biomass[0].area"}},
		"counted trees with one stock": {set("perennial_biomass", `[{"system": "windbreak", "growth": 2, "count": 40, "planting_year": 2010,
			"measured_stocks": [{"year": 2020, "t_c": 5}]}]`), 99.9, true, []string{"perennial_biomass[0].measured_stocks"}},
		"a row without a width": {set("perennial_biomass", `[{"system": "windbreak", "growth": 2, "length": {"value": 1, "unit": "km"}, "planting_year": 2010}]`), 99.9, true, []string{"perennial_biomass[0].width_m"}},
		"rows of trees with two stocks": {set("perennial_biomass", `[{"system": "windbreak", "length": {"value": 1, "unit": "km"}, "width_m": 6, "planting_year": 2010,
			"measured_stocks": [{"year": 2020, "t_c": 5}, {"year": 2024, "t_c": 6}]}]`), 100, true, nil},
		"a forest of no zone": {set("land_use_change", `[{"previous_use": "forest", "year": 1990}]`), 99, true, []string{"land_use_change[0].forest_zone"}},
		"rice that is not there": {set("crop", `{"crop_type": "rice_paddy", "harvested_yield": {"value": 8, "unit": "t/ha"}}`),
			86.9, false, []string{"rice.water_regime", "rice.pre_season"}}, // 100/115
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, sheet := read(t, tab, wheat)
			c.change(t, a, sheet)
			state := tab.Complete(a, sheet, today)
			var missing []string
			for _, s := range state.Sections {
				for _, m := range s.Missing {
					missing = append(missing, m.Path)
					require.NotEmpty(t, m.Message)
				}
				require.Equal(t, s.Required-s.Filled, len(s.Missing), s.Section)
			}
			require.Equal(t, c.missing, missing)
			require.InDelta(t, c.percentage, state.Percentage, 1e-9)
			require.Equal(t, c.ready, state.Ready)
		})
	}
}

func TestStrawOfFloodedRiceNeedsItsTime(t *testing.T) {
	t.Parallel()
	tab := table(t)
	a, sheet := read(t, tab, paddy)
	delete(sheet["residues"][0].Values, "straw_incorporation_timing")
	require.Equal(t, "residues.straw_incorporation_timing", stateOf(tab.Complete(a, sheet, today), "residues").Missing[0].Path)
	sheet["rice"][0].Values["water_regime"] = "upland"
	require.True(t, tab.Complete(a, sheet, today).Ready, "upland rice is grown like another cereal")
}

// TestReadyIsThatNothingIsViolated also checks that filling in a section, or declaring it, does not lower the
// percentage.
func TestReadyIsThatNothingIsViolated(t *testing.T) {
	t.Parallel()
	tab := table(t)
	rapid.Check(t, func(r *rapid.T) {
		a, sheet := read(t, tab, wheat)
		for _, s := range tab.Sections() {
			switch rapid.IntRange(0, 3).Draw(r, s.Key) {
			case 0:
				delete(sheet, s.Key)
				delete(a.Declarations, s.Key)
			case 1:
				if s.Shape == assessment.List {
					sheet[s.Key] = append(sheet[s.Key], assessment.Row{Values: assessment.Values{}})
					delete(a.Declarations, s.Key)
				}
			}
		}
		before := tab.Complete(a, sheet, today)
		violations, _ := tab.Submittable(a, sheet, today)
		require.Equal(r, before.Ready, len(violations) == 0)
		require.True(r, before.Percentage >= 0 && before.Percentage <= 100)
		empty := slices.DeleteFunc(tab.Sections(), func(s assessment.Section) bool { return len(sheet[s.Key]) > 0 || !s.Declarable() })
		if len(empty) == 0 {
			return
		}
		a.Declarations[rapid.SampledFrom(empty).Draw(r, "declared").Key] = assessment.DeclaredNone
		require.GreaterOrEqual(r, tab.Complete(a, sheet, today).Percentage, before.Percentage)
	})
}

func TestGroupsAndWhatTheyRequire(t *testing.T) {
	t.Parallel()
	tab := table(t)
	g, err := tab.View("inputs")
	require.NoError(t, err)
	require.Equal(t, []string{"fertilizers", "organic_inputs", "crop_protection", "seeds"}, g.Sections)
	_, err = tab.View("everything")
	require.True(t, fault.Is(err, fault.Invalid))
	require.ErrorContains(t, err, "general, crop, soil, inputs, field_practices, energy, carbon_stocks, results")
	placed := map[string]bool{}
	for _, g := range tab.Groups() {
		for _, s := range g.Sections {
			placed[s] = true
		}
	}
	require.Len(t, placed, 15, "every section stands in a group")

	a, sheet := read(t, tab, wheat)
	rows, _ := tab.Check("fertilizers", tree(t, `[{"product": "urea", "rate": {"value": 1, "unit": "kg/ha"}}, {"product": "custom"}]`))
	sheet["fertilizers"] = rows
	rows, _ = tab.Check("residues", tree(t, `{"management": [{"practice": "removed", "share_pct": 60}]}`))
	sheet["residues"] = rows
	a.GrowingArea = map[string]any{"value": 10.0}
	for group, want := range map[string][]string{
		"general": {"growing_area"}, "crop": nil, "inputs": {"fertilizers"}, "field_practices": {"residues"}, "results": nil,
		"": {"growing_area", "fertilizers", "residues"},
	} {
		wrong, err := tab.Enforce(group, a, sheet, today)
		require.NoError(t, err)
		got := []string{}
		for key := range wrong {
			got = append(got, key)
		}
		require.ElementsMatch(t, want, got, group)
	}
	wrong, _ := tab.Enforce("inputs", a, sheet, today)
	item := wrong["fertilizers"].(fault.Fields)["1"].(fault.Fields)
	require.Len(t, item, 5, "the rate, and what a custom product needs: %v", item)
	_, err = tab.Enforce("everything", a, sheet, today)
	require.Error(t, err)
}
