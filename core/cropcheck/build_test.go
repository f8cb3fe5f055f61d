package cropcheck_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/cropcheck"
	"tilth/core/effort"
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
	set, err := cropcheck.Build(nil, samples)
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
			for i := range cropcheck.MinCapped {
				samples = append(samples, cropcheck.Sample{
					Class: class, Start: origin, Place: cropcheck.Place{Lon: float64(i)}, Series: seriesOf(t, origin, every(16, 0, 352), hump(around)),
				})
			}
		}
		set, err := cropcheck.Build(nil, samples)
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
		_, err := cropcheck.Build(nil, samples)
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

// TestCapsKeepTheirShare checks what a cap is for: of a class that varies by chance it keeps about 95 % of new series.
func TestCapsKeepTheirShare(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) (out []cropcheck.Sample) {
		for i := range n {
			level := 0.05 * random.NormFloat64()
			noise := func(day int) float64 { return hump(150)(day) + level + 0.03*random.NormFloat64() }
			out = append(out, cropcheck.Sample{
				ID: strconv.Itoa(i), Class: "soy", Start: origin, Place: cropcheck.Place{Lon: float64(i % 20)},
				Series: seriesOf(t, origin, every(16, 0, 352), noise),
			})
		}
		return out
	}
	set, err := cropcheck.Build(nil, draw(200))
	require.NoError(t, err)
	require.NotNil(t, set.Curves[0].CapNDVI)
	require.Nil(t, set.Curves[0].CapBoth, "there is no EVI")
	kept := 0
	for _, s := range draw(400) {
		if cropcheck.Resembles(set.Rank(s.Series)) == "soy" {
			kept++
		}
	}
	require.InDelta(t, cropcheck.CapShare, float64(kept)/400, 0.03)
}

func TestClassesThatAreTooFewHaveNoCap(t *testing.T) {
	t.Parallel()
	var few, oneBlock []cropcheck.Sample
	for i := range cropcheck.MinCapped {
		s := cropcheck.Sample{Class: "soy", Start: origin, Place: cropcheck.Place{Lon: float64(i)}, Series: seriesOf(t, origin, every(16, 0, 352), hump(150))}
		if i > 0 {
			few = append(few, s)
		}
		s.Place = cropcheck.Place{}
		oneBlock = append(oneBlock, s)
	}
	for _, samples := range [][]cropcheck.Sample{few, oneBlock} {
		set, err := cropcheck.Build(nil, samples)
		require.NoError(t, err)
		require.Nil(t, set.Curves[0].CapNDVI)
	}
}

// TestBuildingEndsWithItsBudget checks that the work grows with the samples and can be ended.
func TestBuildingEndsWithItsBudget(t *testing.T) {
	t.Parallel()
	s := cropcheck.Sample{Class: "soy", Start: origin, Series: seriesOf(t, origin, every(16, 0, 352), hump(150))}
	_, err := cropcheck.CrossValidate(effort.Of(t.Context(), 1000), slices.Repeat([]cropcheck.Sample{s}, 20))
	require.NoError(t, err, "one block: nothing can be held out")
	_, err = cropcheck.Build(effort.Of(t.Context(), 1000), slices.Repeat([]cropcheck.Sample{s}, 20))
	require.ErrorIs(t, err, effort.ErrSpent)
}

func TestFiguresCountEverySample(t *testing.T) {
	t.Parallel()
	var samples []cropcheck.Sample
	for i := range 24 {
		for class, around := range map[string]int{"early": 100, "late": 220} {
			wobble := func(day int) float64 { return hump(around+i%5)(day) + 0.01*float64(i%3) }
			samples = append(samples, cropcheck.Sample{Class: class, Start: origin, Place: cropcheck.Place{Lon: float64(i)}, Series: seriesOf(t, origin, every(16, 0, 352), wobble)})
		}
	}
	all, err := cropcheck.CrossValidate(nil, samples)
	require.NoError(t, err)
	f := cropcheck.FiguresOf(all)
	require.EqualValues(t, 0.5, f.BlockDegrees)
	require.Len(t, f.Classes, 2)
	for _, c := range f.Classes {
		require.Equal(t, 24, c.Samples)
		require.Equal(t, 24, c.Nearest)
		require.Equal(t, 24, c.Verified+c.Pending+c.Failed)
		require.Equal(t, 24, c.Others)
		require.Zero(t, c.FalseVerified)
		require.Equal(t, 24, c.Rejected, "neither resembles the other")
		require.LessOrEqual(t, c.Beyond, c.Failed)
	}
}
