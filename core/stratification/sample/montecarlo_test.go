package sample

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/plan"
)

// runs is the number of times that a survey is repeated: the coverage of 4,000 intervals of 95 % is known to within 0.7 %.
const runs = 4000

// outcome is what repeated surveys of a known truth show.
type outcome struct{ trueSE, rmsSE, covered, power float64 }

// repeat draws estimates and compares them with the truth, at a confidence of 95 %.
func repeat(t *testing.T, n int, truth float64, draw func(r *rand.Rand) *Figure) (o outcome) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, n)
	for i := range means {
		f := draw(r)
		require.NotNil(t, f)
		require.NotNil(t, f.Spread)
		means[i] = f.Mean
		o.rmsSE += float64(f.Spread.SE * f.Spread.SE)
		if f.Spread.Low <= truth && truth <= f.Spread.High {
			o.covered++
		}
		if f.Spread.Low > 0 {
			o.power++
		}
	}
	o.rmsSE = math.Sqrt(o.rmsSE / float64(n))
	mean, sd := stats.MeanAndSD(means)
	require.InDelta(t, truth, mean, 4*sd/math.Sqrt(float64(n)), "no bias")
	o.trueSE, o.covered, o.power = sd, o.covered/float64(n), o.power/float64(n)
	return o
}

// twoRounds describes two rounds of zones with a known change, in which each zone loses and gains points.
type twoRounds struct {
	areas                          []float64
	pairs, replaced, missed, extra int // of each zone
	sd, noise, change              float64
}

func (d twoRounds) draw(r *rand.Rand) (before, after Survey) {
	before = Survey{Map: "m", Placement: plan.StratifiedRandom, Probability: true}
	for h, area := range d.areas {
		before.Zones = append(before.Zones, SurveyZone{Zone: h + 1, AreaHa: area})
	}
	after = before
	for h := range d.areas {
		for i := range d.pairs + 2*d.replaced + d.missed + d.extra {
			at := geo.Position{X: 6 + float64(h)/100, Y: 52 + float64(i)/1000}
			first := 60 + 5*float64(h) + d.sd*r.NormFloat64()
			v := Value{Point: at.String(), Zone: h + 1, At: at, Value: first}
			if i < d.pairs+d.replaced+d.missed {
				before.Values = append(before.Values, v)
			}
			if i < d.pairs || i >= d.pairs+d.replaced+d.missed {
				v.Value = first + d.change + d.noise*r.NormFloat64()
				after.Values = append(after.Values, v)
			}
		}
	}
	return before, after
}

// Where points are replaced, missed or added, a change keeps its true standard error, its interval and
// its power, whether the rounds are closely related or hardly.
func TestChangeOfOverlappingRounds(t *testing.T) {
	for name, d := range map[string]twoRounds{
		"one of ten replaced":             {areas: []float64{1}, pairs: 9, replaced: 1, sd: 3, noise: 0.4, change: 0.5},
		"one of ten replaced, noisy":      {areas: []float64{1}, pairs: 9, replaced: 1, sd: 3, noise: 3, change: 3},
		"two missed, one added":           {areas: []float64{1}, pairs: 8, missed: 1, replaced: 1, sd: 3, noise: 0.4, change: 0.5},
		"one of ten in each of two zones": {areas: []float64{3, 1}, pairs: 9, replaced: 1, sd: 3, noise: 0.4, change: 0.5},
		"missed alone":                    {areas: []float64{1}, pairs: 9, missed: 1, sd: 3, noise: 0.4, change: 0.5},
		"added alone":                     {areas: []float64{1}, pairs: 9, extra: 4, sd: 3, noise: 0.4, change: 0.5},
	} {
		o := repeat(t, runs, d.change, func(r *rand.Rand) *Figure {
			before, after := d.draw(r)
			e, err := Difference(before, after, 0.95)
			require.NoError(t, err)
			return e.Mean
		})
		require.InEpsilon(t, o.trueSE, o.rmsSE, 0.05, name)
		require.True(t, o.covered >= 0.94 && o.covered <= 0.96, "%s: %g", name, o.covered)
		require.Greater(t, o.power, 0.75, name)
	}
}

// Zones of unlike spread and sample size have intervals that hold; with n-H degrees of freedom
// they would cover 86 %.
func TestIntervalOfUnlikeZones(t *testing.T) {
	n, sd := []int{15, 4, 3}, []float64{1, 4, 9}
	o := repeat(t, runs, 50, func(r *rand.Rand) *Figure {
		values := make([][]float64, len(n))
		for h := range n {
			for range n[h] {
				values[h] = append(values[h], 50+sd[h]*r.NormFloat64())
			}
		}
		e, err := MeanOf(survey([]float64{1, 1, 1}, values), plan.Precision{Confidence: 0.95})
		require.NoError(t, err)
		return e.Mean
	})
	require.True(t, o.covered >= 0.94 && o.covered <= 0.96, "%g", o.covered)
}
