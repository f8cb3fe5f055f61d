package contract

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// browsed is what QGIS's panel of STAC shows.
type browsed struct {
	Failed, Version string
	Browsed         struct {
		Collections map[string]struct {
			Items   []string
			Rasters map[string]struct{ Bands int }
			Refused []string
		}
	}
	Drawn map[string]struct {
		Errors  []string
		Colours int
	}
	Searched *struct { // nil: this QGIS has no dialog to search
		All      found
		Searches []found
		Added    []string
		Refused  []string
	}
}

type found struct {
	Status string
	Items  []string
}

// qgisPlace returns the start of a command that runs QGIS, here or below TILTH_QGIS_ROOT, and a folder visible to both sides, with its name inside.
func qgisPlace(t *testing.T) (run []string, folder, there string) {
	t.Helper()
	folder = t.TempDir()
	there = folder
	if root := os.Getenv("TILTH_QGIS_ROOT"); root != "" {
		made, err := os.MkdirTemp(filepath.Join(root, "tmp"), "panel")
		require.NoError(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(made) })
		folder, there, run = made, strings.TrimPrefix(made, strings.TrimSuffix(root, "/")), []string{"chroot", root}
	}
	for _, one := range []string{"runtime", "profile"} {
		require.NoError(t, os.Mkdir(filepath.Join(folder, one), 0o700))
	}
	return append(run, "env", "HOME="+there, "XDG_RUNTIME_DIR="+there+"/runtime", "LC_ALL=C.UTF-8", "TZ=America/Sao_Paulo"), folder, there
}

// qgisScript lays a script into the folder.
func qgisScript(t *testing.T, name, folder string) {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("../testdata/qgis", name))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), script, 0o600))
}

// qgisProgram returns the start of a command that runs the whole QGIS program without a screen, and the folder.
func qgisProgram(t *testing.T) (run []string, folder, there string) {
	t.Helper()
	if os.Getenv("TILTH_QGIS") == "" {
		t.Skip("LEFT OUT: the STAC panel of QGIS. Fix: make qgis.")
	}
	const fix = "Fix: install qgis (3.40 or later) and xvfb, or name the folder of a system that has both by TILTH_QGIS_ROOT (debootstrap; Debian 13 has QGIS 3.40, its backports have 3.44)."
	run, folder, there = qgisPlace(t)
	run = append(run, "PANEL_ASKED="+there+"/asked.json", "PANEL_SAID="+there+"/said.json", "xvfb-run", "-a", "qgis")
	said, err := exec.CommandContext(t.Context(), run[0], append(run[1:], "--version")...).CombinedOutput()
	version := regexp.MustCompile(`QGIS 3\.(\d+)`).FindSubmatch(said)
	if err != nil || version == nil {
		t.Skipf("LEFT OUT: the STAC panel of QGIS, which is not here (%v). %s", err, fix)
	}
	if minor, _ := strconv.Atoi(string(version[1])); minor < 40 {
		t.Skipf("LEFT OUT: the STAC panel of QGIS, which %s does not have. %s", version[0], fix)
	}
	return run, folder, there
}

// TestQGISShowsThePanel has QGIS's own STAC panel walk the catalogue, search it with every filter, and open the files. It runs with make qgis.
func TestQGISShowsThePanel(t *testing.T) {
	run, folder, there := qgisProgram(t)
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	m := newMappedField(t, s)
	season := m.Expect(200, http.MethodGet, m.path, nil).Data(t)["season"]
	mapAt(t, m.Client, "maps/elevation-map/orders/", map[string]any{"field_uuid": m.fieldUUID(t)})
	mapAt(t, m.Client, zoningMapsPath, map[string]any{"field_uuid": m.fieldUUID(t), "season_id": season})
	for _, parcel := range rig.Archive(t).Parcels[1:3] { // more items than fit on a page
		land := m.Land(parcel.Boundary, "2025-03-01", "2025-10-31")
		require.Equal(t, "active", mapAt(t, m.Client, "maps/vegetation-index-map/orders/", map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season})["status"])
	}
	items := stacAt(t, m.Client, "vegetation-index-map/items?limit=1000").ids()
	require.Greater(t, len(items), 100)
	may := stacAt(t, m.Client, "vegetation-index-map/items?limit=1000&datetime=2025-05-01/2025-05-31").ids()
	all := searched(t, m.Client, stacSearchLink{Href: "/api/v1.2/stac/search?limit=1000"})

	var mu sync.Mutex
	var asked []string
	target, err := url.Parse(s.URL)
	require.NoError(t, err)
	log := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.In.URL.RequestURI())
	}})
	defer log.Close()
	key, _ := newKey(t, m.Client, map[string]any{"slugs": []string{"vi-profile.view", "vi-map.view", "zoning-map.view", "elevation-map.view", "soil-map.view"}})
	orders, err := json.Marshal(map[string]any{
		"address": log.URL + "/api/v1.2/stac/", "key": key, "pictures": there,
		"searches": []map[string]any{
			{"box": []float64{-200, -95, 200, 95}}, {"box": []float64{10, 10, 11, 11}},
			{"collections": []string{"vegetation-index-map"}, "from": "2025-05-01T00:00:00", "to": "2025-05-31T23:59:59"},
		},
	})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "asked.json"), orders, 0o600))
	qgisScript(t, "panel.py", folder)
	args := append(run[1:], "--nologo", "--noplugins", "--noversioncheck", "--profiles-path", there+"/profile", "--code", there+"/panel.py")
	output, err := exec.CommandContext(t.Context(), run[0], args...).CombinedOutput()
	require.NoError(t, err, "%s", output)
	text, err := os.ReadFile(filepath.Join(folder, "said.json"))
	require.NoError(t, err, "%s", output)
	if dir := os.Getenv("TILTH_PICTURES"); dir != "" {
		pictures, _ := filepath.Glob(filepath.Join(folder, "*.png"))
		for _, one := range pictures {
			picture, err := os.ReadFile(one)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "stac-"+filepath.Base(one)), picture, 0o600))
		}
	}
	var got browsed
	require.NoError(t, json.Unmarshal(text, &got), "%s", text)
	require.Empty(t, got.Failed)
	t.Logf("QGIS %s asked:\n%s", got.Version, strings.Join(asked, "\n"))
	require.Len(t, got.Browsed.Collections, len(everySTACCollection))
	for name, c := range got.Browsed.Collections {
		require.Empty(t, c.Refused, name)
		for layer, raster := range c.Rasters {
			require.Equal(t, 1, raster.Bands, "%s of %s is shown in shades", layer, name)
		}
	}
	require.Len(t, got.Browsed.Collections["Vegetation-index maps"].Items, len(items), "all pages")
	require.Len(t, got.Browsed.Collections["Zoning maps"].Rasters, len(stacRasters(t, m)))
	require.Len(t, got.Drawn, 3, "an index, zones and a height")
	for name, one := range got.Drawn {
		require.Empty(t, one.Errors, name)
		require.Greater(t, one.Colours, 4, name)
	}
	if got.Searched == nil {
		t.Logf("LEFT OUT: the dialog that searches, which QGIS %s does not have. Fix: 3.42 or later.", got.Version)
		return
	}
	require.Len(t, got.Searched.All.Items, len(all.Features))
	require.Len(t, got.Searched.Searches[0].Items, len(all.Features), "the box of the whole world, and beyond")
	require.Empty(t, got.Searched.Searches[1].Items)
	require.Len(t, got.Searched.Searches[2].Items, len(may))
	require.Empty(t, got.Searched.Refused)
	require.Len(t, got.Searched.Added, 1)
	require.Contains(t, strings.Join(asked, "\n"), "thumbnail=true")
}

// stacRasters returns the names of the rasters of the zoning map.
func stacRasters(t *testing.T, m mappedField) (out []string) {
	t.Helper()
	for name, asset := range stacAt(t, m.Client, "zoning-map/items").Features[0].Assets {
		if strings.HasPrefix(asset.Type, "image/tiff") {
			out = append(out, name)
		}
	}
	return out
}
