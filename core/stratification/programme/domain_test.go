package programme

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/stratification/internal/stats"
)

// outcome is what repeated surveys of a known truth show.
type outcome struct{ mean, trueSE, rmsSE, covered float64 }

// repeat draws estimates until there are n with a spread, and compares their 95 % intervals with the truth.
func repeat(n int, truth float64, draw func(r *rand.Rand) (mean float64, part *stats.Part)) (o outcome) {
	r := rand.New(rand.NewPCG(5, 6))
	means := make([]float64, 0, n)
	for len(means) < n {
		mean, part := draw(r)
		if part == nil {
			continue
		}
		means = append(means, mean)
		o.rmsSE += part.Variance / float64(n)
		if half := stats.StudentQuantile(0.95, part.DF) * math.Sqrt(part.Variance); math.Abs(mean-truth) <= half {
			o.covered += 1 / float64(n)
		}
	}
	o.rmsSE = math.Sqrt(o.rmsSE)
	o.mean, o.trueSE = stats.MeanAndSD(means)
	return o
}

// domain is a survey of zones of which a domain holds shares.
type domain struct {
	weights, shares []float64
	n               []int
	level, sd       []float64 // of the zones
}

func (d domain) draw(r *rand.Rand) (float64, *stats.Part) {
	strata := make([]Stratum, len(d.n))
	for h, n := range d.n {
		strata[h] = Stratum{Weight: d.weights[h], N: n}
		for range n {
			if y := d.level[h] + d.sd[h]*r.NormFloat64(); r.Float64() < d.shares[h] {
				strata[h].In = append(strata[h].In, y)
			}
		}
	}
	m, _ := DomainMean(strata)
	return m.Value, m.Part
}

func (d domain) truth() float64 {
	sum, size := 0.0, 0.0
	for h, w := range d.weights {
		sum, size = sum+w*d.shares[h]*d.level[h], size+w*d.shares[h]
	}
	return sum / size
}

// Intervals of fields and farms cover the truth as often as they should, from a few points to all of a survey.
func TestDomainsCover(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]domain{
		"a field of one zone":          {weights: []float64{0.4, 0.6}, shares: []float64{0.3, 0}, n: []int{20, 25}, level: []float64{55, 65}, sd: []float64{6, 6}},
		"a field across three zones":   {weights: []float64{0.3, 0.3, 0.4}, shares: []float64{0.2, 0.2, 0.2}, n: []int{12, 12, 16}, level: []float64{58, 60, 62}, sd: []float64{6, 6, 6}},
		"a large farm of unlike zones": {weights: []float64{0.5, 0.3, 0.2}, shares: []float64{0.6, 0.5, 0.7}, n: []int{24, 16, 10}, level: []float64{50, 60, 70}, sd: []float64{4, 7, 9}},
		"nearly the whole area":        {weights: []float64{0.5, 0.5}, shares: []float64{0.95, 0.9}, n: []int{15, 15}, level: []float64{50, 70}, sd: []float64{5, 5}},
		"unequal chances":              {weights: []float64{0.8, 0.2}, shares: []float64{0.4, 0.4}, n: []int{16, 16}, level: []float64{58, 62}, sd: []float64{5, 5}},
	} {
		o := repeat(4000, d.truth(), d.draw)
		t.Logf("%-30s mean %.2f of %.2f, se %.3f of %.3f (%.3f), covered %.3f", name, o.mean, d.truth(), o.rmsSE, o.trueSE, o.rmsSE/o.trueSE, o.covered)
		require.InDelta(t, d.truth(), o.mean, 0.05*o.trueSE+4*o.trueSE/math.Sqrt(4000), name)
		require.InEpsilon(t, o.trueSE, o.rmsSE, 0.1, name)
		require.True(t, o.covered >= 0.93 && o.covered <= 0.97, "%s: %g", name, o.covered)
	}
}

// A domain that is a stratum has the mean of its points, and one that is everything has the stratified mean.
func TestDomainsOfWholeStrata(t *testing.T) {
	a, b := []float64{1, 2, 6}, []float64{10, 14}
	one, ok := DomainMean([]Stratum{{Weight: 0.7, N: 3, In: a}, {Weight: 0.3, N: 2}})
	require.True(t, ok)
	require.InDelta(t, 3, one.Value, 1e-12)
	require.InDelta(t, 7.0/3, one.Part.Variance, 1e-12, "s²/n")
	require.InDelta(t, 2, one.Part.DF, 1e-12)
	all, _ := DomainMean([]Stratum{{Weight: 0.7, N: 3, In: a}, {Weight: 0.3, N: 2, In: b}})
	require.InDelta(t, 0.7*3+0.3*12, all.Value, 1e-12)
	want := stats.Sum(stats.Part{Variance: 0.49 * 7 / 3, DF: 2}, stats.Part{Variance: 0.09 * 8 / 2, DF: 1})
	require.InDelta(t, want.Variance, all.Part.Variance, 1e-12)
	require.InDelta(t, want.DF, all.Part.DF, 1e-9)
	few, ok := DomainMean([]Stratum{{Weight: 1, N: 3, In: a[:1]}})
	require.True(t, ok)
	require.Nil(t, few.Part)
	_, ok = DomainMean([]Stratum{{Weight: 1, N: 3}})
	require.False(t, ok)
}
