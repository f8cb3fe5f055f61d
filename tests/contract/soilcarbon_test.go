package contract

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// TestMeasuredSoilCarbon checks that the change between two rounds of sampling is the soil carbon of an assessment of the
// same field, as the plan's estimate states it; another company's plan, another area and another period are refused by field.
func TestMeasuredSoilCarbon(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company(access.RoleOwner, 1000_00)
		s.Subscribe(c)
		plan := sampled(t, c)
		c.Expect(200, http.MethodPost, samplesPath, map[string]any{"plan": plan, "round": 2, "depths": []any{map[string]any{"from": 0, "to": 30}, map[string]any{"from": 30, "to": 60}}})
		for round, day := range map[string]string{"1": "2019-03-01", "2": "2024-03-01"} {
			var table strings.Builder
			table.WriteString("label;collected_at;soc_pct;bulk_density_g_cm3;coarse_fragments_pct\n")
			for i, r := range c.Expect(200, http.MethodGet, samplesPath+"?round="+round+"&plan_uuid="+plan, nil).Map(t)["data"].([]any) {
				row, soc := r.(map[string]any), []string{"2.0", "2.5", "3.0", "1.8"}[i%4]
				if round == "2" {
					soc = []string{"2.1", "2.7", "3.1", "2.0"}[i%4]
				}
				if row["role"] == "sample" {
					table.WriteString(row["label"].(string) + ";" + day + ";" + soc + ";1.3;10\n")
				}
			}
			require.EqualValues(t, 16, c.Upload(samplesPath+"import/", "text/csv", strings.NewReader(table.String())).Data(t)["updated"])
		}
		estimate := c.Expect(200, http.MethodGet, "soil/stratification/sample-plan/"+plan+
			"/estimate/?round=2&compare="+plan+"&compare_round=1&confidence=0.95&depth_from=0&depth_to=30", nil).Data(t)
		change := estimate["change"].(map[string]any)["stock"].(map[string]any)["aoi"].(map[string]any)

		field := c.Expect(200, http.MethodGet, "field/", nil).Data(t)["results"].([]any)[0].(map[string]any)["id"]
		soil := map[string]any{"soil_class": "high_activity_clay", "carbon_method": "measured", "sample_plan": plan, "sample_round": 2}
		body := plainWheat(t)
		body["resource_type"], body["resource_id"], body["soil"] = "field", field, soil
		body["growing_area"] = map[string]any{"value": estimate["area_ha"], "unit": "ha"}
		id, _ := assess(t, c, body)
		report := c.Expect(200, http.MethodGet, assessmentAt(id)+"impact-report/", nil).Data(t)
		carbon := report["soil_carbon"].(map[string]any)
		require.Equal(t, "measured", carbon["method"])
		estimates := carbon["estimates"].([]any)
		used := estimates[len(estimates)-1].(map[string]any)
		years := 1827 / 365.25
		require.InDelta(t, change["mean"].(float64)/years, used["change_t_c_ha_yr"], 1e-4)
		require.InDelta(t, change["low"].(float64)/years, used["low"], 1e-4)
		require.InDelta(t, change["high"].(float64)/years, used["high"], 1e-4)
		require.Equal(t, "tier_1", estimates[0].(map[string]any)["method"])
		require.Equal(t, "soil_carbon", report["removals_by_source"].([]any)[0].(map[string]any)["label"])
		version := c.Expect(200, http.MethodPost, assessmentAt(id)+"submit/", nil).Data(t)
		require.Equal(t, false, version["assessment"].(map[string]any)["has_unsubmitted_changes"])
		c.Expect(200, http.MethodPatch, assessmentAt(id), map[string]any{"farm_country": "france"})
		require.Equal(t, false, c.Expect(200, http.MethodGet, assessmentAt(id), nil).Data(t)["has_unsubmitted_changes"], "the same samples are the same content")

		refused := func(c *rig.Client, id int64, path string) {
			t.Helper()
			for _, answer := range []rig.Answer{
				c.Expect(400, http.MethodPost, assessmentAt(id)+"submit/", nil), c.Expect(400, http.MethodGet, assessmentAt(id)+"impact-report/", nil),
			} {
				require.Contains(t, string(answer.Body), `"path":"`+path+`"`)
			}
		}
		for path, changes := range map[string]map[string]any{
			"growing_area":     {"growing_area": map[string]any{"value": estimate["area_ha"].(float64) * 2, "unit": "ha"}},
			"soil.since_round": {"soil": map[string]any{"soil_class": "sandy", "carbon_method": "measured", "sample_plan": plan, "sample_round": 1, "since_round": 2}},
			"soil.sample_plan": {"soil": map[string]any{"soil_class": "sandy", "carbon_method": "measured", "sample_plan": "no uuid"}},
		} {
			wrong := plainWheat(t)
			wrong["resource_type"], wrong["resource_id"], wrong["soil"] = "field", field, soil
			wrong["growing_area"] = body["growing_area"]
			for k, v := range changes {
				wrong[k] = v
			}
			id, _ := assess(t, c, wrong)
			refused(c, id, path)
		}
		other := s.Company(access.RoleOwner, 0)
		body["resource_id"] = other.Make("field/", map[string]any{"name": "Theirs", "farm_id": newFarm(other)})
		theirs, _ := assess(t, other, body)
		refused(other, theirs, "soil.sample_plan")
	})
}

func plainWheat(t *testing.T) (body map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(rig.Wheat), &body))
	return body
}
