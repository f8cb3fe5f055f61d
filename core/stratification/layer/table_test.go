package layer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/tests/fields"
)

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
		f, layers, corner, err := FromTable(c.table, c.options)
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
	f, layers, _, err := FromTable(xy, TableOptions{Boundary: fields.Rectangle(t, 500_000, 5_400_000, 180, 120)})
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
		"epsg":      {Table{Row: y, Col: x}, TableOptions{CellSize: 10, Boundary: fields.Rectangle(t, 500_000, 5_400_000, 180, 120)}},
	} {
		_, _, _, err := FromTable(c.table, c.options)
		problem, ok := fault.As(err)
		require.True(t, ok, field)
		require.Contains(t, problem.Fields, field)
	}
	_, _, _, err := FromTable(Table{Row: []float64{1, 1}, Col: []float64{2, 2}}, TableOptions{CellSize: 10})
	require.ErrorContains(t, err, "both in row 1, column 2")
}
