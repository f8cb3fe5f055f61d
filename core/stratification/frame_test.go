package stratification

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/geo"
)

// rectangle gives a field with its corners in the plane of zone 33 north.
func rectangle(t testing.TB, x, y, width, height float64) geo.MultiPolygon {
	t.Helper()
	utm, err := geo.NewUTM(32633)
	require.NoError(t, err)
	ring := geo.Ring{{X: x, Y: y}, {X: x + width, Y: y}, {X: x + width, Y: y + height}, {X: x, Y: y + height}, {X: x, Y: y}}
	return utm.Unproject(geo.MultiPolygon{{ring}})
}

func frameOf(t testing.TB, o FrameOptions, fields ...geo.MultiPolygon) Frame {
	t.Helper()
	f, err := NewFrame(fields, o)
	require.NoError(t, err)
	return f
}

func TestGridIsAlignedAndSizedByTheArea(t *testing.T) {
	for name, c := range map[string]struct {
		width, height float64
		options       FrameOptions
		size          float64
	}{
		"ten metres":                      {400, 300, FrameOptions{}, 10},
		"twenty above 500 ha":             {2500, 2100, FrameOptions{}, 20},
		"five below 5 ha on fine layers":  {200, 200, FrameOptions{LayerSize: 5}, 5},
		"ten below 5 ha on coarse layers": {200, 200, FrameOptions{LayerSize: 10}, 10},
		"ten above 5 ha on fine layers":   {400, 300, FrameOptions{LayerSize: 2}, 10},
		"as asked for":                    {400, 300, FrameOptions{CellSize: 7}, 7},
		"coarser above 200,000 cells":     {2500, 2100, FrameOptions{CellSize: 5}, 10},
	} {
		f := frameOf(t, c.options, rectangle(t, 500_003, 5_400_004, c.width, c.height))
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
	a, b := rectangle(t, 500_000, 5_400_000, 200, 200), rectangle(t, 500_100, 5_400_000, 200, 200)
	f := frameOf(t, FrameOptions{CellSize: 10}, a, b)
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
	field := rectangle(t, 500_000, 5_400_000, 200, 200)
	for mask, left := range map[int]int{0: 400, 1: 324, 2: 256} {
		f := frameOf(t, FrameOptions{CellSize: 10, EdgeMask: mask}, field)
		require.Len(t, f.Unmasked(), left, "mask %d", mask)
	}
	f := frameOf(t, FrameOptions{CellSize: 10, EdgeMask: 8}, field)
	require.Zero(t, f.EdgeMask, "a mask that leaves fewer than 30 cells is no mask")
	require.Len(t, f.Unmasked(), 400)
	// A hedge between two fields is an edge.
	f = frameOf(t, FrameOptions{CellSize: 10, EdgeMask: 1}, rectangle(t, 500_000, 5_400_000, 100, 200), rectangle(t, 500_100, 5_400_000, 100, 200))
	require.Len(t, f.Unmasked(), 2*8*18)
}

func TestFramesThatCannotBe(t *testing.T) {
	near := rectangle(t, 500_000, 5_400_000, 200, 200)
	for name, c := range map[string]struct {
		fields  []geo.MultiPolygon
		options FrameOptions
		code    string
		field   string
	}{
		"none":          {nil, FrameOptions{}, "validation_failed", "fields"},
		"far apart":     {[]geo.MultiPolygon{near, rectangle(t, 500_000, 5_700_000, 200, 200)}, FrameOptions{}, "validation_failed", "fields"},
		"too small":     {[]geo.MultiPolygon{rectangle(t, 500_000, 5_400_000, 50, 50)}, FrameOptions{}, "frame_too_small", ""},
		"cell size":     {[]geo.MultiPolygon{near}, FrameOptions{CellSize: 0.5}, "validation_failed", "cell_size"},
		"not a number":  {[]geo.MultiPolygon{near}, FrameOptions{CellSize: math.NaN()}, "validation_failed", "cell_size"},
		"edge mask":     {[]geo.MultiPolygon{near}, FrameOptions{EdgeMask: 11}, "validation_failed", "edge_mask"},
		"no UTM zone":   {[]geo.MultiPolygon{near}, FrameOptions{EPSG: 3857}, "unsupported_crs", ""},
		"empty outline": {[]geo.MultiPolygon{{}}, FrameOptions{}, "validation_failed", "fields"},
	} {
		_, err := NewFrame(c.fields, c.options)
		problem, ok := fault.As(err)
		require.True(t, ok, name)
		require.Equal(t, c.code, problem.Code, name)
		if c.field != "" {
			require.Contains(t, problem.Fields, c.field, name)
		}
	}
}

func TestTwoFieldsFarFromEachOtherMakeASparseFrame(t *testing.T) {
	f := frameOf(t, FrameOptions{CellSize: 10}, rectangle(t, 500_000, 5_400_000, 200, 200), rectangle(t, 500_000, 5_500_000, 200, 200))
	require.Len(t, f.Cells, 800)
	require.Greater(t, f.Rows, 9_000)
}

func TestTableOnItsGrid(t *testing.T) {
	var xy, rc, both Table
	values := Layer{Name: "v"}
	for i := range 48 { // 8 columns, 6 rows of 20 m, from the south up
		col, row := i%8, 5-i/8
		x, y := 500_010+20*float64(col), 5_400_110-20*float64(row)
		xy.X, xy.Y = append(xy.X, x), append(xy.Y, y)
		rc.Col, rc.Row = append(rc.Col, float64(col+3)), append(rc.Row, float64(row+7))
		values.Values = append(values.Values, float64(100*row+col))
	}
	both = Table{X: xy.X, Y: xy.Y, Row: rc.Row, Col: rc.Col}
	xy.Layers, rc.Layers, both.Layers = []Layer{values}, []Layer{values}, []Layer{values}
	for name, c := range map[string]struct {
		table   Table
		options TableOptions
		corner  [2]int
		origin  geo.Position
	}{
		"coordinates":      {xy, TableOptions{EPSG: 32633}, [2]int{0, 0}, geo.Position{X: 500_000, Y: 5_400_120}},
		"rows and columns": {rc, TableOptions{CellSize: 20}, [2]int{7, 3}, geo.Position{X: 60, Y: -140}},
		"all":              {both, TableOptions{EPSG: 32633}, [2]int{7, 3}, geo.Position{X: 500_000, Y: 5_400_120}},
	} {
		f, layers, corner, err := FrameOfTable(c.table, c.options)
		require.NoError(t, err, name)
		require.InDelta(t, 20, f.CellSize, 1e-9, name)
		require.Equal(t, c.corner, corner, name)
		require.InDelta(t, c.origin.X, f.OriginX, 1e-6, name)
		require.InDelta(t, c.origin.Y, f.OriginY, 1e-6, name)
		for i, cell := range f.Cells {
			require.InDelta(t, float64(100*cell.Row+cell.Col), layers[0].Values[i], 0, name)
		}
	}
	// Within a boundary the frame has every cell of the grid, those without a value too.
	f, layers, _, err := FrameOfTable(xy, TableOptions{Boundary: rectangle(t, 500_000, 5_400_000, 180, 120)})
	require.NoError(t, err)
	require.Equal(t, 32633, f.EPSG)
	require.Len(t, f.Cells, 54)
	missing := 0
	for _, v := range layers[0].Values {
		if math.IsNaN(v) {
			missing++
		}
	}
	require.Equal(t, 6, missing)
}

func TestTablesOffTheGridAreRefused(t *testing.T) {
	x, y := []float64{0, 10, 20, 27}, []float64{0, 0, 0, 0}
	for field, c := range map[string]struct {
		table   Table
		options TableOptions
	}{
		"cells":     {Table{X: x, Y: y}, TableOptions{CellSize: 10}},
		"cell_size": {Table{Row: y, Col: x}, TableOptions{}},
		"epsg":      {Table{Row: y, Col: x}, TableOptions{CellSize: 10, Boundary: rectangle(t, 500_000, 5_400_000, 180, 120)}},
	} {
		_, _, _, err := FrameOfTable(c.table, c.options)
		problem, ok := fault.As(err)
		require.True(t, ok, field)
		require.Contains(t, problem.Fields, field)
	}
	_, _, _, err := FrameOfTable(Table{Row: []float64{1, 1}, Col: []float64{2, 2}}, TableOptions{CellSize: 10})
	require.ErrorContains(t, err, "both in row 1, column 2")
}

func TestSamplingAcrossProjections(t *testing.T) {
	f := frameOf(t, FrameOptions{CellSize: 10}, rectangle(t, 500_000, 5_400_000, 200, 200))
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
