package cropcheck

import (
	"slices"

	"tilth/core/effort"
)

// HeldOut is a labelled series that is compared with curves, and caps, made of the other folds.
type HeldOut struct {
	Sample  Sample
	Fold    int
	Curves  Set
	Ranking []Ranked // empty where the series is too short
	placed  placed
}

// CrossValidate compares every sample with curves that share no block with it. Faults: Invalid; the error of the budget
// where that is exhausted.
func CrossValidate(budget *effort.Budget, samples []Sample) ([]HeldOut, error) {
	fold := Folds(samples)
	var out []HeldOut
	for f := range FoldCount {
		var others, own []Sample
		for i, s := range samples {
			if fold[i] == f {
				own = append(own, s)
			} else {
				others = append(others, s)
			}
		}
		if len(own) == 0 || len(others) == 0 {
			continue
		}
		set, err := Build(budget, others)
		if err != nil {
			return nil, err
		}
		for _, s := range own {
			if err := budget.Spend(warpSteps * len(set.Curves)); err != nil {
				return nil, err
			}
			h := HeldOut{Sample: s, Fold: f, Curves: set, placed: s.Series.place(set.Year)}
			if h.placed.enough() {
				h.Ranking = set.rank(h.placed, s.Series.HasEVI)
			}
			out = append(out, h)
		}
	}
	return out, nil
}

// Check judges the sample as if these classes were declared.
func (h HeldOut) Check(declared ...string) Result {
	return h.Curves.check(Subject{Series: h.Sample.Series, Declared: declared}, h.placed, h.Ranking)
}

// Unseen returns what the sample resembles where there is no curve of its class.
func (h HeldOut) Unseen() string {
	return Resembles(slices.DeleteFunc(slices.Clone(h.Ranking), func(r Ranked) bool { return r.Class == h.Sample.Class }))
}

// ClassFigures are the counts of the labelled series of a class when each is judged by curves of the other blocks.
type ClassFigures struct {
	Class   string `json:"class"`
	Samples int    `json:"samples"`
	Nearest int    `json:"nearest"` // whose nearest curve is that of the class
	// True declarations: the three sum to Samples, Beyond is part of Failed.
	Verified int `json:"verified"`
	Pending  int `json:"pending"`
	Failed   int `json:"failed"`
	Beyond   int `json:"beyond"` // those lost to the cap
	// Series of other classes under a declaration of this one.
	Others        int `json:"others"`
	FalseVerified int `json:"false_verified"`
	// Rejected counts the series of the class that resemble no other class where there is no curve of their own.
	Rejected int `json:"rejected"`
}

// Figures are how curves of labelled series perform at places that they are not made of.
type Figures struct {
	BlockDegrees float64        `json:"block_degrees"` // the side of the blocks that folds do not share
	Classes      []ClassFigures `json:"classes"`       // in the order of names
}

// FiguresOf counts the verdicts on held-out series.
func FiguresOf(all []HeldOut) Figures {
	var samples []Sample
	var classes []string
	for _, h := range all {
		samples, classes = append(samples, h.Sample), append(classes, h.Sample.Class)
	}
	slices.Sort(classes)
	out := Figures{BlockDegrees: BlockDegrees(samples), Classes: []ClassFigures{}}
	for _, class := range slices.Compact(classes) {
		f := ClassFigures{Class: class}
		for _, h := range all {
			f.count(h)
		}
		out.Classes = append(out.Classes, f)
	}
	return out
}

func (f *ClassFigures) count(h HeldOut) {
	r := h.Check(f.Class)
	if h.Sample.Class != f.Class {
		f.Others++
		if r.Verdict == Verified {
			f.FalseVerified++
		}
		return
	}
	f.Samples++
	if len(h.Ranking) > 0 && h.Ranking[0].Class == f.Class {
		f.Nearest++
	}
	switch r.Verdict {
	case Verified:
		f.Verified++
	case Pending:
		f.Pending++
	case Failed:
		f.Failed++
	}
	if r.Reason == ReasonBeyond {
		f.Beyond++
	}
	if h.Unseen() == ResemblesNone {
		f.Rejected++
	}
}
