package contract

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

func count(t *testing.T, c *rig.Client, list string) int {
	t.Helper()
	return int(c.Expect(200, "GET", list, nil).Data(t)["count"].(float64))
}

func TestDeletedRecordsAreRestored(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		cultivation := func() int64 {
			return c.Make("cultivation/", map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": land.Crop})
		}
		kept, before := cultivation(), cultivation()
		fertilization := c.Make("fertilization/", map[string]any{"cultivation_id": kept})
		gone := c.Make("fertilization/", map[string]any{"cultivation_id": kept})
		restore := func(status int, resource string, id int64) rig.Answer {
			return c.Expect(status, "POST", path(resource, id)+"restore/", nil)
		}

		require.Equal(t, "not_deleted", restore(400, "farm", land.Farm).Map(t)["code"])
		restore(404, "farm", 999999)
		c.Expect(204, "DELETE", path("cultivation", before), nil)
		c.Expect(204, "DELETE", path("fertilization", gone), nil)
		c.Expect(204, "DELETE", path("farm", land.Farm), nil)
		for _, list := range []string{"farm/", "field/", "cultivation/", "fertilization/"} {
			require.Zero(t, count(t, c, list), list)
		}

		// Others do not learn of it; a parent must be restored first.
		s.Company("owner", 0).Expect(404, "POST", path("farm", land.Farm)+"restore/", nil)
		refused := restore(400, "field", land.Field).Map(t)
		require.Equal(t, "parent_deleted", refused["code"])
		require.Contains(t, refused["details"], "farm_id")
		require.Contains(t, restore(400, "cultivation", kept).Map(t)["details"], "field_id")
		require.Contains(t, restore(400, "fertilization", fertilization).Map(t)["details"], "cultivation_id")
		for _, list := range []string{"farm/", "field/", "cultivation/", "fertilization/"} {
			require.Zero(t, count(t, c, list), "a refusal restores nothing: %s", list)
		}

		// The season can be deleted, because no live cultivation uses it; then it is missing.
		c.Expect(204, "DELETE", path("season", land.Season), nil)
		require.Contains(t, restore(400, "farm", land.Farm).Map(t)["details"], "season_id")
		require.Zero(t, count(t, c, "field/"))
		restore(200, "season", land.Season)

		farm := restore(200, "farm", land.Farm).Data(t)
		require.EqualValues(t, land.Farm, farm["id"])
		require.EqualValues(t, 1, farm["field_count"])
		require.Equal(t, 1, count(t, c, "field/"))
		require.Equal(t, 2, count(t, c, "cultivation/"), "what was deleted before stays deleted")
		require.Equal(t, 1, count(t, c, "fertilization/"))
		c.Expect(404, "GET", path("cultivation", before), nil)
		c.Expect(404, "GET", path("fertilization", gone), nil)

		restore(200, "fertilization", gone)
		restore(200, "cultivation", before)
		require.Equal(t, 3, count(t, c, "cultivation/"))
		require.Equal(t, 2, count(t, c, "fertilization/"))

		editor, viewer := s.User(c.CompanyID, "editor"), s.User(c.CompanyID, "viewer")
		denied := viewer.Expect(403, "POST", path("farm", 999999)+"restore/", nil).Map(t)
		require.Equal(t, map[string]any{"required_permission": "farm.delete", "action": "restore", "resource": "FarmView"}, denied["details"])
		editor.Expect(204, "DELETE", path("field", land.Field), nil)
		editor.Expect(200, "POST", path("field", land.Field)+"restore/", nil)
		require.Equal(t, 3, count(t, c, "cultivation/"))
	})
}

func TestBoundariesAreRemembered(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		editor := s.User(c.CompanyID, "editor")
		land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		at := path("field", land.Field)
		history := func() []map[string]any {
			t.Helper()
			var out []map[string]any
			for _, v := range c.Expect(200, "GET", at+"boundaries/", nil).Data(t)["results"].([]any) {
				out = append(out, v.(map[string]any))
			}
			return out
		}
		first := c.Expect(200, "GET", at, nil).Data(t)
		require.Len(t, history(), 1)
		require.Equal(t, first["boundary"], history()[0]["boundary"])
		require.Equal(t, first["area_ha"], history()[0]["area_ha"])
		require.Nil(t, history()[0]["valid_to"])

		// An update that leaves the boundary unchanged adds nothing.
		c.Expect(200, "PATCH", at, `{"name":"renamed"}`)
		c.Expect(200, "PATCH", at, map[string]any{"boundary": first["boundary"]})
		require.Len(t, history(), 1)

		editor.Expect(200, "PATCH", at, map[string]any{"boundary": rig.GeoJSON(t, rig.Square(400, 0))})
		versions := history()
		require.Len(t, versions, 2)
		require.Equal(t, first["boundary"], versions[1]["boundary"], "newest first")
		require.Equal(t, versions[0]["valid_from"], versions[1]["valid_to"], "no gap and no overlap")
		require.NotEqual(t, versions[0]["changed_by"], versions[1]["changed_by"])
		require.NotContains(t, versions[0]["changed_by"], "email")
		require.Greater(t, versions[0]["area_ha"], versions[1]["area_ha"])

		c.Expect(200, "PATCH", at, `{"boundary":null}`)
		require.Len(t, history(), 2)
		require.NotNil(t, history()[0]["valid_to"], "taken away")
		c.Expect(200, "PATCH", at, map[string]any{"boundary": rig.GeoJSON(t, rig.Square(300, 0))})
		require.Len(t, history(), 3)
		require.Equal(t, 3, count(t, c, at+"boundaries/?page_size=1&page=2"))

		bulk := c.Expect(200, "POST", "field/", []any{
			map[string]any{"name": "a", "farm_id": land.Farm, "boundary": rig.GeoJSON(t, rig.Square(100, 3))}, map[string]any{"name": "b", "farm_id": land.Farm},
		}).Map(t)["data"].([]any)
		for i, want := range []int{1, 0} {
			id := int64(bulk[i].(map[string]any)["id"].(float64))
			require.Equal(t, want, count(t, c, path("field", id)+"boundaries/"))
		}
		s.Company("owner", 0).Expect(404, "GET", at+"boundaries/", nil)
		c.Expect(404, "GET", at+"boundaries/?share=true", nil)
		c.Expect(404, "GET", "field/abc/boundaries/", nil)
		c.Expect(204, "DELETE", at, nil)
		c.Expect(404, "GET", at+"boundaries/", nil)
	})
}
