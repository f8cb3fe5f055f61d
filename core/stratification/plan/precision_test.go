package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/fault"
	"tilth/core/list"
)

// A plan for a precision is expected to reach it, however the minimum by zone, the rule of allocation
// and whole numbers change the sum; it has at least as many samples as the formula for the sum.
func TestPlansForAPrecisionReachIt(t *testing.T) {
	raised := 0
	rapid.Check(t, func(t *rapid.T) {
		strata := drawStrata(t)
		p := DefaultParams()
		p.Precision.Confidence = rapid.SampledFrom([]float64{0.8, 0.9, 0.95}).Draw(t, "confidence")
		p.Precision.RelativeError = rapid.Float64Range(0.05, 0.5).Draw(t, "r")
		p.Precision.DesignEffect = rapid.SampledFrom([]float64{0, 0.7, 1.5}).Draw(t, "effect")
		p.Precision.Population = rapid.SampledFrom([]int{0, 10_000}).Draw(t, "population")
		p.Allocation = rapid.SampledFrom([]Allocation{Proportional, Neyman, Equal, CostOptimal}).Draw(t, "allocation")
		p.MinSamplesPerZone = rapid.IntRange(2, 5).Draw(t, "minimum")
		for h := range strata {
			strata[h].Cost = float64(1 + h)
		}
		samples, err := p.allocate(land{areaHa: 100}, strata, 1, list.Map(strata, func(Stratum) int { return 100_000 }))
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid))
			return
		}
		require.LessOrEqual(t, p.Precision.expected(strata, 1, samples), p.Precision.RelativeError*within)
		total := 0
		for _, n := range samples {
			require.GreaterOrEqual(t, n, p.MinSamplesPerZone)
			total += n
		}
		require.Equal(t, total, p.Precision.Needed(strata, 1, p.Allocation, p.MinSamplesPerZone))
		formula := max(p.Precision.Samples(strata, 1, p.Allocation == Neyman || p.Allocation == CostOptimal), p.MinSamplesPerZone*len(strata))
		require.GreaterOrEqual(t, total, formula)
		if total > formula {
			raised++
		}
	})
	require.Positive(t, raised)
}
