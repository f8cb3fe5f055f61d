package frame

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/geo"
)

func TestGridIsAlignedAndSizedByTheArea(t *testing.T) {
	for name, c := range map[string]struct {
		width, height float64
		options       Options
		size          float64
	}{
		"ten metres":                      {400, 300, Options{}, 10},
		"twenty above 500 ha":             {2500, 2100, Options{}, 20},
		"five below 5 ha on fine layers":  {200, 200, Options{LayerSize: 5}, 5},
		"ten below 5 ha on coarse layers": {200, 200, Options{LayerSize: 10}, 10},
		"ten above 5 ha on fine layers":   {400, 300, Options{LayerSize: 2}, 10},
		"as asked for":                    {400, 300, Options{CellSize: 7}, 7},
		"coarser above 200,000 cells":     {2500, 2100, Options{CellSize: 5}, 10},
	} {
		f := frameOf(t, c.options, box(t, 500_003, 5_400_004, c.width, c.height))
		require.InDelta(t, c.size, f.CellSize, 0, name)
		require.Equal(t, 32633, f.EPSG)
		require.InDelta(t, 0, math.Mod(f.OriginX, f.CellSize), 1e-6, name)
		require.InDelta(t, 0, math.Mod(f.OriginY, f.CellSize), 1e-6, name)
		require.InEpsilon(t, c.width*c.height, float64(len(f.Cells))*c.size*c.size, 0.05, name)
		for i := 1; i < len(f.Cells); i++ {
			a, b := f.Cells[i-1], f.Cells[i]
			require.True(t, a.Row < b.Row || a.Row == b.Row && a.Col < b.Col, "cells are in row order")
			require.Equal(t, i, f.Index(int(b.Row), int(b.Col)))
		}
		require.Equal(t, -1, f.Index(-1, 0))
		require.Equal(t, -1, f.Index(0, f.Cols))
	}
}

func TestOverlappingFieldsCountOnce(t *testing.T) {
	a, b := box(t, 500_000, 5_400_000, 200, 200), box(t, 500_100, 5_400_000, 200, 200)
	f := frameOf(t, Options{CellSize: 10}, a, b)
	require.Len(t, f.Cells, 600)
	// UTM's scale on its central meridian is 0.9996: the ground is larger.
	require.InEpsilon(t, 6/(0.9996*0.9996), f.AreaHa, 1e-5)
	for i, c := range f.Cells {
		want := int32(0)
		if f.Centre(i).X > 500_200 {
			want = 1
		}
		require.Equal(t, want, c.Field, "what they share belongs to the first")
	}
}

func TestEdgeMask(t *testing.T) {
	field := box(t, 500_000, 5_400_000, 200, 200)
	for mask, left := range map[int]int{0: 400, 1: 324, 2: 256} {
		f := frameOf(t, Options{CellSize: 10, EdgeMask: mask}, field)
		require.Len(t, f.Unmasked(), left, "mask %d", mask)
	}
	f := frameOf(t, Options{CellSize: 10, EdgeMask: 8}, field)
	require.Zero(t, f.EdgeMask, "a mask that leaves fewer than 30 cells is no mask")
	require.Len(t, f.Unmasked(), 400)
	// A hedge between two fields is an edge.
	f = frameOf(t, Options{CellSize: 10, EdgeMask: 1}, box(t, 500_000, 5_400_000, 100, 200), box(t, 500_100, 5_400_000, 100, 200))
	require.Len(t, f.Unmasked(), 2*8*18)
}

func TestFramesThatCannotBe(t *testing.T) {
	near := box(t, 500_000, 5_400_000, 200, 200)
	for name, c := range map[string]struct {
		fields  []geo.MultiPolygon
		options Options
		code    string
		field   string
	}{
		"none":          {nil, Options{}, "validation_failed", "fields"},
		"far apart":     {[]geo.MultiPolygon{near, box(t, 500_000, 5_700_000, 200, 200)}, Options{}, "validation_failed", "fields"},
		"too small":     {[]geo.MultiPolygon{box(t, 500_000, 5_400_000, 50, 50)}, Options{}, "frame_too_small", ""},
		"cell size":     {[]geo.MultiPolygon{near}, Options{CellSize: 0.5}, "validation_failed", "cell_size"},
		"not a number":  {[]geo.MultiPolygon{near}, Options{CellSize: math.NaN()}, "validation_failed", "cell_size"},
		"edge mask":     {[]geo.MultiPolygon{near}, Options{EdgeMask: 11}, "validation_failed", "edge_mask"},
		"no UTM zone":   {[]geo.MultiPolygon{near}, Options{EPSG: 3857}, "unsupported_crs", ""},
		"empty outline": {[]geo.MultiPolygon{{}}, Options{}, "validation_failed", "fields"},
	} {
		_, err := New(nil, c.fields, c.options)
		problem, ok := fault.As(err)
		require.True(t, ok, name)
		require.Equal(t, c.code, problem.Code, name)
		if c.field != "" {
			require.Contains(t, problem.Fields, c.field, name)
		}
	}
}

func TestTwoFieldsFarFromEachOtherMakeASparseFrame(t *testing.T) {
	f := frameOf(t, Options{CellSize: 10}, box(t, 500_000, 5_400_000, 200, 200), box(t, 500_000, 5_500_000, 200, 200))
	require.Len(t, f.Cells, 800)
	require.Greater(t, f.Rows, 9_000)
}

// box returns a field with its corners in the plane of zone 33 north.
func box(t testing.TB, x, y, width, height float64) geo.MultiPolygon {
	t.Helper()
	utm, err := geo.NewUTM(32633)
	require.NoError(t, err)
	ring := geo.Ring{{X: x, Y: y}, {X: x + width, Y: y}, {X: x + width, Y: y + height}, {X: x, Y: y + height}, {X: x, Y: y}}
	return utm.Unproject(geo.MultiPolygon{{ring}})
}

func frameOf(t testing.TB, o Options, fields ...geo.MultiPolygon) Frame {
	t.Helper()
	f, err := New(nil, fields, o)
	require.NoError(t, err)
	return f
}
