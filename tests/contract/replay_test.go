package contract

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
	"tilth/tests/witness"
)

// TestReplayOfAnExportedVersion checks that the response of the interface, saved unchanged, is recomputed by the
// command line and by the second witness, and that a changed one is not.
func TestReplayOfAnExportedVersion(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company("owner", 0)
	body := wheatBody(t, c)
	body["growing_area"] = map[string]any{"value": 24.7, "unit": "acres"}
	body["transport"] = []any{map[string]any{
		"mode": "truck", "weight": map[string]any{"value": 30, "unit": "short_ton"}, "distance": map[string]any{"value": 12, "unit": "mi"},
		"fuel_counted_elsewhere": true,
	}}
	delete(body["section_declarations"].(map[string]any), "transport")
	id, _ := assess(t, c, body)
	c.Expect(200, http.MethodPost, submitPath(id), nil)
	exported := c.Expect(200, http.MethodGet, assessmentAt(id)+"submissions/1/", nil)
	report := exported.Data(t)["report"].(map[string]any)
	file := filepath.Join(t.TempDir(), "version.json")
	require.NoError(t, os.WriteFile(file, exported.Body, 0o600))

	same := runJSON(t, "sqlite::memory:", "ghg", "replay", file)
	require.Equal(t, true, same["same"])
	require.Equal(t, report["totals"].(map[string]any)["emissions"], same["emissions"])
	require.Equal(t, report["uncertainty"].(map[string]any)["high"], same["emissions_high"])
	require.EqualValues(t, len(report["trace"].([]any)), same["steps"])
	require.Equal(t, []any{"transport[0]", "land_management"}, same["unused"])
	out, _, status := run(t, "sqlite::memory:", string(exported.Body), "ghg", "replay", "-")
	require.Zero(t, status)
	require.Contains(t, out, "no step uses transport[0]")

	changed := strings.Replace(string(exported.Body), `"value":24.7`, `"value":24.8`, 1)
	require.NotEqual(t, string(exported.Body), changed)
	out, errOut, status := run(t, "sqlite::memory:", changed, "ghg", "replay", "-")
	require.Equal(t, 1, status, errOut)
	require.Contains(t, out, "DIFFERS: step 1 (unit_conversion of general): v is 24.7, and what was entered has 24.8 for general.growing_area.value.")
	out, _, status = run(t, "sqlite::memory:", changed, "ghg", "replay", "-", "--json")
	require.Equal(t, 1, status)
	var differs struct {
		Same       bool
		Difference struct {
			Step       int
			Name, Item string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &differs))
	require.False(t, differs.Same)
	require.Equal(t, "unit_conversion", differs.Difference.Name)

	for text, why := range map[string]string{"not JSON": "is not a JSON object", "{}": "contains no report", "": "is not a JSON object"} {
		out, errOut, status = run(t, "sqlite::memory:", text, "ghg", "replay", "-")
		require.Equal(t, 2, status, text)
		require.Empty(t, out)
		require.Contains(t, errOut, why)
	}
	for _, wrong := range [][]string{{"ghg", "replay", file + ".none"}, {"ghg", "replay"}, {"ghg", "replay", file, file}} {
		_, _, status = run(t, "sqlite::memory:", "", wrong...)
		require.Equal(t, 2, status, wrong)
	}

	said := witness.Python(t, [][]byte{exported.Body, []byte(changed), []byte("{}")})
	require.True(t, strings.HasPrefix(said[0], "same: "), said[0])
	require.True(t, strings.HasPrefix(said[1], "DIFFERS: step 1 "), said[1])
	require.True(t, strings.HasPrefix(said[2], "cannot be replayed"), said[2])
}

// TestVersionsOfTheSuiteAreReplayed checks that what a server stored is recomputed when it stops.
func TestVersionsOfTheSuiteAreReplayed(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		body := wheatBody(t, c)
		body["growing_area"] = map[string]any{"value": 7.7, "unit": "ha"}
		if strings.HasPrefix(database, "sqlite") {
			body["growing_area"] = map[string]any{"value": 7.6, "unit": "ha"}
		}
		id, _ := assess(t, c, body)
		c.Expect(200, http.MethodPost, submitPath(id), nil)
		before := rig.Replayed()
		s.Stop()
		require.Greater(t, rig.Replayed(), before)
	})
}
