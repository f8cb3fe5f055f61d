package layer

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// grassIndices are GRASS' wetness indices by multiple flow of the map z, by the name of their maps. (r.terraflow 8.2.1
// aborts on a model without a depression.)
var grassIndices = map[string]string{
	"watershed": "r.watershed -a elevation=z tci=watershed convergence=5 memory=100",
	"topidx":    "r.topidx input=z output=topidx",
}

// The wetness agrees with that of GRASS on surfaces with a known answer and on rolling land, where nothing
// but the two is known.
func TestWetnessAsGRASS(t *testing.T) {
	if os.Getenv("TILTH_GRASS") == "" {
		t.Skip("run by make grass")
	}
	grass, err := exec.LookPath("grass")
	if err != nil {
		t.Skip("LEFT OUT: no GRASS, so no wetness is compared with its (Debian: apt-get install grass-core)")
	}
	pixels := compared()
	surfaces := knownSurfaces()
	rolling := func(fall float64) answered {
		return answered{z: func(x, y float64) float64 {
			return 4*math.Sin(x/70+0.3)*math.Cos(y/55) + 1.5*math.Sin(x/23-y/31) + 0.4*math.Sin(x/11+y/9) + fall*(x+y)
		}}
	}
	surfaces["rolling land"], surfaces["rolling land with pits"] = rolling(0.15), rolling(0.03)
	for name, s := range surfaces {
		dem := s.model()
		_, wetness := Relief(dem)
		ours := at(wetness.Values, pixels)
		for index, theirs := range runGRASS(t, grass, dem) {
			beside := correlation(ranks(ours), ranks(at(theirs, pixels)))
			t.Logf("%s: ours beside %s %.3f", name, index, beside)
			if name == "rolling land with pits" { // r.topidx leaves water in pits, r.watershed leads it through, we fill them
				require.Greater(t, beside, 0.9)
				continue
			}
			require.GreaterOrEqual(t, beside, 0.97)
			if s.begun != nil {
				exact := ranks(s.wetness(pixels))
				t.Logf("%s: beside the exact index %s %.3f, ours %.3f", name, index, correlation(ranks(at(theirs, pixels)), exact), correlation(ranks(ours), exact))
			}
		}
	}
}

// runGRASS returns the indices of a model.
func runGRASS(t *testing.T, grass string, dem Surface) map[string][]float64 {
	t.Helper()
	dir := t.TempDir()
	writeModel(t, filepath.Join(dir, "z.txt"), dem)
	script := "set -e\nr.in.ascii input=z.txt output=z\ng.region raster=z\n"
	for name, command := range grassIndices {
		script += command + "\nr.out.ascii -h input=" + name + " output=" + name + ".txt precision=12 null_value=nan\n"
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.sh"), []byte(script), 0o600))
	run := exec.Command(grass, "--tmp-location", "XY", "--exec", "sh", "run.sh")
	run.Dir = dir
	said, err := run.CombinedOutput()
	require.NoError(t, err, "%s", said)
	out := map[string][]float64{}
	for name := range grassIndices {
		text, err := os.ReadFile(filepath.Join(dir, name+".txt"))
		require.NoError(t, err)
		for word := range strings.FieldsSeq(string(text)) {
			v, err := strconv.ParseFloat(word, 64)
			require.NoError(t, err)
			out[name] = append(out[name], v)
		}
		require.Len(t, out[name], len(dem.Values))
	}
	return out
}

// writeModel writes a model for r.in.ascii.
func writeModel(t *testing.T, path string, dem Surface) {
	t.Helper()
	var in bytes.Buffer
	fmt.Fprintf(&in, "north: %g\nsouth: 0\neast: %g\nwest: 0\nrows: %d\ncols: %d\nnull: *\ntype: double\n",
		float64(dem.Rows)*dem.CellY, float64(dem.Cols)*dem.CellX, dem.Rows, dem.Cols)
	for i, z := range dem.Values {
		text := strconv.FormatFloat(z, 'g', -1, 64)
		if math.IsNaN(z) {
			text = "*"
		}
		fmt.Fprint(&in, text, map[bool]string{true: "\n", false: " "}[(i+1)%dem.Cols == 0])
	}
	require.NoError(t, os.WriteFile(path, in.Bytes(), 0o600))
}
