// Package cropcheck holds crop verification against labelled series: accuracies, confusion
// and calibration over folds that share no place, and the page of docs that shows them. It
// is not part of the program.
package cropcheck

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"tilth/core/cropcheck"
)

// folds is how many parts the samples are cut into.
const folds = 5

// cellDegrees is the side of the cells that stay whole: at these latitudes about 55 km, so
// that what neighbours share (a farm, a soil, a year's weather) is mostly on one side.
const cellDegrees = 0.5

// cell names the cell of a place.
type cell struct{ lon, lat int }

func cellOf(p cropcheck.Place) cell {
	return cell{int(math.Floor(p.Lon / cellDegrees)), int(math.Floor(p.Lat / cellDegrees))}
}

// split returns each sample's fold. The cells go, the fullest first, to the fold that has
// fewest samples.
func split(samples []cropcheck.Sample) []int {
	count := map[cell]int{}
	for _, s := range samples {
		count[cellOf(s.Place)]++
	}
	cells := slices.SortedFunc(maps.Keys(count), func(a, b cell) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.lon, b.lon), cmp.Compare(a.lat, b.lat))
	})
	foldOf, size := map[cell]int{}, make([]int, folds)
	for _, c := range cells {
		smallest := slices.Index(size, slices.Min(size))
		foldOf[c] = smallest
		size[smallest] += count[c]
	}
	out := make([]int, len(samples))
	for i, s := range samples {
		out[i] = foldOf[cellOf(s.Place)]
	}
	return out
}

// judged is a sample with its ranking by curves, and a temperature, of the other folds.
type judged struct {
	Labelled
	sample cropcheck.Sample
	fold   int
	curves cropcheck.Set
}

// crossValidate ranks every sample by curves built of the other folds.
func crossValidate(t testing.TB, samples []cropcheck.Sample) []judged {
	t.Helper()
	fold := split(samples)
	sets := make([]cropcheck.Set, folds)
	for f := range folds {
		var others []cropcheck.Sample
		for i, s := range samples {
			if fold[i] != f {
				others = append(others, s)
			}
		}
		set, err := cropcheck.Build(others)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(set.Curves), classCount(samples); got != want {
			t.Fatalf("without fold %d there are %d curves of %d classes", f, got, want)
		}
		sets[f] = set
	}
	out := make([]judged, len(samples))
	for i, s := range samples {
		set := sets[fold[i]]
		ranking := set.Rank(s.Series)
		if len(ranking) == 0 {
			t.Fatalf("the sample %s cannot be ranked", s.ID)
		}
		out[i] = judged{Labelled{Ranking: ranking, Class: s.Class}, s, fold[i], set}
	}
	return out
}

func classCount(samples []cropcheck.Sample) int {
	classes := map[string]bool{}
	for _, s := range samples {
		classes[s.Class] = true
	}
	return len(classes)
}

// withoutEVI returns the samples as a sensor sees them of which only NDVI is known.
func withoutEVI(samples []cropcheck.Sample) []cropcheck.Sample {
	out := slices.Clone(samples)
	for i := range out {
		out[i].Series.HasEVI = false
	}
	return out
}

// rank returns the place of the true class, from 0.
func (j judged) rank() int {
	return slices.IndexFunc(j.Ranking, func(r cropcheck.Ranked) bool { return r.Class == j.Class })
}

// topShare is the share of samples whose class is among the first n.
func topShare(all []judged, n int) float64 {
	hits := 0
	for _, j := range all {
		if j.rank() < n {
			hits++
		}
	}
	return float64(hits) / float64(len(all))
}

func labelled(all []judged) []Labelled {
	out := make([]Labelled, len(all))
	for i, j := range all {
		out[i] = j.Labelled
	}
	return out
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
