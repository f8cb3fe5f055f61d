// Package cropcheck tests crop verification against labelled series: accuracies, confusion
// and calibration over folds that share no place, the results for classes without a curve,
// and the page of docs that shows them. It is not part of the program.
package cropcheck

import (
	"fmt"
	"slices"

	"tilth/core/cropcheck"
)

// withoutEVI returns the samples as seen by a sensor that provides only NDVI.
func withoutEVI(samples []cropcheck.Sample) []cropcheck.Sample {
	out := slices.Clone(samples)
	for i := range out {
		out[i].Series.HasEVI = false
	}
	return out
}

// rank returns the rank of the true class, from 0.
func rank(h cropcheck.HeldOut) int {
	return slices.IndexFunc(h.Ranking, func(r cropcheck.Ranked) bool { return r.Class == h.Sample.Class })
}

// topShare returns the share of samples whose class is among the first n.
func topShare(all []cropcheck.HeldOut, n int) float64 {
	return share(all, func(h cropcheck.HeldOut) bool { return rank(h) < n })
}

// share returns the share of elements that satisfy a condition.
func share[T any](all []T, is func(T) bool) float64 {
	hits := 0
	for _, one := range all {
		if is(one) {
			hits++
		}
	}
	return float64(hits) / float64(len(all))
}

func labelled(all []cropcheck.HeldOut) []Labelled {
	out := make([]Labelled, len(all))
	for i, h := range all {
		out[i] = Labelled{Ranking: h.Ranking, Class: h.Sample.Class}
	}
	return out
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
