package contract

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

const samplesPath = "soil/stratification/samples/"

// sampled makes a saved plan with samples of two depths for a company, and returns the plan's uuid.
func sampled(t *testing.T, c *rig.Client) string {
	t.Helper()
	land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
	aoi := c.Make(aoisPath, map[string]any{"field_uuids": []string{land.FieldUUID}})
	order := c.Make(ordersOfAOIs, map[string]any{"aoi_id": aoi})
	c.UntilStratified(order, "active")
	maps := c.Expect(200, http.MethodPost, "soil/stratification/maps/generate/",
		map[string]any{"order": order, "min_zones": 2, "max_zones": 2, "min_zone_area": 0.05}).Data(t)
	require.Len(t, maps["candidates"], 1, "%v", maps["reason"])
	plan := c.Expect(200, http.MethodPost, "soil/stratification/sample-plan/generate/",
		map[string]any{"map_uuid": maps["candidates"].([]any)[0].(map[string]any)["map_uuid"], "number_of_samples": 8, "zone_offset": 5}).Data(t)
	uuid := plan["map_uuid"].(string)
	body := map[string]any{"plan": uuid, "depths": []any{map[string]any{"from": 0, "to": 30}, map[string]any{"from": 30, "to": 60}}}
	require.Equal(t, "plan_not_saved", c.Expect(409, http.MethodPost, samplesPath, body).Map(t)["code"])
	c.Expect(200, http.MethodPost, "soil/stratification/sample-plan/"+uuid+"/save/", map[string]any{})
	made := c.Expect(200, http.MethodPost, samplesPath, body).Data(t)
	require.GreaterOrEqual(t, made["created"], 20.0, "8 samples and 2 reserves, two depths")
	again := c.Expect(200, http.MethodPost, samplesPath, body).Data(t)
	require.EqualValues(t, 0, again["created"])
	require.Equal(t, made["created"], again["existing"])
	return uuid
}

// Samples of a plan, from the field to the estimate, as a client sees them.
func TestSamples(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c := s.Company(access.RoleOwner, 1000_00)
	s.Subscribe(c)
	uuid := sampled(t, c)
	all := c.Expect(200, http.MethodGet, samplesPath+"?plan_uuid="+uuid, nil).Map(t)["data"].([]any)
	first := all[0].(map[string]any)
	path := samplesPath + itoa(int64(first["id"].(float64))) + "/"
	planned := first["planned"].(map[string]any)
	at := func(north float64) map[string]any {
		return map[string]any{"lon": planned["lon"], "lat": planned["lat"].(float64) + north, "accuracy_m": 3}
	}

	// Samples, saved plans and saved maps carry the key of another system, each key once.
	second := samplesPath + itoa(int64(all[1].(map[string]any)["id"].(float64))) + "/"
	require.Equal(t, "LIMS-1", c.Expect(200, http.MethodPatch, path, map[string]any{"external_id": "LIMS-1", "source": "LIMS"}).Data(t)["external_id"])
	require.Equal(t, "duplicate_external_id", c.Expect(409, http.MethodPatch, second, map[string]any{"external_id": "LIMS-1"}).Map(t)["code"])
	require.Len(t, idsAt(t, c, samplesPath+"?external_id=LIMS-1,LIMS-2"), 1)
	require.Contains(t, string(c.Expect(200, http.MethodGet, samplesPath+"export/", nil).Body), "LIMS-1")
	savedPlans := plansPath + "sample-plan-saved-maps/"
	save := "soil/stratification/sample-plan/" + uuid + "/save/"
	saved := c.Expect(200, http.MethodPost, save, map[string]any{"external_id": "round-1"}).Data(t)
	require.Equal(t, "round-1", saved["external_id"])
	require.Equal(t, "round-1", c.Expect(200, http.MethodPost, save, map[string]any{}).Data(t)["external_id"], "what is not said stays")
	require.Equal(t, []int64{int64(saved["id"].(float64))}, idsAt(t, c, savedPlans+"?external_id=round-1"))
	require.Empty(t, idsAt(t, c, savedPlans+"?external_id=LIMS-1"))
	zones := saved["stratification_map"].(map[string]any)["map_uuid"].(string)
	next := c.Expect(200, http.MethodPost, "soil/stratification/sample-plan/generate/", map[string]any{"map_uuid": zones, "number_of_samples": 9, "zone_offset": 5}).Data(t)["map_uuid"].(string)
	require.Equal(t, "duplicate_external_id", c.Expect(409, http.MethodPost, "soil/stratification/sample-plan/"+next+"/save/", map[string]any{"external_id": "round-1"}).Map(t)["code"])
	require.Len(t, idsAt(t, c, savedPlans), 1, "what is refused is not saved")
	require.Equal(t, "zones-1", c.Expect(200, http.MethodPost, mapsPath+zones+"/save/", map[string]any{"external_id": "zones-1"}).Data(t)["external_id"])

	// The crew: missing, wrong or too distant data are refused by name; then the sample is collected.
	for _, wrong := range []struct {
		body  any
		names string
	}{
		{map[string]any{"status": "collected"}, "status"},
		{map[string]any{"lab": map[string]any{"soc_pct": 2}}, "status"},
		{map[string]any{"collected": at(0.1)}, "planned one"},
		{map[string]any{"collected": map[string]any{"lon": planned["lat"], "lat": planned["lon"]}}, "been swapped"},
		{map[string]any{"collected": at(0), "lab": map[string]any{"soc_pct": 101}}, "soc_pct"},
		{map[string]any{"collected": at(0), "lab": map[string]any{"soc_pct": 2, "bulk_density_g_cm3": 1300}}, "bulk_density_g_cm3"},
		{map[string]any{"label": all[1].(map[string]any)["label"]}, "label"},
		{map[string]any{"label": "has spaces"}, "label"},
	} {
		require.Contains(t, string(c.Expect(400, http.MethodPatch, path, wrong.body).Body), wrong.names)
	}
	taken := c.Expect(200, http.MethodPatch, path, map[string]any{"collected": at(0.0001), "notes": "=stony"}).Data(t)
	require.Equal(t, "collected", taken["status"])
	require.InDelta(t, 11.13, taken["collected"].(map[string]any)["moved_m"], 0.1) // 0.0001° of a meridian
	analysed := c.Expect(200, http.MethodPatch, path, map[string]any{"lab": map[string]any{"soc_pct": 2.5, "bulk_density_g_cm3": 1.3}}).Data(t)
	require.Equal(t, "analysed", analysed["status"])
	require.Equal(t, taken["collected"], analysed["collected"])
	back := c.Expect(200, http.MethodPatch, path, map[string]any{"lab": nil, "collected": nil, "status": "missed"}).Data(t)
	require.Equal(t, "missed", back["status"])
	c.Expect(200, http.MethodPatch, path, map[string]any{"collected": at(0)})

	// The laboratory's table: a bad row is reported separately, a preview stores nothing.
	var table strings.Builder
	table.WriteString("Label;collected_at;soc_pct;bulk_density_g_cm3;coarse_fragments_pct\n")
	for i, r := range all {
		row := r.(map[string]any)
		if row["role"] == "sample" {
			table.WriteString(row["label"].(string) + ";2026-03-01;" + []string{"2.0", "2.5", "3"}[i%3] + ";1.3;10\n")
		}
	}
	bad := table.String() + "nobody;;2;;\n" + all[0].(map[string]any)["label"].(string) + ";;much;;\n"
	seen := c.Upload(samplesPath+"import/?preview=true", "text/csv", strings.NewReader(bad))
	require.Equal(t, 200, seen.Status, "%s", seen.Body)
	require.Contains(t, string(seen.Body), "use a point for decimals")
	require.EqualValues(t, 3, seen.Data(t)["failed"], "no such label, no number, and the same label twice")
	require.Equal(t, "rows_failed", seen.Data(t)["code"])
	asLaboratoriesSend(t, c, all)
	require.Equal(t, 400, c.Upload(samplesPath+"import/?atomic=true", "text/csv", strings.NewReader(bad)).Status)
	none := c.Expect(409, http.MethodGet, "soil/stratification/sample-plan/"+uuid+"/estimate/", nil).Map(t)
	require.Equal(t, "no_analyses", none["code"])
	stored := c.Upload(samplesPath+"import/", "text/csv", strings.NewReader(table.String())).Data(t)
	require.EqualValues(t, 16, stored["updated"], "%v", stored)
	require.Equal(t, "imported", stored["code"])

	// An export that is imported again changes nothing.
	file := c.Expect(200, http.MethodGet, samplesPath+"export/?plan_uuid="+uuid, nil)
	same := c.Upload(samplesPath+"import/", "text/csv", strings.NewReader(string(file.Body))).Data(t)
	require.EqualValues(t, len(all), same["skipped"], "%v", same)
	book := c.Expect(200, http.MethodGet, samplesPath+"export/?format=xlsx&plan_uuid="+uuid, nil)
	same = c.Upload(samplesPath+"import/?sheet=samples", mediaXLSX, strings.NewReader(string(book.Body))).Data(t)
	require.EqualValues(t, len(all), same["skipped"], "%v", same)
	require.Contains(t, string(file.Body), "'=stony", "no formula")
	require.Contains(t, string(c.Expect(200, http.MethodGet, samplesPath+"export/?format=geojson&status=analysed", nil).Body), `"soc_pct":2.5`)

	estimate := c.Expect(200, http.MethodGet, "soil/stratification/sample-plan/"+uuid+"/estimate/?confidence=0.95", nil).Data(t)
	require.EqualValues(t, 60, estimate["depth_to_cm"])
	require.Empty(t, estimate["soc"].(map[string]any)["reasons"])
	require.NotNil(t, estimate["stock"].(map[string]any)["total"].(map[string]any)["standard_error"])
	require.NotNil(t, estimate["equivalent_stock"], "two depths allow it")
	stock := estimate["stock"].(map[string]any)
	field, ofFarm := stock["fields"].([]any)[0].(map[string]any), stock["farms"].([]any)[0].(map[string]any)
	require.Equal(t, []any{stock["n"], nil, nil}, []any{field["n"], field["farm"], field["reason"]})
	require.InDelta(t, stock["aoi"].(map[string]any)["mean"], field["mean"], 1e-9, "the area is one field")
	require.InDelta(t, stock["aoi"].(map[string]any)["standard_error"], field["standard_error"], 1e-9)
	require.Equal(t, field["mean"], ofFarm["mean"])
	written := string(c.Expect(200, http.MethodGet, "soil/stratification/sample-plan/"+uuid+"/estimate/export/?confidence=0.95", nil).Body)
	require.Contains(t, written, "field,"+field["field_uuid"].(string)+",")
	require.Contains(t, written, "farm,"+itoa(int64(ofFarm["farm"].(float64)))+",")
	require.Equal(t, "first_round", estimate["equivalent_mass_basis"])
	require.Contains(t, estimate["notes"], estimate["coverage"].(map[string]any)["statement"])
	heavy := c.Expect(200, http.MethodGet, "soil/stratification/sample-plan/"+uuid+"/estimate/?reference_mass=9000", nil).Data(t)
	require.Nil(t, heavy["equivalent_stock"])
	require.Equal(t, []any{"given", 9000.0}, []any{heavy["equivalent_mass_basis"], heavy["equivalent_mass_t_per_ha"]})
	require.Len(t, heavy["points_without_equivalent_stock"], 8)
	require.NotNil(t, heavy["stock"])
	c.Expect(400, http.MethodGet, "soil/stratification/sample-plan/"+uuid+"/estimate/?reference_mass=0", nil)
	c.Expect(400, http.MethodGet, "soil/stratification/sample-plan/"+uuid+"/estimate/?compare="+uuid, nil)
	c.Expect(400, http.MethodGet, "soil/stratification/sample-plan/"+uuid+"/estimate/?confidence=2", nil)
	pooled(t, c, uuid)
}

// asLaboratoriesSend imports a table with decimal commas, units, limits, repeats and no dates: the response reports how
// it was read. A table whose rows all fail is not a success, and neither is one of which some fail.
func asLaboratoriesSend(t *testing.T, c *rig.Client, all []any) {
	t.Helper()
	label := func(i int) string { return all[i].(map[string]any)["label"].(string) }
	send := func(query, table string) rig.Answer {
		return c.Upload(samplesPath+"import/"+query, "text/csv", strings.NewReader("Sample ID;SOC [g/kg];BD (kg/m\xb3);pH\n"+table), // Windows-1252
			"Prefer", "handling=lenient")
	}
	unknown := c.Upload(samplesPath+"import/", "text/csv", strings.NewReader("Sample ID;SOC [g/kg];Lab metod\n"+label(2)+";23,4;dry combustion\n"))
	require.Equal(t, 400, unknown.Status, "%s", unknown.Body)
	require.Equal(t, "unknown_name", unknown.Map(t)["code"])
	require.Contains(t, unknown.Map(t)["details"], "Lab metod")
	none := send("", label(2)+";23,4;1300;6,5\nnobody;1,0;;\n")
	require.Equal(t, 400, none.Status, "no date, and no such label: %s", none.Body)
	require.Equal(t, "bulk_validation_failed", none.Map(t)["code"])
	require.Contains(t, string(none.Body), "sampled_on")
	plan := all[0].(map[string]any)["plan"].(map[string]any)["map_uuid"]
	dated := c.Expect(200, http.MethodPost, samplesPath, map[string]any{"plan": plan, "depths": []any{map[string]any{"from": 0, "to": 30}}, "sampled_on": "2026-03-01"}).Data(t)
	require.Equal(t, []any{0.0, "2026-03-01"}, []any{dated["created"], dated["sampled_on"]})
	some := send("?repeats=mean&soc_limit_pct=0.4", label(2)+";23,4;1300;6,5\n"+label(2)+";23,6;1300;6,5\n"+label(3)+";<LOD;1300;\nnobody;1,0;;\n")
	require.Equal(t, 207, some.Status, "%s", some.Body)
	require.Equal(t, []any{"partial", "Some rows failed; the others are stored."}, []any{some.Map(t)["status"], some.Map(t)["message"]})
	report := some.Map(t)["data"].(map[string]any)
	require.Equal(t, []any{"rows_failed", 2.0, 1.0, 1.0}, []any{report["code"], report["updated"], report["skipped"], report["failed"]})
	require.Equal(t, map[string]any{"header": "SOC [g/kg]", "column": "soc_pct", "unit": "g/kg", "factor": 0.1}, report["columns"].([]any)[1])
	require.Nil(t, report["columns"].([]any)[3].(map[string]any)["column"], "the pH is passed over, and named")
	require.Equal(t, "pH", some.Header.Get("Tilth-Ignored"))
	notes := report["rows"].([]any)[2].(map[string]any)["notes"].([]any)
	require.Contains(t, notes[0], "half of the limit is used, 0.2 %")
	require.Contains(t, notes[1], "the day of round 1, 2026-03-01")
	for i, want := range map[int][]any{2: {2.35, nil, 1.3}, 3: {0.2, 0.4, 1.3}} {
		path := samplesPath + itoa(int64(all[i].(map[string]any)["id"].(float64))) + "/"
		got := c.Expect(200, http.MethodGet, path, nil).Data(t)
		lab := got["lab"].(map[string]any)
		require.Equal(t, want, []any{lab["soc_pct"], lab["soc_limit_pct"], lab["bulk_density_g_cm3"]})
		require.Equal(t, "2026-03-01T00:00:00Z", got["collected"].(map[string]any)["at"])
		c.Expect(200, http.MethodPatch, path, map[string]any{"lab": nil, "collected": nil})
	}
}

// Samples and plans are kept in step with another system, in sets: each is created, updated or left unchanged, all or none.
func TestSamplesAndPlansInSets(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company(access.RoleOwner, 1000_00)
		s.Subscribe(c)
		uuid := sampled(t, c)
		first := recordsOf(t, c.Expect(200, http.MethodGet, samplesPath+"?plan_uuid="+uuid+"&page_size=1", nil))[0]
		const records = samplesPath + "records/"
		upsert := func(body any) rig.Answer {
			return c.Expect(200, http.MethodPost, records+"?on_conflict=external_id", body)
		}
		item := func(key string, from, to int, more map[string]any) map[string]any {
			out := map[string]any{"plan": uuid, "point": first["point"], "depth_from_cm": from, "depth_to_cm": to, "external_id": key}
			for name, value := range more {
				out[name] = value
			}
			return out
		}
		// A sample of the plan without a key takes it; a missing sample is created.
		made := upsert([]any{item("L-1", 0, 30, map[string]any{"notes": "stony"}), item("L-2", 60, 90, map[string]any{"collected": map[string]any{"by": "Ada"}})})
		require.Equal(t, []string{"updated", "created"}, outcomes(t, made))
		both := recordsOf(t, made)
		require.Equal(t, first["id"], both[0]["id"])
		require.Equal(t, []any{first["label"], "stony", "planned"}, []any{both[0]["label"], both[0]["notes"], both[0]["status"]})
		require.Equal(t, []any{"collected", first["zone"], first["planned"]}, []any{both[1]["status"], both[1]["zone"], both[1]["planned"]})
		require.Equal(t, []string{"unchanged"}, outcomes(t, upsert(item("L-1", 0, 30, nil))), "what an item leaves out stays")
		require.Equal(t, []string{"updated"}, outcomes(t, upsert(map[string]any{"external_id": "L-2", "notes": "deep"})), "one that is there keeps its place")
		require.Len(t, idsAt(t, c, samplesPath+"?external_id=L-1,L-2"), 2)

		// All errors are reported, and nothing of the others is stored.
		refused := c.Expect(400, http.MethodPost, records+"?on_conflict=external_id", []any{
			item("L-3", 90, 100, nil), map[string]any{"external_id": "L-4"}, item("L-5", 100, 90, map[string]any{"point": "nowhere"}), item("L-1", 30, 60, nil), item("L-6", 0, 30, nil), item("", 100, 110, nil),
		}).Map(t)["details"].(map[string]any)
		for i, names := range map[string][]string{"1": {"plan"}, "2": {"point", "depth_to_cm"}, "3": {"depth_to_cm"}, "4": {"point"}, "5": {"external_id"}} {
			for _, name := range names {
				require.Contains(t, refused[i], name, i)
			}
		}
		require.NotContains(t, refused, "0")
		require.Empty(t, idsAt(t, c, samplesPath+"?external_id=L-3"))
		require.Contains(t, c.Expect(400, http.MethodPost, records, item("L-9", 0, 30, nil)).Map(t)["details"], "point", "without on_conflict it is only made")
		c.Expect(200, http.MethodPost, records, item("L-9", 110, 120, nil))
		require.Equal(t, "duplicate_external_id", c.Expect(409, http.MethodPost, records, item("L-9", 120, 130, nil)).Map(t)["code"])

		samplesInSets(t, c, uuid)

		// Plans.
		const save = plansPath + "save/"
		zones := recordsOf(t, c.Expect(200, http.MethodGet, plansPath+"sample-plan-saved-maps/", nil))[0]["stratification_map"].(map[string]any)["map_uuid"]
		draw := func(n int) any {
			return c.Expect(200, http.MethodPost, plansPath+"generate/", map[string]any{"map_uuid": zones, "number_of_samples": n, "zone_offset": 5}).Data(t)["map_uuid"]
		}
		second, third := draw(9), draw(10)
		plans := func(status int, body any) rig.Answer {
			return c.Expect(status, http.MethodPost, save+"?on_conflict=external_id", body)
		}
		saved := plans(200, []any{
			map[string]any{"map_uuid": uuid, "external_id": "P-1"}, map[string]any{"map_uuid": second, "external_id": "P-2", "name": "Second"},
		})
		require.Equal(t, []string{"updated", "created"}, outcomes(t, saved))
		require.Equal(t, "Second", recordsOf(t, saved)[1]["name"])
		require.Equal(t, []string{"unchanged", "updated"}, outcomes(t, plans(200, []any{
			map[string]any{"external_id": "P-1"}, map[string]any{"external_id": "P-2", "source": "LIMS"},
		})))
		wrong := plans(400, []any{
			map[string]any{"map_uuid": third, "external_id": "P-3"}, map[string]any{"map_uuid": third, "external_id": "P-1"}, map[string]any{"external_id": "P-4"}, map[string]any{"map_uuid": third},
		}).Map(t)["details"].(map[string]any)
		require.NotContains(t, wrong, "0")
		require.Contains(t, wrong["1"], "external_id")
		require.Contains(t, wrong["2"], "map_uuid")
		require.Contains(t, wrong["3"], "external_id")
		require.Len(t, idsAt(t, c, plansPath+"sample-plan-saved-maps/"), 2, "all or none")
		require.Equal(t, "P-3", c.Expect(200, http.MethodPost, save, map[string]any{"map_uuid": third, "external_id": "P-3"}).Data(t)["external_id"])
	})
}

// samplesInSets changes samples by their ids, and deletes them, all or none; a deleted sample can be restored unless its place was taken.
func samplesInSets(t *testing.T, c *rig.Client, plan string) {
	t.Helper()
	ids := idsAt(t, c, samplesPath+"?plan_uuid="+plan+"&page_size=2")
	refused := c.Expect(400, http.MethodPatch, samplesPath, []any{
		map[string]any{"id": ids[0], "notes": "wet"}, map[string]any{"id": ids[1], "note": "wet"}, map[string]any{"notes": "wet"},
	})
	require.Contains(t, string(refused.Body), `"1":{"note":["`)
	require.Contains(t, string(refused.Body), `"2":{"id":["`)
	require.Contains(t, string(c.Expect(404, http.MethodPatch, samplesPath, []any{map[string]any{"id": ids[0], "notes": "wet"}, map[string]any{"id": 999_999}}).Body), `"ids":[999999]`)
	many := c.Expect(200, http.MethodPatch, samplesPath, []any{map[string]any{"id": ids[1], "collected": map[string]any{}}, map[string]any{"id": ids[0], "external_id": "L-1"}})
	require.Equal(t, []string{"updated", "unchanged"}, outcomes(t, many))
	require.Equal(t, "collected", recordsOf(t, many)[0]["status"], "the rules of one hold for many")

	named := fmt.Sprintf("%s?id=%d,%d", samplesPath, ids[0], ids[1])
	require.Equal(t, ids, idsAt(t, c, named))
	c.Expect(400, http.MethodDelete, samplesPath, nil)
	c.Expect(404, http.MethodDelete, named+",999999", nil)
	require.Len(t, idsAt(t, c, named), 2, "all or none")
	c.Expect(204, http.MethodDelete, named, nil)
	require.Empty(t, idsAt(t, c, named))
	require.EqualValues(t, 2, c.Expect(200, http.MethodGet, samplesPath+"deleted/", nil).Data(t)["count"])
	farm := c.Expect(200, http.MethodGet, "farm/?page=all", nil).Data(t)["results"].([]any)[0].(map[string]any)["id"]
	require.EqualValues(t, 2, c.Expect(200, http.MethodGet, fmt.Sprintf("%sdeleted/?farm=%.0f", samplesPath, farm), nil).Data(t)["count"])
	require.EqualValues(t, 0, c.Expect(200, http.MethodGet, samplesPath+"deleted/?farm=999999", nil).Data(t)["count"])
	require.Equal(t, "collected", c.Expect(200, http.MethodPost, fmt.Sprintf("%s%d/restore/", samplesPath, ids[1]), nil).Data(t)["status"])
	again := c.Expect(200, http.MethodPost, samplesPath, map[string]any{"plan": plan, "depths": []any{map[string]any{"from": 0, "to": 30}, map[string]any{"from": 30, "to": 60}}}).Data(t)
	require.EqualValues(t, 1, again["created"], "the plan's samples are made again")
	require.Equal(t, "sample_replaced", c.Expect(409, http.MethodPost, fmt.Sprintf("%s%d/restore/", samplesPath, ids[0]), nil).Map(t)["code"])
	in := idsAt(t, c, samplesPath+"?plan_uuid="+plan)
	c.Expect(204, http.MethodDelete, fmt.Sprintf("%s%d/", samplesPath, in[len(in)-1]), nil)
	require.Equal(t, "L-1", c.Expect(200, http.MethodPost, fmt.Sprintf("%s%d/restore/", samplesPath, ids[0]), nil).Data(t)["external_id"])
}
