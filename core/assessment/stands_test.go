package assessment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/assessment"
	"tilth/core/ghg"
)

// withStands returns the assessment of a wheat field that has perennial plants, too.
func withStands(t *testing.T, tab *assessment.Table, body string) (*assessment.Assessment, assessment.Sheet) {
	t.Helper()
	a, sheet := read(t, tab, wheat)
	rows, wrong := tab.Check("perennial_biomass", tree(t, body))
	require.Empty(t, wrong)
	sheet["perennial_biomass"] = rows
	delete(a.Declarations, "perennial_biomass")
	return a, sheet
}

// TestRemovalsAreBoundedByTheLand: the first is the hedge of 1,000 ha on a farm of 10 ha, which removed 183,333 t.
func TestRemovalsAreBoundedByTheLand(t *testing.T) {
	t.Parallel()
	tab := table(t)
	mapped := 12.0
	for name, c := range map[string]struct {
		body     string
		facts    func(*assessment.Facts)
		blocked  []string
		warnings []string
	}{
		"a hedge larger than the farm": {body: `[{"system": "hedgerow", "area": {"value": 1000, "unit": "ha"}, "growth": 5, "planting_year": 2015}]`,
			blocked: []string{"stands_exceed_land perennial_biomass"}},
		"two stands together": {body: `[{"system": "orchard", "area": {"value": 6, "unit": "ha"}, "planting_year": 2015}, {"system": "vineyard", "area": {"value": 60000, "unit": "m2"}, "planting_year": 2015}]`,
			blocked: []string{"stands_exceed_land perennial_biomass"}},
		"the map is larger than what is grown": {body: `[{"system": "orchard", "area": {"value": 12, "unit": "ha"}, "planting_year": 2015}]`, facts: func(f *assessment.Facts) { f.MappedAreaHa = &mapped }},
		"a long hedge": {body: `[{"system": "hedgerow", "length": {"value": 60, "unit": "km"}, "width_m": 2, "growth": 5, "planting_year": 2015}]`,
			blocked: []string{"stands_exceed_land perennial_biomass"}},
		"a hedge of the usual length": {body: `[{"system": "hedgerow", "length": {"value": 800, "unit": "m"}, "width_m": 3, "growth": 5, "planting_year": 2015}]`},
		"counted trees that need more land than there is": {body: `[{"system": "orchard", "count": 5, "planting_year": 2010, "measured_stocks": [{"year": 2020, "t_c": 0}, {"year": 2024, "t_c": 1000000}]}]`,
			blocked: []string{"stands_exceed_land perennial_biomass"}},
		"evidence does not make land": {body: `[{"system": "orchard", "count": 5, "planting_year": 2010, "evidence": "see", "measured_stocks": [{"year": 2020, "t_c": 0}, {"year": 2024, "t_c": 1000000}]}]`,
			blocked: []string{"stands_exceed_land perennial_biomass"}},
		"more grubbed up than there was": {body: `[{"system": "orchard", "area": {"value": 1, "unit": "ha"}, "removed_area": {"value": 2, "unit": "ha"}, "planting_year": 2015}]`,
			blocked: []string{"removed_exceeds_stand perennial_biomass[0].removed_area"}},
		"more trees grubbed up than there is land": {body: `[{"system": "orchard", "count": 1, "planting_year": 2015, "measured_stocks": [{"year": 2023, "t_c": 1}, {"year": 2024, "t_c": 2}], "removed_area": {"value": 11, "unit": "ha"}}]`,
			blocked: []string{"removed_exceeds_stand perennial_biomass[0].removed_area"}},
		"growth of no hedge": {body: `[{"system": "hedgerow", "area": {"value": 1, "unit": "ha"}, "growth": 50, "planting_year": 2015}]`,
			blocked: []string{"growth_implausible perennial_biomass[0].growth"}},
		"growth with evidence": {body: `[{"system": "hedgerow", "area": {"value": 1, "unit": "ha"}, "growth": 9, "planting_year": 2015, "evidence": "Measured by the institute, 2023."}]`,
			warnings: []string{"growth_beyond_plausible perennial_biomass[0].growth"}},
		"measured growth of no orchard": {body: `[{"system": "orchard", "area": {"value": 1, "unit": "ha"}, "planting_year": 2010, "measured_stocks": [{"year": 2022, "t_c": 0}, {"year": 2024, "t_c": 20}]}]`,
			blocked: []string{"growth_implausible perennial_biomass[0].measured_stocks"}},
		"stocks of long ago": {body: `[{"system": "orchard", "area": {"value": 1, "unit": "ha"}, "planting_year": 2000, "measured_stocks": [{"year": 2010, "t_c": 5}, {"year": 2018, "t_c": 6}]}]`,
			blocked: []string{"stocks_of_other_years perennial_biomass[0].measured_stocks"}},
		"stocks of five years ago": {body: `[{"system": "orchard", "area": {"value": 1, "unit": "ha"}, "planting_year": 2000, "measured_stocks": [{"year": 2010, "t_c": 5}, {"year": 2019, "t_c": 6}]}]`},
		"stocks of later years": {body: `[{"system": "orchard", "area": {"value": 1, "unit": "ha"}, "planting_year": 2000, "measured_stocks": [{"year": 2025, "t_c": 5}, {"year": 2026, "t_c": 6}]}]`,
			blocked: []string{"stocks_of_other_years perennial_biomass[0].measured_stocks"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, sheet := withStands(t, tab, c.body)
			facts := today
			if c.facts != nil {
				c.facts(&facts)
			}
			violations, warnings := tab.Submittable(a, sheet, facts)
			require.ElementsMatch(t, c.blocked, codes(violations))
			require.ElementsMatch(t, c.warnings, codes(warnings))
			state := tab.Complete(a, sheet, facts)
			require.Equal(t, len(c.blocked) == 0, state.Ready)
			status := map[bool]assessment.SectionStatus{true: assessment.Complete, false: assessment.InProgress}[len(c.blocked) == 0]
			require.Equal(t, status, stateOf(state, "perennial_biomass").Status)
		})
	}
}

// TestGrowthOfEveryZone: the table's own growth of a system is plausible in every zone.
func TestGrowthOfEveryZone(t *testing.T) {
	t.Parallel()
	tab := table(t)
	for _, zone := range assessment.ClimateRegions {
		for _, system := range []string{"orchard", "vineyard", "agroforestry", "shade_trees"} {
			a, sheet := read(t, tab, wheat)
			a.ClimateRegion = zone
			body := `[{"system": "` + system + `", "area": {"value": 1, "unit": "ha"}, "planting_year": 2022}]`
			sheet["perennial_biomass"], _ = tab.Check("perennial_biomass", tree(t, body))
			in, _, violations := tab.Normalise(a, sheet, today)
			require.Empty(t, violations)
			result, err := ghg.Calculate(in, factors(t), ghg.Options{})
			require.NoError(t, err)
			sheet["perennial_biomass"][0].Values["growth"] = result.Removed * 12 / 44 / 1000
			violations, _ = tab.Submittable(a, sheet, today)
			require.Empty(t, violations, "%s in %s", system, zone)
		}
	}
}

// TestARowHasTheAreaOfItsLengthAndWidth: 800 m x 2.5 m are 0.2 ha, as a step of the trace.
func TestARowHasTheAreaOfItsLengthAndWidth(t *testing.T) {
	t.Parallel()
	tab := table(t)
	a, sheet := read(t, tab, wheat)
	sheet["perennial_biomass"], _ = tab.Check("perennial_biomass", tree(t, `[{"system": "hedgerow", "length": {"value": 0.8, "unit": "km"}, "width_m": 2.5, "growth": 3, "planting_year": 2015}]`))
	in, warnings, _ := tab.Normalise(a, sheet, today)
	require.Empty(t, warnings)
	result, err := ghg.Calculate(in, factors(t), ghg.Options{Trace: true})
	require.NoError(t, err)
	require.InDelta(t, 0.2*3*1000*44/12, result.Removed, 1e-9)
	steps := map[string]float64{}
	for _, line := range result.Trace {
		steps[line.Step] = line.Result
	}
	require.InDelta(t, 0.2, steps["row_area"], 1e-12)
}

// TestHalfAnAreaIsNone: the refused submission was a stand whose area had only a unit, beside a count.
func TestHalfAnAreaIsNone(t *testing.T) {
	t.Parallel()
	tab := table(t)
	for name, c := range map[string]struct{ body, missing string }{
		"a count beside":     {body: `[{"system": "shade_trees", "area": {"unit": "ha"}, "count": 12, "growth": 0.6, "planting_year": 2022}]`, missing: "perennial_biomass[0].measured_stocks"},
		"nothing beside":     {body: `[{"system": "shade_trees", "area": {"unit": "ha"}, "growth": 0.6, "planting_year": 2022}]`, missing: "perennial_biomass[0].area"},
		"a length beside":    {body: `[{"system": "hedgerow", "area": {"unit": "ha"}, "length": {"value": 800, "unit": "m"}, "growth": 0.6, "planting_year": 2022}]`, missing: "perennial_biomass[0].width_m"},
		"a length of a unit": {body: `[{"system": "hedgerow", "length": {"unit": "m"}, "width_m": 3, "growth": 0.6, "planting_year": 2022}]`, missing: "perennial_biomass[0].area"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, sheet := withStands(t, tab, c.body)
			var missing []string
			for _, m := range stateOf(tab.Complete(a, sheet, today), "perennial_biomass").Missing {
				missing = append(missing, m.Path)
			}
			require.Contains(t, missing, c.missing)
			in, warnings, violations := tab.Normalise(a, sheet, today)
			require.Empty(t, violations)
			require.Contains(t, codes(warnings), "incomplete perennial_biomass[0]")
			require.Empty(t, in.PerennialBiomass, "left out")
		})
	}
}
