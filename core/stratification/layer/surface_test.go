package layer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/tests/fields"
)

func TestSamplingAcrossProjections(t *testing.T) {
	f, err := frame.New(nil, []geo.MultiPolygon{fields.Rectangle(t, 500_000, 5_400_000, 200, 200)}, frame.Options{CellSize: 10})
	require.NoError(t, err)
	at := func(i int) geo.Position {
		p, _ := f.LonLat(f.Centre(i))
		return p
	}
	middle := at(210)
	s := Surface{EPSG: Degrees, OriginX: middle.X - 1, OriginY: middle.Y + 1, CellX: 0.001, CellY: 0.001, Cols: 2000, Rows: 2000, Values: make([]float64, 4_000_000)}
	for i := range s.Values {
		s.Values[i] = float64(i)
	}
	layer, err := Sample(&f, s, "coarse")
	require.NoError(t, err)
	require.True(t, layer.Coarse)
	for i, v := range layer.Values {
		p := at(i)
		require.InDelta(t, math.Floor((s.OriginY-p.Y)/0.001)*2000+math.Floor((p.X-s.OriginX)/0.001), v, 0)
	}
	require.True(t, math.IsNaN(s.At(geo.Position{X: middle.X - 2, Y: middle.Y})))
	small := Surface{CellX: 10, CellY: 10, Cols: 2, Rows: 2, OriginY: 20, Values: []float64{0, 1, 2, 3}}
	require.InDelta(t, 1.5, small.Between(geo.Position{X: 10, Y: 10}), 1e-12)
	require.InDelta(t, 1, small.Between(geo.Position{X: 18, Y: 18}), 0, "nearer to the edge than a centre")
}
