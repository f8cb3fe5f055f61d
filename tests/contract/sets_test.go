package contract

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

func outcomes(t *testing.T, a rig.Answer) []string {
	t.Helper()
	var out []string
	all, _ := a.Map(t)["outcomes"].([]any)
	for _, one := range all {
		out = append(out, one.(string))
	}
	return out
}

func recordsOf(t *testing.T, a rig.Answer) (records []map[string]any) {
	t.Helper()
	a.Into(t, &records)
	return records
}

// A system that keeps its records in step sends them all, and each is created, updated or left unchanged.
func TestRecordsAreKeptInStep(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company(access.RoleOwner, 0)
		const farms = "farm/?on_conflict=external_id"
		first := c.Expect(200, http.MethodPost, farms, []any{
			map[string]any{"name": "North", "external_id": "N", "phone": "1"},
		})
		require.Equal(t, []string{"created"}, outcomes(t, first))
		north := int64(recordsOf(t, first)[0]["id"].(float64))

		sent := []any{
			map[string]any{"name": "North", "external_id": "N"}, map[string]any{"name": "South", "external_id": "S"},
			map[string]any{"name": "North again", "external_id": "N2"},
		}
		second := c.Expect(200, http.MethodPost, farms, sent)
		require.Equal(t, []string{"unchanged", "created", "created"}, outcomes(t, second))
		require.EqualValues(t, north, recordsOf(t, second)[0]["id"])
		require.Equal(t, "1", recordsOf(t, second)[0]["phone"], "what an item leaves out stays")
		version := recordsOf(t, second)[0]["updated_at"]

		one := c.Expect(200, http.MethodPost, farms, map[string]any{"name": "North", "external_id": "N", "phone": "2"})
		require.Equal(t, []string{"updated"}, outcomes(t, one))
		require.Equal(t, "2", one.Data(t)["phone"])
		require.NotEqual(t, version, one.Data(t)["updated_at"])
		c.Expect(200, http.MethodPost, farms, map[string]any{"name": "North", "external_id": "N"})
		require.EqualValues(t, 3, c.Expect(200, http.MethodGet, "farm/", nil).Data(t)["count"])
		trail := list(t, c.Expect(200, http.MethodGet, fmt.Sprintf("audit/?resource=farm&record=%d", north), nil))
		require.Len(t, trail, 2, "what is unchanged leaves no trace")

		refused := c.Expect(400, http.MethodPost, farms, []any{
			map[string]any{"name": "East", "external_id": "E"}, map[string]any{"name": "Nameless key"},
			map[string]any{"external_id": "N", "phone": 5}, map[string]any{"name": "East", "external_id": "E"},
		})
		require.Contains(t, string(refused.Body), `"1":{"external_id"`)
		require.Contains(t, string(refused.Body), `"2":{"phone"`)
		require.NotContains(t, string(refused.Body), `"2":{"name"`, "a record that is there has its name")
		require.Contains(t, string(refused.Body), `"3":{"external_id"`)
		require.EqualValues(t, 3, c.Expect(200, http.MethodGet, "farm/", nil).Data(t)["count"], "all or none")
		c.Expect(400, http.MethodPost, "farm/?on_conflict=name", map[string]any{"name": "x"})
	})
}

// Only one live record of a kind has an external id.
func TestExternalIDsAreTakenOnce(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, other := s.Company(access.RoleOwner, 0), s.Company(access.RoleOwner, 0)
		s.Subscribe(c)
		land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		uuid := c.Expect(200, http.MethodGet, path("field", land.Field), nil).Data(t)["uuid"]
		bodies := map[string]map[string]any{
			"farm":          {"name": "F"},
			"field":         {"name": "F", "farm_id": land.Farm},
			"season":        {"name": "S", "start_date": "2025-01-01", "end_date": "2025-12-31"},
			"fertilization": {"cultivation_id": land.Cultivation, "product_name": "Urea"},
			"soil/aois":     {"field_uuids": []any{uuid}},
		}
		other.Make("farm/", map[string]any{"name": "F", "external_id": "K"})
		for kind, body := range bodies {
			body["external_id"] = "K"
			made := c.Make(kind+"/", body)
			again := c.Expect(409, http.MethodPost, kind+"/", body)
			require.Equal(t, "duplicate_external_id", again.Map(t)["code"], kind)
			require.Contains(t, string(again.Body), fmt.Sprintf(`"id":%d`, made), kind)
			require.Equal(t, []string{"unchanged"}, outcomes(t, c.Expect(200, http.MethodPost, kind+"/?on_conflict=external_id", body)), kind)
			require.Len(t, listedAt(t, c, kind+"/?external_id=K,L"), 1, kind)
			body["external_id"] = "L"
			second := c.Make(kind+"/", body)
			c.Expect(409, http.MethodPatch, path(kind, second), map[string]any{"external_id": "K"})
			changed := c.Expect(409, http.MethodPatch, kind+"/", []any{map[string]any{"id": second, "external_id": "K"}})
			require.Equal(t, "duplicate_external_id", changed.Map(t)["code"], kind)
			c.Expect(200, http.MethodPatch, path(kind, second), map[string]any{"external_id": "L", "source": "erp"})
			c.Expect(204, http.MethodDelete, path(kind, made), nil)
			c.Expect(200, http.MethodPatch, path(kind, second), map[string]any{"external_id": "K"})
			back := c.Expect(409, http.MethodPost, path(kind, made)+"restore/", nil)
			require.Equal(t, "duplicate_external_id", back.Map(t)["code"], kind)
			c.Expect(200, http.MethodPatch, path(kind, second), map[string]any{"external_id": ""})
			c.Expect(200, http.MethodPost, path(kind, made)+"restore/", nil)
		}
	})
}

// Two clients that send the same at once make it once.
func TestUpsertsAtOnceMakeOneRecord(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company(access.RoleOwner, 0)
		land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		var group sync.WaitGroup
		statuses := make([]int, 8)
		for i := range statuses {
			group.Go(func() {
				statuses[i] = c.Do(http.MethodPost, "season/?on_conflict=external_id", []any{
					map[string]any{"name": fmt.Sprint("S", i%2), "start_date": "2025-01-01", "end_date": "2025-12-31", "external_id": "K"},
				}).Status
				if statuses[i] == 200 {
					statuses[i] = c.Do(http.MethodPost, "cultivation/?on_conflict=natural", map[string]any{
						"field_id": land.Field, "season_id": land.Season, "crop_id": land.Crop + 1,
					}).Status
				}
			})
		}
		group.Wait()
		for _, status := range statuses {
			require.Equal(t, 200, status)
		}
		require.EqualValues(t, 1, c.Expect(200, http.MethodGet, "season/?external_id=K", nil).Data(t)["count"])
		require.EqualValues(t, 2, c.Expect(200, http.MethodGet, "cultivation/", nil).Data(t)["count"])
		same := c.Expect(200, http.MethodPost, "cultivation/?on_conflict=natural", []any{
			map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": land.Crop},
			map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": land.Crop + 2},
		})
		require.Equal(t, []string{"unchanged", "created"}, outcomes(t, same))
		c.Expect(200, http.MethodPost, "cultivation/", map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": land.Crop})
		twice := c.Expect(400, http.MethodPost, "cultivation/?on_conflict=natural", map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": land.Crop})
		require.Contains(t, string(twice.Body), "2 records match it")
	})
}

// Records are changed in one request, or none is.
func TestManyAreChanged(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, stranger := s.Company(access.RoleOwner, 0), s.Company(access.RoleOwner, 0)
		farm := c.Make("farm/", map[string]any{"name": "Farm"})
		var fields []int64
		for i := range 3 {
			fields = append(fields, c.Make("field/", map[string]any{"name": fmt.Sprint("F", i), "farm_id": farm, "boundary": rig.GeoJSON(t, rig.Square(300, i)), "notes": "n"}))
		}
		foreign := stranger.Make("farm/", map[string]any{"name": "Foreign"})
		done := c.Expect(200, http.MethodPatch, "field/", []any{
			map[string]any{"id": fields[2], "name": "Third", "notes": nil},
			map[string]any{"id": fields[0], "name": "F0"},
			map[string]any{"id": fields[1], "boundary": rig.GeoJSON(t, rig.Square(400, 1))},
		})
		require.Equal(t, []string{"updated", "unchanged", "updated"}, outcomes(t, done))
		records := recordsOf(t, done)
		require.Equal(t, "Third", records[0]["name"])
		require.Equal(t, "", records[0]["notes"])
		require.Equal(t, "n", records[1]["notes"])
		require.InDelta(t, 16, records[2]["area_ha"], 0.5)
		read := c.Expect(200, http.MethodGet, path("field", fields[1]), nil)
		fresh := read.Data(t)
		delete(records[2], "warnings") // about overlaps, which the background may find
		delete(fresh, "warnings")
		require.Equal(t, records[2], fresh)

		missing := c.Expect(404, http.MethodPatch, "farm/", []any{map[string]any{"id": farm, "name": "x"}, map[string]any{"id": foreign, "name": "x"}})
		require.Contains(t, string(missing.Body), fmt.Sprintf(`"ids":[%d]`, foreign))
		for _, body := range []any{
			map[string]any{"id": farm, "name": "x"}, []any{}, []any{map[string]any{"name": "x"}}, []any{map[string]any{"id": farm, "nam": "x"}}, []any{1},
			[]any{map[string]any{"id": farm, "name": "x"}, map[string]any{"id": farm, "name": "y"}}, []any{map[string]any{"id": farm, "name": ""}},
			[]any{map[string]any{"id": "1"}}, []any{map[string]any{"id": farm, "name": "x", "company_id": 99}},
		} {
			require.Equal(t, 400, c.Do(http.MethodPatch, "farm/", body).Status, "%v", body)
		}
		require.Equal(t, "Farm", c.Expect(200, http.MethodGet, path("farm", farm), nil).Data(t)["name"])
		whole := c.Expect(200, http.MethodGet, path("farm", farm), nil).Data(t)
		whole["phone"] = "9"
		require.Equal(t, []string{"updated"}, outcomes(t, c.Expect(200, http.MethodPatch, "farm/", []any{whole})), "what GET returned can be sent back")
		viewer := s.User(c.CompanyID, access.RoleViewer)
		require.Equal(t, 403, viewer.Do(http.MethodPatch, "farm/", []any{map[string]any{"id": farm, "name": "x"}}).Status)
		require.Equal(t, 403, viewer.Do(http.MethodPost, "farm/?on_conflict=external_id", map[string]any{"name": "x", "external_id": "x"}).Status)
	})
}
