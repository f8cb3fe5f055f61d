package layer_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/stratification/layer"
)

// Whatever the order of the dates, the peak is the type 7 percentile of all values.
func TestPeaksArePercentiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), 3, 160).Draw(t, "values")
		spare := rapid.IntRange(0, 40).Draw(t, "spare")
		p := layer.NewPeaks(2, len(values)+spare)
		for _, v := range values {
			p.Add([]float64{v, math.NaN()})
		}
		sorted := slices.Clone(values)
		slices.Sort(sorted)
		h := 0.95 * float64(len(sorted)-1)
		at := int(h)
		want := sorted[at]
		if at+1 < len(sorted) {
			want += (h - float64(at)) * (sorted[at+1] - sorted[at])
		}
		got := p.Values()
		require.InDelta(t, want, got[0], 1e-6)
		require.True(t, math.IsNaN(got[1]))
	})
}

func TestPeaksNeedThreeValues(t *testing.T) {
	p := layer.NewPeaks(1, 10)
	p.Add([]float64{0.5})
	p.Add([]float64{0.6})
	require.True(t, math.IsNaN(p.Values()[0]))
	p.Add([]float64{0.7})
	require.InDelta(t, 0.69, p.Values()[0], 1e-6)
}

func TestMeanAndSDOverYears(t *testing.T) {
	nan := math.NaN()
	mean, sd := layer.MeanAndSD([][]float64{{0.6, 0.5, nan}, {0.8, nan, nan}})
	require.InDelta(t, 0.7, mean[0], 1e-12)
	require.InDelta(t, math.Sqrt(0.02), sd[0], 1e-12)
	require.InDelta(t, 0.5, mean[1], 1e-12)
	require.True(t, math.IsNaN(sd[1]), "one year has no deviation")
	require.True(t, math.IsNaN(mean[2]))
	_, sd = layer.MeanAndSD([][]float64{{0.6}})
	require.Nil(t, sd)
}
