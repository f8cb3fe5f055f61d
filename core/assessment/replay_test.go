package assessment_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/assessment"
	"tilth/core/ghg"
	"tilth/core/ghg/replay"
	"tilth/core/ghg/report"
)

// exported returns a version as an export holds it: what was entered, the snapshot and the report.
func exported(t require.TestingT, tab *assessment.Table, set *ghg.FactorSet, a *assessment.Assessment, sheet assessment.Sheet) ([]byte, error) {
	in, conversions, violations := tab.Converted(a, sheet, today)
	require.Empty(t, violations)
	result, err := ghg.Calculate(in, set, ghg.Options{Trace: true, Conversions: conversions})
	if err != nil {
		return nil, err
	}
	entered, enteredDigest, err := tab.AsEntered(a, sheet).Text()
	require.NoError(t, err)
	digest, err := in.Digest()
	require.NoError(t, err)
	file, err := json.Marshal(map[string]any{
		"input_digest": digest, "snapshot": in, "entered_digest": enteredDigest, "entered": json.RawMessage(entered),
		"report": report.New(result, report.About{}),
	})
	require.NoError(t, err)
	return file, nil
}

// replayed compares a version with its replay. A result that is not a number has no version.
func replayed(t require.TestingT, tab *assessment.Table, set *ghg.FactorSet, a *assessment.Assessment, sheet assessment.Sheet) {
	file, err := exported(t, tab, set, a, sheet)
	require.NoError(t, err)
	out, err := replay.Version(file)
	require.NoError(t, err)
	require.Nil(t, out.Difference)
}

// TestConversionsAreSteps: what was entered in other units becomes the snapshot by steps that name both, and the steps of
// the engine use them.
func TestConversionsAreSteps(t *testing.T) {
	t.Parallel()
	tab, set := table(t), factors(t)
	a, sheet := readBody(t, tab, modelled(t))
	a.GrowingArea = map[string]any{"value": 20.0, "unit": "acres"}
	a.AverageTemperature = map[string]any{"value": 50.0, "unit": "F"}
	for section, body := range map[string]string{
		"fertilizers": `[{"product": "urea", "rate": {"value": 3, "unit": "t"}, "applied_area_pct": 80},
			{"product": "uan", "rate": {"value": 100, "unit": "l/ha"}, "density_kg_l": 1.3}, {"product": "can", "rate": {"value": 7, "unit": "kg/ha"}}]`,
		"organic_inputs":  `[{"type": "cattle_slurry", "rate": {"value": 30, "unit": "m3/ha"}}]`,
		"crop_protection": `[{"category": "herbicide", "applications": 1, "rate": {"value": 2, "unit": "lb/acre"}, "active_ingredient_pct": 40}]`,
		"irrigation":      `[{"method": "sprinkler", "water_volume": {"value": 100, "unit": "mm"}, "area_pct": 50, "power_source": "diesel", "source": "groundwater"}]`,
		"fuel_energy":     `[{"carrier": "diesel", "amount": {"value": 90, "unit": "gal"}, "manual_ef": 10, "manual_ef_note": "own meter"}]`,
		"transport":       `[{"mode": "truck", "weight": {"value": 11, "unit": "short_ton"}, "distance": {"value": 40, "unit": "mi"}}]`,
		"residues":        `{"management": [{"practice": "incorporated", "share_pct": 33.33}, {"practice": "removed", "share_pct": 33.33}, {"practice": "burned", "share_pct": 33.33}]}`,
		"perennial_biomass": `[{"system": "hedgerow", "length": {"value": 1.5, "unit": "km"}, "width_m": 2, "growth": 1.5, "planting_year": 2015,
			"removed_area": {"value": 500, "unit": "m2"}}]`,
	} {
		rows, wrong := tab.Check(section, tree(t, body))
		require.Empty(t, wrong, section)
		sheet[section] = rows
		delete(a.Declarations, section)
	}
	in, conversions, violations := tab.Converted(a, sheet, today)
	require.Empty(t, violations)
	plain, _, _ := tab.Normalise(a, sheet, today)
	require.Equal(t, plain, in, "who keeps no conversions has the same snapshot")
	equations := map[string]string{}
	for _, step := range conversions {
		if step.Sets != "" {
			equations[step.Sets] = step.Equation
			continue
		}
		require.Contains(t, []string{"area_of_share", "sum_of_shares", "whole"}, step.Step, "a step before another")
	}
	for sets, equation := range map[string]string{
		"general.area_ha": "v * k", "general.temperature_c": "(v - z) * k", "crop.yield_kg": "v * k * A",
		"fertilizers[0].kg_per_ha": "v * k / A", "fertilizers[1].kg_per_ha": "v * rho", "organic_inputs[0].kg_per_ha": "v * k * rho",
		"crop_protection[0].kg_per_ha": "v * k", "irrigation[0].water_m3": "v * k * A",
		"fuel_energy[0].amount": "v * k", "fuel_energy[0].manual_ef": "v / k", "transport[0].weight_t": "v * k / t", "transport[0].distance_km": "v * k",
		"residues.management[2].share_pct": "v * w", "perennial_biomass[0].length_m": "v * k", "perennial_biomass[0].removed_area_ha": "v * k",
		"soil.carbon.history[0].yield_kg_ha": "v * k",
	} {
		require.Equal(t, equation, equations[sets], sets)
	}
	require.NotContains(t, equations, "fertilizers[2].kg_per_ha", "what is entered in the unit of the method is taken as it is")

	file, err := exported(t, tab, set, a, sheet)
	require.NoError(t, err)
	out, err := replay.Version(file)
	require.NoError(t, err)
	require.Nil(t, out.Difference)
	result, err := ghg.Calculate(in, set, ghg.Options{Trace: true, Conversions: conversions})
	require.NoError(t, err)
	used := map[int]bool{}
	for _, step := range result.Trace {
		for _, in := range step.Inputs {
			used[in.From] = true
		}
	}
	for _, step := range conversions {
		if !strings.HasPrefix(step.Sets, "general.temperature") && step.Sets != "organic_inputs[0].kg_per_ha" {
			require.True(t, used[step.Number], "step %d sets %s, which no step uses", step.Number, step.Sets)
		}
	}
	bent := strings.Replace(string(file), `"entered":"sections.transport[0].distance.value"`, `"entered":"sections.transport[0].weight.value"`, 1)
	require.NotEqual(t, string(file), bent)
	out, err = replay.Version([]byte(bent))
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(out.Difference), "unit_conversion of transport[0]")
	require.Contains(t, out.Difference.Text, "what was entered has 11 for sections.transport[0].weight.value")
}
