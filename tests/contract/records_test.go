package contract

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

func TestFarmFieldSeasonKeepWhatTheyAreGiven(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		farm := map[string]any{
			"name": "Höfe & Söhne", "description": "d", "country": "germany", "region": "r", "city": "c", "address": "a", "postal_code": "1",
			"location": map[string]any{"type": "Point", "coordinates": []any{-4.9, 41.7}}, "timezone": "Europe/Berlin", "unit_system": "metric",
			"owner_name": "o", "phone": "p", "email": "e@f.example", "business_id": "b", "external_id": "x-1", "source": "test",
		}
		farmID := c.Make("farm/", farm)
		got := c.Expect(200, "GET", path("farm", farmID), nil).Data(t)
		for k, v := range farm {
			require.Equal(t, v, got[k], k)
		}
		require.EqualValues(t, c.CompanyID, got["company_id"])
		require.EqualValues(t, c.CompanyID, got["company"].(map[string]any)["id"])
		require.NotEmpty(t, got["company"].(map[string]any)["name"])
		require.NotEmpty(t, got["created_by"].(map[string]any)["name"])
		require.NotContains(t, string(c.Expect(200, "GET", "farm/", nil).Body), "@test.example")

		field := map[string]any{
			"name": "F", "farm_id": farmID, "boundary": rig.GeoJSON(t, rig.Square(500, 0)), "declared_area_ha": 24.5,
			"boundary_category": "operational", "boundary_method": "surveyed", "boundary_observed_on": "2025-03-01", "soil_type": "loam",
			"irrigated": true, "tenure": "owned", "active_from": "2020-01-01", "active_to": "2030-12-31", "notes": "n", "external_id": "y", "source": "s",
		}
		fieldID := c.Make("field/", field)
		got = c.Expect(200, "GET", path("field", fieldID), nil).Data(t)
		answersAsRead(t, c, farmID, field)
		for k, v := range field {
			if k != "boundary" && k != "farm_id" {
				require.Equal(t, v, got[k], k)
			}
		}
		require.InDelta(t, 25, got["area_ha"], 0.2)
		require.Equal(t, "Höfe & Söhne", got["farm"].(map[string]any)["name"])
		require.Empty(t, got["warnings"])
		c.Expect(200, "PUT", path("field", fieldID), got)
		again := c.Expect(200, "GET", path("field", fieldID), nil).Data(t)
		require.Equal(t, got["boundary"], again["boundary"])
		require.Equal(t, got["uuid"], again["uuid"])
		require.Equal(t, got["created_at"], again["created_at"])
		// null clears an optional member.
		cleared := c.Expect(200, "PATCH", path("field", fieldID), `{"boundary":null,"irrigated":null,"active_to":null}`).Data(t)
		require.Nil(t, cleared["boundary"])
		require.Nil(t, cleared["area_ha"])
		require.Nil(t, cleared["irrigated"])
		require.Equal(t, "loam", cleared["soil_type"])

		season := map[string]any{"name": "W", "start_date": "2024-10-01", "end_date": "2025-08-31", "kind": "winter", "is_closed": false, "external_id": "z", "source": "s"}
		seasonID := c.Make("season/", season)
		got = c.Expect(200, "GET", path("season", seasonID), nil).Data(t)
		for k, v := range season {
			require.Equal(t, v, got[k], k)
		}
		require.EqualValues(t, 2025, got["harvest_year"])

		got = c.Expect(200, "GET", path("farm", farmID), nil).Data(t)
		require.EqualValues(t, 1, got["field_count"])
	})
}

// answersAsRead creates fields and requires that the response equals what a later GET returns.
func answersAsRead(t *testing.T, c *rig.Client, farmID int64, full map[string]any) {
	full = maps.Clone(full)
	delete(full, "external_id")
	odd := map[string]any{
		"name": " Ä\u0301 \U0001F33E ", "farm_id": farmID, "declared_area_ha": 0.1 + 0.2, "notes": "a\nb'\\\u2028\"", "irrigated": false, "active_from": "1970-01-01",
	}
	var made []map[string]any
	c.Expect(200, "POST", "field/", []any{full, odd, map[string]any{"name": "bare", "farm_id": farmID}}).Into(t, &made)
	one := c.Expect(200, "POST", "field/", odd).Data(t)
	for _, answered := range append(made, one) {
		id := int64(answered["id"].(float64))
		require.Equal(t, c.Expect(200, "GET", path("field", id), nil).Data(t), answered)
		c.Expect(204, "DELETE", path("field", id), nil)
	}
}

func TestOverlapsAreWarnedOf(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company("owner", 0)
	farm := c.Make("farm/", map[string]any{"name": "f"})
	first := c.Make("field/", map[string]any{"name": "first", "farm_id": farm, "boundary": rig.GeoJSON(t, rig.Square(500, 0))})
	second := c.Expect(200, "POST", "field/", map[string]any{"name": "second", "farm_id": farm, "boundary": rig.GeoJSON(t, rig.Square(400, 0))}).Data(t)
	require.Len(t, second["warnings"], 1)
	require.Contains(t, second["warnings"].([]any)[0].(map[string]any)["message"], "field "+itoa(first))
	apart := c.Expect(200, "POST", "field/", map[string]any{"name": "apart", "farm_id": farm, "boundary": rig.GeoJSON(t, rig.Square(500, 3))}).Data(t)
	require.Empty(t, apart["warnings"])
}

// What a request cannot compare is stored with a warning, and reported when the background has compared it.
func TestOverlapsAreLookedForInTheBackground(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: func(cfg *cli.Config) { cfg.OverlapSteps = 1 }})
		c := s.Company("owner", 0)
		farm := c.Make("farm/", map[string]any{"name": "f"})
		codes := func(field map[string]any) (out []string) {
			for _, w := range field["warnings"].([]any) {
				out = append(out, w.(map[string]any)["code"].(string))
			}
			return out
		}
		settled := func(id int64, want ...string) {
			rig.Eventually(t, func() bool {
				have := codes(c.Expect(200, "GET", path("field", id), nil).Data(t))
				return slices.Equal(want, have)
			}, 2*time.Minute, 10*time.Millisecond)
		}
		var made []map[string]any
		c.Expect(200, "POST", "field/", []any{
			map[string]any{"name": "first", "farm_id": farm, "boundary": rig.GeoJSON(t, rig.Square(500, 0))},
			map[string]any{"name": "second", "farm_id": farm, "boundary": rig.GeoJSON(t, rig.Square(400, 0))},
			map[string]any{"name": "apart", "farm_id": farm, "boundary": rig.GeoJSON(t, rig.Square(500, 3))},
		}).Into(t, &made)
		var ids []int64
		for _, field := range made {
			require.Equal(t, []string{"overlap_pending"}, codes(field))
			ids = append(ids, int64(field["id"].(float64)))
		}
		settled(ids[0], "overlap")
		settled(ids[1], "overlap")
		settled(ids[2])
		moved := c.Expect(200, "PATCH", path("field", ids[1]), map[string]any{"boundary": rig.GeoJSON(t, rig.Square(400, 6))}).Data(t)
		require.Equal(t, []string{"overlap_pending"}, codes(moved))
		settled(ids[0])
		settled(ids[1])
	})
}

// Bad input is a 4xx that names the member, and nothing is written.
func TestBadRecordsAreRefused(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company("owner", 0)
	farm := c.Make("farm/", map[string]any{"name": "f"})
	polygon := func(coordinates string) string {
		return `{"name":"x","farm_id":` + itoa(farm) + `,"boundary":{"type":"Polygon","coordinates":` + coordinates + `}}`
	}
	for name, bad := range map[string]struct{ path, body, field string }{
		"blank name":          {"farm/", `{"name":""}`, "name"},
		"long name":           {"farm/", `{"name":"` + strings.Repeat("é", 256) + `"}`, "name"},
		"unknown country":     {"farm/", `{"name":"x","country":"atlantis"}`, "country"},
		"unknown zone":        {"farm/", `{"name":"x","timezone":"Mars/Base"}`, "timezone"},
		"unit system":         {"farm/", `{"name":"x","unit_system":"roman"}`, "unit_system"},
		"point off the map":   {"farm/", `{"name":"x","location":{"type":"Point","coordinates":[200,10]}}`, "location"},
		"unknown farm":        {"field/", `{"name":"x","farm_id":999999}`, "farm_id"},
		"bow tie":             {"field/", polygon(`[[[0,0],[0.01,0.01],[0.01,0],[0,0.01],[0,0]]]`), "boundary"},
		"hole outside":        {"field/", polygon(`[[[0,0],[0.01,0],[0.01,0.01],[0,0.01],[0,0]],[[1,1],[1.001,1],[1.001,1.001],[1,1]]]`), "boundary"},
		"too few positions":   {"field/", polygon(`[[[0,0],[0.01,0],[0,0]]]`), "boundary"},
		"no area":             {"field/", polygon(`[[[0,0],[0.01,0],[0.02,0],[0,0]]]`), "boundary"},
		"off the globe":       {"field/", polygon(`[[[0,0],[500,0],[500,500],[0,0]]]`), "boundary"},
		"too large":           {"field/", polygon(`[[[0,0],[5,0],[5,5],[0,5],[0,0]]]`), "boundary"},
		"antimeridian":        {"field/", polygon(`[[[179.999,0],[-179.999,0],[-179.999,0.002],[179.999,0.002],[179.999,0]]]`), "boundary"},
		"not a polygon":       {"field/", `{"name":"x","farm_id":1,"boundary":{"type":"Point","coordinates":[0,0]}}`, "boundary"},
		"boundary as text":    {"field/", `{"name":"x","farm_id":1,"boundary":"POLYGON((0 0))"}`, "boundary"},
		"too many vertices":   {"field/", polygon("[[" + strings.Repeat("[0,0],", 20000) + "[0,0]]]"), "boundary"},
		"unknown method":      {"field/", `{"name":"x","farm_id":1,"boundary_method":"guessed"}`, "boundary_method"},
		"date out of month":   {"season/", `{"name":"x","start_date":"2025-02-30","end_date":"2025-03-01"}`, "start_date"},
		"ends before start":   {"season/", `{"name":"x","start_date":"2025-03-02","end_date":"2025-03-01"}`, "end_date"},
		"longer than 3 years": {"season/", `{"name":"x","start_date":"2020-01-01","end_date":"2025-03-01"}`, "end_date"},
		"number as text":      {"field/", `{"name":"x","farm_id":"1"}`, "farm_id"},
		"infinite number":     {"field/", `{"name":"x","farm_id":1,"declared_area_ha":1e400}`, "declared_area_ha"},
	} {
		a := c.Expect(400, "POST", bad.path, bad.body).Map(t)
		require.Contains(t, a["details"], bad.field, name)
	}
	require.EqualValues(t, 0, c.Expect(200, "GET", "field/", nil).Data(t)["count"])
	require.EqualValues(t, 0, c.Expect(200, "GET", "season/", nil).Data(t)["count"])
	require.EqualValues(t, 1, c.Expect(200, "GET", "farm/", nil).Data(t)["count"])
}

func TestSigningIn(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Demo: true})
		anonymous := s.Anonymous()
		in := map[string]any{"email": "Owner@demo.example", "password": "tilth-demo-2025"}
		pair := anonymous.Expect(200, "POST", "auth/token/", in).Data(t)
		require.Equal(t, "Bearer", pair["token_type"])
		require.EqualValues(t, 900, pair["expires_in"])
		user := s.Anonymous()
		user.Token = pair["access"].(string)
		user.Expect(200, "GET", "farm/", nil)

		// A refresh token is valid once; if it is used again, its whole family ends.
		first := map[string]any{"refresh": pair["refresh"]}
		next := anonymous.Expect(200, "POST", "auth/token/refresh/", first).Data(t)
		anonymous.Expect(401, "POST", "auth/token/refresh/", first)
		anonymous.Expect(401, "POST", "auth/token/refresh/", map[string]any{"refresh": next["refresh"]})

		// A revoked token stays revoked.
		pair = anonymous.Expect(200, "POST", "auth/token/", in).Data(t)
		anonymous.Expect(204, "POST", "auth/token/revoke/", map[string]any{"refresh": pair["refresh"]})
		anonymous.Expect(401, "POST", "auth/token/refresh/", map[string]any{"refresh": pair["refresh"]})
	})
}
