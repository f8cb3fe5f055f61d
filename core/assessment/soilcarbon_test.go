package assessment_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/assessment"
	"tilth/core/assessment/climate"
	"tilth/core/ghg"
)

// modelled is the worked example of docs/ghg.md as a body; its months are given backwards.
func modelled(t *testing.T) map[string]any {
	t.Helper()
	body, _ := tree(t, wheat).(map[string]any)
	soil, _ := tree(t, `{"soil_class": "high_activity_clay", "sand_pct": 25, "carbon_method": "tier_2_steady_state", "carbon_history": [
	  {"first_year": 2000, "last_year": 2019, "tillage": "full", "crop_type": "winter_wheat", "yield_t_ha": 7, "residue_returned_pct": 0},
	  {"first_year": 2020, "last_year": 2023, "tillage": "reduced", "crop_type": "winter_wheat", "yield_t_ha": 8}]}`).(map[string]any)
	temperature := []float64{4, 4.5, 6.5, 9, 12, 15, 17.5, 17, 14.5, 11, 7, 4.5}
	rain := []float64{65, 50, 45, 50, 50, 55, 50, 60, 55, 75, 75, 70}
	pet := []float64{15, 20, 40, 60, 85, 100, 105, 90, 60, 30, 15, 10}
	var months []any
	for i := 11; i >= 0; i-- {
		months = append(months, map[string]any{"month": float64(i + 1), "temperature_c": temperature[i], "precipitation_mm": rain[i], "pet_mm": pet[i]})
	}
	soil["monthly_climate"], body["soil"] = months, soil
	land, _ := body["land_management"].(map[string]any)
	land["tillage"] = "reduced"
	return body
}

func TestSoilCarbonIsNormalised(t *testing.T) {
	t.Parallel()
	tab := table(t)
	a, sheet := readBody(t, tab, modelled(t))
	violations, _ := tab.Submittable(a, sheet, today)
	require.Empty(t, violations)
	in, _, obstacles := tab.Normalise(a, sheet, today)
	require.Empty(t, obstacles)
	c := in.Soil.Carbon
	require.Equal(t, ghg.SoilTier2, c.Method)
	require.Len(t, c.Climate, 1)
	require.Equal(t, ghg.ClimateMonth{TemperatureC: 4, PrecipitationMm: 65, PETMm: 15}, c.Climate[0].Months[0], "January first")
	require.InDelta(t, 7000, c.History[0].YieldKgHa, 0)
	plain, sheet := read(t, tab, wheat)
	in, _, _ = tab.Normalise(plain, sheet, today)
	require.Nil(t, in.Soil.Carbon, "the snapshot of who asks for nothing is that of before")
	text, err := json.Marshal(in.Soil)
	require.NoError(t, err)
	require.JSONEq(t, `{"class": "high_activity_clay"}`, string(text))
}

// TestSoilCarbonIsAskedFor: completeness names what the method lacks, submission what does not fit.
func TestSoilCarbonIsAskedFor(t *testing.T) {
	t.Parallel()
	tab := table(t)
	a, sheet := read(t, tab, wheat)
	sheet["soil"][0].Values["carbon_method"] = ghg.SoilTier2
	var missing []string
	for _, m := range stateOf(tab.Complete(a, sheet, today), "soil").Missing {
		missing = append(missing, m.Path)
	}
	require.Equal(t, []string{"soil.sand_pct", "soil.monthly_climate", "soil.carbon_history"}, missing)

	for name, c := range map[string]struct {
		change func(soil assessment.Values)
		want   string
	}{
		"a month is missing": {func(s assessment.Values) { list, _ := s["monthly_climate"].([]any); s["monthly_climate"] = list[1:] }, "soil_carbon_input soil.monthly_climate"},
		"a month twice": {func(s assessment.Values) {
			list, _ := s["monthly_climate"].([]any)
			s["monthly_climate"] = append(slices.Clone(list), list[3])
		}, "month_twice soil.monthly_climate[12].month"},
		"a gap":                 {func(s assessment.Values) { item(s, "carbon_history", 1)["first_year"] = 2021.0 }, "soil_carbon_input soil.carbon_history[1].first_year"},
		"an old end":            {func(s assessment.Values) { item(s, "carbon_history", 1)["last_year"] = 2022.0 }, "soil_carbon_input soil.carbon_history"},
		"no crop and no carbon": {func(s assessment.Values) { delete(item(s, "carbon_history", 0), "crop_type") }, "soil_carbon_input soil.carbon_history[0].crop_type"},
		"a long run-in": {func(s assessment.Values) {
			s["run_in_years"] = 20.0
			item(s, "carbon_history", 0)["first_year"] = 2010.0
		}, "soil_carbon_input soil.run_in_years"},
		"a short run-in": {func(s assessment.Values) { list, _ := s["carbon_history"].([]any); s["carbon_history"] = list[1:] }, "soil_carbon_input soil.run_in_years"},
		"organic soil":   {func(s assessment.Values) { s["soil_class"], s["drained_organic_share_pct"] = "organic", 10.0 }, "method_unknown soil.carbon_method"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, sheet := readBody(t, tab, modelled(t))
			soil := maps.Clone(sheet["soil"][0].Values)
			c.change(soil)
			sheet["soil"][0].Values = soil
			violations, _ := tab.Submittable(a, sheet, today)
			require.Contains(t, codes(violations), c.want)
			require.NotEqual(t, assessment.Complete, stateOf(tab.Complete(a, sheet, today), "soil").Status)
		})
	}
	for _, wrong := range []string{
		`{"sand_pct": 101}`, `{"monthly_climate": [{"month": 13}]}`, `{"monthly_climate": [{"temperature_c": 60.5}]}`, `{"monthly_climate": [{"temperature_c": -61}]}`,
		`{"monthly_climate": [{"pet_mm": -1}]}`, `{"carbon_input": 51}`, `{"carbon_history": [{"tillage": "some"}]}`, `{"carbon_method": "tier_3"}`, `{"run_in_years": 4}`,
	} {
		_, fields := tab.Check("soil", tree(t, wrong))
		require.NotEmpty(t, fields, wrong)
	}
}

func item(v assessment.Values, key string, i int) map[string]any {
	list, _ := v[key].([]any)
	m, _ := list[i].(map[string]any)
	return m
}

// TestClimateOfTheOperator: the climate of the file is used where nobody entered one and the method asks for it.
func TestClimateOfTheOperator(t *testing.T) {
	t.Parallel()
	tab := table(t)
	facts := today
	facts.Climate = &climate.Found{ClimateSource: ghg.ClimateSource{Source: "normals", Latitude: 50}, Months: make([]ghg.ClimateMonth, 12)}
	facts.Climate.Months[2].TemperatureC = 5
	body := modelled(t)
	soil := body["soil"].(map[string]any)
	own := soil["monthly_climate"]
	delete(soil, "monthly_climate")
	a, sheet := readBody(t, tab, body)
	require.True(t, sheet.WantsClimate())
	violations, _ := tab.Submittable(a, sheet, facts)
	require.Empty(t, violations)
	require.Equal(t, assessment.Complete, stateOf(tab.Complete(a, sheet, facts), "soil").Status)
	in, _, _ := tab.Normalise(a, sheet, facts)
	require.Equal(t, &facts.Climate.ClimateSource, in.Soil.Carbon.ClimateSource)
	require.Equal(t, []ghg.ClimateYear{{Months: facts.Climate.Months}}, in.Soil.Carbon.Climate)
	require.NotContains(t, sheet["soil"][0].Values, "monthly_climate", "what was entered stays as it is")
	violations, _ = tab.Submittable(a, sheet, today)
	require.Equal(t, "soil.monthly_climate", violations[0].Path)

	soil["monthly_climate"] = own
	a, sheet = readBody(t, tab, body)
	in, _, _ = tab.Normalise(a, sheet, facts)
	require.Nil(t, in.Soil.Carbon.ClimateSource, "own values win")
	require.InDelta(t, 6.5, in.Soil.Carbon.Climate[0].Months[2].TemperatureC, 0)
	plain, sheet := read(t, tab, wheat)
	in, _, _ = tab.Normalise(plain, sheet, facts)
	require.Nil(t, in.Soil.Carbon)
}
