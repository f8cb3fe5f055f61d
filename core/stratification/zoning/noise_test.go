package zoning

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/pcg"
	"tilth/core/stratification/layer"
)

// On a noisy raster of 1 m with two known zones, the mean of the pixels puts 97.5 % of the cells of
// 10 m in the right zone; a pixel picked for each cell does not.
func TestFinePixelsMakeTheZonesRight(t *testing.T) {
	const cells, fine = 100, 10
	g := frame.GridCells{EPSG: 32632, CellSize: 10, OriginX: 500_000, OriginY: 5_000_000}
	for i := range cells * cells {
		g.Places = append(g.Places, [2]int32{int32(i / cells), int32(i % cells)})
	}
	f, _, err := frame.OfCells(g, nil, 0)
	require.NoError(t, err)
	east := func(x, y float64) bool { return x > 500+150*math.Sin(y/120) } // metres from the corner
	random := pcg.New(1, "noise")
	s := layer.Surface{EPSG: 32632, OriginX: 500_000, OriginY: 5_000_000, CellX: 1, CellY: 1, Cols: cells * fine, Rows: cells * fine, Source: "a"}
	for i := range s.Cols * s.Rows {
		noise := -6.0
		for range 12 {
			noise += random.Unit()
		}
		v := 4.0 * noise
		if east(float64(i%s.Cols)+0.5, float64(i/s.Cols)+0.5) {
			v++
		}
		s.Values = append(s.Values, v)
	}
	picked := layer.Layer{Name: "a", Values: make([]float64, len(f.Cells))}
	for i := range f.Cells {
		picked.Values[i] = s.At(f.Centre(i))
	}
	averaged, err := layer.Sample(&f, s, "a")
	require.NoError(t, err)
	right := func(l layer.Layer) float64 {
		p := DefaultParams()
		p.MaxZones, p.Starts = 2, 5
		r := zonesOf(t, &f, []layer.Layer{l}, p, Work{})
		n := 0
		for i, c := range f.Cells {
			want := int32(1)
			if east(10*float64(c.Col)+5, 10*float64(c.Row)+5) {
				want = 2
			}
			if r.Candidates[0].Labels[i] == want {
				n++
			}
		}
		return float64(n) / float64(len(f.Cells))
	}
	by, without := right(averaged), right(picked)
	t.Logf("right: %.1f %% of the cells, %.1f %% by a pixel for each", 100*by, 100*without)
	require.GreaterOrEqual(t, by, 0.975)
	require.Less(t, without, 0.85)
}
