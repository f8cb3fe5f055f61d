package contract

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// Assessments are kept in step with another system, with their sections, one by one and many at once.
func TestAssessmentsAreKeptInStep(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company(access.RoleOwner, 0)
		farm := int64(c.Expect(200, http.MethodPost, "farm/", map[string]any{"name": "North"}).Data(t)["id"].(float64))
		const all = "ghg/assessments/"
		const upsert = all + "?on_conflict=external_id"
		entered := func(key, crop string) map[string]any {
			return map[string]any{"resource_type": "farm", "resource_id": farm, "external_id": key, "source": "erp", "crop": map[string]any{"crop_type": crop}}
		}
		made := c.Expect(201, http.MethodPost, upsert, entered("A", "winter_wheat"))
		require.Equal(t, []string{"created"}, outcomes(t, made))
		id := int64(made.Data(t)["id"].(float64))
		path := fmt.Sprintf("%s%d/", all, id)

		require.Equal(t, []string{"unchanged"}, outcomes(t, c.Expect(201, http.MethodPost, upsert, entered("A", "winter_wheat"))))
		changed := c.Expect(201, http.MethodPost, upsert, map[string]any{"external_id": "A", "resource_type": "farm", "resource_id": farm, "crop": map[string]any{"harvest_date": "2025-07-12"}})
		require.Equal(t, []string{"updated"}, outcomes(t, changed))
		require.EqualValues(t, id, changed.Data(t)["id"])
		require.Equal(t, map[string]any{"crop_type": "winter_wheat", "harvest_date": "2025-07-12"}, keep(changed.Data(t)["crop"], "crop_type", "harvest_date"), "a section is merged")
		require.Equal(t, "erp", changed.Data(t)["source"], "what is left out stays")
		c.Expect(400, http.MethodPost, upsert, map[string]any{"resource_type": "farm", "resource_id": farm})

		// One live assessment has a key.
		require.Contains(t, string(c.Expect(409, http.MethodPost, all, entered("A", "barley")).Body), `"duplicate_external_id"`)
		other := int64(c.Expect(201, http.MethodPost, all, entered("B", "barley")).Data(t)["id"].(float64))
		c.Expect(409, http.MethodPatch, path, map[string]any{"external_id": "B"})
		require.Len(t, recordsOf(t, c.Expect(200, http.MethodGet, all+"?external_id=B,C", nil)), 1)

		// Many are changed, all or none.
		refused := c.Expect(400, http.MethodPatch, all, []any{
			map[string]any{"id": id, "assessment_year": 2024}, map[string]any{"id": other, "crop": map[string]any{"crop_typ": "oats"}}, map[string]any{"assessment_year": 2024},
		})
		require.Contains(t, string(refused.Body), `"1":{"crop":{"crop_typ"`)
		require.Contains(t, string(refused.Body), `"2":{"id":["Give the id of the record that the item changes."]}`)
		require.Nil(t, c.Expect(200, http.MethodGet, path, nil).Data(t)["assessment_year"])
		c.Expect(404, http.MethodPatch, all, []any{map[string]any{"id": id, "assessment_year": 2024}, map[string]any{"id": 999_999}})
		many := c.Expect(200, http.MethodPatch, all, []any{
			map[string]any{"id": other, "assessment_year": 2024, "crop": map[string]any{"crop_type": "oats"}}, map[string]any{"id": id, "external_id": "A"},
		})
		require.Equal(t, []string{"updated", "unchanged"}, outcomes(t, many))
		require.Equal(t, "oats", recordsOf(t, many)[0]["crop"].(map[string]any)["crop_type"])

		// Deleted ones are listed, and come back unless their key was taken since.
		c.Expect(400, http.MethodDelete, all, nil)
		c.Expect(404, http.MethodDelete, fmt.Sprintf("%s?id=%d,999999", all, id), nil)
		c.Expect(204, http.MethodDelete, fmt.Sprintf("%s?id=%d,%d", all, id, other), nil)
		require.EqualValues(t, 2, c.Expect(200, http.MethodGet, all+"deleted/", nil).Data(t)["count"])
		c.Expect(201, http.MethodPost, all, entered("A", "rye"))
		c.Expect(409, http.MethodPost, path+"restore/", nil)
		back := c.Expect(200, http.MethodPost, fmt.Sprintf("%s%d/restore/", all, other), nil)
		require.Equal(t, "B", back.Data(t)["external_id"])

		stranger := s.Company(access.RoleOwner, 0)
		stranger.Expect(404, http.MethodPatch, all, []any{map[string]any{"id": other, "assessment_year": 2023}})
		stranger.Expect(404, http.MethodDelete, fmt.Sprintf("%s?id=%d", all, other), nil)
		require.EqualValues(t, 0, stranger.Expect(200, http.MethodGet, all+"deleted/", nil).Data(t)["count"])
	})
}

// keep returns some members of an object.
func keep(object any, names ...string) map[string]any {
	out := map[string]any{}
	for _, name := range names {
		out[name] = object.(map[string]any)[name]
	}
	return out
}
