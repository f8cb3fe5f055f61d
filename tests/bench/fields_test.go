package bench

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/catalog"
	"tilth/app/series"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/tests/rig"
)

// squares lays out n fields of 2.25 ha over a tile, far enough inside it.
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

// BenchmarkFieldsInOneTile computes a season of the synthetic archive for ever more fields
// of it, each time with nothing in the cache of blocks: a further field costs its pixels,
// for the blocks are there. Run it with -cpu 1,2,4 to see how it grows with processors.
func BenchmarkFieldsInOneTile(b *testing.B) {
	archive := rig.Archive(b)
	index, err := vegetation.ParseIndex("NDVI")
	require.NoError(b, err)
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("fields=%d", n), func(b *testing.B) {
			var spent time.Duration
			points := 0
			for b.Loop() {
				// Other addresses: nothing of them is cached.
				folder := filepath.Join(b.TempDir(), strconv.FormatInt(time.Now().UnixNano(), 36))
				require.NoError(b, os.CopyFS(folder, os.DirFS(archive.Dir)))
				source, err := catalog.Open(folder)
				require.NoError(b, err)
				scenes, err := source.Search(b.Context(), archive.Parcels[0].Boundary, archive.From, archive.To)
				require.NoError(b, err)
				grid, err := source.Grid(b.Context(), scenes[0], vegetation.B04)
				require.NoError(b, err)
				computer := &series.Computer{Imagery: source}
				fields := squares(b, grid, n)
				started := time.Now()
				for _, field := range fields {
					got, err := computer.Compute(b.Context(), series.Request{Boundary: field, Index: index, From: archive.From, To: archive.To})
					require.NoError(b, err)
					points += len(got.Observations) + len(got.Rejected)
				}
				spent += time.Since(started)
				require.NoError(b, source.Close())
				require.NoError(b, os.RemoveAll(folder))
			}
			require.Positive(b, points)
			b.ReportMetric(float64(spent.Microseconds())/float64(n*b.N), "us/field")
			b.ReportMetric(float64(spent.Microseconds())/float64(points), "us/field-date")
		})
	}
}
