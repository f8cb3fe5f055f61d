package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/core/geo"
	"tilth/tests/rig"
)

// ogr runs a program of GDAL and returns its output. A warning fails the test.
func ogr(t *testing.T, environment []string, name string, args ...string) string {
	t.Helper()
	var said, warned bytes.Buffer
	run := exec.CommandContext(t.Context(), name, args...)
	run.Env, run.Stdout, run.Stderr = append(os.Environ(), environment...), &said, &warned
	require.NoError(t, run.Run(), "%s %s", said.String(), warned.String())
	require.Empty(t, warned.String(), "GDAL finds nothing to remark")
	return said.String()
}

// byGDAL reads a collection through GDAL's driver of OGC API - Features, and returns its features.
func byGDAL(t *testing.T, environment []string, address, collection string, more ...string) (out []mapFeature) {
	t.Helper()
	args := append([]string{"-f", "GeoJSON", "-lco", "RFC7946=YES", "/vsistdout/", "OAPIF:" + address, collection}, more...)
	var all struct{ Features []mapFeature }
	require.NoError(t, json.Unmarshal([]byte(ogr(t, environment, "ogr2ogr", args...)), &all))
	return all.Features
}

// TestGDALReadsTheMaps checks that GDAL finds the collections by the address alone, pages through them, and filters
// them by place and property, with the key in the address or in a header.
func TestGDALReadsTheMaps(t *testing.T) {
	if _, err := exec.LookPath("ogr2ogr"); err != nil {
		t.Skip("LEFT OUT: maps read by GDAL, which is not here. Fix: install gdal-bin.")
	}
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c := s.Company(access.RoleOwner, 1000_00)
	s.Subscribe(c)
	placedFields(t, c)
	sampled(t, c)
	key, _ := newKey(t, c, nil)
	plain := s.URL + "/api/v1.2/ogc/"
	keyed, header := plain+"?api_key="+key, []string{"GDAL_HTTP_HEADERS=X-API-Key: " + key}

	listed := ogr(t, nil, "ogrinfo", "-ro", "OAPIF:"+keyed)
	for _, id := range everyCollection {
		require.Contains(t, listed, ": "+id+" (title: ")
	}
	for _, way := range []struct {
		environment []string
		address     string
	}{{nil, keyed}, {header, plain}} {
		got := byGDAL(t, way.environment, way.address, "fields", "-oo", "PAGE_SIZE=2")
		want := featuresAt(t, c, "fields/items?limit=10000")
		require.Equal(t, want.names(), onTheMap{Features: got}.names(), "all pages")
		require.Equal(t, want.Features[0].Properties["uuid"], got[0].Properties["uuid"])
	}
	inside := byGDAL(t, nil, keyed, "fields", "-spat", "-4.9001", "41.7999", "-4.8", "41.9")
	require.True(t, slices.ContainsFunc(inside, func(f mapFeature) bool { return f.Properties["name"] == "north" }))
	require.False(t, slices.ContainsFunc(inside, func(f mapFeature) bool { return f.Properties["name"] == "corner" }))
	require.Len(t, byGDAL(t, nil, keyed, "fields", "-where", "name = 'north'"), 1)
	for _, id := range []string{"farms", "cultivations", "areas_of_interest", "zones", "sample_points", "samples"} {
		require.Len(t, byGDAL(t, nil, keyed, id, "-oo", "PAGE_SIZE=3"), len(featuresAt(t, c, id+"/items?limit=10000").Features), id)
	}
}

// TestQGISReadsTheMaps checks that QGIS's own provider adds collections by the address with a key, pages through them,
// and requests what it shows. It runs with make qgis.
func TestQGISReadsTheMaps(t *testing.T) {
	if os.Getenv("TILTH_QGIS") == "" {
		t.Skip("LEFT OUT: maps read by QGIS's own provider. Fix: make qgis.")
	}
	run, folder, there := qgisPlace(t)
	run = append(run, debianPython)
	if said, err := exec.CommandContext(t.Context(), run[0], append(run[1:], "-c", "import qgis.core")...).CombinedOutput(); err != nil {
		t.Skipf("LEFT OUT: maps read by QGIS's own provider, which is not here (%s). Fix: apt-get install python3-qgis.", said)
	}
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c := s.Company(access.RoleOwner, 1000_00)
	s.Subscribe(c)
	placedFields(t, c)
	sampled(t, c)
	key, _ := newKey(t, c, nil)
	qgisScript(t, "maps.py", folder)
	said, err := exec.CommandContext(t.Context(), run[0], append(append(run[1:], there+"/maps.py", s.URL+"/api/v1.2/ogc/?api_key="+key), everyCollection...)...).Output()
	require.NoError(t, err, "%s", said)
	var got map[string]struct {
		Valid  bool
		CRS    string
		Fields []string
		Names  []string
		Count  int
		Inside int
	}
	require.NoError(t, json.Unmarshal(said, &got), "%s", said)
	for _, id := range everyCollection {
		want := featuresAt(t, c, id+"/items?limit=10000")
		require.True(t, got[id].Valid, id)
		require.Equal(t, len(want.Features), got[id].Count, id)
		if len(want.Features) > 0 {
			require.GreaterOrEqual(t, len(got[id].Fields), len(want.Features[0].Properties), id)
		}
	}
	require.Contains(t, []string{"EPSG:4326", "OGC:CRS84"}, got["fields"].CRS, "the latter from QGIS 3.40 on")
	require.Equal(t, []string{"Field", "corner", "fiji", "north", "nowhere", "tonga"}, got["fields"].Names)
	require.Equal(t, 1, got["fields"].Inside, "those with a geometry in the box: north")
}

// TestGDALReadsTheFilesOfZones checks that the zones of a zoning map are the same areas in every format, and that its layers are rasters.
func TestGDALReadsTheFilesOfZones(t *testing.T) {
	if _, err := exec.LookPath("ogr2ogr"); err != nil {
		t.Skip("LEFT OUT: zones read by GDAL, which is not here. Fix: install gdal-bin.")
	}
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c := s.Company(access.RoleOwner, 1000_00)
	land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
	made := mapAt(t, c, zoningMapsPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season, "no_of_classes": 3})
	require.Equal(t, "active", made["status"], made["reason"])
	at, folder := zoningMapsPath+itoa(int64(made["order_id"].(float64)))+"/", t.TempDir()
	zones := len(made["zones"].([]any))
	rates := strings.Join([]string{"180", "160", "140"}[:zones], ",")
	saved := func(name, address string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, c.Expect(200, http.MethodGet, at+address, nil).Body, 0o600))
		return path
	}
	for format, path := range map[string]string{
		"geojson": saved("zones.geojson", "zones/?format=geojson&rates="+rates), "kml": saved("zones.kml", "zones/?format=kml&rates="+rates),
		"shp": "/vsizip/" + saved("zones.zip", "zones/?format=shp&rates="+rates),
	} {
		var all struct{ Features []mapFeature }
		require.NoError(t, json.Unmarshal([]byte(ogr(t, nil, "ogr2ogr", "-f", "GeoJSON", "-t_srs", "EPSG:4326", "-dim", "XY", "/vsistdout/", path)), &all), format)
		require.Len(t, all.Features, zones, format)
		rings := 0.0
		for _, f := range all.Features {
			outline, err := geo.ParseGeoJSON(nil, []byte(`{"type":"`+f.Geometry.Type+`","coordinates":`+string(f.Geometry.Coordinates)+`}`), geo.DefaultLimits())
			require.NoError(t, err, format)
			rings += outline.AreaHa()
			rate := fmt.Sprint(f.Properties["rate"])
			require.Contains(t, []string{"180", "160", "140"}, strings.TrimSuffix(rate, ".0"), "%s: %v", format, f.Properties)
		}
		require.InDelta(t, geo.AreaM2(rig.Archive(t).Parcels[0].Boundary)/1e4, rings, 2e-2, "%s: together the zones are the field", format)
	}
	// QGIS's panel of STAC opens files by their links, which GDAL reads piece by piece.
	item := stacAt(t, c, "zoning-map/items").Features[0]
	said := ogr(t, []string{"CPL_VSIL_CURL_CHUNK_SIZE=1024", "GDAL_DISABLE_READDIR_ON_OPEN=EMPTY_DIR"}, "gdalinfo", "-json", "-stats", "/vsicurl/"+item.Assets["mean"].Href)
	var read struct {
		Size  []int
		Bands []struct{ Mean float64 }
	}
	require.NoError(t, json.Unmarshal([]byte(said), &read), "%s", said)
	require.Len(t, read.Bands, 1, "QGIS takes two bands for colours")
	require.InDelta(t, 0, read.Bands[0].Mean, 1e-6, "how far peaks lie above those of the field, on average over the field")
	for _, layer := range []string{"zones", "mean"} {
		said := ogr(t, nil, "gdalinfo", "-stats", "-nofl", saved(layer+".tif", "maps/"+layer+".tif"))
		require.Contains(t, said, "STATISTICS_MEAN", layer)
		require.Regexp(t, `ID\["EPSG",32630\]`, said, layer)
	}
}
