package assessment_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/core/assessment"
)

// table is the real one, from the mapping the engine uses.
func table(t testing.TB) *assessment.Table {
	t.Helper()
	m, err := engine.Mapping()
	require.NoError(t, err)
	return assessment.NewTable(m)
}

func tree(t testing.TB, text string) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	return v
}

var today = assessment.Facts{Now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), ResourceLive: true}

// wheat is the first worked example of the design, written from its text: winter wheat,
// 10 ha, 8 t/ha, in France.
const wheat = `{"resource_type": "field", "resource_id": 1, "assessment_year": 2024, "growing_area": {"value": 10, "unit": "ha"},
 "average_temperature": {"value": 9.5, "unit": "celsius"}, "climate_region": "cool_temperate_moist", "farm_country": "france",
 "submitted_data_quality": "all_actual_data", "crop": {"crop_type": "winter_wheat", "harvested_yield": {"value": 8, "unit": "t/ha"}},
 "soil": {"soil_class": "high_activity_clay"},
 "fertilizers": [{"product": "urea", "rate": {"value": 200, "unit": "kg/ha"}, "production_region": "europe"}],
 "residues": {"management": [{"practice": "left_on_field", "share_pct": 100}]},
 "fuel_energy": [{"carrier": "diesel", "amount": {"value": 900, "unit": "l"}}],
 "crop_protection": [{"category": "herbicide", "applications": 3}],
 "land_management": {"tillage": "full", "carbon_inputs": "medium", "no_change_20y": true},
 "section_declarations": {"organic_inputs": "none", "seeds": "none", "irrigation": "none", "machinery": "none", "transport": "none",
  "land_use_change": "none", "perennial_biomass": "none"}}`

// paddy is the second worked example, as it is printed.
const paddy = `{"resource_type": "field", "resource_id": 1, "assessment_year": 2024, "growing_area": {"value": 2, "unit": "ha"},
 "average_temperature": {"value": 26, "unit": "celsius"}, "climate_region": "tropical_moist", "farm_country": "india",
 "submitted_data_quality": "all_actual_data", "crop": {"crop_type": "rice_paddy", "harvested_yield": {"value": 5.5, "unit": "t/ha"}, "growing_cycles": 1},
 "soil": {"soil_class": "high_activity_clay"}, "fertilizers": [{"product": "urea", "rate": {"value": 220, "unit": "kg/ha"}}],
 "organic_inputs": [{"type": "cattle_manure", "rate": {"value": 5, "unit": "t/ha"}, "days_before_planting": 20, "origin": "own"}],
 "crop_protection": [{"category": "herbicide", "applications": 1}, {"category": "insecticide", "applications": 1}], "seeds": {"rate": {"value": 40, "unit": "kg/ha"}, "origin": "purchased"},
 "residues": {"management": [{"practice": "incorporated", "share_pct": 60}, {"practice": "removed", "share_pct": 40}], "straw_incorporation_timing": "lt_30d"},
 "rice": {"water_regime": "continuously_flooded", "pre_season": "non_flooded_lt_180d"},
 "irrigation": [{"method": "flood", "water_volume": {"value": 12000, "unit": "m3/ha"}, "power_source": "electric", "source": "groundwater", "pumping_head_m": 12}],
 "fuel_energy": [{"carrier": "diesel", "amount": {"value": 90, "unit": "l"}, "purpose": "field"}], "land_management": {"tillage": "full", "carbon_inputs": "medium", "no_change_20y": true},
 "section_declarations": {"machinery": "none", "transport": "none", "land_use_change": "none", "perennial_biomass": "none"}}`

// read takes a body as the interface does: the general part, the sections, and what is
// declared.
func read(t testing.TB, tab *assessment.Table, text string) (*assessment.Assessment, assessment.Sheet) {
	t.Helper()
	body, _ := tree(t, text).(map[string]any)
	return readBody(t, tab, body)
}

func readBody(t testing.TB, tab *assessment.Table, body map[string]any) (*assessment.Assessment, assessment.Sheet) {
	t.Helper()
	a := &assessment.Assessment{Status: assessment.Draft}
	word := func(key string) string { s, _ := body[key].(string); return s }
	a.ResourceType = assessment.ResourceType(word("resource_type"))
	id, _ := body["resource_id"].(float64)
	a.ResourceID = int64(id)
	if year, ok := body["assessment_year"].(float64); ok {
		y := int(year)
		a.Year = &y
	}
	a.GrowingArea, _ = body["growing_area"].(map[string]any)
	a.AverageTemperature, _ = body["average_temperature"].(map[string]any)
	a.ClimateRegion, a.FarmCountry, a.DataQuality = word("climate_region"), word("farm_country"), word("submitted_data_quality")
	require.Empty(t, a.CheckGeneral())
	sheet := assessment.Sheet{}
	for _, s := range tab.Sections() {
		rows, wrong := tab.Check(s.Key, body[s.Key])
		require.Empty(t, wrong, s.Key)
		if len(rows) > 0 {
			sheet[s.Key] = rows
		}
	}
	declarations, wrong := tab.CheckDeclarations(body["section_declarations"], sheet)
	require.Empty(t, wrong)
	a.Declarations = declarations
	return a, sheet
}

func codes(findings []assessment.Finding) []string {
	out := []string{}
	for _, f := range findings {
		out = append(out, f.Code+" "+f.Path)
	}
	return out
}
