package ghg_test

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
)

// draws returns how many times the worked farms are drawn; make bench uses 100,000.
func draws(t *testing.T) int {
	t.Helper()
	if text := os.Getenv("TILTH_DRAWS"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	return 20_000
}

// z975 is the 97.5 % quantile of the standard normal distribution.
const z975 = 1.959963984540054

// skewed is a distribution with a mean and with the bounds of a range as its 2.5 % and 97.5 %: a lognormal one that is
// shifted, and mirrored where the mean is nearer to the upper bound; a normal one where it is in the middle.
type skewed struct{ sigma, scale, shift, sign float64 }

func skewedOf(mean, lower, upper float64) skewed {
	below, above, sign := mean-lower, upper-mean, 1.0
	if below > above {
		below, above, sign = above, below, -1
	}
	part := below / (below + above)
	if part > 0.499 {
		return skewed{scale: (upper - lower) / 2 / z975, shift: mean, sign: sign}
	}
	// The part of the range that is below the mean falls with sigma up to 2.
	low, high := 1e-3, 2.0
	for range 60 {
		sigma := (low + high) / 2
		if (math.Exp(sigma*sigma/2)-math.Exp(-z975*sigma))/(math.Exp(z975*sigma)-math.Exp(-z975*sigma)) > part {
			low = sigma
		} else {
			high = sigma
		}
	}
	scale := (upper - lower) / (math.Exp(z975*low) - math.Exp(-z975*low))
	return skewed{sigma: low, scale: scale, shift: mean - sign*scale*math.Exp(low*low/2), sign: sign}
}

func (s skewed) at(z float64) float64 {
	if s.sigma == 0 {
		return s.shift + s.scale*z
	}
	return s.shift + s.sign*s.scale*math.Exp(s.sigma*s.sign*z)
}

// TestMonteCarlo draws every row of the tables, with its value as mean and the bounds of its range as 2.5 and 97.5 %,
// and computes the worked farms again: the 95 % range of the draws is that of the result to 5 %.
func TestMonteCarlo(t *testing.T) {
	t.Parallel()
	n := draws(t)
	for name, in := range map[string]ghg.Input{"wheat": wheat(), "paddy": paddy()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := run(t, in)
			set, rows := factors(t, ghg.IPCC2019).Copy()
			rows = slices.DeleteFunc(rows, func(f *ghg.Factor) bool { return !f.Ranged })
			of := make([]skewed, len(rows))
			for i, f := range rows {
				of[i] = skewedOf(f.Value, f.Lower, f.Upper)
			}
			source := rand.New(rand.NewPCG(20261124, 4))
			totals := make([]float64, n)
			for d := range totals {
				for i, f := range rows {
					f.Value = of[i].at(source.NormFloat64())
				}
				totals[d] = calculate(t, in, set).Emissions
			}
			slices.Sort(totals)
			low, high := totals[n*25/1000], totals[n*975/1000]
			t.Logf("%d draws: %.0f to %.0f; by the rows %.0f to %.0f", n, low, high, want.Low, want.High)
			require.InEpsilon(t, low, want.Low, 0.05)
			require.InEpsilon(t, high, want.High, 0.05)
		})
	}
}
