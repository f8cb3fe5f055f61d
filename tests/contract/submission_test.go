package contract

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// wheatAssessment is the worked example of ghg.md, 3.11.
const wheatAssessment = `{"assessment_year": 2024, "growing_area": {"value": 10, "unit": "ha"}, "average_temperature": {"value": 9, "unit": "celsius"},
 "climate_region": "cool_temperate_moist", "farm_country": "france", "submitted_data_quality": "all_actual_data",
 "crop": {"crop_type": "winter_wheat", "harvested_yield": {"value": 8, "unit": "t/ha"}}, "soil": {"soil_class": "high_activity_clay"},
 "fertilizers": [{"product": "urea", "rate": {"value": 200, "unit": "kg/ha"}, "production_region": "europe"}],
 "crop_protection": [{"category": "herbicide", "applications": 3}],
 "residues": {"management": [{"practice": "left_on_field", "share_pct": 100}]},
 "fuel_energy": [{"carrier": "diesel", "amount": {"value": 900, "unit": "l"}, "purpose": "field"}],
 "land_management": {"tillage": "full", "carbon_inputs": "medium", "no_change_20y": true},
 "section_declarations": {"organic_inputs": "none", "irrigation": "none", "seeds": "none", "machinery": "none", "transport": "none",
 "land_use_change": "none", "perennial_biomass": "none"}}`

// wheatBody is the body for a farm or field.
func wheatBody(t testing.TB, resource string, id int64) map[string]any {
	t.Helper()
	body := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(wheatAssessment), &body))
	body["resource_type"], body["resource_id"] = resource, id
	return body
}

func submitPath(id int64) string { return assessmentAt(id) + "submit/" }

func TestSubmitting(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		farm := c.Make("farm/", map[string]any{"name": "Ferme de l’Étang"})
		id, _ := assess(t, c, wheatBody(t, "farm", farm))

		done := c.Expect(200, http.MethodPost, submitPath(id), nil).Data(t)
		require.EqualValues(t, 1, done["version"])
		require.Equal(t, false, done["unchanged"])
		record := done["assessment"].(map[string]any)
		require.Equal(t, "submitted", record["status"])
		require.Equal(t, "done", record["calculation_status"])
		require.EqualValues(t, 1, record["submitted_version"])
		require.EqualValues(t, 100, record["completeness_percentage"], "worked out with the submission")

		again := c.Expect(200, http.MethodPost, submitPath(id), nil).Data(t)
		require.Equal(t, true, again["unchanged"])
		require.Equal(t, record["updated_at"], again["assessment"].(map[string]any)["updated_at"], "nothing was stored")
	})
}
