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

		require.Equal(t, []string{"unchanged"}, outcomes(t, c.Expect(200, http.MethodPost, upsert, entered("A", "winter_wheat"))), "nothing was created")
		changed := c.Expect(200, http.MethodPost, upsert, map[string]any{"external_id": "A", "resource_type": "farm", "resource_id": farm, "crop": map[string]any{"harvest_date": "2025-07-12"}})
		require.Equal(t, []string{"updated"}, outcomes(t, changed))
		require.EqualValues(t, id, changed.Data(t)["id"])
		require.Equal(t, map[string]any{"crop_type": "winter_wheat", "harvest_date": "2025-07-12"}, keep(changed.Data(t)["crop"], "crop_type", "harvest_date"), "a section is merged")
		require.Equal(t, "erp", changed.Data(t)["source"], "what is left out stays")
		c.Expect(400, http.MethodPost, upsert, map[string]any{"resource_type": "farm", "resource_id": farm})

		// Only one live assessment has a key.
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

		// Deleted ones are listed, and can be restored unless their key has been taken since.
		c.Expect(400, http.MethodDelete, all, nil)
		c.Expect(404, http.MethodDelete, fmt.Sprintf("%s?id=%d,999999", all, id), nil)
		c.Expect(204, http.MethodDelete, fmt.Sprintf("%s?id=%d,%d", all, id, other), nil)
		require.EqualValues(t, 2, c.Expect(200, http.MethodGet, all+"deleted/", nil).Data(t)["count"])
		require.EqualValues(t, 2, c.Expect(200, http.MethodGet, fmt.Sprintf("%sdeleted/?farm=%d", all, farm), nil).Data(t)["count"])
		require.EqualValues(t, 0, c.Expect(200, http.MethodGet, all+"deleted/?farm=999999", nil).Data(t)["count"])
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

// Many assessments and areas of interest are created in one request, or changed if they exist: all or none. Lists are
// filtered to what belongs to a farm.
func TestManyAssessmentsAndAreasAreMade(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company(access.RoleOwner, 0)
		s.Subscribe(c)
		farm, other := newFarm(c), newFarm(c)
		made := c.Expect(200, http.MethodPost, "field/", map[string]any{"name": "North", "farm_id": farm, "boundary": rig.Square(100, 1)}).Data(t)
		field, uuid := int64(made["id"].(float64)), made["uuid"].(string)
		const all = "ghg/assessments/"
		entered := func(key, kind string, of int64, crop string) map[string]any {
			return map[string]any{"resource_type": kind, "resource_id": of, "external_id": key, "crop": map[string]any{"crop_type": crop}, "fertilizers": []any{map[string]any{"product": "urea"}}}
		}
		two := []any{entered("A", "farm", farm, "rye"), entered("B", "field", field, "maize")}
		refused := c.Expect(400, http.MethodPost, all, append(two, entered("C", "field", 999_999, "maize"), entered("D", "field", field, "triffid"), 7))
		require.Equal(t, "bulk_validation_failed", refused.Map(t)["code"])
		details := refused.Map(t)["details"].(map[string]any)
		require.Len(t, details, 3)
		require.Contains(t, details["2"], "resource_id")
		require.Contains(t, details["3"], "crop")
		require.Equal(t, map[string]any{"non_field_errors": []any{"Expected an object, got a number."}}, details["4"])
		require.Empty(t, recordsOf(t, c.Expect(200, http.MethodGet, all, nil)))
		first := recordsOf(t, c.Expect(201, http.MethodPost, all, two))
		require.Len(t, first, 2)
		require.Equal(t, "maize", first[1]["crop"].(map[string]any)["crop_type"])
		require.NotEmpty(t, first[0]["company"].(map[string]any)["name"])
		require.Equal(t, "duplicate_external_id", c.Expect(409, http.MethodPost, all, two).Map(t)["code"])

		again := c.Expect(201, http.MethodPost, all+"?on_conflict=external_id", []any{two[0], entered("B", "field", field, "oats"), entered("E", "farm", other, "rye")})
		require.Equal(t, []string{"unchanged", "updated", "created"}, outcomes(t, again))
		require.Equal(t, "oats", recordsOf(t, again)[1]["crop"].(map[string]any)["crop_type"])
		require.Equal(t, first[1]["fertilizers"], recordsOf(t, again)[1]["fertilizers"])
		twice := c.Expect(400, http.MethodPost, all+"?on_conflict=external_id", []any{two[0], two[0], map[string]any{"resource_type": "farm", "resource_id": farm}})
		require.Contains(t, string(twice.Body), `"1":{"external_id"`)
		require.Contains(t, string(twice.Body), `"2":{"external_id"`)
		require.Contains(t, string(c.Expect(400, http.MethodPost, all+"?on_conflict=external_id", []any{7}).Body), `"details":{"0":{"non_field_errors":["Expected an object, got a number."]}}`)
		require.Len(t, recordsOf(t, c.Expect(200, http.MethodGet, all, nil)), 3)
		require.Len(t, recordsOf(t, c.Expect(200, http.MethodGet, all+"?farm="+itoa(farm), nil)), 2, "of the farm and of its field")
		require.Len(t, recordsOf(t, c.Expect(200, http.MethodGet, all+"?farm="+itoa(other), nil)), 1)

		areas := []any{map[string]any{"external_id": "A", "field_uuids": []any{uuid}}, map[string]any{"external_id": "B", "field_uuids": []any{uuid}}}
		require.Len(t, recordsOf(t, c.Expect(200, http.MethodPost, "soil/aois/", areas)), 2)
		require.Equal(t, []string{"unchanged", "created"}, outcomes(t, c.Expect(200, http.MethodPost, "soil/aois/?on_conflict=external_id", []any{areas[0], map[string]any{"external_id": "C", "field_uuids": []any{uuid}}})))
		c.Expect(400, http.MethodPost, "soil/aois/", []any{areas[0], map[string]any{"field_uuids": []any{}}})
		require.EqualValues(t, 3, len(listedAt(t, c, "soil/aois/?farm="+itoa(farm))))
		require.Empty(t, listedAt(t, c, "soil/aois/?farm="+itoa(other)))
		for _, list := range []string{"data-processing/orders/", "samples/", "stratification-saved-maps/", "sample-plan/sample-plan-saved-maps/"} {
			require.Empty(t, listedAt(t, c, "soil/stratification/"+list+"?farm="+itoa(farm)), list)
		}
		stranger := s.Company(access.RoleOwner, 0)
		s.Subscribe(stranger)
		require.Empty(t, recordsOf(t, stranger.Expect(200, http.MethodGet, all+"?farm="+itoa(farm), nil)))
		require.Empty(t, listedAt(t, stranger, "soil/aois/?farm="+itoa(farm)))
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
