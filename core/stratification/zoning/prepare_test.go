package zoning

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/layer"
)

// A missing cell gets the mean of the smallest window with a value, however that is found.
func TestFillingIsTheRuleAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := frame.GridCells{CellSize: 10}
		n := rapid.IntRange(6, 12).Draw(t, "n")
		for row := range n {
			for col := range n {
				if rapid.IntRange(0, 5).Draw(t, "there") > 0 {
					g.Places = append(g.Places, [2]int32{int32(row), int32(col)})
				}
			}
		}
		f, _, err := frame.OfCells(g, nil, 0)
		if err != nil {
			t.Skip("too few cells")
		}
		values := make([]float64, len(f.Cells))
		for i := range values {
			values[i] = math.NaN()
			if i == 0 || rapid.IntRange(0, 4).Draw(t, "known") == 0 {
				values[i] = float64(i)
			}
		}
		want := make([]float64, len(values))
		for i, v := range values {
			want[i] = v
			for reach := int32(1); math.IsNaN(want[i]); reach++ {
				sum, count := 0.0, 0.0
				for j, w := range values {
					dr, dc := f.Cells[j].Row-f.Cells[i].Row, f.Cells[j].Col-f.Cells[i].Col
					if !math.IsNaN(w) && max(dr, -dr, dc, -dc) <= reach {
						sum, count = sum+w, count+1
					}
				}
				if count > 0 {
					want[i] = sum / count
				}
			}
		}
		fill(nil, &f, values, f.Unmasked())
		require.Equal(t, want, values)
	})
}

func TestWinsorising(t *testing.T) {
	values := make([]float64, 101)
	for i := range values {
		values[i] = float64(i)
	}
	values[100], values[0] = 1e6, -1e6
	winsorise(values)
	require.InDelta(t, 1, values[0], 0)
	require.InDelta(t, 99, values[100], 0)
	require.InDelta(t, 50, values[50], 0)
	require.InDelta(t, 1.5, stats.Quantile([]float64{1, 2}, 0.5), 1e-12)
}

// Both coordinates are divided by the same figure: a square stays a square.
func TestThePlaceKeepsItsShape(t *testing.T) {
	g := frame.GridCells{CellSize: 10}
	for i := range 100 {
		g.Places = append(g.Places, [2]int32{int32(i / 20), int32(i % 20)})
	}
	f, _, err := frame.OfCells(g, nil, 0)
	require.NoError(t, err)
	l := layer.Layer{Name: "a", Values: make([]float64, 100)}
	for i := range l.Values {
		l.Values[i] = float64(i % 7)
	}
	p := DefaultParams()
	p.Weights = map[string]float64{"a": 3}
	data := prepare(nil, &f, []layer.Layer{l}, p)
	east, south := data.points.Row(1)[1]-data.points.Row(0)[1], data.points.Row(20)[2]-data.points.Row(0)[2]
	require.InDelta(t, east, -south, 1e-12)
	_, sd := stats.MeanAndSD([]float64{data.points.Row(0)[1], data.points.Row(19)[1]})
	require.Positive(t, sd)
	total := 0.0
	for i := range data.points.N {
		total += float64(data.points.Row(i)[1] * data.points.Row(i)[1])
	}
	require.InDelta(t, 99*0.25/3.5, total, 1e-9, "the wider coordinate has its whole weight")
}
