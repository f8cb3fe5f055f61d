package contract

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// Records are deleted in one request, each with what belongs to it, or none is.
func TestManyAreDeleted(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, stranger := s.Company(access.RoleOwner, 0), s.Company(access.RoleOwner, 0)
		s.Subscribe(c)
		land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		farms, fields := []int64{land.Farm}, []int64{land.Field}
		for i := range 3 {
			farm := c.Make("farm/", map[string]any{"name": "Farm"})
			farms = append(farms, farm)
			fields = append(fields, c.Make("field/", map[string]any{"name": "Field", "farm_id": farm, "boundary": rig.GeoJSON(t, rig.Square(300, i+1))}))
		}
		other := c.Make("cultivation/", map[string]any{"field_id": fields[1], "season_id": land.Season, "crop_id": land.Crop})
		further := c.Make("cultivation/", map[string]any{"field_id": fields[1], "season_id": land.Season, "crop_id": land.Crop + 1})
		foreign := stranger.Make("farm/", map[string]any{"name": "Foreign"})

		for _, path := range []string{"farm/", "farm/?id=", "field/?id=x", "season/?id=1&name=x", "cultivation/?ids=1"} {
			require.Equal(t, 400, c.Do(http.MethodDelete, path, nil).Status, path)
		}
		missing := c.Expect(404, http.MethodDelete, fmt.Sprintf("farm/?id=%d,%d,999999", farms[0], foreign), nil)
		require.Contains(t, string(missing.Body), fmt.Sprintf(`"ids":[%d,999999]`, foreign))
		c.Expect(200, http.MethodGet, path("farm", farms[0]), nil)
		require.Equal(t, 403, s.User(c.CompanyID, access.RoleViewer).Do(http.MethodDelete, fmt.Sprint("farm/?id=", farms[0]), nil).Status)
		require.Equal(t, 401, s.Anonymous().Do(http.MethodDelete, fmt.Sprint("farm/?id=", farms[0]), nil).Status)

		last := c.Expect(400, http.MethodDelete, fmt.Sprintf("cultivation/?id=%d,%d", other, further), nil)
		require.Contains(t, string(last.Body), "last_cultivation")
		c.Expect(400, http.MethodDelete, fmt.Sprint("season/?id=", land.Season), nil)
		c.Expect(204, http.MethodDelete, fmt.Sprint("cultivation/?id=", further), nil)

		c.Expect(204, http.MethodDelete, fmt.Sprintf("farm/?id=%d,%d,%d", farms[0], farms[1], farms[0]), nil)
		for i := range farms {
			want := http.StatusOK
			if i < 2 {
				want = http.StatusNotFound
			}
			c.Expect(want, http.MethodGet, path("farm", farms[i]), nil)
			c.Expect(want, http.MethodGet, path("field", fields[i]), nil)
		}
		c.Expect(404, http.MethodGet, path("cultivation", other), nil)
		gone := list(t, c.Expect(200, http.MethodGet, "audit/?action=delete&page_size=100", nil))
		require.Len(t, gone, 1+2+2+2, "a cultivation; farms, fields and cultivations: an entry each")
		deletedOf := func(of, narrowed string) []int64 {
			page := c.Expect(200, http.MethodGet, of+"/deleted/?ordering=id"+narrowed, nil).Data(t)
			ids := each(t, page, "results", func(record map[string]any) int64 { return int64(record["id"].(float64)) })
			require.EqualValues(t, len(ids), page["count"])
			return ids
		}
		deleted := func(of string) []int64 { return deletedOf(of, "") }
		require.Equal(t, farms[:2], deleted("farm"))
		require.Equal(t, fields[:2], deleted("field"))
		require.Equal(t, []int64{land.Cultivation, other, further}, deleted("cultivation"))
		below := func(of string, farm int64) []int64 { return deletedOf(of, fmt.Sprint("&farm=", farm)) }
		require.Equal(t, fields[1:2], below("field", farms[1]))
		require.Len(t, append(below("cultivation", farms[0]), below("cultivation", farms[1])...), 3)
		for _, of := range []string{"field", "cultivation", "fertilization", "soil/aois"} {
			require.Empty(t, below(of, farms[2]), of)
		}
		require.Empty(t, deleted("season"))
		require.Empty(t, deleted("fertilization"))
		require.Empty(t, deleted("soil/aois"))
		one := c.Expect(200, http.MethodGet, fmt.Sprintf("farm/deleted/?id=%d,%d&cursor=first", farms[1], farms[2]), nil).Data(t)
		require.Len(t, one["results"], 1)
		require.EqualValues(t, 0, stranger.Expect(200, http.MethodGet, "farm/deleted/", nil).Data(t)["count"])
		c.Expect(400, http.MethodGet, "farm/deleted/?search=x", nil)
		require.Equal(t, 403, s.User(c.CompanyID, access.RoleViewer).Do(http.MethodGet, "farm/deleted/", nil).Status)
		c.Expect(200, http.MethodPost, path("farm", farms[1])+"restore/", nil)
		require.Equal(t, farms[:1], deleted("farm"))
		c.Expect(200, http.MethodGet, path("cultivation", other), nil)
		c.Expect(204, http.MethodDelete, fmt.Sprintf("field/?id=%d,%d", fields[2], fields[3]), nil)
		c.Expect(404, http.MethodGet, path("field", fields[3]), nil)
	})
}
