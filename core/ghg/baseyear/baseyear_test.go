package baseyear_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
	"tilth/core/ghg/baseyear"
	"tilth/core/ghg/report"
)

// TestJudge: the base year is recalculated once a change, up or down, reaches the threshold, and the answer states what differs.
func TestJudge(t *testing.T) {
	t.Parallel()
	of := func(emissions float64, engine, gwp string) report.Report {
		return report.Report{Totals: report.Totals{Emissions: emissions}, Engine: ghg.Identity{ID: "e", Version: engine}, GWPSet: gwp}
	}
	rule := baseyear.Rule{Year: 2020, ThresholdPct: 5}
	for _, c := range []struct {
		was, is, pct float64
		due          bool
	}{{100, 104.9, 4.9, false}, {100, 105, 5, true}, {100, 95, -5, true}, {100, 100, 0, false}} {
		got := baseyear.Judge(rule, of(c.was, "1", "ar5"), of(c.is, "2", "ar5"))
		require.Equal(t, c.due, got.Due, "%v", c)
		require.InDelta(t, c.pct, *got.ChangePct, 1e-9)
		require.Equal(t, []string{baseyear.EngineChanged}, got.Reasons)
	}
	nothing := baseyear.Judge(rule, of(0, "1", "ar5"), of(0, "1", "ar6"))
	require.False(t, nothing.Due)
	require.Nil(t, nothing.ChangePct)
	require.Equal(t, []string{baseyear.GWPChanged}, nothing.Reasons)
	require.True(t, baseyear.Judge(rule, of(0, "1", "ar5"), of(1, "1", "ar5")).Due)
}
