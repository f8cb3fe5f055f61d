package contract

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

const (
	mapsPath   = "soil/stratification/maps/"
	mapJobs    = mapsPath + "jobs/"
	savedMaps  = "soil/stratification/stratification-saved-maps/"
	plansPath  = "soil/stratification/sample-plan/"
	savedPlans = plansPath + "sample-plan-saved-maps/"
)

// stratified returns an active order of a parcel of the synthetic archive.
func stratified(t *testing.T, c *rig.Client) int64 {
	t.Helper()
	land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
	order := c.Make(ordersOfAOIs, map[string]any{"aoi_id": c.Make(aoisPath, map[string]any{"field_uuids": []string{land.FieldUUID}})})
	c.UntilStratified(order, "active")
	return order
}

// candidates makes the maps of an order and returns the response.
func candidates(t *testing.T, c *rig.Client, body map[string]any) map[string]any {
	t.Helper()
	return c.Expect(200, http.MethodPost, mapsPath+"generate/", body).Data(t)
}

// recommended returns the map_uuid of the recommended candidate.
func recommended(t *testing.T, made map[string]any) string {
	t.Helper()
	var found []string
	for _, one := range made["candidates"].([]any) {
		if candidate := one.(map[string]any); candidate["is_recommended"].(bool) {
			found = append(found, candidate["map_uuid"].(string))
		}
	}
	require.Len(t, found, 1, "exactly one is recommended: %v", made)
	return found[0]
}

// mapped and planned return the first saved map and plan of a company.
func mapped(t *testing.T, c *rig.Client) map[string]any  { return firstOf(t, c, savedMaps) }
func planned(t *testing.T, c *rig.Client) map[string]any { return firstOf(t, c, savedPlans) }

func firstOf(t *testing.T, c *rig.Client, list string) map[string]any {
	t.Helper()
	all := c.Expect(200, http.MethodGet, list, nil).Map(t)["data"].([]any)
	require.NotEmpty(t, all, list)
	return all[0].(map[string]any)
}

// From an order to a plan that was changed by hand, as a client sees it.
func TestMapsAndPlans(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, stranger := s.Company(access.RoleOwner, 100_00), s.Company(access.RoleOwner, 0)
		viewer := s.User(c.CompanyID, access.RoleViewer)
		s.Subscribe(c)
		s.Subscribe(stranger)
		order := stratified(t, c)

		// The errors of a request, in the order of the checks.
		generate := mapsPath + "generate/"
		viewer.Expect(403, http.MethodPost, generate, `{`)
		c.Expect(404, http.MethodPost, generate, map[string]any{"order": 1 << 40})
		stranger.Expect(404, http.MethodPost, generate, map[string]any{"order": order})
		for member, value := range map[string]any{
			"min_zones": 1, "max_zones": 9, "layers": []string{"gold"}, "weights": map[string]any{"ndvi_mean": -1}, "cv": 0, "seed": -1, "method": "magic",
		} {
			refused := c.Expect(400, http.MethodPost, generate, map[string]any{"order": order, member: value}).Map(t)
			require.Contains(t, refused["details"], member)
		}

		// The same parameters return the same maps; another seed is another run.
		made := candidates(t, c, map[string]any{"order": order, "seed": 7})
		require.Equal(t, []any{"done", 1.0}, []any{made["status"], made["progress"]})
		require.Equal(t, made, candidates(t, c, map[string]any{"order": order, "seed": 7}))
		require.Equal(t, made, viewer.Expect(200, http.MethodGet, mapJobs+itoa(int64(made["job_id"].(float64)))+"/", nil).Data(t))
		require.NotEqual(t, made["job_id"], candidates(t, c, map[string]any{"order": order, "seed": 8})["job_id"])
		uuid := recommended(t, made)

		// Saved once, under one name, by the first of concurrent callers.
		var together sync.WaitGroup
		for range 4 {
			together.Go(func() { c.Do(http.MethodPost, mapsPath+uuid+"/save/", map[string]any{}) })
		}
		together.Wait()
		saved := mapped(t, c)
		zones := saved["response"].(map[string]any)["metadata"].(map[string]any)["number_of_zones"]
		require.Equal(t, []any{uuid, "str-k" + itoa(int64(zones.(float64))), float64(order), true},
			[]any{saved["map_uuid"], saved["map_tag"], saved["order"], saved["is_recommended"]})
		require.Equal(t, "map_saved", c.Expect(409, http.MethodPost, mapsPath+uuid+"/save/", map[string]any{"name": "Other"}).Map(t)["code"])
		c.Expect(400, http.MethodPost, mapsPath+uuid+"/save/", map[string]any{"map_tag": "No Tag"})
		stranger.Expect(404, http.MethodPost, mapsPath+uuid+"/save/", map[string]any{})
		whole := c.Expect(200, http.MethodGet, savedMaps+itoa(int64(saved["id"].(float64)))+"/?geometry=true", nil).Data(t)
		require.Len(t, whole["geometry"].(map[string]any)["features"], int(zones.(float64)))
		require.NotContains(t, saved, "geometry")
		for filter, n := range map[string]int{"order=" + itoa(order): 1, "order=999": 0, "map_tag=" + saved["map_tag"].(string): 1, "map_tag=x": 0, "aoi=999": 0} {
			require.Len(t, c.Expect(200, http.MethodGet, savedMaps+"?"+filter, nil).Map(t)["data"], n, filter)
		}
		c.Expect(400, http.MethodGet, savedMaps+"?order=x", nil)
		plans(t, c, stranger, uuid, zones.(float64))
		nothingHidden(t, s, c, stranger, order, uuid)

		// The area of interest changes: existing maps stay, new ones are refused.
		aoi := saved["aoi"].(map[string]any)
		other := c.Land(rig.Archive(t).Parcels[1].Boundary, "2025-03-01", "2025-10-31")
		c.Expect(200, http.MethodPatch, aoisPath+itoa(int64(aoi["id"].(float64)))+"/", map[string]any{"field_uuids": []string{other.FieldUUID}})
		changed := c.Expect(409, http.MethodPost, generate, map[string]any{"order": order, "seed": 9}).Map(t)
		require.Equal(t, "aoi_changed", changed["code"])
		require.Contains(t, changed["details"].(map[string]any)["field_uuids"], other.FieldUUID)
		c.Expect(200, http.MethodPost, plansPath+"generate/", map[string]any{"map_uuid": uuid, "seed": 4})
		c.Expect(204, http.MethodDelete, aoisPath+aoi["aoi_uuid"].(string)+"/", nil)
		for _, gone := range []string{savedMaps + itoa(int64(saved["id"].(float64))) + "/", savedPlans + itoa(int64(1)) + "/"} {
			c.Expect(404, http.MethodGet, gone, nil)
		}
		require.Empty(t, c.Expect(200, http.MethodGet, savedPlans, nil).Map(t)["data"])
	})
}

// representing makes a plan whose points represent the layers of a map.
func representing(t *testing.T, c *rig.Client, generate, uuid string) {
	t.Helper()
	cube := c.Expect(200, http.MethodPost, generate, map[string]any{"map_uuid": uuid, "seed": 3, "number_of_samples": 20, "placement": "latin_hypercube"}).Data(t)["metadata"].(map[string]any)
	represents := cube["hypercube"].(map[string]any)
	require.Contains(t, represents["layers"], "ndvi_mean")
	require.Less(t, represents["objective"], represents["random_objective"])
	require.Greater(t, represents["strata_with_a_point"], represents["random_strata_with_a_point"])
	require.Equal(t, []any{false, "latin_hypercube"}, []any{cube["probability_sample"], cube["placement"]})
	for placement, layers := range map[string][]string{"latin_hypercube": {"gold"}, "coverage": {"ndvi_mean"}} {
		refused := c.Expect(400, http.MethodPost, generate, map[string]any{"map_uuid": uuid, "placement": placement, "layers": layers}).Map(t)
		require.Contains(t, refused["details"], "layers", placement)
	}
}

// plans follows a map to its plans.
func plans(t *testing.T, c, stranger *rig.Client, uuid string, zones float64) {
	t.Helper()
	generate := plansPath + "generate/"
	for member, value := range map[string]any{
		"zone_offset": 101, "number_of_samples": -1, "placement": "anywhere", "per_zone": map[string]any{"1": 3}, "reserve_share": 2,
	} {
		require.Contains(t, c.Expect(400, http.MethodPost, generate, map[string]any{"map_uuid": uuid, member: value}).Map(t)["details"], member)
	}
	stranger.Expect(404, http.MethodPost, generate, map[string]any{"map_uuid": uuid})
	crowded := c.Expect(400, http.MethodPost, generate, map[string]any{"map_uuid": uuid, "number_of_samples": 5000, "min_distance": 100}).Map(t)
	require.Equal(t, "not_enough_room", crowded["code"])
	require.NotEmpty(t, crowded["details"])

	made := c.Expect(200, http.MethodPost, generate, map[string]any{"map_uuid": uuid, "seed": 3}).Data(t)
	require.Equal(t, made, c.Expect(200, http.MethodPost, generate, map[string]any{"map_uuid": uuid, "seed": 3}).Data(t), "the same seed is the same plan")
	require.NotEqual(t, made["points"], c.Expect(200, http.MethodPost, generate, map[string]any{"map_uuid": uuid, "seed": 4}).Data(t)["points"])
	metadata := made["metadata"].(map[string]any)
	require.Equal(t, zones, metadata["number_of_zones"])
	require.EqualValues(t, 10, metadata["zone_offset"])
	require.Len(t, made["points"], int(metadata["number_of_samples"].(float64)+metadata["number_of_reserve"].(float64)))

	require.Equal(t, true, metadata["precision_reached"])
	require.LessOrEqual(t, metadata["expected_relative_error"], metadata["target_relative_error"])
	edged := c.Expect(200, http.MethodPost, generate, map[string]any{"map_uuid": uuid, "seed": 3, "edge": "stratum"}).Data(t)
	perZone := edged["metadata"].(map[string]any)["per_zone"].([]any)
	require.Len(t, perZone, int(zones)+1)
	require.Equal(t, []any{zones + 1, true}, []any{perZone[int(zones)].(map[string]any)["zone"], perZone[int(zones)].(map[string]any)["edge"]})
	require.Equal(t, zones, edged["metadata"].(map[string]any)["number_of_zones"])
	for _, file := range []string{"preview.png", "preview.svg", "export/?format=gpx", "export/?format=geojson", "export/?format=pdf"} {
		c.Expect(200, http.MethodGet, plansPath+edged["map_uuid"].(string)+"/"+file, nil)
	}
	require.Contains(t, c.Expect(400, http.MethodPost, generate, map[string]any{"map_uuid": uuid, "edge": "stratum", "zone_offset": 0}).Map(t)["details"], "edge")
	representing(t, c, generate, uuid)
	covers := metadata["coverage"].(map[string]any)
	require.Positive(t, covers["strip_share"])
	require.Contains(t, covers["statement"], "is not sampled")
	sees := metadata["change"].(map[string]any)
	wanted := map[string]any{"map_uuid": uuid, "seed": 3, "costs": map[string]any{"per_point": 20, "per_km": 2}, "change": map[string]any{"detectable_change": sees["detectable_change"].(float64) * 1.2}}
	planned := c.Expect(200, http.MethodPost, generate, wanted).Data(t)["metadata"].(map[string]any)
	require.Less(t, planned["number_of_samples"], metadata["number_of_samples"])
	require.Contains(t, planned["change"].(map[string]any)["summary"], "t C/ha in 5 years at 80 %")
	require.InDelta(t, 20*planned["number_of_samples"].(float64)+2*planned["way_km"].(float64), planned["cost"], 1e-6)
	wanted["number_of_samples"] = 20
	require.Contains(t, string(c.Expect(400, http.MethodPost, generate, wanted).Body), "detectable_change")

	base := plansPath + made["map_uuid"].(string)
	custom := c.Expect(200, http.MethodPost, base+"/customise/", map[string]any{"operations": []any{map[string]any{"op": "swap", "point": "Z1-01", "with": "Z1-R01"}}}).Data(t)
	require.Equal(t, []any{true, true, made["map_uuid"]}, []any{custom["is_custom"], custom["metadata"].(map[string]any)["probability_sample"], custom["based_on"]})
	first := made["points"].([]any)[0].(map[string]any)
	require.Equal(t, []any{1.0, 1.0, 0.0}, []any{first["field_order"], first["walk"], metadata["drive_km"]}, "one field: nothing is driven")
	moved := c.Expect(200, http.MethodPost, base+"/customise/", map[string]any{"operations": []any{
		map[string]any{"op": "move", "point": first["id"], "lon": first["lon"], "lat": first["lat"].(float64) + 0.00005},
	}}).Data(t)
	require.False(t, moved["metadata"].(map[string]any)["probability_sample"].(bool))
	for _, operations := range [][]any{
		{}, {map[string]any{"op": "move", "point": "Z9-99", "lon": 0, "lat": 0}}, {map[string]any{"op": "move", "point": first["id"]}},
		{map[string]any{"op": "add", "lon": 0, "lat": 0}},
	} {
		require.Contains(t, c.Expect(400, http.MethodPost, base+"/customise/", map[string]any{"operations": operations}).Map(t)["details"], "operations")
	}
	stranger.Expect(404, http.MethodPost, base+"/customise/", map[string]any{"operations": []any{}})

	saved := c.Expect(200, http.MethodPost, base+"/save/", map[string]any{"name": "Spring"}).Data(t)
	require.Equal(t, saved, c.Expect(200, http.MethodPost, base+"/save/", map[string]any{}).Data(t))
	require.Equal(t, uuid, saved["stratification_map"].(map[string]any)["map_uuid"])
	require.NotContains(t, saved, "map_tag")
	c.Expect(409, http.MethodPost, plansPath+moved["map_uuid"].(string)+"/save/", map[string]any{"plan_tag": saved["plan_tag"]})
	c.Expect(200, http.MethodPost, plansPath+moved["map_uuid"].(string)+"/save/", map[string]any{})
	for filter, n := range map[string]int{"plan_tag=" + saved["plan_tag"].(string): 1, "stratification_map=999": 0, "map_tag=x": 0, "page_size=10&page=1": 2} {
		require.Len(t, c.Expect(200, http.MethodGet, savedPlans+"?"+filter, nil).Map(t)["data"], n, filter)
	}
	whole := c.Expect(200, http.MethodGet, savedPlans+itoa(int64(saved["id"].(float64)))+"/?geometry=true", nil).Data(t)
	require.Len(t, whole["geometry"].(map[string]any)["features"], len(made["points"].([]any)))
	counted := c.Expect(200, http.MethodGet, aoisPath, nil).Map(t)["data"].([]any)[0].(map[string]any)
	require.Equal(t, []any{1.0, 2.0}, []any{counted["total_saved_stratification_maps"], counted["total_saved_sample_plan_maps"]})
}
