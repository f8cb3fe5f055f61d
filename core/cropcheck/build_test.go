package cropcheck_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/cropcheck"
	"tilth/core/fault"
)

func TestBuildTakesMediansAndQuartiles(t *testing.T) {
	t.Parallel()
	var samples []cropcheck.Sample
	for i, v := range []float64{0.1, 0.2, 0.3, 0.5} {
		start := origin.AddDate(i, 0, 0) // in other years
		if i == 3 {
			start = start.AddDate(0, 0, -1) // and one a day earlier
		}
		samples = append(samples, cropcheck.Sample{ID: "s", Class: "a", Start: start, Series: seriesOf(t, start, []int{0, 14, 18, 40, 352}, flat(v))})
	}
	// Two dates of a sample in one step count as their mean: 0.1 and 0.3 on days 14 and 18.
	samples[1].Series.Observations[1].NDVI, samples[1].Series.Observations[2].NDVI = 0.1, 0.3
	set, err := cropcheck.Build(samples)
	require.NoError(t, err)
	require.Equal(t, september, set.Year)
	require.False(t, set.HasEVI)
	require.Equal(t, []string{"a"}, set.Classes())
	var days []int
	for _, s := range set.Curves[0].Steps {
		days = append(days, s.Day)
		require.Equal(t, 4, s.N)
		require.InDelta(t, 0.25, s.NDVI, 1e-12)
		require.InDelta(t, 0.175, s.P25, 1e-12)
		require.InDelta(t, 0.35, s.P75, 1e-12)
	}
	require.Equal(t, []int{0, 16, 48, 352}, days, "day 40 belongs to day 48; a step that nobody has is left out")
}

// TestBuiltCurvesKnowTheirSamples: samples that do not vary are nearest to their own class.
func TestBuiltCurvesKnowTheirSamples(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		early := rapid.IntRange(70, 130).Draw(t, "early")
		late := early + rapid.IntRange(60, 140).Draw(t, "apart")
		var samples []cropcheck.Sample
		for class, around := range map[string]int{"early": early, "late": late} {
			samples = append(samples, cropcheck.Sample{Class: class, Start: origin, Series: seriesOf(t, origin, every(16, 0, 352), hump(around))})
		}
		set, err := cropcheck.Build(samples)
		require.NoError(t, err)
		for _, s := range samples {
			got := cropcheck.Check(cropcheck.Subject{Series: s.Series, Declared: []string{s.Class}}, set)
			require.Equal(t, cropcheck.ReasonNearest, got.Reason)
			require.Greater(t, got.Confidence, 0.5)
		}
	})
}

func TestBuildNeedsLabels(t *testing.T) {
	t.Parallel()
	for _, samples := range [][]cropcheck.Sample{nil, {{ID: "1", Start: origin}}, {{ID: "1", Class: "a", Start: origin}}} {
		_, err := cropcheck.Build(samples)
		require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	}
}

func drawRankings(t *rapid.T) [][]cropcheck.Ranked {
	var out [][]cropcheck.Ranked
	for range rapid.IntRange(5, 30).Draw(t, "n") {
		d := rapid.Float64Range(0.02, 0.2).Draw(t, "distance")
		var ranking []cropcheck.Ranked
		for _, class := range []string{"a", "b", "c"} {
			ranking = append(ranking, cropcheck.Ranked{Class: class, Distance: d})
			d += rapid.Float64Range(0, 0.05).Draw(t, "more")
		}
		out = append(out, ranking)
	}
	return out
}

func TestProbabilitiesFollowTheDistances(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for _, ranking := range drawRankings(t) {
			p := cropcheck.Probabilities(ranking, rapid.Bool().Draw(t, "evi"))
			require.InDelta(t, 1, p[0]+p[1]+p[2], 1e-12)
			require.GreaterOrEqual(t, p[0], p[1])
			require.GreaterOrEqual(t, p[1], p[2])
		}
	})
}
