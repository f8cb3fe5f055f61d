package exchange_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/core/fault"
)

func TestReadCells(t *testing.T) {
	table, err := exchange.ReadCells(strings.NewReader("\uFEFFrow,col,ec,clay\n0,0,1.5,NA\n0,1,,2e1\n"), nil)
	require.NoError(t, err)
	require.Equal(t, []float64{0, 1}, table.Col)
	require.Nil(t, table.X)
	require.Len(t, table.Layers, 2)
	require.Equal(t, "ec", table.Layers[0].Name)
	require.InDelta(t, 1.5, table.Layers[0].Values[0], 0)
	require.True(t, math.IsNaN(table.Layers[0].Values[1]))
	require.True(t, math.IsNaN(table.Layers[1].Values[0]))

	table, err = exchange.ReadCells(strings.NewReader("x,name,y,ec\n5,plot,6,7\n"), []string{"ec"})
	require.NoError(t, err, "columns that are not asked for may hold anything")
	require.Equal(t, []float64{6}, table.Y)
}

func TestReadCellsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "is empty",
		"row,col,a\n":              "a line for each cell",
		"a,b\n1,2\n":               "need",
		"row,a\n1,2\n":             "must be given together",
		"row,col,a,a\n1,1,1,1\n":   "twice",
		"row,col,a\n1,x,2\n":       `Line 2: col is "x"`,
		"row,col,a\n1,1,2\n1,NA,2": `Line 3: col is "NA"`,
		"row,col,a\n1,1,inf\n":     `Line 2: a is "inf"`,
		"row,col,a\n1,1\n":         "Line 2 cannot be read as CSV",
		"row,col,a\n1,\"1,2\n":     "cannot be read as CSV",
	} {
		_, err := exchange.ReadCells(strings.NewReader(text), nil)
		problem, ok := fault.As(err)
		require.True(t, ok, text)
		require.Contains(t, problem.Fields["cells"].([]string)[0], want, text)
	}
	_, err := exchange.ReadCells(strings.NewReader("row,col,a\n1,1,1\n"), []string{"b"})
	require.ErrorContains(t, err, `no layer "b"`)
}

// FuzzReadCells: whatever is read has a value of every column for every cell.
func FuzzReadCells(f *testing.F) {
	f.Add("row,col,a\n1,1,1\n")
	f.Add("x,y,a,b\n1,1,1,\n2,1,NaN,3\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := exchange.ReadCells(strings.NewReader(text), nil)
		if err != nil {
			_, ok := fault.As(err)
			require.True(t, ok, "%v", err)
			return
		}
		n := max(len(table.Row), len(table.X))
		require.Positive(t, n)
		for _, l := range table.Layers {
			require.Len(t, l.Values, n)
		}
	})
}
