package contract

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

const assessmentsPath = "ghg/assessments/"

// riceAssessment is a body with every section filled or declared: ghg.md, 3.12.
const riceAssessment = `{"assessment_year": 2024, "growing_area": {"value": 2, "unit": "ha"}, "average_temperature": {"value": 26, "unit": "celsius"},
 "climate_region": "tropical_moist", "farm_country": "india", "submitted_data_quality": "all_actual_data",
 "crop": {"crop_type": "rice_paddy", "harvested_yield": {"value": 5.5, "unit": "t/ha"}, "growing_cycles": 1}, "soil": {"soil_class": "high_activity_clay"},
 "fertilizers": [{"product": "urea", "rate": {"value": 220, "unit": "kg/ha"}}],
 "organic_inputs": [{"type": "cattle_manure", "rate": {"value": 5, "unit": "t/ha"}, "days_before_planting": 20, "origin": "own"}],
 "crop_protection": [{"category": "herbicide", "applications": 1}, {"category": "insecticide", "applications": 1}],
 "seeds": {"rate": {"value": 40, "unit": "kg/ha"}, "origin": "purchased"},
 "residues": {"management": [{"practice": "incorporated", "share_pct": 60}, {"practice": "removed", "share_pct": 40}], "straw_incorporation_timing": "lt_30d"},
 "rice": {"water_regime": "continuously_flooded", "pre_season": "non_flooded_lt_180d"},
 "irrigation": [{"method": "flood", "water_volume": {"value": 12000, "unit": "m3/ha"}, "power_source": "electric", "source": "groundwater", "pumping_head_m": 12}],
 "fuel_energy": [{"carrier": "diesel", "amount": {"value": 90, "unit": "l"}, "purpose": "field"}],
 "land_management": {"tillage": "full", "carbon_inputs": "medium", "no_change_20y": true},
 "section_declarations": {"machinery": "none", "transport": "none", "land_use_change": "none", "perennial_biomass": "none"}}`

// riceBody is the body for a farm or field, with some members changed.
func riceBody(t testing.TB, resource string, id int64, changes ...map[string]any) map[string]any {
	t.Helper()
	body := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(riceAssessment), &body))
	body["resource_type"], body["resource_id"] = resource, id
	for _, c := range changes {
		maps.Copy(body, c)
	}
	return body
}

func assess(t testing.TB, c *rig.Client, body any) (id int64, data map[string]any) {
	t.Helper()
	data = c.Expect(201, http.MethodPost, assessmentsPath, body).Data(t)
	return int64(data["id"].(float64)), data
}

func assessmentAt(id int64) string { return path("ghg/assessments", id) }

// settled waits until the background has computed the completeness of the current version.
func settled(t testing.TB, c *rig.Client, id int64) map[string]any {
	t.Helper()
	var out map[string]any
	rig.Eventually(t, func() bool {
		out = c.Expect(200, http.MethodGet, assessmentAt(id)+"completeness/", nil).Data(t)
		return out["stale"] == false
	}, 10*time.Minute, 20*time.Millisecond, "the completeness was never computed")
	return out
}

// completed has the completeness computed at once, and returns it.
func completed(t testing.TB, c *rig.Client, id int64) map[string]any {
	t.Helper()
	return c.Expect(200, http.MethodPost, assessmentAt(id)+"completeness/", nil).Data(t)
}

func list(t testing.TB, a rig.Answer) (ids []int64) {
	t.Helper()
	var records []struct{ ID int64 }
	a.Into(t, &records)
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	return ids
}

func TestAssessmentLife(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		land := c.Land(rig.Square(300, 0), "2024-01-01", "2024-12-31")
		id, made := assess(t, c, riceBody(t, "field", land.Field))
		require.Equal(t, "draft", made["status"])
		require.EqualValues(t, 0, made["completeness_percentage"], "also with nested data")
		require.Equal(t, false, made["is_ready_for_submission"])
		require.Nil(t, made["completeness_computed_at"])
		require.Len(t, made["crop_protection"], 2)
		require.Equal(t, false, made["crop"].(map[string]any)["is_perennial"], "derived from the crop")

		at := assessmentAt(id)
		state := settled(t, c, id)
		require.EqualValues(t, 100, state["completeness_percentage"])
		require.Equal(t, true, state["is_ready_for_submission"])
		require.Equal(t, "complete", state["sections"].(map[string]any)["rice"].(map[string]any)["status"])
		got := c.Expect(200, "GET", at, nil)
		require.EqualValues(t, 100, got.Data(t)["completeness_percentage"])
		c.Expect(200, "GET", at+"details/?enforce_required=true", nil)

		// What GET returned can be sent back by PUT, and nothing changes: not even the ids of items.
		again := c.Expect(200, "PUT", at, got.Data(t)).Data(t)
		for name, value := range got.Data(t) {
			if name != "updated_at" {
				require.Equal(t, value, again[name], name)
			}
		}
		require.Len(t, trailOf(t, c, "?resource=assessment"), 1, "a PUT that changes nothing leaves no entry")

		sectionsLife(t, c, at)
		detailViews(t, c, at)
		c.Expect(200, "PUT", at, riceBody(t, "field", land.Field))
		require.Equal(t, true, completed(t, c, id)["is_ready_for_submission"])
		fresh := c.Expect(200, "GET", at, nil).Header.Get("ETag")
		require.Equal(t, 412, conditional(t, s, c, "PATCH", at+"sections/soil/", `{"ph":6}`, got.Header.Get("ETag")))
		require.Equal(t, 412, conditional(t, s, c, "DELETE", at, "", got.Header.Get("ETag")))
		require.Equal(t, 200, conditional(t, s, c, "PATCH", at+"sections/soil/", `{"ph":6}`, fresh))

		farm, _ := assess(t, c, map[string]any{"resource_type": "farm", "resource_id": land.Farm, "climate_region": "Cool Temperate Moist", "farm_country": "FR"})
		bare := c.Expect(200, "GET", assessmentAt(farm), nil).Data(t)
		require.Equal(t, "cool_temperate_moist", bare["climate_region"])
		require.Equal(t, "france", bare["farm_country"], "aliases are answered as the key")
		require.Empty(t, bare["crop"])
		require.Empty(t, bare["fertilizers"])
		completed(t, c, farm)
		for filter, want := range map[string][]int64{
			"assessment_year=2024": {id}, "assessment_year=1999": nil, "resource_type=farm": {farm}, "resource_id=" + itoa(land.Field) + "&resource_type=field": {id},
			"is_ready_for_submission=false": {farm}, "status=draft": {id, farm}, "status=submitted": nil, "ordering=-completeness_percentage": {id, farm},
			"ordering=assessment_year": {farm, id}, "search=FIEL": {id}, "search=farm": {farm}, "updated_since=2099-01-01T00:00:00Z": nil, "page=2&page_size=1": {farm},
		} {
			require.Equal(t, want, list(t, c.Expect(200, "GET", assessmentsPath+"?"+filter, nil)), filter)
		}
		paged := c.Expect(200, "GET", assessmentsPath+"?page_size=1", nil)
		require.Equal(t, "2", paged.Header.Get("X-Total-Count"))
		c.Expect(400, "GET", assessmentsPath+"?assessment_year=soon", nil)
		c.Expect(404, "GET", assessmentsPath+"?page=9&page_size=1", nil)

		// Deleted and restored, with its sections.
		before := c.Expect(200, "GET", at, nil).Data(t)
		c.Expect(400, "POST", at+"restore/", nil)
		c.Expect(204, "DELETE", at, nil)
		for _, below := range []string{"", "details/", "completeness/", "sections/crop/", "sections/fertilizers/"} {
			c.Expect(404, "GET", at+below, nil)
		}
		c.Expect(404, "PATCH", at+"sections/crop/", `{`)
		back := c.Expect(200, "POST", at+"restore/", nil).Data(t)
		require.Equal(t, before["fertilizers"], back["fertilizers"])
		require.Equal(t, before["crop"], back["crop"])

		// An assessment outlives its field; it can be corrected, but not submitted.
		c.Expect(204, "DELETE", path("field", land.Field), nil)
		c.Expect(200, "PATCH", at, `{"assessment_year": 2023}`)
		require.Equal(t, false, completed(t, c, id)["is_ready_for_submission"])
		c.Expect(400, "PATCH", at, map[string]any{"resource_type": "farm", "resource_id": 999999})
	})
}

// itemsInSets changes and removes many items of a section: all of them, or none.
func itemsInSets(t *testing.T, c *rig.Client, at string) {
	items := at + "sections/fertilizers/items/"
	var rows []struct {
		ID      int64
		Product string
		Notes   *string
	}
	read := func() { rows = nil; c.Expect(200, "GET", at+"sections/fertilizers/", nil).Into(t, &rows) }
	for _, product := range []string{"urea", "uan"} {
		c.Expect(201, "POST", items, map[string]any{"product": product})
	}
	read()
	require.Len(t, rows, 3)
	first, second, third := rows[0].ID, rows[1].ID, rows[2].ID
	change := func(status int, list ...any) rig.Answer { return c.Expect(status, "PATCH", items, list) }
	change(200, map[string]any{"id": third, "notes": "late"}, map[string]any{"id": first, "product": "tsp", "notes": nil}).Into(t, &rows)
	require.Equal(t, []int64{first, second, third}, []int64{rows[0].ID, rows[1].ID, rows[2].ID}, "in their order")
	require.Equal(t, []string{"tsp", "urea", "uan"}, []string{rows[0].Product, rows[1].Product, rows[2].Product})
	require.Equal(t, "late", *rows[2].Notes)
	wrong := change(400, map[string]any{"id": first, "product": "sop"}, map[string]any{"id": second, "product": "gold", "prodct": 1}).Map(t)["details"].(map[string]any)
	require.Contains(t, wrong, "1")
	require.NotContains(t, wrong, "0")
	for _, bad := range []any{[]any{}, map[string]any{"id": first}, []any{1}, []any{map[string]any{"notes": "x"}}, []any{map[string]any{"id": first}, map[string]any{"id": first}}} {
		c.Expect(400, "PATCH", items, bad)
	}
	gone := change(404, map[string]any{"id": first, "product": "sop"}, map[string]any{"id": 999999}).Map(t)["details"].(map[string]any)
	require.Equal(t, []any{999999.0}, gone["ids"])
	c.Expect(404, "PATCH", at+"sections/crop/items/", []any{map[string]any{"id": first}})
	c.Expect(400, "DELETE", items, nil)
	missing := c.Expect(404, "DELETE", items+"?id="+itoa(second)+",999999", nil).Map(t)["details"].(map[string]any)
	require.Equal(t, []any{999999.0}, missing["ids"])
	read()
	require.Len(t, rows, 3, "none")
	require.Equal(t, "tsp", rows[0].Product)
	c.Expect(204, "DELETE", items+"?id="+itoa(third)+","+itoa(first), nil)
	read()
	require.Len(t, rows, 1)
	require.Equal(t, second, rows[0].ID)
}

// sectionsLife goes through the endpoints of sections and items of an assessment.
func sectionsLife(t *testing.T, c *rig.Client, at string) {
	get := func() map[string]any { return c.Expect(200, "GET", at, nil).Data(t) }
	soil := c.Expect(200, "PATCH", at+"sections/soil/", `{"ph": 6.5, "soil_class": "sandy"}`).Data(t)
	require.Equal(t, map[string]any{"ph": 6.5, "soil_class": "sandy"}, soil)
	require.Equal(t, map[string]any{"soil_class": "sandy"}, c.Expect(200, "PATCH", at+"sections/soil/", `{"ph": null}`).Data(t))
	c.Expect(400, "PUT", at+"sections/soil/", `{"ph": 7, "unknown": 1}`)
	require.Equal(t, map[string]any{"ph": 7.0}, c.Expect(200, "PUT", at+"sections/soil/", `{"ph": 7}`).Data(t))
	require.Equal(t, map[string]any{}, c.Expect(200, "PUT", at+"sections/soil/", `{}`).Data(t))
	require.Equal(t, map[string]any{"soil_class": "volcanic"}, c.Expect(200, "PUT", at+"sections/soil/", `{"soil_class": "volcanic"}`).Data(t))
	require.Equal(t, map[string]any{"soil_class": "volcanic"}, get()["soil"], "the same data")

	// A list: kept by id, added, removed.
	item := c.Expect(201, "POST", at+"sections/fertilizers/items/", `{"id": 7, "product": "dap", "rate": {"value": 1, "unit": "kg/ha"}}`).Data(t)
	itemAt := at + "sections/fertilizers/items/" + itoa(int64(item["id"].(float64))) + "/"
	require.Equal(t, item, c.Expect(200, "GET", itemAt, nil).Data(t))
	patched := c.Expect(200, "PATCH", itemAt, `{"rate": {"value": 3}, "notes": "n"}`).Data(t)
	require.Equal(t, map[string]any{"value": 3.0, "unit": "kg/ha"}, patched["rate"])
	require.Equal(t, map[string]any{"id": item["id"], "product": "can"}, c.Expect(200, "PUT", itemAt, `{"product": "can"}`).Data(t))
	rows := get()["fertilizers"].([]any)
	require.Len(t, rows, 2)
	var turned []any
	c.Expect(200, "PUT", at+"sections/fertilizers/", []any{rows[1], map[string]any{"product": "map"}}).Into(t, &turned)
	require.Equal(t, rows[1], turned[0])
	require.Len(t, turned, 2)
	c.Expect(404, "GET", at+"sections/fertilizers/items/"+itoa(int64(rows[0].(map[string]any)["id"].(float64)))+"/", nil)
	c.Expect(404, "GET", strings.Replace(itemAt, "fertilizers", "irrigation", 1), nil)
	c.Expect(204, "DELETE", itemAt, nil)
	c.Expect(404, "DELETE", itemAt, nil)
	itemsInSets(t, c, at)
	for _, nothing := range []string{"sections/nothing/", "sections/crop/items/1/", "sections/fertilizers/items/x/"} {
		c.Expect(404, "GET", at+nothing, nil)
		c.Expect(404, "PUT", at+nothing, `{}`)
	}
	c.Expect(404, "POST", at+"sections/crop/items/", `{}`)

	// Declarations: "none" is refused where there are items; an item ends the declaration.
	refused := c.Expect(400, "PUT", at+"declarations/", `{"fertilizers": "none", "crop": "none", "nothing": "none", "seeds": "some"}`).Map(t)["details"]
	for _, key := range []string{"fertilizers", "crop", "nothing", "seeds"} {
		require.Contains(t, refused, key)
	}
	c.Expect(200, "PUT", at+"sections/irrigation/", `[]`)
	require.Equal(t, map[string]any{"irrigation": "none"}, c.Expect(200, "PUT", at+"declarations/", `{"irrigation": "none", "seeds": null}`).Data(t))
	require.Equal(t, map[string]any{"irrigation": "none"}, get()["section_declarations"])
	c.Expect(201, "POST", at+"sections/irrigation/items/", `{"method": "drip"}`)
	require.Empty(t, get()["section_declarations"])
	declared := c.Expect(200, "PATCH", at, `{"irrigation": [], "section_declarations": {"irrigation": "none"}}`).Data(t)
	require.Equal(t, map[string]any{"irrigation": "none"}, declared["section_declarations"])

	// The audit trail shows which items changed, under the names of the interface.
	changed := map[string]bool{}
	for _, e := range trailOf(t, c, "?resource=assessment") {
		for _, change := range e.Changes {
			name, _, _ := strings.Cut(change.Member, "[")
			changed[name] = true
		}
	}
	for _, name := range []string{"resource_id", "assessment_year", "submitted_data_quality", "section_declarations", "fertilizers", "soil", "growing_area"} {
		require.True(t, changed[name], name)
	}
	require.False(t, changed["completeness"], "what follows from the rest is no change")
}

func detailViews(t *testing.T, c *rig.Client, at string) {
	view := func(query string) map[string]any { return c.Expect(200, "GET", at+"details/"+query, nil).Data(t) }
	inputs := view("?group=inputs")
	for _, name := range []string{"id", "status", "completeness_percentage", "is_ready_for_submission", "fertilizers", "seeds"} {
		require.Contains(t, inputs, name)
	}
	require.NotContains(t, inputs, "irrigation")
	require.Contains(t, view("?group=general"), "average_temperature")
	require.Contains(t, view("?group=results"), "has_unsubmitted_changes")
	require.Contains(t, view(""), "land_management")
	require.Contains(t, c.Expect(400, "GET", at+"details/?group=colour", nil).Map(t)["details"].(map[string]any)["group"].([]any)[0], "field_practices")
	missing := c.Expect(400, "GET", at+"details/?group=inputs&enforce_required=true", nil).Map(t)["details"].(map[string]any)
	require.Contains(t, missing["fertilizers"].(map[string]any)["0"], "rate", "map has no rate yet")
	c.Expect(200, "GET", at+"details/?group=soil&enforce_required=true", nil)
	now := c.Expect(200, "POST", at+"completeness/", nil).Data(t)
	require.Equal(t, false, now["stale"])
	require.Less(t, now["completeness_percentage"], 100.0)
	fertilizers := now["sections"].(map[string]any)["fertilizers"].(map[string]any)
	require.Equal(t, "fertilizers[].rate", fertilizers["missing"].([]any)[0].(map[string]any)["field"])
	require.Equal(t, map[string]any{"emissions": 24.8, "removals": 5.3, "balance": 19.5, "unit": "tCO2e"},
		c.Expect(200, "GET", assessmentsPath+"ghg-values/", nil).Data(t))
}

// conditional sends a request with If-Match and returns the status.
func conditional(t *testing.T, s *rig.Server, c *rig.Client, method, path, body, tag string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/api/v1.2/"+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+c.Token)
	req.Header.Set("If-Match", tag)
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode
}

// All errors are reported at once, under the names that lead to them, and nothing of
// the request is stored.
func TestBadAssessmentsAreRefused(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c, other := s.Company("owner", 0), s.Company("owner", 0)
	land, theirs := c.Land(rig.Square(300, 0), "2024-01-01", "2024-12-31"), other.Land(rig.Square(300, 0), "2024-01-01", "2024-12-31")
	gone := c.Make("farm/", map[string]any{"name": "gone"})
	c.Expect(204, "DELETE", path("farm", gone), nil)
	id, _ := assess(t, c, riceBody(t, "field", land.Field))
	second, whole := assess(t, c, riceBody(t, "field", land.Field))
	foreign := int64(whole["fertilizers"].([]any)[0].(map[string]any)["id"].(float64))
	at := assessmentAt(id)
	settled(t, c, id)
	before := c.Expect(200, "GET", at, nil).Data(t)

	resource := `"resource_type":"field","resource_id":` + itoa(land.Field)
	for name, bad := range map[string]struct{ body, path string }{
		"nothing":                  {`{}`, "resource_type"},
		"no id":                    {`{"resource_type":"field"}`, "resource_id"},
		"unknown type":             {`{"resource_type":"plot","resource_id":1}`, "resource_type"},
		"another company's field":  {`{"resource_type":"field","resource_id":` + itoa(theirs.Field) + `}`, "resource_id"},
		"no such farm":             {`{"resource_type":"farm","resource_id":99999999}`, "resource_id"},
		"a deleted farm":           {`{"resource_type":"farm","resource_id":` + itoa(gone) + `}`, "resource_id"},
		"year as text":             {`{` + resource + `,"assessment_year":"2024"}`, "assessment_year"},
		"year with a fraction":     {`{` + resource + `,"assessment_year":2024.5}`, "assessment_year"},
		"area that is no object":   {`{` + resource + `,"growing_area":12}`, "growing_area"},
		"unknown climate":          {`{` + resource + `,"climate_region":"lunar"}`, "climate_region"},
		"unknown country":          {`{` + resource + `,"farm_country":"atlantis"}`, "farm_country"},
		"unknown quality":          {`{` + resource + `,"submitted_data_quality":"good"}`, "submitted_data_quality"},
		"unit of an item":          {`{` + resource + `,"fertilizers":[{},{"rate":{"value":1,"unit":"bushel"}}]}`, "fertilizers.1.rate.unit"},
		"number as text":           {`{` + resource + `,"fertilizers":[{"rate":{"value":"1","unit":"kg/ha"}}]}`, "fertilizers.0.rate.value"},
		"list that is an object":   {`{` + resource + `,"fertilizers":{}}`, "fertilizers.non_field_errors"},
		"object that is a list":    {`{` + resource + `,"crop":[]}`, "crop.non_field_errors"},
		"501 items":                {`{` + resource + `,"fertilizers":[` + strings.Repeat("{},", 500) + `{}]}`, "fertilizers.non_field_errors"},
		"an item's id in a create": {`{` + resource + `,"fertilizers":[{"id":` + itoa(foreign) + `}]}`, "fertilizers.0.id"},
		"declared with items":      {`{` + resource + `,"fertilizers":[{"product":"urea"}],"section_declarations":{"fertilizers":"none"}}`, "section_declarations.fertilizers"},
		"two things at once":       {`{"resource_type":"plot","resource_id":1,"soil":{"ph":"x"}}`, "soil.ph"},
	} {
		details := c.Expect(400, "POST", assessmentsPath, bad.body).Map(t)["details"]
		for step := range strings.SplitSeq(bad.path, ".") {
			require.Contains(t, details, step, "%s: %v", name, details)
			details = details.(map[string]any)[step]
		}
		require.IsType(t, []any{}, details, name)
	}
	require.Len(t, list(t, c.Expect(200, "GET", assessmentsPath, nil)), 2)

	for _, bad := range []struct{ method, path, body string }{
		{"PATCH", at, `{"resource_id":` + itoa(theirs.Field) + `}`}, {"PATCH", at, `{"resource_type":null}`}, {"PUT", at, `{"assessment_year":2020}`},
		{"PATCH", at, `{"assessment_year":2020,"soil":{"ph":99}}`}, {"PATCH", at, `{"fertilizers":[{"id":` + itoa(foreign) + `}]}`},
		{"PUT", at + "sections/fertilizers/", `[{"id":` + itoa(foreign) + `}]`}, {"PUT", at + "sections/fertilizers/", `{"product":"urea"}`},
		{"PUT", at + "sections/crop/", `[]`}, {"PUT", at + "sections/crop/", `null`}, {"PATCH", at + "sections/crop/", `{"growing_cycles":true}`},
		{"POST", at + "sections/fertilizers/items/", `[]`}, {"POST", at + "sections/fertilizers/items/", `{"applied_area_pct":101}`},
		{"PUT", at + "declarations/", `[]`}, {"PUT", at + "sections/soil/", `{"ph":1,"ph":2}`}, {"PUT", at + "sections/soil/", `{`}, {"PUT", at + "sections/soil/", ``},
	} {
		a := c.Expect(400, bad.method, bad.path, bad.body).Map(t)
		require.NotEmpty(t, a["details"], "%v", bad)
	}
	require.Equal(t, before, c.Expect(200, "GET", at, nil).Data(t), "nothing of what was refused is stored")

	// A full section takes no more items.
	full := make([]any, 500)
	for i := range full {
		full[i] = map[string]any{"product": "urea"}
	}
	c.Expect(200, "PUT", at+"sections/fertilizers/", full)
	c.Expect(400, "POST", at+"sections/fertilizers/items/", `{}`)
	require.Equal(t, whole["fertilizers"], c.Expect(200, "GET", assessmentAt(second), nil).Data(t)["fertilizers"])
}
