package contract

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/tests/rig"
)

func TestCropCurvesAreOfOwners(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	owner := s.Company("owner", 0)
	editor := s.User(owner.CompanyID, "editor")
	const curves = "ghg/crop-curves/"
	require.Equal(t, []any{}, owner.Expect(200, http.MethodGet, curves, nil).Map(t)["data"])
	refused(t, owner, 400, "too_few_labelled", http.MethodPost, curves, "")
	refused(t, owner, 400, "too_few_labelled", http.MethodPost, curves+"?preview=true", "")
	refused(t, editor, 403, "permission_denied", http.MethodPost, curves, "")
	editor.Expect(200, http.MethodGet, curves, nil)
	owner.Expect(404, http.MethodDelete, curves+"1/", nil)
	owner.Expect(404, http.MethodDelete, curves+"9223372036854775807/", nil)
}

// Enough seasons of fields with a known crop make curves of the company's own, which report how good they are.
func TestCropCurvesAreMadeOfFields(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c, archive := s.Company("owner", 1000_00), rig.Archive(t)
	farm := newFarm(c)
	season := c.Make("season/", map[string]any{"name": "2025", "start_date": archive.From.Format(time.DateOnly), "end_date": archive.To.Format(time.DateOnly)})
	crop := c.Crop("winter%20wheat")
	places := []geo.Box{archive.Parcels[0].Boundary.Bounds(), archive.Parcels[8].Boundary[:1].Bounds()} // two fields with winter crops
	uuids := []string{}
	const strips = 8
	for i := range strips {
		box := places[i%len(places)]
		width := (box.MaxX - box.MinX) / strips
		west := box.MinX + float64(i)*width
		strip := geo.MultiPolygon{{{{X: west, Y: box.MinY}, {X: west + width, Y: box.MinY}, {X: west + width, Y: box.MaxY}, {X: west, Y: box.MaxY}, {X: west, Y: box.MinY}}}}
		field := c.Expect(200, http.MethodPost, "field/", map[string]any{"name": "Strip", "farm_id": farm, "boundary": rig.GeoJSON(t, strip)}).Data(t)
		c.Make("cultivation/", map[string]any{"field_id": field["id"], "season_id": season, "crop_id": crop})
		uuids = append(uuids, field["uuid"].(string))
	}
	for _, uuid := range uuids {
		placed := c.Expect(200, http.MethodPost, rig.OrdersPath, map[string]any{"field_uuid": uuid, "season_id": season}).Data(t)
		c.Until(int64(placed["order_id"].(float64)), "active")
	}
	const curves = "ghg/crop-curves/"
	look := c.Expect(200, http.MethodPost, curves+"?preview=true", "").Data(t)
	require.Nil(t, look["id"])
	require.Empty(t, c.Expect(200, http.MethodGet, curves, nil).Map(t)["data"])
	made := c.Expect(200, http.MethodPost, curves, "").Data(t)
	require.EqualValues(t, strips, made["labelled"])
	require.Equal(t, true, made["in_force"])
	class := made["classes"].([]any)[0].(map[string]any)
	require.NotNil(t, class["max_distance"])
	require.NotEmpty(t, class["steps"])
	id := itoa(int64(made["id"].(float64)))
	require.Len(t, listedAt(t, c, curves+"?id=999999,"+id), 1)
	require.Empty(t, listedAt(t, c, curves+"?id=999999"))
	again := itoa(int64(c.Expect(200, http.MethodPost, curves, "").Data(t)["id"].(float64)))
	require.Equal(t, false, listedAt(t, c, curves+"?id="+id)[0].(map[string]any)["in_force"], "the newest are")
	c.Expect(404, http.MethodDelete, curves+"?id=999999,"+id, nil)
	c.Expect(204, http.MethodDelete, curves+"?id="+id, nil)
	c.Expect(204, http.MethodDelete, curves+again+"/", nil)
	require.Empty(t, c.Expect(200, http.MethodGet, curves, nil).Map(t)["data"])
}
