package ghg_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
	"tilth/core/ghg/report"
)

// TestBasisOfAReport: the data are judged by input, each row of the tables once; every label has its equations; and
// what the method leaves out is stated where the engine is ours.
func TestBasisOfAReport(t *testing.T) {
	t.Parallel()
	res, err := ghg.Calculate(full(), factors(t, ghg.IPCC2019), ghg.Options{Trace: true})
	require.NoError(t, err)
	r := report.New(res, report.About{})
	var co2e, removed, share float64
	by := map[string]report.InputQuality{}
	for _, q := range report.ByInput(r) {
		co2e, removed, share = co2e+q.CO2e, removed+q.Removed, share+q.Share
		by[q.Section] = q
		require.LessOrEqual(t, q.Evidence.Secondary+q.Evidence.Unverified, q.Evidence.Factors, q.Section)
	}
	require.InDelta(t, r.Totals.Emissions, co2e, 1e-5)
	require.InDelta(t, r.Totals.Removals, removed, 1e-5)
	require.InDelta(t, 1, share, 1e-5)
	transport := by["transport"]
	require.Equal(t, 4, transport.Entered, "weight and distance of two journeys")
	require.Zero(t, transport.Defaults)
	require.Equal(t, 8, transport.Evidence.Factors, "three gases and the supply of fuel, by truck and by rail")
	require.Equal(t, 6, transport.Evidence.Secondary)
	require.Equal(t, 8, transport.Evidence.RangesAssumed)
	require.Positive(t, by["irrigation"].Defaults, "the lift of a pump is not entered")
	require.Positive(t, by["irrigation"].Evidence.Unverified)

	methods := report.Methods(r)
	for _, m := range methods {
		require.NotEmpty(t, m.Sources, m.Label)
	}
	require.Len(t, methods, len(labels(res.Lines))+len(labels(res.Removals)))

	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "ghg.md"))
	require.NoError(t, err)
	require.Len(t, report.Exclusions(r), 10)
	require.Contains(t, string(guide), "refrigerant, waste water and storage")
	r.Engine.ID = "theirs"
	require.Nil(t, report.Exclusions(r))
}
