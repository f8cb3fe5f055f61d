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
	Failed   Verdict = "failed"   // it is nearer to others, or far from the declared crop
	Pending  Verdict = "pending"  // undecidable
)

// Reason is why a verdict was reached.
type Reason string

// The reasons.
const (
	ReasonNearest    Reason = "nearest"           // verified: the declared class is the nearest
	ReasonSecond     Reason = "close_second"      // verified: second, and hardly farther than the first
	ReasonOther      Reason = "other_nearer"      // failed
	ReasonBeyond     Reason = "beyond_cap"        // failed: farther from the declared class than its labelled series are
	ReasonUnsure     Reason = "unsure"            // pending: the verdict would be right less than half of the time
	ReasonNoCap      Reason = "no_cap"            // pending: nothing says how far series of the declared class may lie
	ReasonTooFew     Reason = "too_few_points"    // pending
	ReasonGap        Reason = "gap"               // pending: a gap in the active part of the declared curve
	ReasonNoCurve    Reason = "no_curve"          // pending: no curve of the declared crop
	ReasonNoCoverage Reason = "no_curve_of_place" // pending: the curves are of another region
)

// MinConfidence is the confidence below which a verdict is pending.
const MinConfidence = 0.5

// ResemblesNone says that a series lies beyond the cap of every class.
const ResemblesNone = "none"

// Ranked is a class and the distance of the series from its curve.
type Ranked struct {
	Class    string  `json:"class"`
	Distance float64 `json:"distance"`
	Shape    float64 `json:"shape"`         // the distance when the means are subtracted
	Cap      *Cap    `json:"cap,omitempty"` // nil where the curve has none
}

// Within reports whether the series lies within the cap of the class; true where it has none.
func (r Ranked) Within() bool {
	return r.Cap == nil || r.Distance <= r.Cap.Distance && r.Shape <= r.Cap.Shape
}

// Resembles returns the nearest class whose cap a ranked series lies within; ResemblesNone where there is none, and
// nothing where the classes have no caps.
func Resembles(ranking []Ranked) string {
	resembles := ""
	for _, r := range ranking {
		switch {
		case r.Cap == nil:
		case r.Within():
			return r.Class
		default:
			resembles = ResemblesNone
		}
	}
	return resembles
}

// Result is the verdict on a declared crop.
type Result struct {
	Verdict    Verdict
	Reason     Reason
	Text       string  // the reason for people, with the scope of the curves
	Confidence float64 // the probability that the verdict is right; 0 where it is pending
	// Resembles is a class, or ResemblesNone; empty where that is not known.
	Resembles string
	// Ranking is every class that the series shares days with, the nearest first, equal ones by name; empty where nothing
	// was compared.
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
	p := subject.Series.place(curves.Year)
	return curves.check(subject, p, curves.rank(p, subject.Series.HasEVI))
}

// check judges a series with its place in the growing year and its ranking.
func (s Set) check(subject Subject, p placed, ranking []Ranked) Result {
	if s.Extent != nil && subject.Place != nil && !s.Extent.holds(*subject.Place) {
		return s.pending(ReasonNoCoverage, "There are no curves for this place.")
	}
	var declared []Curve
	for _, class := range subject.Declared {
		if c, ok := s.curve(class); ok {
			declared = append(declared, c)
		}
	}
	if len(declared) == 0 {
		return s.pending(ReasonNoCurve, fmt.Sprintf("There is no curve for %s; there are curves for %s.",
			cmp.Or(strings.Join(subject.Declared, " or "), "the declared crop"), strings.Join(s.Classes(), ", ")))
	}
	if !p.enough() {
		return s.pending(ReasonTooFew, fmt.Sprintf("The growing year has %d accepted dates that can be joined; %d are needed.",
			min(len(p.observed), len(p.samples)), MinObservations))
	}
	for _, c := range declared {
		if gap := p.longestGap(c.active()); gap > MaxActiveGap {
			return s.pending(ReasonGap, fmt.Sprintf("%d days of the active part of the curve for %s have no observation; at most %d are allowed.", gap, c.Class, MaxActiveGap))
		}
	}
	if !slices.ContainsFunc(ranking, func(r Ranked) bool { return slices.Contains(subject.Declared, r.Class) }) {
		return s.pending(ReasonGap, "The series shares no day with the curve for the declared crop.")
	}
	return s.judge(ranking, subject.Declared, subject.Series.HasEVI && s.HasEVI)
}

// Rank returns the distance of a series to every curve that it shares days with, the nearest first, equal ones by name;
// nil where the series has fewer than MinObservations dates.
func (s Set) Rank(series Series) []Ranked {
	p := series.place(s.Year)
	if !p.enough() {
		return nil
	}
	return s.rank(p, series.HasEVI)
}

func (s Set) rank(p placed, withEVI bool) []Ranked {
	withEVI = withEVI && s.HasEVI
	var out []Ranked
	for _, c := range s.Curves {
		if d, shape := c.distances(p, withEVI); !math.IsInf(d, 1) {
			out = append(out, Ranked{c.Class, d, shape, c.bound(withEVI)})
		}
	}
	slices.SortStableFunc(out, func(a, b Ranked) int { return cmp.Compare(a.Distance, b.Distance) })
	return out
}

// distances compares the series with the part of the curve that the series spans: as they are, and with their means
// subtracted. A curve that shares no day with the series is infinitely far.
func (c Curve) distances(p placed, withEVI bool) (distance, shape float64) {
	series := slices.DeleteFunc(slices.Clone(p.samples), func(s sample) bool { return s.day < c.first() || s.day > c.last() })
	if len(series) == 0 {
		return math.Inf(1), math.Inf(1)
	}
	var curve []sample
	for day := series[0].day; day <= series[len(series)-1].day; day += stepDays {
		curve = append(curve, c.at(day))
	}
	return warp(curve, series, withEVI), warp(levelled(curve), levelled(series), withEVI)
}

// judge decides on the declared crop, not on the nearest: the nearest curve alone is right three times in four, while
// the declared one is nearly always among the best two. A class whose cap the series exceeds is not a candidate.
func (s Set) judge(ranking []Ranked, declared []string, withEVI bool) Result {
	r := Result{Ranking: ranking, Resembles: Resembles(ranking)}
	isDeclared := func(c Ranked) bool { return slices.Contains(declared, c.Class) }
	probable := 0.0 // that a declared class grew
	for i, p := range Probabilities(ranking, withEVI) {
		if isDeclared(ranking[i]) {
			probable += p
		}
	}
	probable = min(probable, 1)
	candidates := slices.DeleteFunc(slices.Clone(ranking), func(c Ranked) bool { return !c.Within() })
	i := slices.IndexFunc(candidates, isDeclared)
	if i < 0 {
		return s.beyond(r, ranking[slices.IndexFunc(ranking, isDeclared)], probable)
	}
	best, first, nearer := candidates[i], candidates[0], 0
	for _, c := range candidates {
		if c.Distance < best.Distance {
			nearer++
		}
	}
	switch {
	case nearer == 0:
		r.Verdict, r.Reason, r.Confidence = Verified, ReasonNearest, probable
		r.Text = fmt.Sprintf("%s is the nearest of %d curves.", best.Class, len(candidates))
	case nearer == 1 && best.Distance < MaxSecondRatio*first.Distance:
		r.Verdict, r.Reason, r.Confidence = Verified, ReasonSecond, probable
		r.Text = fmt.Sprintf("%s is the second nearest of %d curves, and its distance is %.3f times that of %s, below %.2f.", best.Class, len(candidates), best.Distance/first.Distance, first.Class, MaxSecondRatio)
	default:
		r.Verdict, r.Reason, r.Confidence = Failed, ReasonOther, 1-probable
		r.Text = fmt.Sprintf("%s is number %d of %d curves, and its distance is %.2f times that of %s, the nearest.", best.Class, nearer+1, len(candidates), best.Distance/first.Distance, first.Class)
	}
	switch {
	case r.Verdict == Verified && best.Cap == nil:
		r.Verdict, r.Reason, r.Confidence = Pending, ReasonNoCap, 0
		r.Text += " The curve has no cap, so whether anything else grew is not known; build the curves again with `tilth curves build`."
	case r.Confidence < MinConfidence:
		r.Text += fmt.Sprintf(" The confidence is %.2f; a verdict needs %.2f.", r.Confidence, MinConfidence)
		r.Verdict, r.Reason, r.Confidence = Pending, ReasonUnsure, 0
	}
	r.Text = s.withScope(r.Text)
	return r
}

// beyond fails a declared crop whose cap the series exceeds.
func (s Set) beyond(r Result, nearest Ranked, probable float64) Result {
	declared, _ := s.curve(nearest.Class)
	r.Verdict, r.Reason, r.Confidence = Failed, ReasonBeyond, max(declared.capShare(), 1-probable)
	r.Text = fmt.Sprintf("The distance from %s is %.3f, in shape %.3f; %.0f %% of its labelled series are within %.3f and %.3f.",
		nearest.Class, nearest.Distance, nearest.Shape, 100*declared.capShare(), nearest.Cap.Distance, nearest.Cap.Shape)
	if r.Resembles == ResemblesNone {
		r.Text += " The series does not resemble any of the curves."
	} else if r.Resembles != "" {
		r.Text += fmt.Sprintf(" The series resembles %s.", r.Resembles)
	}
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
