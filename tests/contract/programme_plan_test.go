package contract

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// The second round of a programme of two fields: each has its minimum of samples, and what was sampled before is kept.
func TestPlansOfProgrammes(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c, stranger := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 0)
	s.Subscribe(c, stranger)
	var uuids []string
	for _, parcel := range rig.Archive(t).Parcels[:2] {
		uuids = append(uuids, c.Land(parcel.Boundary, "2025-03-01", "2025-10-31").FieldUUID)
	}
	order := c.Make(ordersOfAOIs, map[string]any{"aoi_id": c.Make(aoisPath, map[string]any{"name": "Both", "field_uuids": uuids})})
	c.UntilStratified(order, "active")
	zones := recommended(t, candidates(t, c, map[string]any{"order": order}))
	with := func(more map[string]any) map[string]any {
		body := map[string]any{"map_uuid": zones, "seed": 3, "number_of_samples": 14, "min_samples_per_field": 5}
		for member, value := range more {
			body[member] = value
		}
		return body
	}
	generate := plansPath + "generate/"
	type point struct {
		Role     string
		Field    string `json:"field_uuid"`
		Lon, Lat float64
	}
	type made struct {
		UUID     string `json:"map_uuid"`
		Metadata struct {
			Samples  int  `json:"number_of_samples"`
			Legacy   int  `json:"number_of_legacy"`
			PerField *int `json:"min_samples_per_field"`
		}
		Points []point
	}
	plan := func(more map[string]any) (out made) {
		c.Expect(200, http.MethodPost, generate, with(more)).Into(t, &out)
		return out
	}

	for name, wrong := range map[string]map[string]any{
		"min_samples_per_field": {"min_samples_per_field": 1}, "legacy_plan": {"legacy_plan": "c9a353ea-381a-5649-987c-10038b4c3479"},
		"legacy_points": {"legacy_points": []any{map[string]any{"lon": 0.0, "lat": 0.0}}},
	} {
		require.Contains(t, c.Expect(400, http.MethodPost, generate, with(wrong)).Map(t)["details"], name)
	}
	require.Contains(t, c.Expect(400, http.MethodPost, generate, with(map[string]any{"allocation": "cost", "cost": map[string]any{"1": 2}})).Map(t)["details"], "min_samples_per_field")
	first := plan(nil)
	require.Equal(t, 5, *first.Metadata.PerField)
	samples := map[string]int{}
	for _, p := range first.Points {
		if p.Role == "sample" {
			samples[p.Field]++
		}
	}
	for _, field := range uuids {
		require.GreaterOrEqual(t, samples[field], 5)
	}
	c.Expect(200, http.MethodPost, plansPath+first.UUID+"/save/", map[string]any{})
	stranger.Expect(404, http.MethodPost, generate, with(map[string]any{"legacy_plan": first.UUID}))

	second := plan(map[string]any{"legacy_plan": first.UUID, "seed": 4, "start": map[string]any{"lon": -4.2, "lat": 41.8}, "reserve_share": 0})
	require.Equal(t, first.Metadata.Samples, second.Metadata.Legacy)
	kept := 0
	for _, p := range second.Points {
		if p.Role != "legacy" {
			continue
		}
		kept++
		require.Contains(t, first.Points, point{"sample", p.Field, p.Lon, p.Lat})
	}
	require.Equal(t, second.Metadata.Legacy, kept)
	place := map[string]any{"lon": first.Points[0].Lon, "lat": first.Points[0].Lat}
	require.Equal(t, 1, plan(map[string]any{"legacy_points": []any{place}}).Metadata.Legacy)

	// The example of the document is accepted, with its places and plans replaced.
	example := maps.Clone(rig.Document(t).Paths.Find("/api/v1.2/" + generate).Post.RequestBody.Value.Content["application/json"].Example.(map[string]any))
	maps.Copy(example, map[string]any{"map_uuid": zones, "legacy_plan": first.UUID, "number_of_samples": 14, "start": place, "end": place, "legacy_points": []any{}})
	c.Expect(200, http.MethodPost, generate, example)

	var file struct {
		Features []struct{ Properties struct{ Role string } }
	}
	require.NoError(t, json.Unmarshal(c.Expect(200, http.MethodGet, plansPath+second.UUID+"/export/?format=geojson", nil).Body, &file))
	roles := map[string]int{}
	for _, f := range file.Features {
		roles[f.Properties.Role]++
	}
	require.Equal(t, map[string]int{"sample": second.Metadata.Samples, "legacy": kept}, roles)
	drawn := string(c.Expect(200, http.MethodGet, plansPath+second.UUID+"/preview.svg?layout=phone", nil).Body)
	require.Contains(t, drawn, ">Legacy point, kept from before ("+itoa(int64(kept))+")<")
	require.Contains(t, drawn, `width="390"`)
	c.Expect(400, http.MethodGet, plansPath+second.UUID+"/preview.svg?layout=wall", nil)
}
