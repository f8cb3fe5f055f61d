package contract

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"tilth/tests/realdata"
	"tilth/tests/rig"
)

// eudrSchema is the GeoJSON of due diligence statements, as defined by the European Commission's file description 1.5.
const eudrSchema = `{
  "type": "object", "required": ["type", "features"], "additionalProperties": false,
  "properties": {"type": {"const": "FeatureCollection"}, "features": {"type": "array", "items": {
    "type": "object", "required": ["type", "properties", "geometry"], "additionalProperties": false,
    "properties": {
      "type": {"const": "Feature"},
      "properties": {"type": "object", "required": ["ProducerName", "ProducerCountry", "ProductionPlace"], "additionalProperties": false, "properties": {
        "ProducerName": {"type": "string", "minLength": 1}, "ProducerCountry": {"type": "string", "pattern": "^[A-Z]{2}$"},
        "ProductionPlace": {"type": "string", "minLength": 1}, "Area": {"type": "number", "exclusiveMinimum": 0, "maximum": 4}}},
      "geometry": {"oneOf": [
        {"type": "object", "required": ["type", "coordinates"], "additionalProperties": false,
          "properties": {"type": {"const": "Point"}, "coordinates": {"$ref": "#/$defs/position"}}},
        {"type": "object", "required": ["type", "coordinates"], "additionalProperties": false,
          "properties": {"type": {"const": "Polygon"}, "coordinates": {"type": "array", "minItems": 1, "maxItems": 1,
            "items": {"type": "array", "minItems": 4, "items": {"$ref": "#/$defs/position"}}}}}]}}}}},
  "$defs": {"position": {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [
    {"type": "number", "minimum": -180, "maximum": 180}, {"type": "number", "minimum": -90, "maximum": 90}]}}
}`

type plotsChecked struct {
	Checked, Refused, Plots, Bytes, Files int64
	Fields                                []struct {
		ID       int64
		Refused  bool
		Findings []struct{ Code string }
	}
}

func checkPlots(t testing.TB, c *rig.Client, query string) (out plotsChecked) {
	t.Helper()
	c.Expect(200, "GET", "field/eudr-check/"+query, nil).Into(t, &out)
	return out
}

// isStatement checks a file against the schema.
func isStatement(t testing.TB, raw []byte) {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(eudrSchema))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("eudr.json", schema))
	compiled, err := compiler.Compile("eudr.json")
	require.NoError(t, err)
	file, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)
	require.NoError(t, compiled.Validate(file))
}

// Real fields of Danish and Brazilian farms become a file that conforms to the schema of due diligence statements.
func TestRealFieldsForDueDiligence(t *testing.T) {
	t.Parallel()
	c := rig.Start(t, rig.Options{Database: rig.SQLite(t)}).Company("owner", 0)
	for country, file := range map[string]string{"denmark": "dk_marker", "brazil": "br_ba_lem"} {
		files, err := filepath.Glob(filepath.Join(realdata.Path(t, "satellite", "fields"), file+"*.geojson"))
		require.NoError(t, err)
		raw, err := os.ReadFile(files[0])
		require.NoError(t, err)
		farm := c.Make("farm/", map[string]any{"name": file, "country": country})
		require.Zero(t, importOf(t, c.Upload(importPath(farm, ""), mediaGeoJSON, bytes.NewReader(raw)), 200).Failed)
		found := checkPlots(t, c, fmt.Sprintf("?farm=%d", farm))
		require.Zero(t, found.Refused, "%+v", found)
		out := c.Expect(200, "GET", fmt.Sprintf("field/export/?farm=%d&format=eudr&points=true", farm), nil)
		require.Contains(t, out.Header.Get("Content-Disposition"), "plots.geojson")
		isStatement(t, out.Body)
		out = c.Expect(200, "GET", fmt.Sprintf("field/export/?farm=%d&format=eudr", farm), nil)
		isStatement(t, out.Body)
		require.Len(t, out.Body, int(found.Bytes)-len(",\n"), "no comma before the first")
		require.EqualValues(t, found.Plots, bytes.Count(out.Body, []byte(`"Feature"`)))
	}
}

func TestFieldsThatAStatementWouldRefuse(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		server := rig.Start(t, rig.Options{Database: database})
		c := server.Company("owner", 0)
		farm := newFarm(c)
		c.Make("field/", map[string]any{"name": "Good", "farm_id": farm, "boundary": rig.GeoJSON(t, rig.Square(300, 0))})
		bare := c.Make("field/", map[string]any{"name": "Bare", "farm_id": farm})

		found := checkPlots(t, c, "")
		require.EqualValues(t, 2, found.Checked)
		require.EqualValues(t, 2, found.Refused, "the farm has no country")
		found = checkPlots(t, c, "?country=ES")
		require.EqualValues(t, 1, found.Refused)
		require.EqualValues(t, 1, found.Plots)
		require.EqualValues(t, bare, found.Fields[len(found.Fields)-1].ID)

		refused := c.Expect(409, "GET", "field/export/?format=eudr&country=spain", nil)
		require.Contains(t, string(refused.Body), `"eudr_refused"`)
		require.Contains(t, string(refused.Body), fmt.Sprintf("%d (Bare)", bare))
		out := c.Expect(200, "GET", "field/export/?format=eudr&country=spain&leave_out=true", nil)
		isStatement(t, out.Body)
		require.Contains(t, string(out.Body), `"ProductionPlace":"Good"`)
		require.NotContains(t, string(out.Body), "Bare")

		c.Expect(400, "GET", "field/eudr-check/?country=atlantis", nil)
		c.Expect(400, "GET", "field/export/?format=eudr&country=atlantis", nil)
		require.Zero(t, checkPlots(t, server.Company("owner", 0), "").Checked, "another company has none of them")
	})
}
