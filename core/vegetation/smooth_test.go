package vegetation_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/vegetation"
)

var smoothOrigin = time.Date(2024, 2, 20, 0, 0, 0, 0, time.UTC)

// drawPoints draws points on different days, in the order of days, at most maxGap apart.
func drawPoints(t *rapid.T, maxGap int, value func(day int) float64) []vegetation.Weighted {
	day := 0
	var out []vegetation.Weighted
	for range rapid.IntRange(1, 40).Draw(t, "n") {
		out = append(out, vegetation.Weighted{
			Date: smoothOrigin.AddDate(0, 0, day), Value: value(day), Weight: rapid.Float64Range(0.5, 1).Draw(t, "weight"),
		})
		day += rapid.IntRange(1, maxGap).Draw(t, "gap")
	}
	return out
}

func drawValue(t *rapid.T) func(int) float64 {
	return func(int) float64 { return rapid.Float64Range(-1, 1).Draw(t, "value") }
}

func dayOf(d time.Time) int { return int(math.Round(d.Sub(smoothOrigin).Hours() / 24)) }

func TestSmoothingKeepsAStraightLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		level, slope := rapid.Float64Range(-1, 1).Draw(t, "level"), rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(-0.02, 0.02)).Draw(t, "slope")
		line := func(day int) float64 { return level + slope*float64(day) }
		points := drawPoints(t, vegetation.MaxSmoothGap, line)
		runs := vegetation.Smooth(points)
		require.Len(t, runs, 1)
		require.Len(t, runs[0], dayOf(points[len(points)-1].Date)+1)
		for i, p := range runs[0] {
			require.Equal(t, i, dayOf(p.Date), "a value a day, and none outside")
			require.InDelta(t, line(i), p.Value, 1e-6)
		}
	})
}

// TestSmoothingSolvesItsEquations checks the banded solver against the equations themselves: at the
// minimum the gradient w(z − y) + λ·DᵀD·z vanishes on every day.
func TestSmoothingSolvesItsEquations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 200).Draw(t, "n")
		lambda := rapid.Float64Range(0.1, 1000).Draw(t, "lambda")
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "values")
		weights := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.5, 1}), n, n).Draw(t, "weights")
		weights[0], weights[n-1] = 1, 1
		z := vegetation.Whittaker(values, weights, lambda)
		gradient := make([]float64, n)
		for i := range z {
			gradient[i] = weights[i] * (z[i] - values[i])
		}
		for i := range n - 2 {
			bend := lambda * (z[i] - 2*z[i+1] + z[i+2])
			gradient[i] += bend
			gradient[i+1] -= 2 * bend
			gradient[i+2] += bend
		}
		for i, g := range gradient {
			require.InDelta(t, 0, g, 1e-7, "day %d", i)
		}
	})
}

func TestSmoothingIsTheSameBackwards(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t, 60, drawValue(t))
		end := dayOf(points[len(points)-1].Date)
		mirrored := slices.Clone(points)
		for i := range mirrored {
			mirrored[i].Date = smoothOrigin.AddDate(0, 0, end-dayOf(points[i].Date))
		}
		forth, back := vegetation.Smooth(points), vegetation.Smooth(mirrored)
		require.Len(t, back, len(forth))
		for r, run := range forth {
			other := back[len(back)-1-r]
			require.Len(t, other, len(run))
			for i, p := range run {
				q := other[len(other)-1-i]
				require.Equal(t, dayOf(p.Date), end-dayOf(q.Date))
				require.InDelta(t, p.Value, q.Value, 1e-7)
			}
		}
	})
}

func TestAPointOfNoWeightDoesNotCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t, 60, drawValue(t))
		want := vegetation.Smooth(points)
		last := dayOf(points[len(points)-1].Date)
		for _, day := range []int{-20, last + 3} {
			points = append(points, vegetation.Weighted{Date: smoothOrigin.AddDate(0, 0, day), Value: math.NaN()})
		}
		require.Equal(t, want, vegetation.Smooth(points), "neither its value nor its date")
	})
}

func TestSmoothedLinesBreakAtLongGaps(t *testing.T) {
	t.Parallel()
	at := func(days ...int) []vegetation.Weighted {
		var out []vegetation.Weighted
		for _, d := range days {
			out = append(out, vegetation.Weighted{Date: smoothOrigin.AddDate(0, 0, d), Value: float64(d) / 100, Weight: 1})
		}
		return out
	}
	require.Empty(t, vegetation.Smooth(nil))
	runs := vegetation.Smooth(at(0, 45, 91, 100, 200))
	require.Len(t, runs, 3)
	for i, span := range [][2]int{{0, 45}, {91, 100}, {200, 200}} {
		require.Equal(t, span[0], dayOf(runs[i][0].Date))
		require.Equal(t, span[1], dayOf(runs[i][len(runs[i])-1].Date))
	}
	require.Equal(t, 2.0, runs[2][0].Value, "a lonely date keeps its value")
}

// TestSmoothingPassesACropAndStopsTheWeather checks the reason that is given for λ.
func TestSmoothingPassesACropAndStopsTheWeather(t *testing.T) {
	t.Parallel()
	gain := func(period float64) float64 {
		const n, every = 1200, 5
		wave := func(day int) float64 { return math.Cos(2 * math.Pi * float64(day) / period) }
		values, weights := make([]float64, n+1), make([]float64, n+1)
		for day := 0; day <= n; day += every {
			values[day], weights[day] = wave(day), 1
		}
		z := vegetation.Whittaker(values, weights, vegetation.SmoothLambda)
		var both, one float64
		for day := n / 4; day <= 3*n/4; day += every { // away from the ends
			both += z[day] * wave(day)
			one += wave(day) * wave(day)
		}
		return both / one
	}
	require.InDelta(t, 0.98, gain(120), 0.005)
	require.InDelta(t, 0.04, gain(20), 0.01)
}

func TestSeriesIsSmoothedByCoverage(t *testing.T) {
	t.Parallel()
	var s vegetation.Series
	for i, v := range []float64{0.2, 0.8, 0.2} {
		s.Observations = append(s.Observations, vegetation.Observation{Date: smoothOrigin.AddDate(0, 0, 5*i), Value: v, Coverage: 1})
	}
	sure := vegetation.Smooth(s.Weighted())[0][5].Value
	s.Observations[1].Coverage = 0.5
	unsure := vegetation.Smooth(s.Weighted())[0][5].Value
	require.Less(t, unsure, sure, "a date of which half is hidden pulls less")
	require.Len(t, s.Profile(), 3, "the profile stays raw")
}

// The diagonal of the inverse is compared with the columns that the equations themselves yield: the solution for a
// value of one on one day alone is a column of (W + λ·DᵀD)⁻¹ times the weight of the day.
func TestTheBandIsTheInverse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		lambda := rapid.Float64Range(0.1, 1000).Draw(t, "lambda")
		weights := rapid.SliceOfN(rapid.SampledFrom([]float64{0.25, 0.5, 1}), n, n).Draw(t, "weights")
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "values")
		z, inverse := vegetation.WhittakerBand(values, weights, lambda)
		require.InDeltaSlice(t, vegetation.Whittaker(values, weights, lambda), z, 1e-12)
		for i := range n {
			unit := make([]float64, n)
			unit[i] = 1 / weights[i]
			require.InDelta(t, vegetation.Whittaker(unit, weights, lambda)[i], inverse[i], 1e-9*(1+inverse[i]))
		}
	})
}
