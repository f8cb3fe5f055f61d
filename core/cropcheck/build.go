package cropcheck

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

// BuildStep is the interval of built curves in days: that of the MOD13Q1 composites.
const BuildStep = 16

// Sample is a labelled series: observations of a place where the class that grew is known.
type Sample struct {
	ID     string
	Class  string
	Start  time.Time // the first day of its growing year
	Place  Place
	Series Series
}

// Build makes curves of labelled series: per class and step the median and the quartiles of NDVI and the median of EVI over
// the samples. An observation belongs to the nearest step (composites restart on 1 January, so their days are not multiples
// of the interval); several of one sample count with their mean. A step without samples of a class is left out. The set has
// EVI where all series have. The growing year begins on the day on which most samples begin, the earliest of equal ones.
// Each curve with enough samples has its caps. Faults: Invalid; the error of the budget where that is exhausted.
func Build(budget *effort.Budget, samples []Sample) (Set, error) {
	if len(samples) == 0 {
		return Set{}, fault.Field("samples", "There are no samples.")
	}
	byClass := map[string][]int{}
	starts := map[GrowingYear]int{}
	hasEVI := true
	for i, s := range samples {
		if s.Class == "" {
			return Set{}, fault.Field("samples", "The sample "+s.ID+" has no label.")
		}
		byClass[s.Class] = append(byClass[s.Class], i)
		starts[GrowingYear{s.Start.Month(), s.Start.Day()}]++
		hasEVI = hasEVI && s.Series.HasEVI
	}
	var year GrowingYear
	for _, g := range slices.SortedFunc(maps.Keys(starts), GrowingYear.compare) {
		if starts[g] > starts[year] {
			year = g
		}
	}
	var curves []Curve
	for class, of := range byClass {
		curves = append(curves, Curve{Class: class, Steps: buildSteps(of, samples, hasEVI)})
	}
	set, err := NewSet(year, hasEVI, curves)
	if err != nil {
		return Set{}, err
	}
	return set, set.capped(budget, samples)
}

func (g GrowingYear) compare(o GrowingYear) int {
	return cmp.Or(cmp.Compare(g.Month, o.Month), cmp.Compare(g.Day, o.Day))
}

// buildSteps makes the steps from the samples at the given positions.
func buildSteps(at []int, samples []Sample, hasEVI bool) []Step {
	const n = yearDays/BuildStep + 1
	var ndvi, evi [n][]float64
	for _, i := range at {
		s := samples[i]
		var inStep [n][]Observation
		for _, o := range s.Series.Observations {
			step := math.Round(float64(vegetation.DaysBetween(s.Start, o.Date)) / BuildStep)
			if step >= 0 && step < n {
				inStep[int(step)] = append(inStep[int(step)], o)
			}
		}
		for i, of := range inStep {
			if len(of) > 0 {
				ndvi[i] = append(ndvi[i], mean(of, func(o Observation) float64 { return o.NDVI }))
				evi[i] = append(evi[i], mean(of, func(o Observation) float64 { return o.EVI }))
			}
		}
	}
	var steps []Step
	for i := range ndvi {
		if len(ndvi[i]) == 0 {
			continue
		}
		step := Step{
			Day: i * BuildStep, N: len(ndvi[i]),
			NDVI: quantile(ndvi[i], 0.5), P25: quantile(ndvi[i], 0.25), P75: quantile(ndvi[i], 0.75),
		}
		if hasEVI {
			step.EVI = quantile(evi[i], 0.5)
		}
		steps = append(steps, step)
	}
	return steps
}

func mean(of []Observation, value func(Observation) float64) float64 {
	sum := 0.0
	for _, o := range of {
		sum += value(o)
	}
	return sum / float64(len(of))
}

// quantile is linear between the sorted values (type 7 of Hyndman and Fan 1996).
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
