package contract

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// pooled makes a plan on the map of another plan, with samples that are pooled for the laboratory, and follows it to
// the change between two rounds.
func pooled(t *testing.T, c *rig.Client, other string) {
	t.Helper()
	saved := c.Expect(200, http.MethodGet, savedPlans, nil).Map(t)["data"].([]any)[0].(map[string]any)
	require.Equal(t, other, saved["map_uuid"])
	uuid := c.Expect(200, http.MethodPost, plansPath+"generate/", map[string]any{
		"map_uuid": saved["stratification_map"].(map[string]any)["map_uuid"], "number_of_samples": 9, "zone_offset": 5, "composites_per_zone": 2,
	}).Data(t)["map_uuid"].(string)
	c.Expect(200, http.MethodPost, plansPath+uuid+"/save/", map[string]any{"plan_tag": "pooled"})
	for round := range 2 {
		c.Expect(200, http.MethodPost, samplesPath, map[string]any{"plan": uuid, "round": round + 1, "depths": []any{map[string]any{"from": 0, "to": 30}}})
	}
	of := func(round string) (all []map[string]any, labels []string) {
		for _, one := range c.Expect(200, http.MethodGet, samplesPath+"?round="+round+"&page_size=100&page=1&plan_uuid="+uuid, nil).Map(t)["data"].([]any) {
			one := one.(map[string]any)
			require.Equal(t, one["role"] == "sample", one["composite"] != nil, "%v", one)
			if label, ok := one["composite_label"].(string); ok && !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
			all = append(all, one)
		}
		slices.Sort(labels)
		return all, labels
	}
	all, labels := of("1")
	require.Len(t, labels, 4, "two in each of two zones")
	require.Regexp(t, `^P\d+-Z1-C1-0-30$`, labels[0])

	// The laboratory knows only bags; a result under the label of one point is refused, and so is a place of a bag.
	table := func(labels []string, density string) string {
		out := "label;collected_at;soc_pct;bulk_density_g_cm3\n"
		for i, label := range labels {
			out += label + ";2026-03-01;" + []string{"2.0", "2.5", "3.5", "3.0"}[i] + ";" + density + "\n"
		}
		return out
	}
	var one map[string]any
	for _, sample := range all {
		if sample["composite_label"] == labels[0] {
			one = sample
		}
	}
	refused := c.Upload(samplesPath+"import/", "text/csv", strings.NewReader("label;collected_at;soc_pct\n"+one["label"].(string)+";2026-03-01;2\n"))
	require.Equal(t, 400, refused.Status)
	require.Contains(t, string(refused.Body), labels[0])
	refused = c.Upload(samplesPath+"import/", "text/csv", strings.NewReader("label;lon;lat\n"+labels[0]+";6;52\n"))
	require.Contains(t, string(refused.Body), "A composite has no place")
	path := samplesPath + itoa(int64(one["id"].(float64))) + "/"
	refused = c.Expect(400, http.MethodPatch, path, map[string]any{"collected": map[string]any{}, "lab": map[string]any{"soc_pct": 2}})
	require.Contains(t, string(refused.Body), "import the result under the label "+labels[0])
	require.Contains(t, c.Expect(400, http.MethodPatch, path, map[string]any{"composite": "Z9-C1"}).Map(t)["details"], "composite")

	stored := c.Upload(samplesPath+"import/", "text/csv", strings.NewReader(table(labels, "1.30"))).Data(t)
	require.EqualValues(t, 4, stored["updated"], "%v", stored)
	require.Contains(t, stored["rows"].([]any)[0].(map[string]any)["notes"].([]any)[0], "the composite of")
	again := c.Upload(samplesPath+"import/", "text/csv", strings.NewReader(table(labels, "1.30"))).Data(t)
	require.EqualValues(t, 4, again["skipped"], "%v", again)

	path = "soil/stratification/sample-plan/" + uuid + "/estimate/?depth_from=0&depth_to=30"
	estimate := c.Expect(200, http.MethodGet, path, nil).Data(t)
	stock := estimate["stock"].(map[string]any)
	require.Equal(t, []any{9.0, []any{}}, []any{stock["n"], stock["reasons"]})
	for _, zone := range stock["zones"].([]any) {
		require.EqualValues(t, 2, zone.(map[string]any)["composites"])
		require.EqualValues(t, 1, zone.(map[string]any)["degrees_of_freedom"])
	}
	require.NotNil(t, stock["aoi"].(map[string]any)["standard_error"])
	require.Contains(t, stock["fields"].([]any)[0].(map[string]any)["reason"], "composites")
	require.Nil(t, estimate["equivalent_stock"])

	_, labels = of("2")
	require.Regexp(t, `^P\d+-r2-Z1-C1-0-30$`, labels[0])
	require.EqualValues(t, 4, c.Upload(samplesPath+"import/", "text/csv", strings.NewReader(table(labels, "1.35"))).Data(t)["updated"])
	change := c.Expect(200, http.MethodGet, path+"&round=2&compare="+uuid, nil).Data(t)["change"].(map[string]any)["stock"].(map[string]any)
	for _, zone := range change["zones"].([]any) {
		require.Equal(t, []any{true, 2.0}, []any{zone.(map[string]any)["paired"], zone.(map[string]any)["pairs"]})
	}
	require.Positive(t, change["aoi"].(map[string]any)["mean"])

	for _, file := range []string{"export/?format=labels", "export/?format=pdf", "export/?format=qfield", "export/?format=csv"} {
		got := c.Expect(200, http.MethodGet, "soil/stratification/sample-plan/"+uuid+"/"+file, nil)
		require.NotEmpty(t, got.Body, file)
	}
	require.Contains(t, string(c.Expect(200, http.MethodGet, "soil/stratification/sample-plan/"+uuid+"/export/?format=csv", nil).Body), "Z1-C1")
}
