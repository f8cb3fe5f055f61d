package clients_test

import (
	"encoding/json"
	"encoding/xml"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// debianPython is the interpreter for which Debian installs pandas and the modules of QGIS.
const debianPython = "/usr/bin/python3"

// placed is a programme whose supplier has shared two fields with their profiles; it also has a field of its own, with a profile and a map.
func placed(t *testing.T) (server *rig.Server, programme *rig.Client) {
	t.Helper()
	s := rig.Start(t, rig.Options{})
	supplier, programme := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 1000_00)
	parcels := rig.Archive(t).Parcels
	land := func(c *rig.Client, parcel int) rig.Land {
		made := c.Land(parcels[parcel].Boundary, "2025-03-01", "2025-10-31")
		order := c.Expect(200, "POST", rig.OrdersPath, made.OrderBody()).Data(t)["order_id"].(float64)
		c.Until(int64(order), "active")
		return made
	}
	land(supplier, 0)
	land(supplier, 1)
	own := land(programme, 2)
	grant := supplier.Make("share-grant/", map[string]any{
		"grantee_uuid": programme.UUID(), "target": "all", "slugs": []string{"field.view", "vi-profile.view"},
	})
	programme.Expect(200, "POST", "share-grant/"+rig.Itoa(grant)+"/accept/", nil)
	programme.Expect(200, "POST", "maps/vegetation-index-map/orders/", own.OrderBody())
	return s, programme
}

func keyOf(t *testing.T, c *rig.Client, slugs ...string) string {
	t.Helper()
	return c.Expect(200, "POST", "api-key/", map[string]any{"name": "Example", "slugs": slugs}).Data(t)["key"].(string)
}

// The examples of docs/examples read what a programme has and what its supplier shares.
func TestExamples(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Abs("../../docs/examples")
	require.NoError(t, err)
	server, programme := placed(t)
	for _, one := range []struct{ name, program, file, needs, fix, required string }{
		{"pandas", debianPython, "programme.py", "import pandas", "python3-pandas", os.Getenv("TILTH_REQUIRE_PANDAS")},
		{"R", "Rscript", "programme.R", "1", "r-base-core", os.Getenv("TILTH_REQUIRE_R")},
	} {
		t.Run(one.name, func(t *testing.T) {
			flag := map[bool]string{true: "-e", false: "-c"}[one.program == "Rscript"]
			if exec.CommandContext(t.Context(), one.program, flag, one.needs).Run() != nil {
				require.NotEqual(t, "1", one.required, "%s is required, and not installed", one.fix)
				t.Skipf("LEFT OUT: the example %s, which needs Debian's %s. Fix: install it.", one.file, one.fix)
			}
			for share, want := range map[string]string{"true": "2 orders", "false": "1 order"} {
				folder := t.TempDir()
				cmd := exec.CommandContext(t.Context(), one.program, filepath.Join(examples, one.file))
				cmd.Dir, cmd.Env = folder, append(os.Environ(), "TILTH_URL="+server.URL, "TILTH_KEY="+keyOf(t, programme, "vi-profile.view"), "TILTH_SHARE="+share)
				said, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", said)
				require.Regexp(t, `(?s)^`+want+`, \d+ dates\n.*behind`, string(said))
				table, err := os.ReadFile(filepath.Join(folder, "programme.csv"))
				require.NoError(t, err)
				require.Greater(t, strings.Count(string(table), "\n"), 200, "a row a day")
			}
		})
	}
	t.Run("QGIS", func(t *testing.T) {
		link := programme.Expect(200, "POST", "maps/vegetation-index-map/orders/1/links/", map[string]any{}).Data(t)["link"].(string)
		project := edited(t, filepath.Join(examples, "tilth.qgs"), server.URL, keyOf(t, programme, "field.view", "cultivation.view", "vi-profile.view"), link)
		answered(t, server, project)
		if os.Getenv("TILTH_QGIS") == "" {
			t.Skip("LEFT OUT: the project opened by QGIS's own reader. Fix: make qgis.")
		}
		if said, err := exec.CommandContext(t.Context(), debianPython, "-c", "import qgis.core").CombinedOutput(); err != nil {
			t.Skipf("LEFT OUT: the project opened by QGIS's own reader, which is not here (%s). Fix: apt-get install python3-qgis.", said)
		}
		run := exec.CommandContext(t.Context(), debianPython, "../testdata/qgis/project.py", project)
		run.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir(), "HOME="+t.TempDir())
		said, err := run.Output()
		require.NoError(t, err, "%s", said)
		var got struct {
			Read   bool
			Errors []string
			Layers map[string]struct {
				Valid   bool
				Count   int
				Missing []string
			}
		}
		require.NoError(t, json.Unmarshal(said, &got), "%s", said)
		require.True(t, got.Read)
		require.Empty(t, got.Errors)
		require.Len(t, got.Layers, 4)
		for id, layer := range got.Layers {
			require.True(t, layer.Valid, id)
			require.Empty(t, layer.Missing, id)
			require.Equal(t, map[bool]int{true: 0, false: 1}[id == "ndvi_of_tilth"], layer.Count, id)
		}
	})
}

// edited returns a copy of the project with the given server, key and link in place of its own.
func edited(t *testing.T, from, server, key, link string) (path string) {
	t.Helper()
	text, err := os.ReadFile(from)
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "mine.qgs")
	mine := strings.NewReplacer("http://127.0.0.1:8080", server, "=KEY", "="+key, "%3DLINK", "%3D"+link).Replace(string(text))
	require.NoError(t, os.WriteFile(path, []byte(mine), 0o600))
	return path
}

var (
	collection = regexp.MustCompile(`typename='([^']+)' url='([^']+)'`)
	asDrawn    = strings.NewReplacer("{z}", "14", "{x}", "8000", "{y}", "6100")
)

// answered requests everything that a project names from the server: one feature of each layer, and one of the tiles.
func answered(t *testing.T, server *rig.Server, project string) {
	t.Helper()
	text, err := os.ReadFile(project)
	require.NoError(t, err)
	var read struct {
		Layers []struct {
			ID     string `xml:"id"`
			Source string `xml:"datasource"`
		} `xml:"projectlayers>maplayer"`
	}
	require.NoError(t, xml.Unmarshal(text, &read))
	require.Len(t, read.Layers, 4)
	for _, layer := range read.Layers {
		if found := collection.FindStringSubmatch(layer.Source); found != nil {
			at, err := url.Parse(found[2])
			require.NoError(t, err)
			answer := server.Anonymous().Expect(200, "GET", at.Path+"collections/"+found[1]+"/items?limit=1&"+at.RawQuery, nil)
			require.Contains(t, string(answer.Body), `"numberReturned":1`, layer.ID)
			continue
		}
		source, err := url.ParseQuery(layer.Source)
		require.NoError(t, err)
		at := strings.TrimPrefix(asDrawn.Replace(source.Get("url")), server.URL)
		require.Equal(t, "image/png", server.Anonymous().Expect(200, "GET", at, nil).Header.Get("Content-Type"))
	}
}
