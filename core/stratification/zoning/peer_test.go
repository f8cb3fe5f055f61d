package zoning

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/stratification/internal/pcg"
	"tilth/tests/fields"
	"tilth/tests/processor"
	"tilth/tests/realdata"
)

const peerTurns = 3 // of which the cheapest counts, and the lowest sum of squares, on both sides

// BenchmarkPeersZones compares k-means with scikit-learn (Debian's python3-sklearn) on the same
// points: the same k and 25 starts, one thread on both sides. It reports how many times as much we do
// in a second of processor time, at a sum of squares that is at most 1e-4 larger.
func BenchmarkPeersZones(b *testing.B) {
	python := pythonWithSklearn(b)
	b.Run("wheat", func(b *testing.B) {
		comparePeers(b, python, realdata.Path(b, "stratification", "wheat-field.csv"), fields.WheatColumns)
	})
	for _, cells := range []int{20_000, 200_000} {
		b.Run(fmt.Sprintf("%d-cells", cells), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "made.csv")
			names := []string{"a", "b", "c", "d"}
			writeMade(b, path, names, cells)
			comparePeers(b, python, path, names)
		})
	}
}

func pythonWithSklearn(b *testing.B) string {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import sklearn").Run() == nil {
			return python
		}
	}
	b.Skip("LEFT OUT: no Python with scikit-learn, so nothing is compared with it (install python3-sklearn)")
	return ""
}

// writeMade writes a table of cells with smooth and noisy layers.
func writeMade(b *testing.B, path string, names []string, n int) {
	file, err := os.Create(path)
	require.NoError(b, err)
	defer file.Close()
	out := csv.NewWriter(file)
	require.NoError(b, out.Write(names))
	random := pcg.New(1, "made")
	for i := range n {
		x, y := float64(i%200)/200, float64(i/200)/float64(n/200)
		record := make([]string, len(names))
		for j := range record {
			wave := math.Sin(x*float64(3+j)) + math.Cos(y*float64(5-j)) + random.Unit()
			record[j] = strconv.FormatFloat(wave, 'g', -1, 64)
		}
		require.NoError(b, out.Write(record))
	}
	out.Flush()
	require.NoError(b, out.Error())
}

func comparePeers(b *testing.B, python, path string, names []string) {
	script := filepath.Join("..", "..", "..", "tests", "bench", "peers_zones.py")
	cmd := exec.Command(python, script, path, strings.Join(names, ","), strconv.Itoa(peerTurns), "3", "8")
	cmd.Stderr = os.Stderr
	raw, err := cmd.Output()
	require.NoError(b, err)
	var theirs []struct {
		K                int
		Seconds, Inertia float64
	}
	require.NoError(b, json.Unmarshal(raw, &theirs))
	points := columnsOf(fields.TableAt(b, path), names, true)
	for b.Loop() {
		for _, peer := range theirs {
			ours, inertia := time.Hour, math.Inf(1)
			for turn := range peerTurns {
				started := processor.Spent()
				got, err := kMeans(b.Context(), points, peer.K, 25, uint64(turn), 1)
				require.NoError(b, err)
				ours, inertia = min(ours, processor.Spent()-started), min(inertia, got.Inertia)
			}
			require.LessOrEqual(b, inertia, peer.Inertia*(1+1e-4), "k %d", peer.K)
			k := "-k" + strconv.Itoa(peer.K)
			b.ReportMetric(peer.Seconds/ours.Seconds(), "x-sklearn"+k)
			b.ReportMetric(ours.Seconds()*1e3, "ms-tilth"+k)
			b.ReportMetric(peer.Seconds*1e3, "ms-sklearn"+k)
		}
	}
}
