package stats

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/fields"
)

func TestQuantiles(t *testing.T) {
	var want struct {
		Quantiles struct {
			Z   map[string]float64 `json:"-"`
			T90 map[string]float64 `json:"t_two_sided_90"`
			T95 map[string]float64 `json:"t_two_sided_95"`
		}
	}
	fields.Expected(t, "sample-size-and-allocation.json", &want)
	require.InDelta(t, 1.64485363, NormalQuantile(0.90), 1e-8)
	require.InDelta(t, 2.5758293, NormalQuantile(0.99), 1e-7)
	for confidence, rows := range map[float64]map[string]float64{0.90: want.Quantiles.T90, 0.95: want.Quantiles.T95} {
		require.NotEmpty(t, rows)
		for df, q := range rows {
			require.InDelta(t, q, StudentQuantile(confidence, fields.Number(t, df)), 1e-6, "%g, %s", confidence, df)
		}
	}
}
