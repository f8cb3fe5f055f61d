package vegetation_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/vegetation"
)

func TestHistogram(t *testing.T) {
	t.Parallel()
	h := vegetation.Histogram{{At: 4, Share: 2500}, {At: 5, Share: 5000}, {At: 8, Share: 2500}}
	require.InDelta(t, 1.5, h.Entropy(), 1e-12)
	for value, share := range map[float64]float64{0.1: 0, 0.2: 0, 0.225: 0.125, 0.25: 0.25, 0.30: 0.75, 0.39: 0.75, 0.45: 1, 2: 1} {
		require.InDelta(t, share, h.Below(value), 1e-9, "%v", value)
	}
	low, high, share := h[1].Range()
	require.Equal(t, []float64{0.25, 0.3, 0.5}, []float64{low, high, share})
	require.Zero(t, vegetation.Histogram{{At: 4, Share: 9999}}.Entropy(), "one bin, whatever was rounded")
	require.True(t, math.IsNaN(vegetation.Histogram{}.Entropy()))
	require.True(t, math.IsNaN(vegetation.Histogram{}.Below(1)))
}
