package bench

import (
	"fmt"
	"math"
	"os"
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
	"tilth/tests/rig"
)

// squares lays out n fields of 2.25 ha over a tile, well inside its edges.
func squares(b *testing.B, grid vegetation.Grid, n int) (out []geo.MultiPolygon) {
	utm, err := geo.NewUTM(grid.EPSG)
	require.NoError(b, err)
	const side = 150.0
	across := int(math.Ceil(math.Sqrt(float64(n))))
	stepX := (float64(grid.Width)*grid.PixelX - 2*side) / float64(across)
	stepY := (float64(grid.Height)*grid.PixelY - 2*side) / float64(across)
	for i := range n {
		x, y := grid.OriginX+stepX*float64(i%across)+3, grid.OriginY-stepY*float64(i/across)-3
		var ring geo.Ring
		for _, p := range []geo.Position{{X: x, Y: y}, {X: x, Y: y - side}, {X: x + side, Y: y - side}, {X: x + side, Y: y}, {X: x, Y: y}} {
			ring = append(ring, utm.Inverse(p))
		}
		out = append(out, geo.MultiPolygon{{ring}})
	}
	return out
}

// village is the synthetic archive under an address of its own, so that none of it is
// cached, and fields all over one of its tiles.
type village struct {
	computer satellite.Computer
	requests []satellite.SeriesRequest
}

// newVillage copies the archive and lays out n fields; the time this takes is not measured.
func newVillage(b *testing.B, n int) *village {
	archive := rig.Archive(b)
	index, err := vegetation.ParseIndex("NDVI")
	require.NoError(b, err)
	folder := filepath.Join(b.TempDir(), strconv.FormatInt(time.Now().UnixNano(), 36))
	require.NoError(b, os.CopyFS(folder, os.DirFS(archive.Dir)))
	source, err := catalog.Open(folder)
	require.NoError(b, err)
	b.Cleanup(func() { _ = source.Close() })
	scenes, err := source.Search(b.Context(), archive.Parcels[0].Boundary, archive.From, archive.To)
	require.NoError(b, err)
	grid, err := source.Grid(b.Context(), scenes[0], vegetation.B04)
	require.NoError(b, err)
	c := &village{computer: satellite.Computer{Imagery: source}}
	for _, field := range squares(b, grid, n) {
		c.requests = append(c.requests, satellite.SeriesRequest{Boundary: field, Index: index, From: archive.From, To: archive.To})
	}
	return c
}

// compute returns the processor time for all fields, computed one after the other, and the
// number of their field-dates.
func (c *village) compute(b *testing.B) (spent time.Duration, dates int) {
	before := processor.Spent()
	for _, request := range c.requests {
		got, err := c.computer.Compute(b.Context(), request)
		require.NoError(b, err)
		dates += len(got.Observations) + len(got.Rejected)
	}
	return processor.Spent() - before, dates
}

// BenchmarkFieldsInOneTile computes a season of the synthetic archive for more and more of
// its fields, first with an empty cache of blocks, and then once more with all blocks
// cached. A further field costs only its pixels, because the blocks are cached: so the
// first figure approaches the second, and neither grows with the number of fields.
func BenchmarkFieldsInOneTile(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("fields=%d", n), func(b *testing.B) {
			var cold, warm time.Duration
			dates := 0
			for b.Loop() {
				fields := newVillage(b, n)
				spent, points := fields.compute(b)
				again, _ := fields.compute(b)
				cold, warm, dates = cold+spent, warm+again, dates+points
			}
			require.Positive(b, dates)
			b.ReportMetric(float64(cold.Microseconds())/float64(dates), "us/field-date")
			b.ReportMetric(float64(warm.Microseconds())/float64(dates), "us/cached-field-date")
		})
	}
}

// BenchmarkProcessors computes the same 250 fields on one processor and on two, in turns, and reports how many times
// faster two are. Of each, the fastest of three turns counts.
func BenchmarkProcessors(b *testing.B) {
	const turns = 3
	fastest := map[int]time.Duration{1: time.Hour, 2: time.Hour}
	for b.Loop() {
		for range turns {
			for processors := range fastest {
				fields := newVillage(b, 250)
				before, started := runtime.GOMAXPROCS(processors), time.Now()
				fields.compute(b)
				fastest[processors] = min(fastest[processors], time.Since(started))
				runtime.GOMAXPROCS(before)
			}
		}
	}
	b.ReportMetric(fastest[1].Seconds()/fastest[2].Seconds(), "x-with-two")
	b.ReportMetric(float64(fastest[1].Milliseconds()), "ms-with-one")
	b.ReportMetric(float64(fastest[2].Milliseconds()), "ms-with-two")
}
