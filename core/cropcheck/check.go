package cropcheck

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The rule of a verdict.
const (
	// MinObservations is the number of accepted dates below which the verdict is pending.
	MinObservations = 6
	// MaxActiveGap is the longest stretch, in days, of the declared curve's active part that may be unobserved.
	MaxActiveGap = 60
	// MaxSecondRatio bounds the distance of a declared class that ranks second, as a multiple of the first distance.
	MaxSecondRatio = 1.15
)

// Verdict is the answer on a declared crop.
type Verdict string

// The verdicts.
const (
	Verified Verdict = "verified" // the series matches the declared crop
	Failed   Verdict = "failed"   // it is nearer to others
	Pending  Verdict = "pending"  // undecidable
)

// Reason is why a verdict was reached.
type Reason string

// The reasons.
const (
	ReasonNearest    Reason = "nearest"           // verified: the declared class ranks first
	ReasonSecond     Reason = "close_second"      // verified: second, and hardly farther than the first
	ReasonOther      Reason = "other_nearer"      // failed
	ReasonTooFew     Reason = "too_few_points"    // pending
	ReasonGap        Reason = "gap"               // pending: a gap in the active part of the declared curve
	ReasonNoCurve    Reason = "no_curve"          // pending: no curve of the declared crop
	ReasonNoCoverage Reason = "no_curve_of_place" // pending: the curves are of another region
)

// Ranked is a class and the distance of the series from its curve.
type Ranked struct {
	Class    string  `json:"class"`
	Distance float64 `json:"distance"`
}

// Result is the verdict on a declared crop.
type Result struct {
	Verdict    Verdict
	Reason     Reason
	Text       string  // the reason for people, with the scope of the curves
	Confidence float64 // the probability that the verdict is right; 0 where it is pending
	// Ranking is every class that the series shares days with, the nearest first, of equals by name; empty where pending.
	Ranking []Ranked
}

// Subject is a declared crop to judge.
type Subject struct {
	Series Series
	// Declared is the curve classes of the declared crop, one for each system that it is grown in; any of them may match.
	Declared []string
	Place    *Place // where the field is; nil where that is not known
}

// Check judges a declared crop by the curves of a region.
func Check(subject Subject, curves Set) Result {
	if curves.Extent != nil && subject.Place != nil && !curves.Extent.holds(*subject.Place) {
		return curves.pending(ReasonNoCoverage, "There are no curves of this place.")
	}
	var declared []Curve
	for _, class := range subject.Declared {
		if c, ok := curves.curve(class); ok {
			declared = append(declared, c)
		}
	}
	if len(declared) == 0 {
		return curves.pending(ReasonNoCurve, fmt.Sprintf("There is no curve of %s; there are curves of %s.",
			cmp.Or(strings.Join(subject.Declared, " or "), "the declared crop"), strings.Join(curves.Classes(), ", ")))
	}
	p := subject.Series.place(curves.Year)
	if len(p.observed) < MinObservations || len(p.samples) < MinObservations {
		return curves.pending(ReasonTooFew, fmt.Sprintf("The growing year has %d accepted dates that can be joined; %d are needed.",
			min(len(p.observed), len(p.samples)), MinObservations))
	}
	for _, c := range declared {
		if gap := p.longestGap(c.active()); gap > MaxActiveGap {
			return curves.pending(ReasonGap, fmt.Sprintf("%d days of the active part of the curve of %s have no observation; %d are allowed.", gap, c.Class, MaxActiveGap))
		}
	}
	ranking := curves.rank(p, subject.Series.HasEVI)
	if !slices.ContainsFunc(ranking, func(r Ranked) bool { return slices.Contains(subject.Declared, r.Class) }) {
		return curves.pending(ReasonGap, "The series shares no day with the curve of the declared crop.")
	}
	return curves.judge(ranking, subject.Declared, subject.Series.HasEVI && curves.HasEVI)
}

// Rank returns the distance of a series to every curve that it shares days with, the nearest first,
// of equals by name; nil where the series has fewer than MinObservations dates.
func (s Set) Rank(series Series) []Ranked {
	p := series.place(s.Year)
	if len(p.observed) < MinObservations || len(p.samples) < MinObservations {
		return nil
	}
	return s.rank(p, series.HasEVI)
}

func (s Set) rank(p placed, withEVI bool) []Ranked {
	var out []Ranked
	for _, c := range s.Curves {
		if d := c.distance(p, withEVI && s.HasEVI); !math.IsInf(d, 1) {
			out = append(out, Ranked{c.Class, d})
		}
	}
	slices.SortStableFunc(out, func(a, b Ranked) int { return cmp.Compare(a.Distance, b.Distance) })
	return out
}

// distance compares the series with the part of the curve that the series spans. A curve that
// shares no day with the series is infinitely far.
func (c Curve) distance(p placed, withEVI bool) float64 {
	series := slices.DeleteFunc(slices.Clone(p.samples), func(s sample) bool { return s.day < c.first() || s.day > c.last() })
	if len(series) == 0 {
		return math.Inf(1)
	}
	var curve []sample
	for day := series[0].day; day <= series[len(series)-1].day; day += stepDays {
		curve = append(curve, c.at(day))
	}
	return warp(curve, series, withEVI)
}

// judge decides on the declared crop, not on the nearest: the nearest curve alone is right three
// times in four, while the declared one is nearly always among the best two.
func (s Set) judge(ranking []Ranked, declared []string, withEVI bool) Result {
	r := Result{Ranking: ranking}
	isDeclared := func(c Ranked) bool { return slices.Contains(declared, c.Class) }
	best := ranking[slices.IndexFunc(ranking, isDeclared)]
	nearer := 0
	for _, c := range ranking {
		if c.Distance < best.Distance {
			nearer++
		}
	}
	first := ranking[0]
	switch {
	case nearer == 0:
		r.Verdict, r.Reason = Verified, ReasonNearest
		r.Text = fmt.Sprintf("%s is the nearest of %d curves.", best.Class, len(ranking))
	case nearer == 1 && best.Distance < MaxSecondRatio*first.Distance:
		r.Verdict, r.Reason = Verified, ReasonSecond
		r.Text = fmt.Sprintf("%s is second of %d curves, and its distance is %.3f times that of %s, under %.2f.", best.Class, len(ranking), best.Distance/first.Distance, first.Class, MaxSecondRatio)
	default:
		r.Verdict, r.Reason = Failed, ReasonOther
		r.Text = fmt.Sprintf("%s is number %d of %d curves, and its distance is %.2f times that of %s, the nearest.", best.Class, nearer+1, len(ranking), best.Distance/first.Distance, first.Class)
	}
	for i, p := range Probabilities(ranking, withEVI) {
		if isDeclared(ranking[i]) == (r.Verdict == Verified) {
			r.Confidence += p
		}
	}
	r.Confidence = min(r.Confidence, 1)
	r.Text = s.withScope(r.Text)
	return r
}

func (s Set) pending(reason Reason, text string) Result {
	return Result{Verdict: Pending, Reason: reason, Text: s.withScope(text)}
}

func (s Set) withScope(text string) string {
	if s.Scope == "" {
		return text
	}
	return text + " " + s.Scope
}
