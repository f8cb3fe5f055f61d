package contract

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// debianPython is the interpreter for which Debian installs the modules of QGIS.
const debianPython = "/usr/bin/python3"

// opened is what QGIS reads from a package.
type opened struct {
	Read       bool     `json:"read"`
	CRS        string   `json:"crs"`
	Complaints []string `json:"complaints"`
	Refused    []string `json:"refused"`
	OfFirst    int      `json:"samples_of_first"`
	Layers     map[string]struct {
		Valid    bool              `json:"valid"`
		Count    int               `json:"count"`
		CRS      string            `json:"crs"`
		ReadOnly bool              `json:"read_only"`
		Widgets  map[string]string `json:"widgets"`
		Wrong    []string          `json:"wrong"`
		Source   string            `json:"source"`
		Form     []string          `json:"form"`
	} `json:"layers"`
	Relations map[string]bool `json:"relations"`
}

// qgis opens a package with QGIS's own reader, changes it as a crew does, and saves it.
func qgis(t *testing.T, p pack, e edits) (out opened) {
	t.Helper()
	text, err := json.Marshal(e)
	require.NoError(t, err)
	changes := filepath.Join(t.TempDir(), "edits.json")
	require.NoError(t, os.WriteFile(changes, text, 0o600))
	args := []string{"../testdata/qgis/crew.py", p.path(".qgs"), changes}
	if dir := os.Getenv("TILTH_PICTURES"); dir != "" {
		args = append(args, filepath.Join(dir, "crew.png"))
	}
	run := exec.CommandContext(t.Context(), debianPython, args...)
	run.Env = append(os.Environ(), "TZ=America/Sao_Paulo", "XDG_RUNTIME_DIR="+t.TempDir(), "HOME="+t.TempDir())
	said, err := run.Output()
	require.NoError(t, err, "%s", said)
	require.NoError(t, json.Unmarshal(said, &out), "%s", said)
	return out
}

// TestQGISOpensThePackage checks that QGIS's own reader opens a package without a question, that its forms are those of
// the crew, and that what is saved there comes back. It runs with make qgis.
func TestQGISOpensThePackage(t *testing.T) {
	if os.Getenv("TILTH_QGIS") == "" {
		t.Skip("LEFT OUT: packages opened by QGIS's own reader. Fix: make qgis.")
	}
	if said, err := exec.Command(debianPython, "-c", "import qgis.core").CombinedOutput(); err != nil {
		t.Skipf("LEFT OUT: packages opened by QGIS's own reader, which is not here (%s). Fix: apt-get install python3-qgis.", said)
	}
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c := s.Company(access.RoleOwner, 1000_00)
	s.Subscribe(c)
	w := crewOf(t, c)
	p := w.export()
	var points []string
	for point := range w.labels {
		points = append(points, point)
	}
	slices.Sort(points)
	at := w.places[points[1]]
	began := time.Now().Add(-time.Minute)
	got := qgis(t, p, edits{
		Points: map[string]map[string]any{
			points[0]: {"status": "collected", "collected_by": "Ana", "notes": "wet"},
			points[1]: {"move": []float64{at[0], at[1] + 0.0001}, "status": "moved"},
			points[2]: {"status": "missed", "notes": "a ditch"},
		},
		Samples: map[string]map[string]any{w.labels[points[0]][1]: {"status": "missed", "notes": "stone"}},
	})
	require.True(t, got.Read)
	require.Equal(t, "EPSG:4326", got.CRS)
	require.Empty(t, got.Refused)
	require.Empty(t, got.Complaints)
	require.Equal(t, map[string]bool{"Samples": true}, got.Relations)
	require.Equal(t, 2, got.OfFirst)
	for name, count := range map[string]int{"Points": len(points), "Samples": len(w.samples()), "Zones": 2, "Fields": 1, "Way": 1} {
		l := got.Layers[name]
		require.True(t, l.Valid, name)
		require.Equal(t, count, l.Count, name)
		require.Empty(t, l.Wrong, name)
		require.Equal(t, filepath.Base(p.path(".gpkg")), l.Source, "found beside the project")
		require.Equal(t, name != "Points" && name != "Samples", l.ReadOnly, name)
	}
	form := got.Layers["Points"]
	require.Equal(t, []string{"ValueMap", "DateTime", "ExternalResource", "TextEdit", "Hidden"},
		[]string{form.Widgets["status"], form.Widgets["collected_at"], form.Widgets["photo"], form.Widgets["notes"], form.Widgets["collected_utc"]})
	require.Equal(t, []string{"point", "field", "depths", "status"}, form.Form[:4])
	require.Contains(t, form.Form, "samples_of_point")

	stored := w.send("", p.zipped())
	require.Equal(t, 200, stored.Status, "%s", stored.Body)
	require.EqualValues(t, 6, stored.Data(t)["updated"])
	taken := w.sample(w.labels[points[0]][0])["collected"].(map[string]any)
	when, err := time.Parse(time.RFC3339, taken["at"].(string))
	require.NoError(t, err)
	require.WithinRange(t, when, began, time.Now().Add(time.Minute), "the device's clock shows another zone")
	require.Nil(t, taken["lon"], "QGIS has no receiver")
	require.Equal(t, "missed", w.sample(w.labels[points[0]][1])["status"])
	require.InDelta(t, 11.1, w.sample(w.labels[points[1]][0])["collected"].(map[string]any)["moved_m"], 0.1)
	require.Equal(t, []any{"missed", "a ditch"}, []any{w.sample(w.labels[points[2]][1])["status"], w.sample(w.labels[points[2]][1])["notes"]})
}
