package cropcheck

import (
	"math"
	"slices"

	"tilth/core/cropcheck"
)

// table is a count for each pair of a class that grew and another class.
type table struct {
	classes []string
	counts  [][]int
	total   []int // samples of the class that grew
}

func newTable(all []cropcheck.HeldOut) table {
	t := table{classes: all[0].Curves.Classes()}
	t.total = make([]int, len(t.classes))
	for range t.classes {
		t.counts = append(t.counts, make([]int, len(t.classes)))
	}
	for _, j := range all {
		t.total[slices.Index(t.classes, j.Sample.Class)]++
	}
	return t
}

func (t table) add(grew, other string) {
	t.counts[slices.Index(t.classes, grew)][slices.Index(t.classes, other)]++
}

// confusion counts which class is the nearest, for the samples of each class.
func confusion(all []cropcheck.HeldOut) table {
	t := newTable(all)
	for _, j := range all {
		t.add(j.Sample.Class, j.Ranking[0].Class)
	}
	return t
}

// verifications counts how many samples of each class are verified under each
// declaration.
func verifications(all []cropcheck.HeldOut) table {
	t := newTable(all)
	for _, j := range all {
		for _, declared := range t.classes {
			if j.Check(declared).Verdict == cropcheck.Verified {
				t.add(j.Sample.Class, declared)
			}
		}
	}
	return t
}

// rates returns the share of true declarations that are verified, and that of false ones,
// every sample once under its own class and once under each other.
func (t table) rates() (right, wrong float64) {
	var hits, misses, samples int
	for i, row := range t.counts {
		samples += t.total[i]
		for k, n := range row {
			if i == k {
				hits += n
			} else {
				misses += n
			}
		}
	}
	return float64(hits) / float64(samples), float64(misses) / float64(samples*(len(t.classes)-1))
}

// bins is the number of probability bins of the calibration curve.
const bins = 10

// bin is one point of a calibration curve.
type bin struct {
	n                   int
	predicted, observed float64 // means
}

// calibration returns, over every pair of a sample and a class, how often the class was true
// where it was given that probability, and the expected calibration error: the mean gap
// between the two, weighted by the number of pairs. The probabilities of a sample use the
// temperature of the other folds.
func calibration(all []cropcheck.HeldOut) (curve [bins]bin, gap float64) {
	pairs := 0
	temperature := temperatures(all)
	for _, j := range all {
		for i, p := range cropcheck.Softmax(j.Ranking, temperature[j.Fold]) {
			b := &curve[min(int(p*bins), bins-1)]
			b.n++
			b.predicted += p
			if j.Ranking[i].Class == j.Sample.Class {
				b.observed++
			}
			pairs++
		}
	}
	for i := range curve {
		b := &curve[i]
		if b.n > 0 {
			b.predicted /= float64(b.n)
			b.observed /= float64(b.n)
			gap += float64(b.n) / float64(pairs) * math.Abs(b.predicted-b.observed)
		}
	}
	return curve, gap
}

// temperatures fits, for each fold, the temperature of the other folds.
func temperatures(all []cropcheck.HeldOut) []float64 {
	out := make([]float64, cropcheck.FoldCount)
	for f := range cropcheck.FoldCount {
		others := slices.DeleteFunc(slices.Clone(all), func(j cropcheck.HeldOut) bool { return j.Fold == f })
		out[f] = fitTemperature(labelled(others))
	}
	return out
}
