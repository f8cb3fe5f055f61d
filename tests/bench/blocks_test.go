package bench

import (
	"encoding/json"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/stac"
	"tilth/app/satellite"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/tests/processor"
)

// compute computes the series of a field over the season, and returns it with the processor time that this took.
func (s *season) compute(b *testing.B, files *cog.Reader, field geo.MultiPolygon) (vegetation.Series, time.Duration) {
	source, err := stac.New(s.URL, stac.Options{Files: files})
	require.NoError(b, err)
	index, err := vegetation.ParseIndex("NDVI")
	require.NoError(b, err)
	before := processor.Spent()
	got, err := (&satellite.Computer{Imagery: source}).Compute(b.Context(), satellite.SeriesRequest{
		Boundary: field, Index: index, From: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC),
	})
	require.NoError(b, err)
	require.Len(b, got.Observations, tileDates)
	return got, processor.Spent() - before
}

// BenchmarkFieldsInOneBlock computes 36 full-size clear dates of a thousand fields in one block, one field after the other, while
// memory holds the blocks of only a few dates; the others are on disk. It reports the bytes of all relative to those of the
// first, and the cost of a further field relative to that of its own pixels: the cost of a field whose blocks are all in memory.
func BenchmarkFieldsInOneBlock(b *testing.B) {
	const fields, side = 1000, 300.0
	for b.Loop() {
		s := newSeason(b, 0)
		square := func(i int) geo.MultiPolygon {
			return s.square(b, 20+320*float64(i%32), 20+320*float64(i/32), side)
		}
		folder := b.TempDir()
		small := cog.NewReader(16<<20).KeepOnDisk(folder, 4<<30, slog.New(slog.DiscardHandler))
		roomy := cog.NewReader(1 << 30)
		started := time.Now()
		_, first := s.compute(b, small, square(0))
		one := s.sent.Load()
		var further time.Duration
		for i := 1; i < fields; i++ {
			_, spent := s.compute(b, small, square(i))
			further += spent
		}
		all, took := s.sent.Load(), time.Since(started)
		s.compute(b, roomy, square(0))
		var own time.Duration
		for i := 1; i < fields/10; i++ {
			_, spent := s.compute(b, roomy, square(i))
			own += spent
		}
		perField, perOwn := further/(fields-1), own/(fields/10-1)
		b.ReportMetric(float64(all)/float64(one), "x-bytes-of-one")
		b.ReportMetric(float64(one)/1e6, "MB-first")
		b.ReportMetric(float64(first.Microseconds())/1e3, "ms-first")
		b.ReportMetric(float64(perField.Microseconds())/1e3, "ms-further")
		b.ReportMetric(perField.Seconds()/perOwn.Seconds(), "x-own-pixels")
		b.ReportMetric(took.Seconds(), "s-all")
	}
}

// BenchmarkPeersRemote compares 36 full-size dates over a connection with a delay of 50 ms with rasterio on sixteen
// threads, in turns. Neither side has anything cached, and rasterio's time does not include the search of the archive.
// Our time must not depend on the number of processors.
func BenchmarkPeersRemote(b *testing.B) {
	python := pythonWithRasterio(b)
	const turns, threads = 5, 16
	s := newSeason(b, 50*time.Millisecond)
	field := s.square(b, 4000, 9000, 600)
	folder := b.TempDir()
	for name, data := range s.catalog(b, field) {
		require.NoError(b, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	type figures struct {
		Seconds, Processor float64
		Series             map[string][]float64
	}
	for b.Loop() {
		theirs, theirProcessor := math.Inf(1), math.Inf(1)
		ours, ourProcessor := map[int]float64{1: math.Inf(1), 2: math.Inf(1)}, math.Inf(1)
		for range turns {
			cmd := exec.Command(python, "peers.py", "run", folder, "1", strconv.Itoa(threads))
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			require.NoError(b, err)
			var peer figures
			require.NoError(b, json.Unmarshal(out, &peer))
			require.Len(b, peer.Series, tileDates)
			theirs, theirProcessor = min(theirs, peer.Seconds), min(theirProcessor, peer.Processor)
			for processors := range ours {
				before := runtime.GOMAXPROCS(processors)
				started := time.Now()
				got, spent := s.compute(b, cog.NewReader(cog.DefaultCache), field)
				ours[processors] = min(ours[processors], time.Since(started).Seconds())
				ourProcessor = min(ourProcessor, spent.Seconds())
				runtime.GOMAXPROCS(before)
				for _, o := range got.Observations {
					require.InDeltaSlice(b, peer.Series[o.Date.Format(time.DateOnly)], []float64{o.Value, o.Median, o.Std, o.Min, o.Max, o.P10, o.P90}, 1e-9, "%s", o.Date)
				}
			}
		}
		b.ReportMetric(theirs, "s-rasterio")
		b.ReportMetric(ours[1], "s-one-processor")
		b.ReportMetric(ours[2], "s-two-processors")
		b.ReportMetric(theirs/ours[2], "x-rasterio")
		b.ReportMetric(ourProcessor*1e3, "ms-processor")
		b.ReportMetric(theirProcessor*1e3, "ms-rasterio-processor")
	}
}
