package cropcheck

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/cropcheck"
)

func drawLabelled(t *rapid.T) []Labelled {
	var out []Labelled
	for range rapid.IntRange(5, 30).Draw(t, "n") {
		d := rapid.Float64Range(0.02, 0.2).Draw(t, "distance")
		l := Labelled{Class: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "class")}
		for _, class := range []string{"a", "b", "c"} {
			l.Ranking = append(l.Ranking, cropcheck.Ranked{Class: class, Distance: d})
			d += rapid.Float64Range(0, 0.05).Draw(t, "more")
		}
		out = append(out, l)
	}
	return out
}

// TestNoTemperatureIsMoreLikely checks that the fit is the maximum of the likelihood over its range.
func TestNoTemperatureIsMoreLikely(t *testing.T) {
	t.Parallel()
	unlikely := func(all []Labelled, temperature float64) (sum float64) {
		for _, l := range all {
			for i, p := range cropcheck.Softmax(l.Ranking, temperature) {
				if l.Ranking[i].Class == l.Class {
					sum -= math.Log(p)
				}
			}
		}
		return sum
	}
	rapid.Check(t, func(t *rapid.T) {
		all := drawLabelled(t)
		fitted := fitTemperature(all)
		other := rapid.Float64Range(1e-3, 1).Draw(t, "other")
		require.LessOrEqual(t, unlikely(all, fitted), unlikely(all, other)+1e-4)
	})
	require.InDelta(t, 1, fitTemperature(nil), 1e-5, "of nothing, the least sure")
}
