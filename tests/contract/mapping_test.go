package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// outlineFormats are the formats that fields are exported in and imported from.
var outlineFormats = []string{"geojson", "kml", "shp", "csv", "xlsx", "gpkg", "fgb", "isoxml"}

// land makes fields with everything that a file can state about them.
func land(t testing.TB, c *rig.Client, farm int64) {
	t.Helper()
	square := rig.GeoJSON(t, rig.Square(200, 3))
	hole := `{"type":"MultiPolygon","coordinates":[[[[10,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]],[[10.002,50.002],[10.002,50.004],[10.004,50.004],[10.004,50.002],[10.002,50.002]]],` +
		`[[[10.0025,50.0025],[10.0035,50.0025],[10.0035,50.0035],[10.0025,50.0025]]],[[[10.1,50],[10.1234567890123,50.01],[10.1,50.0123456789012],[10.1,50]]]]}`
	for i, field := range []map[string]any{
		{
			"name": " =Weiß, \"Söhne\" & <Co>; 1 ", "boundary": square, "external_id": "007", "source": "IACS", "declared_area_ha": 12.3456789,
			"soil_type": "'=sandy", "irrigated": false, "tenure": "owned", "notes": "One line\r\nanother\n\n" + strings.Repeat("ü", 300), "boundary_category": "operational",
			"boundary_method": "surveyed", "boundary_observed_on": "2025-03-01", "active_from": "2020-01-01", "active_to": "2030-12-31",
		},
		{"name": "Name that takes more than the thirty-two letters of ISO 11783 has place for", "boundary": json.RawMessage(hole), "irrigated": true, "external_id": "a'b", "declared_area_ha": 0.1 + 0.2},
		{"name": "-1", "boundary": rig.GeoJSON(t, rig.Square(200, 9))},
		{"name": "no outline", "external_id": "none"},
	} {
		field["farm_id"] = farm
		if id := c.Make("field/", field); i == 2 {
			c.Expect(200, "PATCH", "field/"+itoa(id)+"/", map[string]any{"notes": "changed"})
		}
	}
}

func exported(c *rig.Client, farm int64, format string) []byte {
	return c.Expect(200, "GET", fmt.Sprintf("field/export/?farm=%d&format=%s", farm, format), nil).Body
}

// Importing an export again changes nothing, in any format; in another company it makes new fields.
func TestExportedFieldsAreImportedUnchanged(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		server := rig.Start(t, rig.Options{Database: database})
		c, stranger := server.Company("owner", 0), server.Company("owner", 0)
		farm, other := newFarm(c), newFarm(c)
		land(t, c, farm)
		before := c.Expect(200, "GET", "field/?farm="+itoa(farm), nil).Body
		for _, format := range outlineFormats {
			file := exported(c, farm, format)
			again := importOf(t, c.Upload(importPath(farm, ""), "application/octet-stream", bytes.NewReader(file)), 200)
			require.Equal(t, []int64{4, 4}, []int64{again.Total, again.Skipped}, "%s: %+v", format, again.Features)
			require.Equal(t, string(before), string(c.Expect(200, "GET", "field/?farm="+itoa(farm), nil).Body), format)
			require.Empty(t, again.Features[0].Errors)

			// curl's --data-binary sends this type for every file.
			elsewhere := importOf(t, c.Upload(importPath(other, "&preview=true"), "application/x-www-form-urlencoded", bytes.NewReader(file)), 200)
			require.Equal(t, []int64{3, 1}, []int64{elsewhere.Failed, elsewhere.Skipped}, "%s: %+v", format, elsewhere.Features)
			require.Contains(t, elsewhere.Features[2].Errors["uuid"][0], "of another farm")
			unkeyed := importOf(t, c.Upload(importPath(other, "&preview=true&map=uuid:&map=external_id:"), "", bytes.NewReader(file)), 200)
			require.EqualValues(t, 3, unkeyed.Created, format)

			theirs := importOf(t, stranger.Upload(importPath(newFarm(stranger), "&map=external_id:"), "", bytes.NewReader(file)), 200)
			require.EqualValues(t, 3, theirs.Created, "another company's uuid is no match: %+v", theirs.Features)
		}
		// A change in the file changes the field with its uuid.
		file := bytes.ReplaceAll(exported(c, farm, "geojson"), []byte(`"owned"`), []byte(`"leased"`))
		changed := importOf(t, c.Upload(importPath(farm, ""), "", bytes.NewReader(file)), 200)
		require.Equal(t, []int64{1, 3}, []int64{changed.Updated, changed.Skipped})
		require.Equal(t, "leased", c.Expect(200, "GET", "field/"+itoa(*changed.Features[0].FieldID)+"/", nil).Data(t)["tenure"])
	})
}

// officeFile is a file as an office would have it.
func officeFile(t testing.TB) string {
	return collection(t, 0, 4, func(i int, p map[string]any) {
		clear(p)
		p["REGION"], p["NUMBER"], p["SCHLAG"], p["BEWAESSERT"] = "BB", 115102010+i, fmt.Sprintf("Schlag %d", i), []any{"J", "N", "J", "?"}[i]
		p["Boden Art"], p["HA"] = "sL", "12,5"
	})
}

func TestImportMapsWhatTheFileHas(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		c := rig.Start(t, rig.Options{Database: database}).Company("owner", 0)
		farm := newFarm(c)
		mapping := url.QueryEscape(`{"irrigated": {"property": "BEWAESSERT", "values": {"J": true, "N": false}}, "source": {"value": "IACS 2026"},
			"notes": {"properties": ["Boden Art", "HA"], "separator": ", "}, "tenure": {"property": "SCHLAG", "values": {"Schlag 1": null, "Schlag 0": "owned", "Schlag 2": null, "Schlag 3": null}, "default": "leased"}}`)
		path := importPath(farm, "&mapping="+mapping+"&map=external_id:REGION%2BNUMBER&map=declared_area_ha:HA&map=soil_type:Boden+Art&name_property=SCHLAG")
		form := func(fields ...[2]string) rig.Answer { // fields of a form in their order
			var out bytes.Buffer
			w := multipart.NewWriter(&out)
			for _, f := range fields {
				part, err := w.CreateFormField(f[0])
				if f[0] == "file" {
					part, err = w.CreateFormFile("file", "office.geojson")
				}
				require.NoError(t, err)
				_, err = part.Write([]byte(f[1]))
				require.NoError(t, err)
			}
			require.NoError(t, w.Close())
			return c.Upload(importPath(farm, "&preview=true&map=notes:HA"), w.FormDataContentType(), &out)
		}
		says, file := [2]string{"mapping", `{"external_id": ["REGION", "NUMBER"], "name": "SCHLAG"}`}, [2]string{"file", officeFile(t)}
		told := importOf(t, form(says, file), 200)
		require.Equal(t, "BB-115102010", told.Features[0].ExternalID)
		require.Equal(t, []any{[]any{"REGION", "NUMBER"}, []any{"HA"}}, []any{told.Mapping["external_id"].(map[string]any)["properties"], told.Mapping["notes"].(map[string]any)["properties"]})
		for _, wrong := range []struct {
			fields [][2]string
			says   string
		}{
			{[][2]string{file, says}, "before the file"},
			{[][2]string{says, says, file}, "contains it more than once"},
			{[][2]string{{"mapping", `{"nam": "SCHLAG"}`}, file}, "did you mean"},
			{[][2]string{{"mapping", `[]`}, file}, "not a JSON object"},
			{[][2]string{{"mapping", `{"notes": "SCHLAG"}`}, file}, "the other one in"},
			{[][2]string{{"mapping", strings.Repeat(" ", 1<<20+1)}, file}, "at most 1 MiB"},
			{[][2]string{{"map", "name:SCHLAG"}, file}, "in the query"},
			{[][2]string{says}, "contains no file"},
		} {
			refused := form(wrong.fields...)
			require.Equal(t, 400, refused.Status, wrong.says)
			require.Contains(t, string(refused.Body), wrong.says)
		}
		upload := func(more string) rig.Answer {
			return c.Upload(path+more, mediaGeoJSON, strings.NewReader(officeFile(t)))
		}
		type report struct {
			imported
			Mapping map[string]struct {
				Properties []string
				Separator  *string
				Values     map[string]string
				Default    *string
				Asked      bool
			}
			Properties []struct {
				Name     string
				Features int64
				Samples  []string
				Members  []string
			}
		}
		for _, more := range []string{"&preview=true", ""} {
			var got report
			answer := upload(more)
			require.Equal(t, 200, answer.Status, "%s", answer.Body)
			answer.Into(t, &got)
			require.Equal(t, []int64{3, 1}, []int64{got.Created, got.Failed}, "%+v", got.Features)
			require.Contains(t, got.Features[3].Errors["irrigated"][0], `"?" of BEWAESSERT is not among the values J, N. Fix:`)
			require.Equal(t, []string{"REGION", "NUMBER"}, got.Mapping["external_id"].Properties)
			require.Equal(t, "-", *got.Mapping["external_id"].Separator)
			require.Equal(t, "IACS 2026", *got.Mapping["source"].Default)
			require.Equal(t, map[string]string{"J": "true", "N": "false"}, got.Mapping["irrigated"].Values)
			require.True(t, got.Mapping["name"].Asked)
			require.Len(t, got.Properties, 6)
			require.Equal(t, "BEWAESSERT", got.Properties[0].Name)
			require.Equal(t, []string{"J", "N", "?"}, got.Properties[0].Samples)
			require.Equal(t, []string{"irrigated"}, got.Properties[0].Members)
			require.EqualValues(t, 4, got.Properties[0].Features)
			require.Equal(t, "BB-115102010", got.Features[0].ExternalID)
		}
		var page struct{ Results []map[string]any }
		c.Expect(200, "GET", "field/?page=all&farm="+itoa(farm), nil).Into(t, &page)
		require.Len(t, page.Results, 3)
		for i, f := range page.Results {
			require.Equal(t, []any{fmt.Sprintf("Schlag %d", i), fmt.Sprintf("BB-%d", 115102010+i), i != 1, "sL", 12.5, "sL, 12,5", "IACS 2026"},
				[]any{f["name"], f["external_id"], f["irrigated"], f["soil_type"], f["declared_area_ha"], f["notes"], f["source"]})
			require.Equal(t, map[bool]string{true: "owned", false: "leased"}[i == 0], f["tenure"])
		}
		var again report
		upload("").Into(t, &again)
		require.EqualValues(t, 3, again.Skipped)
	})
}

func TestImportRefusesMappingsThatSayNothing(t *testing.T) {
	t.Parallel()
	server := rig.Start(t, rig.Options{})
	c := server.Company("owner", 0)
	farm := newFarm(c)
	for _, tt := range []struct{ query, code, says string }{
		{"&map=irrigated:BEWAESERT", "unknown_name", `has a property \"BEWAESERT\": did you mean \"BEWAESSERT\"?`},
		{"&mapping=" + url.QueryEscape(`{"external_id": ["REGION", "NUMER"]}`), "unknown_name", `has a property \"NUMER\": did you mean \"NUMBER\"?`},
		{"&map=irigated:BEWAESSERT", "unknown_name", `"map":{"irigated":["This name is not known here: did you mean \"irrigated\"?"]}`},
		{"&map=irigated:BEWAESSERT", "unknown_name", `not known here: map.irigated (did you mean \"irrigated\"?)`},
		{"&mapping=" + url.QueryEscape(`{"irigated": "BEWAESSERT"}`), "unknown_name", `mapping.irigated (did you mean \"irrigated\"?)`},
		{"&mapping=" + url.QueryEscape(`{"notes": {"propertie": "HA"}}`), "unknown_name", `mapping.notes.propertie (did you mean \"properties\"?)`},
		{"&mapping=" + url.QueryEscape(`{"notes": {"value": "x", "property": "HA"}}`), "validation_failed", "cannot be combined"},
		{"&mapping=" + url.QueryEscape(`{"notes": 7}`), "validation_failed", "The name of a property"},
		{"&mapping=" + url.QueryEscape(`{"irrigated": {"property": "BEWAESSERT", "values": {"J": [1]}}}`), "validation_failed", "A text, a number"},
		{"&mapping=x", "validation_failed", "not a JSON object"},
		{"&map=irrigated", "validation_failed", "has no colon"},
		{"&map=name:SCHLAG&name_property=SCHLAG", "validation_failed", "has two sources, the other one in map"},
		{"&farm_id=1&mappin=x", "unknown_name", "mappin"},
	} {
		answer := c.Upload(importPath(farm, tt.query), mediaGeoJSON, strings.NewReader(officeFile(t)))
		require.Equal(t, 400, answer.Status, "%s: %s", tt.query, answer.Body)
		require.Equal(t, tt.code, answer.Map(t)["code"], "%s", answer.Body)
		require.Contains(t, string(answer.Body), tt.says)
	}
	require.Zero(t, fieldCount(t, c, farm))
	half := importOf(t, c.Upload(importPath(farm, "&map=external_id:REGION%2BX"), mediaGeoJSON, strings.NewReader(collection(t, 0, 2, func(i int, p map[string]any) {
		p["REGION"], p["X"] = "BB", []any{nil, 7}[i]
	}))), 200)
	require.Contains(t, half.Features[0].Errors["external_id"][0], "not all of them are filled in")
	require.Equal(t, "BB-7", half.Features[1].ExternalID)
	wrong := importOf(t, c.Upload(importPath(farm, "&map=declared_area_ha:name&map=irrigated:name&map=active_from:name&map=uuid:name&preview=true"), mediaGeoJSON,
		strings.NewReader(collection(t, 5, 6, nil))), 200)
	for member, says := range map[string]string{"declared_area_ha": "not a number of hectares", "irrigated": "Fix: translate it", "active_from": "not a date", "uuid": "not a UUID"} {
		require.Contains(t, wrong.Features[0].Errors[member][0], says)
	}
}

func TestLargeImportsKeepTheirMapping(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		c := rig.Start(t, rig.Options{Database: database, Batches: rig.SmallBatches}).Company("owner", 0)
		farm := newFarm(c)
		const total = 55
		body := collection(t, 0, total, func(i int, p map[string]any) { p["wet"] = []string{"J", "N", "?"}[min(i, 2)]; p["a"], p["b"] = "x", i })
		path := importPath(farm, "&map=external_id:a%2Bb&mapping="+url.QueryEscape(`{"irrigated": {"property": "wet", "values": {"J": 1, "N": 0, "?": null}, "default": "yes"}, "notes": {"properties": ["a", "b"], "separator": "/"}}`))
		job := *importOf(t, c.Upload(path, mediaGeoJSON, strings.NewReader(body)), 202).JobID
		report := untilImported(t, c, job)
		require.EqualValues(t, total, report.Created, "%+v", report.Features)
		var page struct{ Results []map[string]any }
		c.Expect(200, "GET", "field/?page=all&farm="+itoa(farm), nil).Into(t, &page)
		for i, f := range page.Results {
			require.Equal(t, []any{fmt.Sprintf("x-%d", i), i != 1, fmt.Sprintf("x/%d", i)}, []any{f["external_id"], f["irrigated"], f["notes"]})
		}
		var status struct {
			Mapping map[string]struct{ Properties []string }
		}
		c.Expect(200, "GET", fmt.Sprintf("field/import/%d/", job), nil).Into(t, &status)
		require.Equal(t, []string{"a", "b"}, status.Mapping["external_id"].Properties)
		again := untilImported(t, c, *importOf(t, c.Upload(path, mediaGeoJSON, strings.NewReader(body)), 202).JobID)
		require.EqualValues(t, total, again.Skipped)
	})
}
