package phenology_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/phenology"
	"tilth/core/vegetation"
)

// years returns lines of seasons that differ by chance, before the year of newYear.
func earlier(n int, level func(year int) float64) []phenology.Line {
	var out []phenology.Line
	for year := 1; year <= n; year++ {
		g := growth{0.2, level(year), 100, 190}
		points := seen(random(uint64(year)), g.at, 0, 330, 5, 0, 0.005)
		for i := range points {
			points[i].Date = points[i].Date.AddDate(-year, 0, 0)
		}
		out = append(out, phenology.Fit(points, phenology.Whittaker))
	}
	return out
}

func TestAYearIsHeldAgainstOthers(t *testing.T) {
	t.Parallel()
	r := random(9)
	levels := []float64{0, 0.78, 0.82, 0.80, 0.84, 0.76}
	others := earlier(5, func(year int) float64 { return levels[year] })
	of := func(peak float64) phenology.Comparison {
		g := growth{0.2, peak, 100, 190}
		return phenology.WithYears(phenology.Fit(seen(r, g.at, 0, 145, 5, 0, 0.005), phenology.Whittaker), others)
	}
	usual, low, high := of(0.8), of(0.5), of(0.99)
	require.Equal(t, []phenology.Standing{"usual", "low", "high"}, []phenology.Standing{usual.Standing, low.Standing, high.Standing})
	last := low.Days[len(low.Days)-1]
	require.Equal(t, 5, last.N)
	require.Zero(t, last.Percentile)
	require.Less(t, last.Value, last.P10)
	require.Less(t, low.Probability, 0.05)
	require.Less(t, low.MeanScore, -2.0)
	require.InDelta(t, 0, usual.MeanScore, 1)

	require.Empty(t, phenology.WithYears(phenology.Fit(seen(r, growth{0.2, 0.8, 100, 190}.at, 0, 145, 5, 0, 0), phenology.Whittaker), others[:2]).Days, "two years are too few")
}

// Of fields that are drawn alike, one in ten is unusual, as the comparison claims.
func TestUnusualIsAsRareAsItSays(t *testing.T) {
	t.Parallel()
	r := random(11)
	field := func() phenology.Line {
		shift := 0.04 * r.NormFloat64()
		return phenology.Fit(seen(r, func(float64) float64 { return 0.6 + shift }, 0, 40, 5, 0, 0), phenology.Whittaker)
	}
	told, runs := 0, 600
	for range runs {
		var others []phenology.Line
		for range 6 {
			others = append(others, field())
		}
		c := phenology.WithFields(field(), others)
		require.NotEmpty(t, c.Days)
		if c.Standing != phenology.StandingUsual {
			told++
		}
	}
	share := float64(told) / float64(runs)
	require.InDelta(t, 0.1, share, 4*math.Sqrt(0.1*0.9/float64(runs)))
}

// What lies in a gap of others is not compared.
func TestUnseenDaysAreNotCompared(t *testing.T) {
	t.Parallel()
	g := growth{0.2, 0.8, 100, 190}
	var gappy []phenology.Line
	for range 4 {
		var points []vegetation.Weighted
		for _, p := range seen(random(1), g.at, 0, 330, 5, 0, 0) {
			if d := dayOf(p.Date); d <= 100 || d >= 130 {
				points = append(points, p)
			}
		}
		gappy = append(gappy, phenology.Fit(points, phenology.Whittaker))
	}
	for _, c := range phenology.WithFields(phenology.Fit(seen(random(2), g.at, 0, 330, 5, 0, 0), phenology.Whittaker), gappy).Days {
		require.False(t, dayOf(c.Date) > 100 && dayOf(c.Date) < 130)
	}
}
