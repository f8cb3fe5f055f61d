package contract

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// ogr runs a program of GDAL and returns what it prints. What it warns of fails the test.
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

// TestGDALReadsTheMaps: GDAL finds the collections by the address alone, pages through them, and narrows them by place and
// property, with the key in the address or in a header.
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

// TestQGISReadsTheMaps: QGIS's own provider adds collections by the address with a key, pages through them, and asks for
// what it shows. It runs by make qgis.
func TestQGISReadsTheMaps(t *testing.T) {
	if os.Getenv("TILTH_QGIS") == "" {
		t.Skip("LEFT OUT: maps read by QGIS's own provider. Fix: make qgis.")
	}
	if said, err := exec.Command(debianPython, "-c", "import qgis.core").CombinedOutput(); err != nil {
		t.Skipf("LEFT OUT: maps read by QGIS's own provider, which is not here (%s). Fix: apt-get install python3-qgis.", said)
	}
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c := s.Company(access.RoleOwner, 1000_00)
	s.Subscribe(c)
	placedFields(t, c)
	sampled(t, c)
	key, _ := newKey(t, c, nil)
	run := exec.CommandContext(t.Context(), debianPython, append([]string{"../testdata/qgis/maps.py", s.URL + "/api/v1.2/ogc/?api_key=" + key}, everyCollection...)...)
	run.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir(), "HOME="+t.TempDir())
	said, err := run.Output()
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
	require.Equal(t, "EPSG:4326", got["fields"].CRS)
	require.Equal(t, []string{"Field", "corner", "fiji", "north", "nowhere", "tonga"}, got["fields"].Names)
	require.Equal(t, 1, got["fields"].Inside, "those with a geometry in the box: north")
}
