package monitoring

import (
	"fmt"
	"math"
	"slices"
	"time"

	"tilth/core/phenology"
	"tilth/core/vegetation"
)

// Alert is what a rule found.
type Alert struct {
	Rule    Rule
	Date    time.Time // the observation that it was found on
	Value   float64   // of the field, by which the rule judged
	Against float64   // what it was compared with
	Message string    // for people
}

// Seen is what is known about a field when its rules are applied to it.
type Seen struct {
	Series vegetation.Series
	// Years is the comparison with the other seasons of the field.
	Years phenology.Comparison
	Today time.Time // civil date at the field
}

// Find returns the alert of a rule: the first of the season, so that it is the same whenever Find is called; ok is
// false where there is none.
func (s Seen) Find(r Rule) (Alert, bool) {
	switch r.Kind {
	case Drop:
		return s.fall(r, func(o vegetation.Observation) float64 { return o.Value }, "The %s fell from %.2f on %s to %.2f on %s.")
	case Patch:
		return s.fall(r, func(o vegetation.Observation) float64 { return o.P10 - o.Median }, "A part of the field fell behind the rest: its lowest tenth of the %s lay %.2f from the median on %s, and %.2f on %s.")
	case LowPercentile:
		return s.low(r)
	case NoStart:
		return s.late(r)
	}
	return Alert{}, false
}

// fall finds the first observation that lies more than the rule's Change below an observation of the rule's Days before it.
func (s Seen) fall(r Rule, value func(vegetation.Observation) float64, message string) (Alert, bool) {
	all := s.Series.Observations
	for i := range all {
		for j := i - 1; j >= 0 && all[i].Date.Sub(all[j].Date) <= time.Duration(r.Days)*24*time.Hour; j-- {
			before, now := value(all[j]), value(all[i])
			if before-now <= r.Change {
				continue
			}
			return Alert{r, all[i].Date, now, before, fmt.Sprintf(message, s.Series.Index, before, all[j].Date.Format(time.DateOnly), now, all[i].Date.Format(time.DateOnly))}, true
		}
	}
	return Alert{}, false
}

func (s Seen) low(r Rule) (Alert, bool) {
	for _, d := range s.Years.Days {
		if d.Percentile < r.Percentile && d.Value < d.P10 {
			return Alert{r, d.Date, d.Value, d.P10, fmt.Sprintf(
				"The %s was %.2f on %s, lower than in %.0f %% of the field's %d other seasons at this time of the year.",
				s.Series.Index, d.Value, d.Date.Format(time.DateOnly), 100-d.Percentile, d.N)}, true
		}
	}
	return Alert{}, false
}

// lateBy is the minimum time from the date to an observation, so that a start on that date would have been seen.
const lateBy = 5 * 24 * time.Hour

func (s Seen) late(r Rule) (Alert, bool) {
	all := s.Series.Observations
	if r.By == nil || s.Today.Before(*r.By) {
		return Alert{}, false
	}
	first := slices.IndexFunc(all, func(o vegetation.Observation) bool { return !o.Date.Before(r.By.Add(lateBy)) })
	if first < 0 {
		return Alert{}, false
	}
	found := phenology.Of(s.Series, phenology.DefaultSettings())
	for _, c := range found.Cycles {
		// A cycle that began before the first observation has started, whenever it was.
		if c.Start.Date != nil && !c.Start.Date.After(*r.By) || c.Start.Date == nil && c.Start.Reason != phenology.NotOver {
			return Alert{}, false
		}
	}
	seen := all[first] // as a rule that existed from the start would have found it
	return Alert{r, seen.Date, seen.Value, math.NaN(), fmt.Sprintf(
		"No growing cycle had started by %s; the %s was %.2f on %s.", r.By.Format(time.DateOnly), s.Series.Index, seen.Value, seen.Date.Format(time.DateOnly))}, true
}
