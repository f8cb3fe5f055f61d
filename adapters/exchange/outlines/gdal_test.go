package outlines_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/ports"
)

// ogr converts a file by GDAL. A warning fails the test.
func ogr(t *testing.T, to, from string, args ...string) {
	t.Helper()
	path, err := exec.LookPath("ogr2ogr")
	if err != nil {
		t.Skip("LEFT OUT: the comparison with GDAL needs it (Debian: apt-get install gdal-bin)")
	}
	var warned bytes.Buffer
	run := exec.Command(path, append(args, to, from)...)
	run.Stderr = &warned
	require.NoError(t, run.Run(), "%v %s", run.Args, &warned)
	require.Empty(t, warned.String(), "GDAL finds nothing to remark")
}

// GDAL reads what we write: every outline with its attributes, whether or not the format states their types.
func TestGDALReadsOutlines(t *testing.T) {
	t.Parallel()
	want := someOutlines(t)
	for format, c := range map[string]struct {
		name string
		args []string
	}{
		ports.GeoJSON: {name: "o.geojson"}, ports.KML: {name: "o.kml"}, ports.SHP: {name: "o.zip"}, ports.GPKG: {name: "o.gpkg"}, ports.FGB: {name: "o.fgb"},
		ports.CSV: {"o.csv", []string{"-oo", "GEOM_POSSIBLE_NAMES=boundary_wkt", "-s_srs", "EPSG:4326"}},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			from, to := filepath.Join(dir, c.name), filepath.Join(dir, "out.geojson")
			require.NoError(t, os.WriteFile(from, write(t, format, want), 0o600))
			if strings.HasSuffix(c.name, ".zip") {
				from = "/vsizip/" + from
			}
			ogr(t, to, from, append([]string{"-f", "GeoJSON", "-lco", "COORDINATE_PRECISION=9", "-t_srs", "EPSG:4326"}, c.args...)...)
			raw, err := os.ReadFile(to)
			require.NoError(t, err)
			var found struct {
				Features []struct {
					Properties map[string]any
					Geometry   *struct {
						Type        string
						Coordinates json.RawMessage
					}
				}
			}
			require.NoError(t, json.Unmarshal(raw, &found))
			require.Len(t, found.Features, len(want))
			for i, o := range want {
				f := found.Features[i]
				name := f.Properties["name"]
				if name == nil {
					name = f.Properties["Name"]
				}
				require.Equal(t, o.Name, strings.TrimPrefix(name.(string), "'"))
				if format == ports.GPKG || format == ports.FGB {
					require.Equal(t, []any{o.Values[1] == nil, o.Values[3]}, []any{f.Properties["count"] == nil, f.Properties["irrigated"]}, "with types")
				}
				if o.Boundary == nil {
					require.Nil(t, f.Geometry)
					continue
				}
				var area geo.MultiPolygon
				require.NoError(t, json.Unmarshal(fmt.Appendf(nil, `{"type":%q,"coordinates":%s}`, f.Geometry.Type, f.Geometry.Coordinates), &area))
				require.InEpsilon(t, geo.AreaM2(o.Boundary.Geometry()), geo.AreaM2(area), 1e-6)
			}
		})
	}
}

// We read what GDAL writes, also in other reference systems, and with an index before the features.
func TestWhatGDALWritesIsRead(t *testing.T) {
	t.Parallel()
	want := someOutlines(t)
	for _, c := range []struct {
		format, name string
		args         []string
	}{
		{"GPKG", "o.gpkg", nil},
		{"GPKG", "utm.gpkg", []string{"-t_srs", "EPSG:25832"}},
		{"GPKG", "mercator.gpkg", []string{"-t_srs", "EPSG:3857", "-lco", "SPATIAL_INDEX=NO", "-nlt", "PROMOTE_TO_MULTI"}},
		{"FlatGeobuf", "o.fgb", nil},
		{"FlatGeobuf", "plain.fgb", []string{"-lco", "SPATIAL_INDEX=NO"}},
		{"FlatGeobuf", "utm.fgb", []string{"-t_srs", "EPSG:32632", "-nlt", "PROMOTE_TO_MULTI"}},
		{"CSV", "o.csv", []string{"-lco", "GEOMETRY=AS_WKT"}},
		{"CSV", "semicolons.csv", []string{"-lco", "GEOMETRY=AS_WKT", "-lco", "SEPARATOR=SEMICOLON", "-lco", "GEOMETRY_NAME=outline"}},
		{"ESRI Shapefile", "o.shp", []string{"-t_srs", "EPSG:25832", "-lco", "ENCODING=UTF-8"}},
		{"KML", "o.kml", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			from, to := filepath.Join(dir, "in.geojson"), filepath.Join(dir, c.name)
			require.NoError(t, os.WriteFile(from, write(t, ports.GeoJSON, want[:2]), 0o600))
			ogr(t, to, from, append([]string{"-f", c.format}, c.args...)...)
			var content []byte
			if c.format == "ESRI Shapefile" {
				content = rezip(t, write(t, ports.SHP, nil), map[string][]byte{
					"fields.shp": part(t, dir, ".shp"), "fields.dbf": part(t, dir, ".dbf"), "fields.prj": part(t, dir, ".prj"), "fields.shx": nil, "fields.cpg": part(t, dir, ".cpg"),
				})
			} else {
				var err error
				content, err = os.ReadFile(to)
				require.NoError(t, err)
			}
			got := mustRead(t, "", file(content))
			require.Len(t, got, 2)
			byName := map[string]ports.Feature{} // an index has an order of its own
			for _, f := range got {
				require.NoError(t, f.Err)
				byName[f.Attributes["name"]+f.Attributes["Name"]] = f
			}
			for _, o := range want[:2] {
				f, ok := byName[o.Name]
				require.True(t, ok, "%s in %v", o.Name, byName)
				require.InEpsilon(t, o.Boundary.AreaHa(), f.Boundary.AreaHa(), 1e-6)
				require.Equal(t, o.Boundary.Vertices(), f.Boundary.Vertices())
			}
			require.Equal(t, "42", byName[want[0].Name].Attributes["count"])
		})
	}
}

func part(t *testing.T, dir, ending string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "o"+ending))
	require.NoError(t, err)
	return content
}
