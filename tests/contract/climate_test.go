package contract

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

// climateFile writes a climate file with a cell near the fields of the tests, and one far away.
func climateFile(t testing.TB, more string) string {
	t.Helper()
	var out strings.Builder
	out.WriteString("latitude,longitude,month,temperature_c,precipitation_mm,pet_mm,source\n")
	for month := 1; month <= 12; month++ {
		fmt.Fprintf(&out, "41.75,-4.85,%d,%d,50,%d,Normals 1991-2020 of the tests\n41,-4.9,%d,20,1,1,far\n", month, month+2, month*10, month)
	}
	file := filepath.Join(t.TempDir(), "climate.csv")
	require.NoError(t, os.WriteFile(file, []byte(out.String()+more), 0o600))
	return file
}

// TestClimateOfTheOperator checks that the Tier 2 method takes the months that nobody entered from the nearest cell of
// the operator's file, states this in the version and its trace, and leaves what people enter alone.
func TestClimateOfTheOperator(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		file := climateFile(t, "")
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.ClimateFile = file }})
		c := s.Company("owner", 0)
		farm := c.Make("farm/", map[string]any{"name": "F"})
		field := c.Make("field/", map[string]any{"name": "f", "farm_id": farm, "boundary": rig.GeoJSON(t, rig.Square(316, 0))})
		body := wheatBody(t, c)
		body["resource_type"], body["resource_id"] = "field", field
		body["land_management"].(map[string]any)["tillage"] = "reduced"
		soil := map[string]any{"soil_class": "high_activity_clay", "sand_pct": 25, "carbon_method": "tier_2_steady_state", "carbon_history": []any{
			map[string]any{"first_year": 2000, "last_year": 2019, "tillage": "full", "crop_type": "winter_wheat", "yield_t_ha": 7, "residue_returned_pct": 0},
			map[string]any{"first_year": 2020, "last_year": 2023, "tillage": "reduced", "crop_type": "winter_wheat", "yield_t_ha": 8},
		}}
		body["soil"] = soil
		id, _ := assess(t, c, body)
		submitted := c.Expect(200, http.MethodPost, submitPath(id), nil).Data(t)
		require.Equal(t, false, submitted["assessment"].(map[string]any)["has_unsubmitted_changes"])
		version := c.Expect(200, http.MethodGet, assessmentAt(id)+"submissions/1/", nil).Data(t)
		carbon := version["snapshot"].(map[string]any)["soil"].(map[string]any)["carbon"].(map[string]any)
		source := carbon["climate_source"].(map[string]any)
		require.Equal(t, []any{"Normals 1991-2020 of the tests", 41.75, -4.85}, []any{source["source"], source["latitude"], source["longitude"]})
		require.InDelta(t, 7, source["distance_km"], 2)
		months := carbon["climate"].([]any)[0].(map[string]any)["months"].([]any)
		require.Len(t, months, 12)
		require.InDelta(t, 3, months[0].(map[string]any)["temperature_c"], 0)
		require.NotContains(t, fmt.Sprint(version["entered"]), "monthly_climate", "nobody entered it")
		says := fmt.Sprintf("Normals 1991-2020 of the tests; cell 41.75, -4.85, %.1f km away", source["distance_km"])
		trace := fmt.Sprint(version["report"].(map[string]any)["trace"])
		require.Equal(t, 36, strings.Count(trace, says), "three figures of twelve months")
		require.Contains(t, string(c.Expect(200, http.MethodGet, reportPath(id)+"?basis=submitted&format=csv", nil).Body), says)

		// A change of a note keeps the cell; entered months take precedence.
		c.Expect(200, http.MethodPatch, assessmentAt(id)+"sections/soil/", map[string]any{"notes": "x"})
		c.Expect(200, http.MethodPatch, assessmentAt(id)+"sections/soil/", map[string]any{"notes": nil})
		require.Equal(t, false, c.Expect(200, http.MethodGet, assessmentAt(id), nil).Data(t)["has_unsubmitted_changes"])
		var own []any
		for month := 1; month <= 12; month++ {
			own = append(own, map[string]any{"month": month, "temperature_c": 9, "precipitation_mm": 60, "pet_mm": 50})
		}
		c.Expect(200, http.MethodPatch, assessmentAt(id)+"sections/soil/", map[string]any{"monthly_climate": own})
		c.Expect(200, http.MethodPost, submitPath(id), nil)
		second := string(c.Expect(200, http.MethodGet, assessmentAt(id)+"submissions/2/", nil).Body)
		require.NotContains(t, second, "climate_source")
		require.NotContains(t, second, "Normals 1991-2020")

		// Land without a cell nearby still needs the months; a farm whose field has an outline has a place.
		away := c.Make("farm/", map[string]any{"name": "A", "location": map[string]any{"type": "Point", "coordinates": []float64{30, 50}}})
		for _, resource := range []int64{away, farm} {
			body["resource_type"], body["resource_id"] = "farm", resource
			other, _ := assess(t, c, body)
			if resource == farm { // its field has an outline
				c.Expect(200, http.MethodPost, submitPath(other), nil)
				continue
			}
			require.Contains(t, string(c.Expect(400, http.MethodPost, submitPath(other), nil).Body), `"path":"soil.monthly_climate"`)
		}
	})
}

// TestClimateFileThatIsWrong checks that the server does not start, and names the line that is wrong.
func TestClimateFileThatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, says string }{
		"a line":  {climateFile(t, "41,-4,13,1,1,1,x\n"), "Line 26: month 13"},
		"no file": {filepath.Join(t.TempDir(), "none.csv"), "TILTH_CLIMATE_FILE"},
	} {
		text, errOut, status := run(t, rig.SQLite(t), "", "serve", "--climate-file", c.file, "--addr", "127.0.0.1:0", "--admin-addr", "off")
		require.NotZero(t, status, name)
		require.Contains(t, text+errOut, c.says, name)
		require.Contains(t, text+errOut, "TILTH_CLIMATE_FILE", name)
	}
}
