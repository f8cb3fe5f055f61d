package contract

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// A map and a plan as files, as pictures and as a field sheet, as candidates that are not
// saved yet. The content types of the responses are those of the document.
func TestFilesOfMapsAndPlans(t *testing.T) {
	t.Parallel()
	database := rig.SQLite(t)
	s := rig.Start(t, rig.Options{Database: database})
	c, stranger := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 0)
	s.Subscribe(c)
	runJSON(t, database, "price", "set", "--service", "STR", "--per-ha", "1")
	land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
	aoi := c.Make(aoisPath, map[string]any{"name": "Öst & väst \"1\"", "field_uuids": []string{land.FieldUUID}})
	order := c.Make(ordersOfAOIs, map[string]any{"aoi_id": aoi})
	c.UntilStratified(order, "active")
	maps := c.Expect(200, http.MethodPost, "soil/stratification/maps/generate/", map[string]any{"order": order, "min_zones": 2, "max_zones": 2, "min_zone_area": 0.05}).Data(t)
	candidates := maps["candidates"].([]any)
	require.Len(t, candidates, 1, "%v", maps["reason"])
	mapUUID := candidates[0].(map[string]any)["map_uuid"].(string)
	plan := c.Expect(200, http.MethodPost, "soil/stratification/sample-plan/generate/",
		map[string]any{"map_uuid": mapUUID, "number_of_samples": 9, "zone_offset": 5}).Data(t)
	planUUID := plan["map_uuid"].(string)

	zones, points := "soil/stratification/maps/"+mapUUID+"/", "soil/stratification/sample-plan/"+planUUID+"/"
	file := func(path, media, name string) []byte {
		t.Helper()
		answer := c.Expect(200, http.MethodGet, path, nil)
		require.Equal(t, media, answer.Header.Get("Content-Type"))
		if name != "" {
			require.Equal(t, "attachment; filename="+name, answer.Header.Get("Content-Disposition"))
		}
		again := c.Expect(200, http.MethodGet, path, nil)
		require.Equal(t, answer.Body, again.Body, "the same bytes: %s", path)
		return answer.Body
	}
	require.Contains(t, string(file(zones+"export/", "application/geo+json", "st-v-st-1-k2.geojson")), `"zone":2`)
	lines, err := csv.NewReader(bytes.NewReader(file(zones+"export/?format=csv", "text/csv; charset=utf-8", "st-v-st-1-k2.csv"))).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 3)
	require.NoError(t, xml.Unmarshal(file(zones+"export/?format=kml", "application/vnd.google-earth.kml+xml", "st-v-st-1-k2.kml"), new(any)))
	for path, name := range map[string]string{zones: "st-v-st-1-k2", points: "st-v-st-1-k2-n9"} {
		archive := file(path+"export/?format=shp", "application/zip", name+".zip")
		opened, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
		require.NoError(t, err)
		require.Equal(t, name+".shp", opened.File[0].Name)
		require.Equal(t, 1980, opened.File[0].Modified.Year())
		require.Contains(t, string(file(path+"preview.svg", "image/svg+xml", "")), "Öst &amp; väst")
		_, err = png.Decode(bytes.NewReader(file(path+"preview.png", "image/png", "")))
		require.NoError(t, err)
		phone, err := png.DecodeConfig(bytes.NewReader(file(path+"preview.png?layout=phone", "image/png", "")))
		require.Equal(t, 780, phone.Width)
		require.NoError(t, err)
	}
	// The synthetic archive has all bands: a colour image is drawn behind the map, and a browser may show it.
	require.Contains(t, string(file(points+"preview.svg?background=true", "image/svg+xml", "")), ", natural colours (synthetic).")
	require.Contains(t, c.Expect(200, http.MethodGet, zones+"preview.svg?background=true", nil).Header.Get("Content-Security-Policy"), "img-src data:")
	require.Greater(t, len(file(points+"export/?format=pdf&background=true", "application/pdf", "")), len(file(points+"export/?format=pdf", "application/pdf", "")))
	lines, err = csv.NewReader(bytes.NewReader(file(points+"export/?format=csv", "text/csv; charset=utf-8", "st-v-st-1-k2-n9.csv"))).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 1+int(plan["metadata"].(map[string]any)["number_of_samples"].(float64)+plan["metadata"].(map[string]any)["number_of_reserve"].(float64)))
	require.Equal(t, []string{"field_order", "walk", "composite"}, lines[0][9:])
	require.Equal(t, []string{"1", "1", ""}, lines[1][9:])
	route := string(file(points+"export/?format=gpx", "application/gpx+xml", "st-v-st-1-k2-n9.gpx"))
	require.Contains(t, route, "<name>"+lines[1][0]+"</name>")
	require.Equal(t, 9, strings.Count(route, "<rtept "))
	require.Contains(t, string(file(points+"export/?format=kml", "application/vnd.google-earth.kml+xml", "st-v-st-1-k2-n9.kml")), "<Point>")
	require.Contains(t, string(file(points+"export/", "application/geo+json", "st-v-st-1-k2-n9.geojson")), `"field_order":1`)
	onA4 := file(points+"export/?format=pdf", "application/pdf", "st-v-st-1-k2-n9.pdf")
	require.True(t, bytes.HasPrefix(onA4, []byte("%PDF-")))
	require.NotEqual(t, onA4, file(points+"export/?format=pdf&paper=Letter", "application/pdf", ""))

	// With a start and an end the route differs, while the points stay the same.
	box := rig.Archive(t).Parcels[0].Boundary.Bounds()
	home := map[string]any{"lon": box.MinX, "lat": box.MaxY + 0.1}
	ask := map[string]any{"map_uuid": mapUUID, "number_of_samples": 9, "zone_offset": 5, "start": home, "end": home}
	from := c.Expect(200, http.MethodPost, "soil/stratification/sample-plan/generate/", ask).Data(t)
	was, is := plan["metadata"].(map[string]any), from["metadata"].(map[string]any)
	require.Equal(t, home, is["start"])
	require.Nil(t, was["start"])
	require.Equal(t, was["seed"], is["seed"])
	require.InDelta(t, 2*1.3*11.1, is["drive_km"], 2, "a tenth of a degree there and back")
	route = string(file("soil/stratification/sample-plan/"+from["map_uuid"].(string)+"/export/?format=gpx", "application/gpx+xml", ""))
	require.Equal(t, 11, strings.Count(route, "<rtept "))
	for field, wrong := range map[string]map[string]any{
		"start": {"start": map[string]any{"lon": box.MinX, "lat": box.MaxY - 5}}, "end": {"start": nil},
	} {
		for name, value := range wrong {
			refused := map[string]any{"map_uuid": mapUUID, "number_of_samples": 9, "end": home, name: value}
			if value == nil {
				delete(refused, name)
			}
			require.Contains(t, string(c.Expect(400, http.MethodPost, "soil/stratification/sample-plan/generate/", refused).Body), `"`+field+`"`)
		}
	}

	for _, path := range []string{zones + "export/", zones + "preview.svg", points + "export/?format=pdf", points + "preview.png"} {
		stranger.Expect(404, http.MethodGet, path, nil)
		s.Anonymous().Expect(401, http.MethodGet, path, nil)
	}
	for _, path := range []string{zones + "export/?format=gpx", points + "export/?format=dxf", points + "export/?paper=A0"} {
		c.Expect(400, http.MethodGet, path, nil)
	}
	c.Expect(404, http.MethodGet, strings.Replace(zones, mapUUID, planUUID, 1)+"export/", nil)

	// What was paid for stays when the subscription has ended, and is deleted with the area of interest.
	runJSON(t, database, "subscription", "revoke", "--company", itoa(c.CompanyID), "--service", "stratification")
	c.Expect(200, http.MethodGet, points+"export/", nil)
	s.Subscribe(c)
	c.Expect(204, http.MethodDelete, aoisPath+itoa(aoi)+"/", nil)
	c.Expect(404, http.MethodGet, points+"export/", nil)
}
