package programme

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func sums(table [][]float64) (rows, cols []float64) {
	rows, cols = make([]float64, len(table)), make([]float64, len(table[0]))
	for r, row := range table {
		for c, v := range row {
			rows[r] += v
			cols[c] += v
		}
	}
	return rows, cols
}

// Every number and every sum of a row or column is rounded up or down.
func TestRoundingKeepsSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 5).Draw(t, "rows"), rapid.IntRange(1, 12).Draw(t, "columns")
		expected := make([][]float64, rows)
		for r := range expected {
			expected[r] = rapid.SliceOfN(rapid.Float64Range(0, 4), cols, cols).Draw(t, "row")
			sum := 0.0
			for _, v := range expected[r] {
				sum += v
			}
			for c, v := range expected[r] { // as samples are shared out: whole numbers by row
				if sum > 0 {
					expected[r][c] = v / sum * math.Ceil(sum)
				}
			}
		}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		got, err := Round(nil, expected, random.Float64)
		require.NoError(t, err)
		made := make([][]float64, rows)
		for r, row := range got {
			for c, n := range row {
				require.Less(t, math.Abs(float64(n)-expected[r][c]), 1+1e-6)
				made[r] = append(made[r], float64(n))
			}
		}
		wantRows, wantCols := sums(expected)
		gotRows, gotCols := sums(made)
		for r := range wantRows {
			require.InDelta(t, wantRows[r], gotRows[r], 1e-6, "rows are whole and stay")
		}
		for c := range wantCols {
			require.Less(t, math.Abs(gotCols[c]-wantCols[c]), 1+1e-6)
			require.GreaterOrEqual(t, gotCols[c], math.Floor(wantCols[c]-1e-6))
		}
	})
}

// Every number keeps its expectation.
func TestRoundingIsUnbiased(t *testing.T) {
	expected := [][]float64{{0.5, 1.25, 0.25, 2}, {0.3, 0.3, 0.1, 0.3}, {1.7, 0.2, 0.6, 0.5}}
	random := rand.New(rand.NewPCG(3, 4))
	const runs = 20_000
	mean := [3][4]float64{}
	for range runs {
		got, err := Round(nil, expected, random.Float64)
		require.NoError(t, err)
		for r, row := range got {
			for c, n := range row {
				mean[r][c] += float64(n) / runs
			}
		}
	}
	for r, row := range expected {
		for c, v := range row { // four standard errors of a share of a half
			require.InDelta(t, v, mean[r][c], 4*0.5/math.Sqrt(runs), "%d, %d", r, c)
		}
	}
}
