package monitoring_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/monitoring"
	"tilth/core/phenology"
	"tilth/core/vegetation"
)

var march = time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)

func day(n int) time.Time { return march.AddDate(0, 0, n) }

// observed returns a series with a value every five days.
func observed(values ...float64) vegetation.Series {
	out := vegetation.Series{Index: "NDVI"}
	for i, v := range values {
		out.Observations = append(out.Observations, vegetation.Observation{Date: day(5 * i), Value: v, Median: v, P10: v - 0.02, Coverage: 1})
	}
	return out
}

func TestRules(t *testing.T) {
	t.Parallel()
	drop := monitoring.Rule{Kind: monitoring.Drop, Change: 0.2, Days: 10}
	patched := observed(0.7, 0.7, 0.7, 0.7)
	patched.Observations[2].P10, patched.Observations[3].P10 = 0.45, 0.4
	by := day(30)
	start := monitoring.Rule{Kind: monitoring.NoStart, By: &by}
	bare, grown := make([]float64, 10), make([]float64, 10)
	for i := range bare {
		bare[i], grown[i] = 0.15, 0.15+0.6/(1+math.Exp(-float64(5*i-20)/4))
	}
	low := phenology.Comparison{Days: []phenology.Compared{
		{Date: day(5), Value: 0.5, N: 5, P10: 0.4, Percentile: 40}, {Date: day(10), Value: 0.3, N: 5, P10: 0.45, Percentile: 0},
	}}
	for name, c := range map[string]struct {
		rule  monitoring.Rule
		seen  monitoring.Seen
		found int // day; -1: nothing
	}{
		"a drop":                     {drop, monitoring.Seen{Series: observed(0.7, 0.72, 0.5, 0.4)}, 10},
		"a slow fall":                {drop, monitoring.Seen{Series: observed(0.7, 0.62, 0.55, 0.46)}, -1},
		"exactly as much":            {drop, monitoring.Seen{Series: observed(0.75, 0.75, 0.55)}, -1},
		"a patch":                    {monitoring.Rule{Kind: monitoring.Patch, Change: 0.15, Days: 14}, monitoring.Seen{Series: patched}, 10},
		"an even field":              {monitoring.Rule{Kind: monitoring.Patch, Change: 0.15, Days: 14}, monitoring.Seen{Series: observed(0.7, 0.3)}, -1},
		"lower than other years":     {monitoring.Rule{Kind: monitoring.LowPercentile, Percentile: 10}, monitoring.Seen{Years: low}, 10},
		"no start":                   {start, monitoring.Seen{Series: observed(bare...), Today: day(50)}, 35},
		"a start":                    {start, monitoring.Seen{Series: observed(grown...), Today: day(50)}, -1},
		"not the day yet":            {start, monitoring.Seen{Series: observed(bare...), Today: day(20)}, -1},
		"nothing seen since the day": {start, monitoring.Seen{Series: observed(bare[:6]...), Today: day(50)}, -1},
		"no observation":             {drop, monitoring.Seen{}, -1},
	} {
		alert, ok := c.seen.Find(c.rule)
		require.Equal(t, c.found >= 0, ok, name)
		if ok {
			require.Equal(t, day(c.found), alert.Date, name)
			require.NotEmpty(t, alert.Message, name)
		}
	}
}

// A rule raises one alert a season, whatever is seen later; a different rule raises its own.
func TestARuleRaisesOnce(t *testing.T) {
	t.Parallel()
	m := monitoring.Monitor{OrderID: 7, Rules: []monitoring.Rule{{Kind: monitoring.Drop, Change: 0.2, Days: 10}}}
	seen := monitoring.Seen{Series: observed(0.7, 0.4)}
	require.Len(t, m.Raise(seen, march), 1)
	require.Empty(t, m.Raise(monitoring.Seen{Series: observed(0.7, 0.4, 0.7, 0.3)}, march))
	m.Replace(append(m.Rules, monitoring.Rule{Kind: monitoring.Drop, Change: 0.25, Days: 10}), march)
	require.Len(t, m.Raise(seen, march), 1, "the new rule alone")
}

func TestFieldsAreSpreadOverTheHour(t *testing.T) {
	t.Parallel()
	parts := map[int]int{}
	for id := range int64(6_000) {
		delay := monitoring.Delay(id)
		require.True(t, delay >= 0 && delay < monitoring.SweepEvery)
		parts[int(delay.Minutes())/10]++
	}
	require.Len(t, parts, 6)
	for _, n := range parts {
		require.InDelta(t, 1_000, n, 200)
	}
}

func TestRulesAreChecked(t *testing.T) {
	t.Parallel()
	require.Empty(t, monitoring.CheckRules(monitoring.DefaultRules()))
	by := march
	for name, rules := range map[string][]monitoring.Rule{
		"none": nil, "another kind": {{Kind: "hail"}}, "no change": {{Kind: monitoring.Drop, Days: 3}}, "too long": {{Kind: monitoring.Drop, Change: 0.1, Days: 90}},
		"a member of another": {{Kind: monitoring.NoStart, By: &by, Days: 3}}, "no date": {{Kind: monitoring.NoStart}},
		"twice": {{Kind: monitoring.LowPercentile, Percentile: 5}, {Kind: monitoring.LowPercentile, Percentile: 5}}, "too high": {{Kind: monitoring.LowPercentile, Percentile: 90}},
		"too many": make([]monitoring.Rule, monitoring.MaxRules+1),
	} {
		require.NotEmpty(t, monitoring.CheckRules(rules), name)
	}
}
