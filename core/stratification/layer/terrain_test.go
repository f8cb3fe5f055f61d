package layer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/stratification/internal/pcg"
)

// relief makes an elevation model from a function of column and row.
func relief(cols, rows int, size float64, z func(col, row float64) float64) Surface {
	s := Surface{EPSG: 32633, CellX: size, CellY: size, Cols: cols, Rows: rows, Values: make([]float64, cols*rows)}
	for i := range s.Values {
		s.Values[i] = z(float64(i%cols), float64(i/cols))
	}
	return s
}

func TestSlopeOfAPlane(t *testing.T) {
	// 3 m up in 10 m eastwards, 4 m down in 10 m southwards: a tangent of 0.5.
	slope, wetness := Relief(relief(9, 7, 10, func(c, r float64) float64 { return 3*c - 4*r }))
	for i, v := range slope.Values {
		if col, row := i%9, i/9; col == 0 || row == 0 || col == 8 || row == 6 {
			require.True(t, math.IsNaN(v), "there is no window at the edge")
			continue
		}
		require.InDelta(t, math.Atan(0.5)*180/math.Pi, v, 1e-9)
		require.False(t, math.IsNaN(wetness.Values[i]))
	}
}

// On a hillside without divergence each row hands its area to the next: a = distance from the top.
func TestWetnessOfAHillside(t *testing.T) {
	const cols, rows, size = 201, 12, 5.0
	_, wetness := Relief(relief(cols, rows, size, func(_, r float64) float64 { return 100 - 0.2*size*r }))
	for row := 1; row < rows-1; row++ { // far from the sides, where flow spreads evenly
		a := size * float64(row+1)
		require.InDelta(t, math.Log(a/0.2), wetness.Values[row*cols+cols/2], 1e-6, "row %d", row)
	}
}

func TestFlowKeepsEveryDrop(t *testing.T) {
	random := pcg.New(5, "hills")
	dem := relief(30, 20, 10, func(c, r float64) float64 { return math.Sin(c/4)*5 + math.Cos(r/3)*4 + random.Unit() })
	dem.Values[7*30+11] = math.NaN()
	filled := dem
	filled.Values = dem.fillDepressions()
	for i, z := range filled.Values {
		if math.IsNaN(dem.Values[i]) {
			continue
		}
		require.GreaterOrEqual(t, z, dem.Values[i])
		lower, around := false, 0
		filled.neighbours(i, func(j int, _ float64) { around++; lower = lower || filled.Values[j] < z })
		require.True(t, lower || around < 8, "pixel %d is a depression", i)
	}
	area, out := dem.flow(), 0.0
	for i := range area { // what leaves the model is what fell on it
		lower := false
		filled.neighbours(i, func(j int, _ float64) { lower = lower || filled.Values[j] < filled.Values[i] })
		if !lower && !math.IsNaN(area[i]) {
			out += area[i]
		}
	}
	require.InEpsilon(t, 100*599, out, 1e-9)
}

func TestWetterInTheValley(t *testing.T) {
	_, wetness := Relief(relief(21, 40, 10, func(c, r float64) float64 { return math.Abs(c-10) - r/10 }))
	for row := 5; row < 38; row++ {
		require.Greater(t, wetness.Values[row*21+10], wetness.Values[row*21+4]+1)
	}
}
