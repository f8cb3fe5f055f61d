package phenology_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/phenology"
	"tilth/core/vegetation"
)

var newYear = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

func date(day int) time.Time { return newYear.AddDate(0, 0, day) }

// growth is a double logistic of its own: base, peak, days of the steepest rise and fall.
type growth struct{ base, peak, green, ripe float64 }

const steepness = 0.09

func (g growth) at(day float64) float64 {
	return g.base + (g.peak-g.base)*(1/(1+math.Exp(-steepness*(day-g.green)))+1/(1+math.Exp(steepness*(day-g.ripe)))-1)
}

// seen returns observations every so many days, of which a share is lost and the rest scatter.
func seen(r *rand.Rand, g func(day float64) float64, from, to, every int, lost, noise float64) []vegetation.Weighted {
	var out []vegetation.Weighted
	for day := from; day <= to; day += every {
		if r.Float64() >= lost {
			out = append(out, vegetation.Weighted{Date: date(day), Value: g(float64(day)) + noise*r.NormFloat64(), Weight: 1})
		}
	}
	return out
}

// crossing is the day on which a curve passes a level, by halving.
func crossing(g func(float64) float64, from, to, level float64) float64 {
	rising := g(to) > g(from)
	for range 60 {
		if mid := (from + to) / 2; (g(mid) > level) == rising {
			to = mid
		} else {
			from = mid
		}
	}
	return (from + to) / 2
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func dayOf(d time.Time) float64 { return d.Sub(newYear).Hours() / 24 }

func TestTheDatesOfACurveAreFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := growth{
			base: rapid.Float64Range(0.1, 0.25).Draw(t, "base"), peak: rapid.Float64Range(0.6, 0.95).Draw(t, "peak"),
			green: rapid.Float64Range(90, 120).Draw(t, "green"),
		}
		g.ripe = g.green + rapid.Float64Range(60, 110).Draw(t, "ripe")
		threshold := rapid.Float64Range(0.1, 0.5).Draw(t, "threshold")
		settings := phenology.DefaultSettings()
		settings.Threshold = threshold
		points := seen(random(1), g.at, 0, 330, 5, 0, 0)
		found := phenology.OfPoints(points, settings)
		require.Len(t, found.Cycles, 1, found.Reason)
		c := found.Cycles[0]
		middle := (g.green + g.ripe) / 2
		level := g.at(0) + threshold*(g.at(middle)-g.at(0))
		require.InDelta(t, crossing(g.at, 0, middle, level), dayOf(*c.Start.Date), 3)
		require.InDelta(t, crossing(g.at, middle, 330, level), dayOf(*c.End.Date), 3)
		require.InDelta(t, middle, dayOf(*c.Peak.Date), 3)
		require.InDelta(t, g.at(middle), *c.PeakValue.Value, 0.02)
		require.InDelta(t, dayOf(*c.End.Date)-dayOf(*c.Start.Date), *c.Length.Value, 1.01)
		require.InDelta(t, *c.Integral.Value-*c.Base.Value**c.Length.Value, *c.IntegralAbove.Value, 1e-9)
		require.Positive(t, *c.Rise.Value)
		require.Positive(t, *c.Fall.Value)
	})
}

// Two crops of a year are two cycles, and a swing within one is not a cycle.
func TestSeveralCyclesAreFound(t *testing.T) {
	t.Parallel()
	first, second := growth{0.2, 0.8, 60, 130}, growth{0.2, 0.7, 210, 280}
	both := func(day float64) float64 { return max(first.at(day), second.at(day)) }
	found := phenology.OfPoints(seen(random(2), both, 0, 360, 5, 0.2, 0.02), phenology.DefaultSettings())
	require.Len(t, found.Cycles, 2)
	require.InDelta(t, 95, dayOf(*found.Cycles[0].Peak.Date), 12)
	require.InDelta(t, 245, dayOf(*found.Cycles[1].Peak.Date), 12)

	dip := func(day float64) float64 { return first.at(day) - 0.05*math.Exp(-(day-95)*(day-95)/50) }
	require.Len(t, phenology.OfPoints(seen(random(2), dip, 0, 360, 5, 0, 0), phenology.DefaultSettings()).Cycles, 1)
}

func TestWhatIsNotSeenIsNotTold(t *testing.T) {
	t.Parallel()
	g := growth{0.2, 0.8, 100, 190}
	of := func(points []vegetation.Weighted) phenology.Phenology {
		return phenology.OfPoints(points, phenology.DefaultSettings())
	}
	without := func(from, to int) (out []vegetation.Weighted) {
		for _, p := range seen(random(3), g.at, 0, 330, 5, 0, 0) {
			if d := dayOf(p.Date); d <= float64(from) || d >= float64(to) {
				out = append(out, p)
			}
		}
		return out
	}
	late := of(seen(random(3), g.at, 110, 330, 5, 0, 0)).Cycles
	require.Len(t, late, 1)
	require.Nil(t, late[0].Start.Date)
	require.Equal(t, phenology.BeganBefore, late[0].Start.Reason)
	require.NotNil(t, late[0].End.Date)
	require.Nil(t, late[0].Length.Value)

	growing := of(seen(random(3), g.at, 0, 130, 5, 0, 0)).Cycles
	require.Len(t, growing, 1)
	require.NotNil(t, growing[0].Start.Date, "while it grows its start is known")
	rising := of(seen(random(3), g.at, 0, 115, 5, 0, 0)).Cycles
	require.Len(t, rising, 1)
	require.NotNil(t, rising[0].Start.Date)
	require.Equal(t, phenology.NotOver, rising[0].Peak.Reason, "the last value is no peak")
	require.Nil(t, rising[0].Amplitude.Value)
	require.Equal(t, phenology.NotOver, growing[0].End.Reason)

	gap := of(without(60, 100)).Cycles
	require.Len(t, gap, 1)
	require.Equal(t, phenology.InGap, gap[0].Start.Reason)
	require.Equal(t, [2]time.Time{date(60), date(100)}, *gap[0].Start.Between)
	require.NotNil(t, gap[0].End.Date)

	noPeak := of(without(125, 165)).Cycles
	require.Len(t, noPeak, 1)
	require.Equal(t, phenology.InGap, noPeak[0].Peak.Reason)
	require.Equal(t, phenology.PeakUnknown, noPeak[0].Start.Reason)
	require.Nil(t, noPeak[0].Amplitude.Value)

	flat := of(seen(random(4), func(float64) float64 { return 0.3 }, 0, 330, 5, 0.2, 0.03))
	require.Empty(t, flat.Cycles)
	require.NotEmpty(t, flat.Reason)
	require.NotEmpty(t, of(nil).Reason)
}

// The jackknife says how much dates scatter: over many series of one field the mean of its standard deviations is that of
// the dates, within a factor of 1.5.
func TestUncertaintiesAreThoseOfRepeatedSeasons(t *testing.T) {
	t.Parallel()
	g := growth{0.2, 0.8, 100, 190}
	var starts, told []float64
	for seed := range uint64(120) {
		found := phenology.OfPoints(seen(random(seed), g.at, 0, 330, 5, 0.4, 0.03), phenology.DefaultSettings())
		require.Len(t, found.Cycles, 1)
		if s := found.Cycles[0].Start; s.Date != nil && s.SD != nil {
			starts, told = append(starts, dayOf(*s.Date)), append(told, *s.SD)
		}
	}
	require.Greater(t, len(starts), 90)
	mean := func(x []float64) (m float64) {
		for _, v := range x {
			m += v / float64(len(x))
		}
		return m
	}
	middle, spread := mean(starts), 0.0
	for _, v := range starts {
		spread += (v - middle) * (v - middle) / float64(len(starts)-1)
	}
	ratio := mean(told) / math.Sqrt(spread)
	require.Greater(t, ratio, 1/1.5)
	require.Less(t, ratio, 1.5)
}

// A band contains the truth as often as it claims, and widens where nothing was seen.
func TestBandsHoldTheTruth(t *testing.T) {
	t.Parallel()
	g := growth{0.2, 0.8, 100, 190}
	for _, method := range []phenology.Method{phenology.Whittaker, phenology.DoubleLogistic} {
		held, days := 0, 0
		for seed := range uint64(60) {
			line := phenology.Fit(seen(random(seed), g.at, 0, 330, 5, 0.4, 0.03), method)
			require.Empty(t, line.Reason)
			for _, run := range line.Runs {
				for _, d := range run {
					days++
					if truth := g.at(dayOf(d.Date)); d.Low <= truth && truth <= d.High {
						held++
					}
				}
			}
		}
		share := float64(held) / float64(days)
		require.Greater(t, share, 0.9, "%s", method)
		require.Less(t, share, 0.995, "%s", method)
	}
	var points []vegetation.Weighted
	for _, p := range seen(random(5), g.at, 0, 330, 5, 0, 0.02) {
		if d := dayOf(p.Date); d <= 130 || d >= 165 {
			points = append(points, p)
		}
	}
	width, days := map[bool]float64{}, map[bool]float64{}
	for _, d := range phenology.Fit(points, phenology.Whittaker).Runs[0] {
		width[d.Seen] += d.High - d.Low
		days[d.Seen]++
		require.Equal(t, dayOf(d.Date) <= 130 || dayOf(d.Date) >= 165, d.Seen)
	}
	require.Greater(t, width[false]/days[false], 1.5*width[true]/days[true])
}

func TestEveryMethodFollowsWhatItIsMadeFor(t *testing.T) {
	t.Parallel()
	g := growth{0.2, 0.8, 100, 190}
	wave := func(day float64) float64 {
		return 0.4 + 0.2*math.Cos(2*math.Pi*(day-150)/365.25) - 0.05*math.Sin(4*math.Pi*day/365.25)
	}
	for _, c := range []struct {
		method phenology.Method
		truth  func(float64) float64
		far    float64
	}{
		{phenology.Whittaker, g.at, 0.03}, {phenology.SavitzkyGolay, g.at, 0.03}, {phenology.DoubleLogistic, g.at, 1e-4}, {phenology.Harmonic, wave, 1e-6},
		{phenology.SavitzkyGolay, func(day float64) float64 { return 0.2 + 0.001*day }, 1e-9},
	} {
		line := phenology.Fit(seen(random(6), c.truth, 0, 360, 5, 0.2, 0), c.method)
		require.Empty(t, line.Reason)
		for _, d := range line.Runs[0] {
			require.InDelta(t, c.truth(dayOf(d.Date)), d.Value, c.far, "%s on day %v", c.method, dayOf(d.Date))
		}
	}
	few := seen(random(6), g.at, 0, 25, 5, 0, 0)
	for _, m := range []phenology.Method{phenology.DoubleLogistic, phenology.Harmonic} {
		require.NotEmpty(t, phenology.Fit(few, m).Reason)
	}
	require.Empty(t, phenology.Fit(few[:1], phenology.Whittaker).Reason)
	require.True(t, math.IsNaN(phenology.Fit(few[:1], phenology.Whittaker).Runs[0][0].Low))
	_, err := phenology.ParseMethod("loess")
	require.Error(t, err)
}

// Whatever the observations, nothing panics, dates are in order, and the line has a value for each day.
func TestAnyPointsAreRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var points []vegetation.Weighted
		day := 0
		for range rapid.IntRange(0, 40).Draw(t, "n") {
			day += rapid.IntRange(1, 60).Draw(t, "gap")
			points = append(points, vegetation.Weighted{
				Date: date(day), Value: rapid.Float64Range(-1, 1).Draw(t, "value"), Weight: rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "weight"),
			})
		}
		method := rapid.SampledFrom(phenology.Methods).Draw(t, "method")
		for _, run := range phenology.Fit(points, method).Runs {
			for i, d := range run {
				require.False(t, math.IsNaN(d.Value) || math.IsInf(d.Value, 0))
				require.Equal(t, run[0].Date.AddDate(0, 0, i), d.Date)
			}
		}
		for _, c := range phenology.OfPoints(points, phenology.DefaultSettings()).Cycles {
			if c.Start.Date != nil && c.Peak.Date != nil {
				require.False(t, c.Start.Date.After(*c.Peak.Date))
			}
			if c.End.Date != nil && c.Peak.Date != nil {
				require.False(t, c.End.Date.Before(*c.Peak.Date))
			}
			require.Equal(t, c.Start.Date == nil, c.Start.Reason != "")
			require.Equal(t, c.End.Date == nil, c.End.Reason != "")
		}
	})
}
