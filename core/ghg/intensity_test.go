package ghg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
)

// An intensity is a number that a report can show, or none.
func TestIntensity(t *testing.T) {
	t.Parallel()
	per, ok := ghg.Intensity(6, 3)
	require.True(t, ok)
	require.InDelta(t, 2, per, 0)
	for _, denominator := range []float64{0, -1, 1.2676e-295, 5e-324} {
		_, ok = ghg.Intensity(1.26e11, denominator)
		require.False(t, ok, "per %g", denominator)
	}
}
