package outlines_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"tilth/adapters/exchange/outlines"
	"tilth/core/geo"
	"tilth/ports"
)

func TestSurveysSayWhatIsInAFile(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"geojson", "kml", "shp", "csv", "gpkg", "fgb"} {
		found, err := reader().Survey(t.Context(), "", file(write(t, format, someOutlines(t))))
		require.NoError(t, err)
		require.EqualValues(t, 3, found.Features)
		byName := map[string]ports.Property{}
		for _, p := range found.Properties {
			byName[p.Name] = p
		}
		require.Equal(t, ports.Property{Name: "name", Features: 3, Samples: []string{"Weiß & <Söhne>", "=1+1", "no land"}}, byName["name"], format)
		require.Equal(t, ports.Property{Name: "count", Features: 2, Samples: []string{"42", "-1"}}, byName["count"], format)
	}
	long := strings.Repeat(`{"type":"Feature","properties":{"a":"x"},"geometry":null},`, 1_500) + `{"type":"Feature","properties":{"b":"` + strings.Repeat("ü", 90) + `"},"geometry":null}`
	found, err := reader().Survey(t.Context(), "", text(`{"type":"FeatureCollection","features":[`+long+`]}`))
	require.NoError(t, err)
	require.Equal(t, ports.Survey{Features: 1_501, Properties: []ports.Property{
		{Name: "a", Features: 1_500, Samples: []string{"x"}}, {Name: "b", Features: 1, Samples: []string{strings.Repeat("ü", 60) + "…"}},
	}}, found, "of all features")
	var many strings.Builder
	for i := range 1_001 {
		fmt.Fprintf(&many, `{"type":"Feature","properties":{"p%d":1},"geometry":null},`, i)
	}
	found, err = reader().Survey(t.Context(), "", text(`{"type":"FeatureCollection","features":[`+strings.TrimSuffix(many.String(), ",")+`]}`))
	require.NoError(t, err)
	require.Len(t, found.Properties, 1_000)
	require.True(t, found.More, "a property that is not named")
}

func TestCSVOutlines(t *testing.T) {
	t.Parallel()
	const square = "10 50, 10.01 50, 10.01 50.01, 10 50.01, 10 50"
	utm := "500000 5538630, 501000 5538630, 501000 5539630, 500000 5538630"
	for name, c := range map[string]struct {
		head, cell, wrong, word string
		vertices                int
	}{
		"a polygon":         {"wkt", "POLYGON ((" + square + "))", "", "Polygon", 4},
		"with heights":      {"WKT", "polygon z((10 50 1, 10.01 50 1, 10.01 50.01 1, 10 50 1))", "", "Polygon", 3},
		"many":              {"geom", "MULTIPOLYGON(((" + square + ")))", "", "MultiPolygon", 4},
		"of PostGIS":        {"geom", "SRID=4326;POLYGON((" + square + "))", "", "Polygon", 4},
		"of PostGIS, UTM":   {"geom", "SRID=25832;POLYGON((" + utm + "))", "", "Polygon", 3},
		"another system":    {"geom", "SRID=31467;POLYGON((" + utm + "))", "EPSG:31467", "", 0},
		"GeoJSON":           {"geometry", `{""type"":""Polygon"",""coordinates"":[[[10,50],[10.01,50],[10.01,50.01],[10,50]]]}`, "", "Polygon", 3},
		"of another name":   {"outline of it", "POLYGON((" + square + "))", "", "Polygon", 4},
		"a point":           {"wkt", "POINT (10 50)", "", "Point", 0},
		"a line":            {"wkt", "LINESTRING (10 50, 11 51)", "LineString", "LineString", 0},
		"nothing":           {"wkt", "", "", "", 0},
		"empty":             {"wkt", "POLYGON EMPTY", "", "", 0},
		"no geometry":       {"wkt", "somewhere", "not the well-known text", "", 0},
		"broken off":        {"wkt", "POLYGON ((10 50, 11", "not a position", "Polygon", 0},
		"a word in it":      {"wkt", "POLYGON ((10 50, x 50, 11 51, 10 50))", "not a position", "Polygon", 0},
		"more behind":       {"wkt", "POLYGON ((" + square + ")) x", "after its end", "Polygon", 0},
		"crossing":          {"wkt", "POLYGON ((10 50, 10.01 50.01, 10.01 50, 10 50.01, 10 50))", "crosses itself", "Polygon", 0},
		"too many vertices": {"wkt", "POLYGON ((" + strings.Repeat("10 50, ", 20_000) + "10 50))", "more than 10000 vertices", "Polygon", 0},
	} {
		f := mustRead(t, outlines.MediaCSV, text("name;"+c.head+";n\n'=A;\""+c.cell+"\";3\n"))[0]
		if c.wrong != "" {
			require.ErrorContains(t, f.Err, c.wrong, name)
			continue
		}
		require.NoError(t, f.Err, name)
		require.Equal(t, c.word, f.Geometry, name)
		require.Equal(t, "=A", f.Attributes["name"])
		require.Equal(t, "3", f.Attributes["n"])
		require.NotContains(t, f.Attributes, c.head)
		if c.vertices > 0 {
			require.Equal(t, c.vertices, f.Boundary.Vertices(), name)
		}
	}
	points := mustRead(t, "", text("Lon,Lat,name\n10,50,A\n"))
	require.Equal(t, "Point", points[0].Geometry, "which is not an outline, as the import says")
	require.Nil(t, points[0].Boundary)
	for name, c := range map[string]struct{ content, says string }{
		"no outlines": {"name,area\nA,3\n", "no column of outlines"},
		"Latin-1":     {"name,wkt\nM\xfchle,\n", "not in UTF-8"},
		"ragged":      {"name,wkt\na,b,c\n", "Line 2"},
		"UTF-16":      {"\xff\xfea\x00", "UTF-16"},
		"empty":       {"", "empty"},
	} {
		_, err := readAll(t, outlines.MediaCSV, text(c.content))
		require.Contains(t, refusal(t, err), c.says, name)
	}
}

// changed returns a GeoPackage after statements of an attacker, or of another program that saves it.
func changed(t *testing.T, content []byte, statements ...string) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.gpkg")
	require.NoError(t, os.WriteFile(name, content, 0o600))
	db, err := sql.Open("sqlite", name)
	require.NoError(t, err)
	for _, s := range statements {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
	require.NoError(t, db.Close())
	out, err := os.ReadFile(name)
	require.NoError(t, err)
	return out
}

func TestGeoPackagesOfStrangers(t *testing.T) {
	t.Parallel()
	sound := write(t, "gpkg", someOutlines(t))
	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"cut off":                 {sound[:3*4096], "damaged"},
		"a head alone":            {sound[:100], "damaged"},
		"no GeoPackage":           {changed(t, sound, "DROP TABLE gpkg_geometry_columns"), "no table gpkg_geometry_columns"},
		"a view of layers":        {changed(t, sound, "DROP TABLE gpkg_geometry_columns", "CREATE VIEW gpkg_geometry_columns AS "+endless+"'fields' AS table_name, 'geom' AS column_name, 'POLYGON' AS geometry_type_name, 4326 AS srs_id FROM n"), "a view"},
		"a view of features":      {changed(t, sound, "DROP TABLE fields", "CREATE VIEW fields AS "+endless+"i AS geom, i AS fid FROM n"), "a view"},
		"a virtual table":         {changed(t, sound, "DROP TABLE fields", "CREATE VIRTUAL TABLE fields USING fts5(geom)"), "a virtual table"},
		"no layer of polygons":    {changed(t, sound, "UPDATE gpkg_geometry_columns SET geometry_type_name = 'POINT'"), "no layer of polygons; it has fields (POINT)"},
		"two layers":              {changed(t, sound, "CREATE TABLE more (fid INTEGER PRIMARY KEY, geom POLYGON)", "INSERT INTO gpkg_geometry_columns VALUES ('more', 'geom', 'POLYGON', 4326, 0, 0)"), "2 layers of polygons (fields, more)"},
		"an unknown system":       {changed(t, sound, "UPDATE gpkg_geometry_columns SET srs_id = 0"), "does not state what its coordinates are"},
		"another system":          {changed(t, sound, "UPDATE gpkg_spatial_ref_sys SET organization_coordsys_id = 27700, definition = replace(definition, 'WGS_1984', 'OSGB_1936')"), "OSGB_1936"},
		"a computed geometry":     {changed(t, sound, "DROP TABLE fields", "CREATE TABLE fields (fid INTEGER PRIMARY KEY, geom BLOB AS (zeroblob(900000000)))", "INSERT INTO fields VALUES (1)"), "no column geom"},
		"a value that is too big": {changed(t, sound, "UPDATE fields SET geom = zeroblob(20000000) WHERE fid = 1"), "damaged"},
	} {
		_, err := readAll(t, outlines.MediaGPKG, file(c.content))
		require.Error(t, err, name)
		require.Contains(t, refusal(t, err), c.says, name)
	}
	odd := mustRead(t, "", file(changed(t, sound,
		`ALTER TABLE fields ADD COLUMN "a ""b"" c" DATE`, `ALTER TABLE fields ADD COLUMN r REAL`, `ALTER TABLE fields ADD COLUMN bytes BLOB`,
		`UPDATE fields SET "a ""b"" c" = '2025-04-01', r = 115102010, bytes = x'00'`,
		"UPDATE fields SET geom = x'47500001' WHERE fid = 1", "CREATE INDEX i ON fields (name)", "CREATE TRIGGER tr AFTER INSERT ON fields BEGIN SELECT 1; END",
	)))
	require.Contains(t, wrong(t, odd[0]), "cannot be read")
	require.Equal(t, "2025-04-01", odd[1].Attributes[`a "b" c`])
	require.Equal(t, "115102010", odd[1].Attributes["r"])
	require.NotContains(t, odd[1].Attributes, "bytes")
	require.NotNil(t, odd[1].Boundary)
}

func TestFlatGeobufsOfStrangers(t *testing.T) {
	t.Parallel()
	sound := write(t, "fgb", someOutlines(t))
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"cut off in the header": {sound[:40], "ends in the middle"},
		"cut off":               {sound[:len(sound)-20], "ends in the middle"},
		"another version":       {append([]byte("fgb\x02fgb\x01"), sound[8:]...), "not a FlatGeobuf of version 3"},
		"a huge header":         {append([]byte("fgb\x03fgb\x01"), 0xff, 0xff, 0xff, 0x7f), "ends in the middle"},
	} {
		_, err := readAll(t, outlines.MediaFGB, file(c.content))
		require.Contains(t, refusal(t, err), c.says, name)
	}
	// A change of any byte is refused, or read as something; nothing else happens.
	for at := 8; at < len(sound); at += 3 {
		broken := append([]byte{}, sound...)
		broken[at] ^= 0x81
		for f, err := range reader().Read(t.Context(), outlines.MediaFGB, file(broken)) {
			if err == nil && f.Boundary != nil {
				_, err := geo.NewBoundary(nil, f.Boundary.Geometry(), geo.DefaultLimits())
				require.NoError(t, err)
			}
		}
	}
}
