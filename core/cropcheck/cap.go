package cropcheck

import (
	"math"
	"slices"

	"tilth/core/effort"
)

const (
	// CapShare is the share of the labelled series of a class that lie within its cap.
	CapShare = 0.95
	// MinCapped is the number of labelled series below which a class has no cap.
	MinCapped = 8
)

// Cap bounds how far a series of a class lies from its curve. Beyond either bound the series is not of the class.
type Cap struct {
	Distance float64 `json:"distance"`
	// Shape bounds the distance of series and curve when the mean of each is subtracted. Fields of one class differ in
	// level more than in shape, so their level alone makes Distance wide.
	Shape float64 `json:"shape"`
}

// bound returns the cap of a curve for the indices that are compared; nil where it has none.
func (c Curve) bound(withEVI bool) *Cap {
	if withEVI {
		return c.CapBoth
	}
	return c.CapNDVI
}

// capShare is the share of true series that a cap of a curve keeps: with few labelled series the farthest is the cap,
// and a new one is farther with a probability of 1/(n + 1).
func (c Curve) capShare() float64 {
	n := 0
	for _, s := range c.Steps {
		n = max(n, s.N)
	}
	return min(CapShare, float64(n)/float64(n+1))
}

// held is a labelled series with its places in the growing year of the curves.
type held struct {
	class string
	fold  int
	placed
}

// capped sets the caps of curves made of samples: each series is compared with the curve of its class that the other
// folds make. A cap is the quantile of those distances that keeps CapShare of new series (split conformal prediction:
// Shafer and Vovk 2008, A tutorial on conformal prediction, Journal of Machine Learning Research 9: 371–421).
func (s *Set) capped(budget *effort.Budget, samples []Sample) error {
	fold := Folds(samples)
	labelled := make([]held, len(samples))
	for i, sample := range samples {
		if err := budget.Spend(yearDays); err != nil {
			return err
		}
		labelled[i] = held{sample.Class, fold[i], sample.Series.place(s.Year)}
	}
	for i := range s.Curves {
		c := &s.Curves[i]
		var others [FoldCount]Curve
		for f := range others {
			others[f] = Curve{Class: c.Class, Steps: buildSteps(slices.DeleteFunc(of(samples, c.Class), func(at int) bool { return fold[at] == f }), samples, s.HasEVI)}
		}
		var err error
		if c.CapNDVI, err = capOf(budget, c.Class, labelled, others, false); err != nil {
			return err
		}
		if s.HasEVI {
			if c.CapBoth, err = capOf(budget, c.Class, labelled, others, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// of returns the positions of the samples of a class.
func of(samples []Sample, class string) (at []int) {
	for i, s := range samples {
		if s.Class == class {
			at = append(at, i)
		}
	}
	return at
}

// capOf returns the cap of a class, nil where fewer than MinCapped of its series can be compared.
func capOf(budget *effort.Budget, class string, labelled []held, others [FoldCount]Curve, withEVI bool) (*Cap, error) {
	var distances, shapes []float64
	for _, l := range labelled {
		if l.class != class || len(others[l.fold].Steps) < 2 || !l.enough() {
			continue
		}
		if err := budget.Spend(warpSteps); err != nil {
			return nil, err
		}
		if d, shape := others[l.fold].distances(l.placed, withEVI); !math.IsInf(d, 1) {
			distances, shapes = append(distances, d), append(shapes, shape)
		}
	}
	if len(distances) < MinCapped {
		return nil, nil
	}
	// Each bound alone would keep CapShare; both are widened by one factor until together they do.
	d, shape := conformal(distances), conformal(shapes) // above 0, as the time weight is
	ratios := make([]float64, len(distances))
	for i := range distances {
		ratios[i] = max(distances[i]/d, shapes[i]/shape)
	}
	widened := conformal(ratios)
	return &Cap{Distance: d * widened, Shape: shape * widened}, nil
}

// conformal returns the smallest of the values that at least CapShare of new ones do not exceed; the largest where
// there are too few to say.
func conformal(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := int(math.Ceil(CapShare * float64(len(sorted)+1)))
	return sorted[min(n, len(sorted))-1]
}
