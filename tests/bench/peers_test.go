package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/catalog"
	"tilth/app/satellite"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/tests/processor"
	"tilth/tests/realdata"
)

const peerTurns = 11 // on each side; the fastest counts

// BenchmarkPeers compares one series, from files on disk to points, with rasterio and numpy (peers.py, Debian's
// python3-rasterio) on the same files. It reports how many times faster we are. The start of Python is not counted, and
// each of our turns begins with an empty cache of blocks. Both sides get one thread, then two: Python works on dates at
// the same time, or, where there is only one date, on its bands. On a busy machine the processor time is the figure to
// look at: it does not include the time spent waiting for a processor.
//
// On a full-size tile unpacking is the whole cost, and both sides unpack the whole block. The field lies once in the
// middle of its block, once at its bottom, where a reader that stops below the field would save nothing, and once
// across four blocks.
func BenchmarkPeers(b *testing.B) {
	python := pythonWithRasterio(b)
	b.Run("spain", func(b *testing.B) {
		folder := realdata.Path(b, "satellite", "s2-spain-valladolid-2019")
		comparePeers(b, python, folder, "2019-01-01", "2019-12-31", 31)
	})
	for _, tile := range []struct{ name, down, right string }{
		{"middle-of-block", "0.47", "0.5"}, {"bottom-of-block", "0.93", "0.5"}, {"across-four-blocks", "0.97", "0.97"},
	} {
		b.Run("full-size-tile/"+tile.name, func(b *testing.B) {
			folder := filepath.Join(b.TempDir(), "tile")
			out, err := exec.Command(python, "peers.py", "make", folder, tile.down, tile.right).CombinedOutput()
			require.NoError(b, err, string(out))
			comparePeers(b, python, folder, "2025-06-01", "2025-06-01", 1)
		})
	}
}

// pythonWithRasterio finds a Python that has rasterio; another Python may shadow Debian's.
func pythonWithRasterio(b *testing.B) string {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import rasterio, numpy").Run() == nil {
			return python
		}
	}
	b.Skip("LEFT OUT: no Python with rasterio, so nothing is compared with it (install python3-rasterio)")
	return ""
}

func comparePeers(b *testing.B, python, folder, from, to string, dates int) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			compareSeries(b, []string{python, "peers.py", "run", folder, strconv.Itoa(peerTurns), strconv.Itoa(threads)}, folder, from, to, dates)
		})
	}
}

func compareSeries(b *testing.B, peer []string, folder, from, to string, dates int) {
	cmd := exec.Command(peer[0], peer[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(b, err)
	var theirs struct {
		Seconds, Processor float64
		Series             map[string][]float64
	}
	require.NoError(b, json.Unmarshal(out, &theirs))
	require.Len(b, theirs.Series, dates)
	ours, spent := time.Hour, time.Hour
	for b.Loop() {
		for range peerTurns {
			copied := filepath.Join(b.TempDir(), strconv.FormatInt(time.Now().UnixNano(), 36)) // under other addresses, so that none of it is cached
			require.NoError(b, os.CopyFS(copied, os.DirFS(folder)))
			started, before := time.Now(), processor.Spent()
			got := seriesFrom(b, copied, from, to)
			ours, spent = min(ours, time.Since(started)), min(spent, processor.Spent()-before)
			require.NoError(b, os.RemoveAll(copied))
			for _, o := range got.Observations {
				want := theirs.Series[o.Date.Format(time.DateOnly)]
				require.InDeltaSlice(b, want, []float64{o.Value, o.Median, o.Std, o.Min, o.Max, o.P10, o.P90}, 1e-9, "%s", o.Date)
			}
			require.Len(b, got.Observations, dates)
		}
	}
	b.ReportMetric(theirs.Seconds/ours.Seconds(), "x-rasterio")
	b.ReportMetric(theirs.Seconds*1e3, "ms-rasterio")
	b.ReportMetric(ours.Seconds()*1e3, "ms-tilth")
	b.ReportMetric(theirs.Processor/spent.Seconds(), "x-rasterio-processor")
	b.ReportMetric(theirs.Processor*1e3, "ms-rasterio-processor")
	b.ReportMetric(spent.Seconds()*1e3, "ms-tilth-processor")
}

// seriesFrom opens a folder with its field.geojson and computes the NDVI.
func seriesFrom(b *testing.B, folder, from, to string) vegetation.Series {
	outline, err := os.ReadFile(filepath.Join(folder, "field.geojson"))
	require.NoError(b, err)
	boundary, err := geo.ParseGeoJSON(nil, outline, geo.DefaultLimits())
	require.NoError(b, err)
	index, err := vegetation.ParseIndex("NDVI")
	require.NoError(b, err)
	source, err := catalog.Open(folder)
	require.NoError(b, err)
	defer func() { require.NoError(b, source.Close()) }()
	first, err := time.Parse(time.DateOnly, from)
	require.NoError(b, err)
	last, err := time.Parse(time.DateOnly, to)
	require.NoError(b, err)
	got, err := (&satellite.Computer{Imagery: source}).Compute(b.Context(), satellite.SeriesRequest{
		Boundary: boundary.Geometry(), Index: index, From: first, To: last,
	})
	require.NoError(b, err)
	return got
}
