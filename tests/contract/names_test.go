package contract

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// What GET returns for a record of any kind is accepted whole, by PUT and by PATCH, and changes nothing. So is the
// record as the list shows it. A new kind of record is covered without a change to the test.
func TestWhatIsReadCanBeSentBack(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company(access.RoleOwner, 1000_00)
	furnish(t, s, c)
	role := c.Make("role/", map[string]any{"name": "Crew", "slugs": []string{"field.view"}})
	routes := documentedRoutes(t)
	reads := map[string]bool{}
	for _, r := range routes {
		reads[r.path] = reads[r.path] || r.method == http.MethodGet
	}
	kinds := 0
	for _, r := range routes {
		if !reads[r.path] || r.method != http.MethodPut && r.method != http.MethodPatch {
			continue
		}
		kinds++
		at, id := r.path, ""
		if strings.Contains(r.path, "{") {
			if id = sampleID(t, c, r.path); strings.HasPrefix(r.path, "role/") {
				id = itoa(role) // the built-in roles cannot be changed
			}
			at = parameter.ReplaceAllString(below(t, c, r.path, id), id)
		} else if many := listedAt(t, c, r.path); many != nil { // several at once
			a := c.Do(r.method, r.path, many)
			require.Equal(t, 200, a.Status, "%s %s of what it answered: %s", r.method, r.path, a.Body)
			continue
		}
		before := c.Expect(200, http.MethodGet, at, nil).Map(t)["data"]
		a := c.Do(r.method, at, before)
		require.Equal(t, 200, a.Status, "%s %s of what it answered: %s", r.method, at, a.Body)
		require.Equal(t, lasting(before), lasting(c.Expect(200, http.MethodGet, at, nil).Map(t)["data"]), "%s %s", r.method, at)

		list, below, _ := strings.Cut(r.path, "{")
		if !reads[list] || strings.Count(below, "{") > 0 || !strings.HasSuffix(below, "}/") {
			continue
		}
		for _, listed := range listedAt(t, c, list) {
			if record := listed.(map[string]any); itoa(int64(record["id"].(float64))) == id {
				// PUT would clear or miss what the list leaves out, so only PATCH.
				a := c.Do(http.MethodPatch, at, record)
				require.Equal(t, 200, a.Status, "PATCH %s of what the list shows: %s", at, a.Body)
				require.Equal(t, lasting(before), lasting(c.Expect(200, http.MethodGet, at, nil).Map(t)["data"]), at)
			}
		}
	}
	require.Greater(t, kinds, 20)
}

// listedAt returns the records of a list, or nil for a path that is a single record.
func listedAt(t *testing.T, c *rig.Client, list string) []any {
	t.Helper()
	switch data := c.Expect(200, http.MethodGet, list, nil).Map(t)["data"].(type) {
	case []any:
		return data
	case map[string]any:
		results, _ := data["results"].([]any)
		return results
	}
	return nil
}

// changing are the members that every write, or the background, updates.
var changing = []string{"updated_at", "completeness_computed_at", "completeness_percentage", "is_ready_for_submission"}

func lasting(record any) any {
	object, ok := record.(map[string]any)
	if !ok {
		return record
	}
	out := maps.Clone(object)
	maps.DeleteFunc(out, func(name string, _ any) bool { return slices.Contains(changing, name) })
	return out
}

// The clauses of the specification about ignored names, and the rule about all others.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company(access.RoleOwner, 1000_00)
	land := c.Land(rig.Square(300, 0), "2024-01-01", "2024-12-31")
	cultivation := `{"season_id":` + itoa(land.Season) + `,"crop_id":` + itoa(land.Crop) + `,"field_id":` + itoa(land.Field)
	of := func(kind string, id int64) string { return path(kind, id) }
	order, err := json.Marshal(land.OrderBody())
	require.NoError(t, err)
	withMore := func(more string) string { return strings.TrimSuffix(string(order), "}") + more }

	for _, tt := range []struct {
		method, path, body string
		status             int
		paths              []string // in details, below the code unknown_name
	}{
		// Section 2.2, and 2.1 of created_by_id: not writable.
		{"POST", "cultivation/", cultivation + `,"quality":1,"variety":"x","sowing_date":"2024-04-01","soil_measurements":{},"fertilizer_allowances":[],` +
			`"strobilurin":true,"harvest_date":null,"yield":7,"protein_content":12,"water_status":"dry","n_min":40,"created_by_id":9}`, 200, nil},
		{"PATCH", of("cultivation", land.Cultivation), `{"yield":8,"season":{"id":1},"created_by":7}`, 200, nil},
		{"PATCH", of("cultivation", land.Cultivation), `{"yielt":8}`, 400, []string{"yielt"}},
		{"POST", "farm/", `{"name":"A","created_by_id":3}`, 200, nil},
		// Section 4.3, rule 1: does not apply.
		{"POST", rig.OrdersPath, withMore(`,"field_boundary":{},"output_data_type":"x","no_of_classes":5,"is_background":true}`), 200, nil},
		{"POST", rig.OrdersPath, withMore(`,"no_of_clases":5}`), 400, []string{"no_of_clases"}},
		{"POST", rig.OrdersPath, `{"field_uid":"x"}`, 400, []string{"field_uid"}},
		// Section 4.2: the placeholder figures have no parameters, the dashboard has no filter by one assessment.
		{"GET", assessmentsPath + "ghg-values/?assessment_id=1&anything", "", 200, nil},
		{"GET", assessmentsPath + "sustainability-dashboard/?assessment_id=1", "", 200, nil},
		{"GET", assessmentsPath + "sustainability-dashboard/?asessment_year=2024", "", 400, []string{"asessment_year"}},
		{"GET", assessmentsPath + "?year=2024", "", 400, []string{"year"}},
		// Names that used to be ignored.
		{"GET", "cultivation/?frm=999", "", 400, []string{"frm"}},
		{"PATCH", "user/" + itoa(userID(t, c)) + "/", `{"is_active":false}`, 400, []string{"is_active"}},
		{"DELETE", of("season", land.Season) + "?cascade=true", "", 400, []string{"cascade"}},
		// Bulk requests: 402 for fields and seasons, 400 for others (section 7).
		{"POST", "season/", `{"name":"S","start_date":"2025-01-01","end_date":"2025-12-31","knd":"annual"}`, 400, []string{"knd"}},
		{"POST", "season/", `[{"name":"S","start_date":"2025-01-01","end_date":"2025-12-31","knd":"annual"}]`, 402, []string{"0.knd"}},
		{"POST", "field/", `[{"name":"F","farm_id":` + itoa(land.Farm) + `},{"name":"F","farm_id":` + itoa(land.Farm) + `,"bounday":null}]`, 402, []string{"1.bounday"}},
		{"POST", "farm/", `[{"name":"F","location":{"type":"Point","coordinates":[1,2],"crs":null}},{"name":"F","owner":1}]`, 400, []string{"1.owner"}},
		// All faults of an item, over every stage: its names, its form, the rules, other records.
		{"POST", "field/", `{"nane":"F","farm_id":999999,"declared_area_ha":-1,"boundary":{"type":"Point"},"active_from":"2024-02-01","active_to":"2024-01-01"}`, 400,
			[]string{"nane", "name", "farm_id", "declared_area_ha", "boundary", "active_to"}},
		{"PATCH", of("field", land.Field), `{"nane":"F","farm_id":999999,"declared_area_ha":-1}`, 400, []string{"nane", "farm_id", "declared_area_ha"}},
		{"POST", "fertilization/", `[{"cultivation_id":999999,"amount":{"value":3,"unit":"l/ha","of":"N"},"product":"nothing"},7]`, 400,
			[]string{"0.cultivation_id", "0.amount.of", "0.density_kg_per_l", "0.product", "1.non_field_errors"}},
	} {
		a := c.Do(tt.method, tt.path, tt.body)
		require.Equal(t, tt.status, a.Status, "%s %s %s: %s", tt.method, tt.path, tt.body, a.Body)
		if tt.paths == nil {
			continue
		}
		answer := a.Map(t)
		require.Equal(t, "unknown_name", answer["code"], tt.body)
		for _, p := range tt.paths {
			at := answer["details"]
			for name := range strings.SplitSeq(p, ".") {
				object, _ := at.(map[string]any)
				at = object[name]
			}
			require.NotEmpty(t, at, "%s in %s", p, a.Body)
		}
	}
}

func userID(t *testing.T, c *rig.Client) int64 {
	t.Helper()
	return int64(listedAt(t, c, "user/")[0].(map[string]any)["id"].(float64))
}

// The property that names the fields of an import must exist in the file.
func TestUnknownPropertyOfAnImport(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company(access.RoleOwner, 0)
	farm := newFarm(c)
	file := collection(t, 0, 3, nil)
	wrong := c.Upload(importPath(farm, "&external_id_property=Keyy&name_property=nane"), mediaGeoJSON, strings.NewReader(file))
	require.Equal(t, 400, wrong.Status, "%s", wrong.Body)
	require.Equal(t, "unknown_name", wrong.Map(t)["code"])
	details := wrong.Map(t)["details"].(map[string]any)
	require.Contains(t, details["external_id_property"].([]any)[0], `did you mean "key"?`)
	require.Contains(t, details["name_property"].([]any)[0], `did you mean "name"?`)
	require.Empty(t, listedAt(t, c, "field/"), "nothing is stored")
	require.EqualValues(t, 3, importOf(t, c.Upload(importPath(farm, "&external_id_property=key"), mediaGeoJSON, strings.NewReader(file)), 200).Created)
}
