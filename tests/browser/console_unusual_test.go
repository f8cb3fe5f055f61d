package browser

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/synthetic"
	"tilth/app/demo"
	"tilth/app/operating"
	"tilth/core/access"
	"tilth/tests/rig"
)

// fourYears is an archive with passes of June and July in four years. Its land differs between the years in noise and weather, and
// the plants of some parcels are dead in some years. The earlier years are archives of this one whose documents state another year.
func fourYears(t *testing.T, dead map[int][]string) string {
	t.Helper()
	var days []time.Time
	for day := time.Date(2025, 6, 4, 0, 0, 0, 0, time.UTC); day.Month() < time.August; day = day.AddDate(0, 0, 5) {
		days = append(days, day)
	}
	dir := filepath.Join(t.TempDir(), "2025")
	type collection map[string]any
	read := func(in string) (c collection) {
		text, err := os.ReadFile(filepath.Join(in, "collection.json"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &c))
		return c
	}
	var all collection
	for year := 2025; year >= 2022; year-- {
		in, turned := filepath.Join(filepath.Dir(dir), fmt.Sprint(year)), strings.NewReplacer("2025", fmt.Sprint(year))
		var patches []synthetic.Patch
		for _, p := range rig.Archive(t).Parcels {
			for _, name := range dead[year] {
				if p.Name == name {
					patches = append(patches, synthetic.Patch{Where: p.Boundary, From: days[2]})
				}
			}
		}
		_, err := synthetic.Make(t.Context(), in, synthetic.Options{Seed: uint64(year), Days: days, Patches: patches})
		require.NoError(t, err)
		if year == 2025 {
			all = read(in)
			continue
		}
		for _, one := range read(in)["links"].([]any) {
			if link := one.(map[string]any); link["rel"] == "item" {
				link["href"] = turned.Replace(link["href"].(string))
				all["links"] = append(all["links"].([]any), link)
			}
		}
		for _, tile := range []string{"30TUM", "30TVM"} {
			require.NoError(t, filepath.WalkDir(filepath.Join(in, tile), func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				content, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				if filepath.Ext(path) == ".json" {
					content = []byte(turned.Replace(string(content)))
				}
				to := filepath.Join(dir, turned.Replace(strings.TrimPrefix(path, in)))
				if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
					return err
				}
				return os.WriteFile(to, content, 0o600)
			}))
		}
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "collection.json"), []byte(strings.Replace(string(text), `"2025-03-01T00:00:00Z"`, `"2022-03-01T00:00:00Z"`, 1)), 0o600))
	return dir
}

// The farm map of a company with three earlier seasons is coloured by how unusual its fields are (make browser).
func TestConsoleColoursUnusualFields(t *testing.T) {
	if !long() {
		t.Skip("make browser does it")
	}
	server := serve(t, rig.Options{Imagery: fourYears(t, map[int][]string{
		2025: {"North pivot", "Pond meadow"}, 2024: {"Border field", "River field", "Pond meadow"}, 2023: {"Border field", "River field"}, 2022: {"Border field"},
	})})
	c := server.Company("owner", 1_000_000)
	_, err := server.Operating.CreateUser(t.Context(), operating.NewUser{CompanyID: c.CompanyID, Email: demo.OwnerMail, Role: access.RoleOwner, Password: demo.Password})
	require.NoError(t, err)
	farm := c.Make("farm/", map[string]any{"name": "Four years"})
	var fields []any
	for _, p := range rig.Archive(t).Parcels {
		fields = append(fields, c.Expect(200, "POST", "field/", map[string]any{"name": p.Name, "farm_id": farm, "boundary": rig.GeoJSON(t, p.Boundary)}).Data(t)["uuid"])
	}
	for year := 2022; year <= 2025; year++ {
		season := c.Make("season/", map[string]any{"name": fmt.Sprintf("Season %d", year), "start_date": fmt.Sprintf("%d-06-01", year), "end_date": fmt.Sprintf("%d-07-31", year)})
		for _, field := range fields {
			c.Until(int64(c.Expect(200, "POST", rig.OrdersPath, map[string]any{"field_uuid": field, "season_id": season}).Data(t)["order_id"].(float64)), "active")
		}
	}
	p := console(t, server.URL, "/?colour=anomaly", 1280, false)
	p.Until(drawn)
	p.Until(`document.querySelectorAll(".list .figure").length > 0 && document.querySelector(".panel").textContent.includes("unusually high")`)
	stands := func(name, as string) {
		t.Helper()
		p.Until(fmt.Sprintf(`[...document.querySelectorAll(".list a")].find((a) => a.querySelector(".name").textContent === %q)?.textContent.includes(%q)`, name, as))
	}
	stands("North pivot", "unusually low")
	stands("Border field", "unusually high")
	rig.Eventually(t, func() bool { // both ends of the steps are on the map
		return coloured(t, p, func(r, g, b uint32) bool { return r > 160 && g > 70 && g < 110 && b < 60 }) > 2_000 &&
			coloured(t, p, func(r, g, b uint32) bool { return r < 120 && g < 80 && b > 110 }) > 2_000
	}, patience, patience/100)
	for _, in := range looks {
		walk(t, p, server.URL, "unusual", in, []place{{"map", "/?colour=anomaly", onMap + ` && document.querySelectorAll(".legend li").length === 6 && document.querySelector(".panel").textContent.includes("unusually high")`}})
	}
}
