package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/tests/realdata"
	"tilth/tests/rig"
)

const (
	mediaGeoJSON = "application/geo+json"
	mediaKML     = "application/vnd.google-earth.kml+xml"
	mediaZip     = "application/zip"
)

// imported is the report of an import.
type imported struct {
	JobID                             *int64 `json:"job_id"`
	Status                            string
	Reason                            *string
	Total, Done                       int64
	Created, Updated, Skipped, Failed int64
	Mapping                           map[string]any
	Features                          []struct {
		Index      int64
		Verdict    string
		FieldID    *int64 `json:"field_id"`
		Name       string
		ExternalID string   `json:"external_id"`
		AreaHa     *float64 `json:"area_ha"`
		Outline    *struct {
			Coordinates [][][]float64
		}
		Overlaps []struct {
			ID   *int64
			Name string
		}
		Warnings []struct{ Code string }
		Errors   map[string][]string
	}
}

func importOf(t testing.TB, a rig.Answer, status int) imported {
	t.Helper()
	require.Equal(t, status, a.Status, "%s", a.Body)
	var out imported
	a.Into(t, &out)
	return out
}

func newFarm(c *rig.Client) int64 { return c.Make("farm/", map[string]any{"name": "Import"}) }

func importPath(farm int64, more string) string {
	return "field/import/?farm_id=" + itoa(farm) + more
}

// collection makes a FeatureCollection of squares, each with a name and a key.
func collection(t testing.TB, from, to int, change func(i int, properties map[string]any)) string {
	t.Helper()
	var out strings.Builder
	out.WriteString(`{"type":"FeatureCollection","features":[`)
	for i := from; i < to; i++ {
		if i > from {
			out.WriteByte(',')
		}
		properties := map[string]any{"name": fmt.Sprintf("Square %d", i), "key": fmt.Sprintf("k%d", i)}
		if change != nil {
			change(i, properties)
		}
		text, err := json.Marshal(properties)
		require.NoError(t, err)
		fmt.Fprintf(&out, `{"type":"Feature","properties":%s,"geometry":%s}`, text, rig.GeoJSON(t, rig.Square(100, i)))
	}
	out.WriteString("]}")
	return out.String()
}

func fieldCount(t testing.TB, c *rig.Client, farm int64) int64 {
	t.Helper()
	var page struct{ Count int64 }
	c.Expect(200, "GET", "field/?page_size=1&farm="+itoa(farm), nil).Into(t, &page)
	return page.Count
}

// The real outlines of five countries: 410 fields, imported and exported in every format.
func TestRealOutlinesGoInAndOut(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		files, err := filepath.Glob(filepath.Join(realdata.Path(t, "satellite", "fields"), "*.geojson"))
		require.NoError(t, err)
		c := rig.Start(t, rig.Options{Database: database}).Company("owner", 0)
		total := int64(0)
		for _, file := range files {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			farm := newFarm(c)
			report := importOf(t, c.Upload(importPath(farm, ""), mediaGeoJSON, bytes.NewReader(raw)), 200)
			require.Zero(t, report.Failed+report.Skipped, "%s: %+v", file, report.Features)
			total += report.Created
			if strings.Contains(file, "br_ba_lem") || strings.Contains(file, "dk_marker") {
				throughEveryFormat(t, c, farm, report.Created)
			}
		}
		require.EqualValues(t, 410, total)
	})
}

// throughEveryFormat exports a farm and imports the file again, format after format.
func throughEveryFormat(t *testing.T, c *rig.Client, farm, count int64) {
	t.Helper()
	first := geometries(t, c, farm)
	require.Len(t, first, int(count))
	at := farm
	for _, step := range []struct{ format, media string }{
		{"shp", mediaZip}, {"kml", mediaKML}, {"gpkg", "application/geopackage+sqlite3"}, {"fgb", "application/flatgeobuf"}, {"csv", "text/csv"}, {"geojson", mediaGeoJSON},
	} {
		out := c.Expect(200, "GET", fmt.Sprintf("field/export/?farm=%d&format=%s", at, step.format), nil)
		require.Contains(t, out.Header.Get("Content-Type"), step.media)
		require.Contains(t, out.Header.Get("Content-Disposition"), "fields.")
		at = newFarm(c)
		// Sent without a specific content type: the file itself shows what it is.
		report := importOf(t, c.Upload(importPath(at, "&map=uuid:"), "application/octet-stream", bytes.NewReader(out.Body)), 200)
		require.Equal(t, count, report.Created, "%s: %+v", step.format, report)
		require.Equal(t, first, geometries(t, c, at), "after %s", step.format)
	}
	csv := c.Expect(200, "GET", fmt.Sprintf("field/export/?farm=%d&format=csv", at), nil)
	require.Contains(t, csv.Header.Get("Content-Type"), "text/csv")
	require.Equal(t, int(count)+1, bytes.Count(csv.Body, []byte("\n")))
	if strings.Contains(string(csv.Body), "MULTIPOLYGON") {
		require.Contains(t, string(csv.Body), "MULTIPOLYGON (((")
	}
}

// geometries returns names and outlines in the order of the fields; a shapefile keeps the
// order of rings and parts, but not which hole follows which.
func geometries(t testing.TB, c *rig.Client, farm int64) []string {
	t.Helper()
	var page struct {
		Results []struct {
			Name     string
			AreaHa   float64 `json:"area_ha"`
			Boundary json.RawMessage
		}
	}
	c.Expect(200, "GET", "field/?page=all&farm="+itoa(farm), nil).Into(t, &page)
	out := make([]string, len(page.Results))
	for i, r := range page.Results {
		b, err := geo.ParseGeoJSON(nil, r.Boundary, geo.DefaultLimits())
		require.NoError(t, err)
		shape := []string{}
		for _, part := range b.Geometry() {
			shape = append(shape, fmt.Sprintf("%d rings of %d positions", len(part), len(part[0])))
		}
		out[i] = fmt.Sprintf("%s: %.4f ha, %d vertices, %v, %v", r.Name, r.AreaHa, b.Vertices(), b.Bounds(), shape)
	}
	return out
}

func TestImportReportsEachFeature(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		c := rig.Start(t, rig.Options{Database: database}).Company("owner", 0)
		farm := newFarm(c)
		crossing := `{"type":"Polygon","coordinates":[[[10,50],[10.01,50.01],[10.01,50],[10,50.01],[10,50]]]}`
		body := `{"name":"x","features":[` +
			`{"type":"Feature","properties":{"name":"Good"},"geometry":` + string(rig.GeoJSON(t, rig.Square(200, 0))) + `},` +
			`{"type":"Feature","properties":{},"geometry":` + string(rig.GeoJSON(t, rig.Square(200, 0))) + `},` +
			`{"type":"Feature","properties":null,"geometry":null},` +
			`{"type":"Feature","properties":{"name":"Bow"},"geometry":` + crossing + `},` +
			`{"type":"Feature","properties":{"name":"` + strings.Repeat("x", 256) + `"},"geometry":` + string(rig.GeoJSON(t, rig.Square(200, 2))) + `},` +
			`{"type":"Feature","properties":{"name":"Label"},"geometry":{"type":"Point","coordinates":[1,2]}},` +
			`{"type":"Feature","properties":{"name":"Date line"},"geometry":{"type":"Polygon","coordinates":[[[179.99,10],[-179.99,10],[-179.99,10.01],[179.99,10]]]}},` +
			`{"type":"Feature","properties":{"name":"Huge"},"geometry":{"type":"Polygon","coordinates":[[[1e400,10],[1,10],[1,11],[1,10]]]}}` +
			`],"type":"FeatureCollection"}`

		preview := importOf(t, c.Upload(importPath(farm, "&preview=true"), mediaGeoJSON, strings.NewReader(body)), 200)
		require.Zero(t, fieldCount(t, c, farm), "a preview writes nothing")
		require.Nil(t, preview.Features[0].Outline)
		drawn := importOf(t, c.Upload(importPath(farm, "&preview=true&outlines=true"), mediaGeoJSON, strings.NewReader(body)), 200)
		require.Len(t, drawn.Features[0].Outline.Coordinates[0], 5)
		require.Nil(t, drawn.Features[2].Outline)
		require.Equal(t, [][]float64{{10, 50}, {10.01, 50.01}, {10.01, 50}, {10, 50.01}, {10, 50}}, drawn.Features[3].Outline.Coordinates[0], "what is refused is drawn, too")
		refused := c.Upload(importPath(farm, "&atomic=true"), mediaGeoJSON, strings.NewReader(body))
		require.Equal(t, 400, refused.Status, "%s", refused.Body)
		require.Equal(t, "bulk_validation_failed", refused.Map(t)["code"])
		require.Len(t, refused.Map(t)["details"], 4)
		require.Zero(t, fieldCount(t, c, farm), "an atomic import with an error writes nothing")

		report := importOf(t, c.Upload(importPath(farm, ""), "application/json", strings.NewReader(body)), 200)
		require.EqualValues(t, 2, fieldCount(t, c, farm))
		for _, r := range []imported{preview, report} {
			require.Equal(t, []int64{8, 2, 0, 2, 4}, []int64{r.Total, r.Created, r.Updated, r.Skipped, r.Failed})
			verdicts := []string{}
			for i, f := range r.Features {
				require.EqualValues(t, i, f.Index)
				verdicts = append(verdicts, f.Verdict)
			}
			require.Equal(t, []string{"create", "create", "skip", "fail", "fail", "skip", "fail", "fail"}, verdicts)
			require.Equal(t, "Field 2", r.Features[1].Name)
			require.InDelta(t, 4, *r.Features[0].AreaHa, 0.1)
			require.Equal(t, "Good", r.Features[1].Overlaps[0].Name)
			require.Contains(t, r.Features[2].Errors["boundary"][0], "no geometry")
			require.Contains(t, r.Features[3].Errors["boundary"][0], "crosses itself")
			require.Contains(t, r.Features[4].Errors["name"][0], "255")
			require.Contains(t, r.Features[5].Errors["boundary"][0], "Point")
			require.Contains(t, r.Features[6].Errors["boundary"][0], "antimeridian")
			require.Contains(t, r.Features[7].Errors["boundary"][0], "out of range")
		}
		require.Nil(t, preview.Features[0].FieldID)
		require.Nil(t, preview.Features[1].Overlaps[0].ID)
		require.NotNil(t, report.Features[0].FieldID)
		require.Equal(t, *report.Features[0].FieldID, *report.Features[1].Overlaps[0].ID)
	})
}

func TestImportUpsertsByExternalID(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		server := rig.Start(t, rig.Options{Database: database})
		c := server.Company("owner", 0)
		farm, other := newFarm(c), newFarm(c)
		path := importPath(farm, "&external_id_property=key")
		first := importOf(t, c.Upload(path, mediaGeoJSON, strings.NewReader(collection(t, 0, 5, nil))), 200)
		require.EqualValues(t, 5, first.Created)
		require.Equal(t, "k3", first.Features[3].ExternalID)

		again := importOf(t, c.Upload(path, mediaGeoJSON, strings.NewReader(collection(t, 0, 5, nil))), 200)
		require.Equal(t, []int64{0, 0, 5}, []int64{again.Created, again.Updated, again.Skipped}, "nothing differs")
		require.Equal(t, first.Features[2].FieldID, again.Features[2].FieldID)

		changed := collection(t, 3, 7, func(i int, p map[string]any) { p["name"] = fmt.Sprintf("New %d", i) })
		report := importOf(t, c.Upload(path, mediaGeoJSON, strings.NewReader(changed)), 200)
		require.Equal(t, []int64{2, 2, 0}, []int64{report.Created, report.Updated, report.Skipped})
		field := c.Expect(200, "GET", "field/"+itoa(*first.Features[3].FieldID)+"/", nil).Data(t)
		require.Equal(t, "New 3", field["name"])
		require.Equal(t, "k3", field["external_id"])
		require.EqualValues(t, 7, fieldCount(t, c, farm))

		unnamed := collection(t, 3, 4, func(_ int, p map[string]any) { delete(p, "name") })
		require.EqualValues(t, 1, importOf(t, c.Upload(path, mediaGeoJSON, strings.NewReader(unnamed)), 200).Skipped, "a file without names leaves them")

		twice := collection(t, 10, 12, func(_ int, p map[string]any) { p["key"] = "same" })
		report = importOf(t, c.Upload(path, mediaGeoJSON, strings.NewReader(twice)), 200)
		require.Equal(t, []int64{1, 1}, []int64{report.Created, report.Failed})
		require.Contains(t, report.Features[1].Errors["external_id"][0], "more than once")

		elsewhere := importOf(t, c.Upload(importPath(other, "&external_id_property=key"), mediaGeoJSON, strings.NewReader(collection(t, 0, 5, nil))), 200)
		require.EqualValues(t, 5, elsewhere.Failed, "one live field of a company has an external id")
		require.Contains(t, elsewhere.Features[3].Errors["external_id"][0], fmt.Sprintf("belongs to the field %d", *first.Features[3].FieldID))

		plain := importOf(t, c.Upload(importPath(farm, ""), mediaGeoJSON, strings.NewReader(collection(t, 0, 2, nil))), 200)
		require.EqualValues(t, 2, plain.Created, "without the property nothing is matched")
	})
}

func TestImportIsGuarded(t *testing.T) {
	t.Parallel()
	server := rig.Start(t, rig.Options{})
	owner, stranger := server.Company("owner", 0), server.Company("owner", 0)
	viewer := server.User(owner.CompanyID, "viewer")
	farm := newFarm(owner)
	body := collection(t, 0, 1, nil)
	upload := func(c *rig.Client, path string) rig.Answer {
		return c.Upload(path, mediaGeoJSON, strings.NewReader(body))
	}
	require.Equal(t, 401, upload(server.Anonymous(), importPath(farm, "")).Status)
	denied := upload(viewer, importPath(farm, ""))
	require.Equal(t, 403, denied.Status)
	require.Equal(t, "field.create", denied.Map(t)["details"].(map[string]any)["required_permission"])
	require.Equal(t, 404, upload(stranger, importPath(farm, "")).Status, "another company's farm")
	require.Equal(t, 404, upload(owner, importPath(999_999, "")).Status)
	missing := owner.Upload("field/import/", mediaGeoJSON, strings.NewReader(body))
	require.Equal(t, 400, missing.Status)
	require.Contains(t, missing.Map(t)["details"], "farm_id")
	require.Equal(t, 404, owner.Do("GET", "field/import/1/", nil).Status)
	require.Equal(t, 404, owner.Do("GET", "field/import/x/", nil).Status)
	require.Equal(t, 401, server.Anonymous().Do("GET", "field/export/", nil).Status)
	require.Equal(t, 200, upload(owner, importPath(farm, "")).Status)
	require.NotContains(t, string(stranger.Expect(200, "GET", "field/export/", nil).Body), "Square 0", "another company's fields are not exported")
	require.Contains(t, string(viewer.Expect(200, "GET", "field/export/?format=kml", nil).Body), "Square 0")
	require.Equal(t, 400, owner.Do("GET", "field/export/?format=dwg", nil).Status)
}

func TestImportTakesForms(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{}).Company("owner", 0)
	farm := newFarm(c)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	require.NoError(t, w.WriteField("comment", "before the file"))
	part, err := w.CreateFormFile("file", "fields.geojson")
	require.NoError(t, err)
	_, err = part.Write([]byte(collection(t, 0, 3, nil)))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	whole := form.Bytes()
	require.EqualValues(t, 3, importOf(t, c.Upload(importPath(farm, ""), w.FormDataContentType(), bytes.NewReader(whole)), 200).Created)

	broken := c.Upload(importPath(farm, ""), w.FormDataContentType(), bytes.NewReader(whole[:len(whole)/2]))
	require.Equal(t, 400, broken.Status, "%s", broken.Body)
	var empty bytes.Buffer
	w = multipart.NewWriter(&empty)
	require.NoError(t, w.WriteField("comment", "no file"))
	require.NoError(t, w.Close())
	none := c.Upload(importPath(farm, ""), w.FormDataContentType(), &empty)
	require.Equal(t, 400, none.Status)
	require.Contains(t, string(none.Body), "contains no file")
	require.EqualValues(t, 3, fieldCount(t, c, farm))
}

func TestFilesThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{}).Company("owner", 0)
	farm := newFarm(c)
	for _, test := range []struct {
		name, media, body, says string
		status                  int
	}{
		{"empty", "", "", "empty", 400},
		{"a text", "application/octet-stream", "hello", "neither GeoJSON nor KML", 400},
		{"another type", "image/png", "a,b", "image/png", 415},
		{"a table without outlines", "text/csv", "name,area\nA,3\n", "no column of outlines", 400},
		{"broken off", mediaGeoJSON, `{"type":"FeatureCollection","features":[{"type":"Feature"`, "ends in the middle", 400},
		{"no features", mediaGeoJSON, `{"type":"FeatureCollection","features":[]}`, "no features", 400},
		{"one Feature", mediaGeoJSON, `{"type":"Feature","geometry":null}`, "takes a FeatureCollection", 400},
		{"another system", mediaGeoJSON, `{"type":"FeatureCollection","crs":{"properties":{"name":"urn:ogc:def:crs:EPSG::25832"}},"features":[{}]}`, "25832", 400},
		{"not KML", mediaKML, `<html></html>`, "outermost element", 400},
		{"malformed KML", mediaKML, `<kml><Placemark></kml>`, "malformed at line 1", 400},
		{"entities", mediaKML, `<!DOCTYPE kml [<!ENTITY a "aaaa">]><kml><Placemark><name>&a;</name></Placemark></kml>`, "malformed", 400},
		{"no archive", mediaZip, "PK nonsense", "not a complete zip archive", 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := c.Upload(importPath(farm, ""), test.media, strings.NewReader(test.body))
			require.Equal(t, test.status, a.Status, "%s", a.Body)
			require.Contains(t, string(a.Body), test.says)
			require.Equal(t, "error", a.Map(t)["status"])
		})
	}
	require.Zero(t, fieldCount(t, c, farm))
}

// A file of more than 512 MiB is refused before it is sent.
func TestImportIsBounded(t *testing.T) {
	t.Parallel()
	server := rig.Start(t, rig.Options{})
	c := server.Company("owner", 0)
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost,
		server.URL+"/api/v1.2/"+importPath(newFarm(c), ""), strings.NewReader("{"))
	require.NoError(t, err)
	req.ContentLength = 512<<20 + 1
	req.Header.Set("Authorization", "Bearer "+c.Token)
	req.Header.Set("Expect", "100-continue")
	transport := &http.Transport{ExpectContinueTimeout: time.Minute}
	defer transport.CloseIdleConnections()
	res, err := transport.RoundTrip(req)
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, http.StatusRequestEntityTooLarge, res.StatusCode)
}
