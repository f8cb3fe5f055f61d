package programme

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/stratification/internal/stats"
)

func TestOptimumOfStages(t *testing.T) {
	for name, c := range map[string]struct {
		s                 Stages
		perDraw, perPoint float64
		optimum           float64
		points            int
	}{
		"by hand: 9/6 √(90/40)":     {Stages{6, 9}, 90, 40, 2.25, 2},
		"2.5² = 6.25 is over 2 × 3": {Stages{6, 10}, 90, 40, 2.5, 3},
		"points cost all":           {Stages{6, 9}, 1, 400, 0.075, 1},
		"fields are alike within":   {Stages{6, 0}, 90, 40, 0, 1},
		"fields do not differ":      {Stages{0, 9}, 90, 40, math.Inf(1), 100},
	} {
		m := c.s.Optimum(c.perDraw, c.perPoint)
		if !math.IsInf(c.optimum, 1) {
			require.InDelta(t, c.optimum, m, 1e-12, name)
		}
		require.Equal(t, c.points, Points(m, 100), name)
	}
	require.InDelta(t, 76.5, Stages{6, 9}.PerDraw(2), 1e-12)
	require.InDelta(t, 5, Stages{3, 4}.SD(), 1e-12)
}

// No other whole number of points is more precise at the same cost.
func TestRoundedOptimumIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Stages{rapid.Float64Range(0.5, 20).Draw(t, "between"), rapid.Float64Range(0.5, 20).Draw(t, "within")}
		perDraw, perPoint := rapid.Float64Range(1, 500).Draw(t, "per draw"), rapid.Float64Range(1, 500).Draw(t, "per point")
		times := func(m int) float64 { return s.PerDraw(m) * (perDraw + float64(m)*perPoint) } // variance times cost
		best := times(Points(s.Optimum(perDraw, perPoint), 100))
		for m := 1; m <= 100; m++ {
			require.GreaterOrEqual(t, times(m), best*(1-1e-12), "%d", m)
		}
	})
}

// For fields of unequal area whose means are related to it, the mean of draws has no bias, its standard error is the true
// one, and its intervals hold.
func TestMeansOfDrawsCover(t *testing.T) {
	t.Parallel()
	areas, levels, within := []float64{1, 2, 3, 5, 8, 13, 21, 2, 4, 9, 7, 6}, []float64{70, 66, 69, 61, 60, 52, 55, 64, 58, 63, 49, 57}, 6.0
	total, truth := 0.0, 0.0
	for i, a := range areas {
		total, truth = total+a, truth+a*levels[i]
	}
	truth /= total
	for _, points := range []int{1, 4} {
		o := repeat(20_000, truth, func(r *rand.Rand) (float64, *stats.Part) {
			means := make([]float64, 10)
			for n := range means {
				at, field := r.Float64()*total, 0
				for ; at >= areas[field]; field++ {
					at -= areas[field]
				}
				for range points {
					means[n] += (levels[field] + within*r.NormFloat64()) / float64(points)
				}
			}
			return MeanOfDraws(means)
		})
		t.Logf("%d points: mean %.2f of %.2f, se %.3f of %.3f, covered %.3f", points, o.mean, truth, o.rmsSE, o.trueSE, o.covered)
		require.InDelta(t, truth, o.mean, 4*o.trueSE/math.Sqrt(20_000))
		require.InEpsilon(t, o.trueSE, o.rmsSE, 0.05)
		require.True(t, o.covered >= 0.94 && o.covered <= 0.96, "%g", o.covered)
	}
	_, part := MeanOfDraws([]float64{5})
	require.Nil(t, part)
}
