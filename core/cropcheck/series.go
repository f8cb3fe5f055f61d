package cropcheck

import (
	"slices"
	"time"

	"tilth/core/fault"
	"tilth/core/vegetation"
)

// Observation is one accepted date of a series.
type Observation struct {
	Date     time.Time `json:"date"` // UTC midnight
	NDVI     float64   `json:"ndvi"`
	EVI      float64   `json:"evi"`      // meaningful where the series has it
	Coverage float64   `json:"coverage"` // its weight, above 0 to 1
}

// Series is the observations of a field in a season, at most one a day, sorted by date.
type Series struct {
	HasEVI       bool
	Observations []Observation
}

// NewSeries checks observations and sorts them by date. Faults: Invalid.
func NewSeries(hasEVI bool, observations []Observation) (Series, error) {
	s := Series{HasEVI: hasEVI, Observations: slices.Clone(observations)}
	slices.SortStableFunc(s.Observations, func(a, b Observation) int { return a.Date.Compare(b.Date) })
	problems := fault.Fields{}
	for i, o := range s.Observations {
		day := o.Date.Format(time.DateOnly)
		if i > 0 && o.Date.Equal(s.Observations[i-1].Date) {
			problems.Addf("date", "%s is listed twice.", day)
		}
		if !plausible(o.NDVI) || hasEVI && !plausible(o.EVI) {
			problems.Addf("series", "The index on %s is not a number from -2 to 2.", day)
		}
		if !(o.Coverage > 0 && o.Coverage <= 1) {
			problems.Addf("weight", "The weight on %s is not above 0 and at most 1.", day)
		}
	}
	if err := problems.Err(); err != nil {
		return Series{}, err
	}
	return s, nil
}

// placed is a series in the growing year that holds most of it.
type placed struct {
	observed []int    // the days of the year with an observation, rising
	samples  []sample // the smoothed series on the days 0, 8, 16 …, where there is one
}

// enough reports whether there are enough dates for a verdict.
func (p placed) enough() bool {
	return len(p.observed) >= MinObservations && len(p.samples) >= MinObservations
}

// yearDays is the length of a growing year.
const yearDays = 365

// place chooses the growing year with the most observations, the earliest of equal ones. It smooths before it cuts, so
// that observations just before the year count for its first days.
func (s Series) place(year GrowingYear) placed {
	var best placed
	var origin, tried time.Time
	for _, o := range s.Observations {
		begin := year.begin(o.Date)
		if begin.Equal(tried) {
			continue
		}
		tried = begin
		if days := s.daysFrom(begin); len(days) > len(best.observed) {
			best.observed, origin = days, begin
		}
	}
	if len(best.observed) == 0 {
		return best
	}
	ndvi := s.smoothed(origin, func(o Observation) float64 { return o.NDVI })
	evi := ndvi
	if s.HasEVI {
		evi = s.smoothed(origin, func(o Observation) float64 { return o.EVI })
	}
	for day := 0; day < yearDays; day += stepDays {
		if v, ok := ndvi[day]; ok {
			best.samples = append(best.samples, sample{day, v, evi[day]})
		}
	}
	return best
}

// daysFrom returns the days of the observations in the year that begins at origin.
func (s Series) daysFrom(origin time.Time) []int {
	var days []int
	for _, o := range s.Observations {
		if d := vegetation.DaysBetween(origin, o.Date); d >= 0 && d < yearDays {
			days = append(days, d)
		}
	}
	return days
}

// smoothed returns the smoothed values of an index on the days 0, 8, 16 … since origin.
func (s Series) smoothed(origin time.Time, value func(Observation) float64) map[int]float64 {
	points := make([]vegetation.Weighted, len(s.Observations))
	for i, o := range s.Observations {
		points[i] = vegetation.Weighted{Date: o.Date, Value: value(o), Weight: o.Coverage}
	}
	out := map[int]float64{}
	for _, run := range vegetation.Smooth(points) {
		for _, p := range run {
			if day := vegetation.DaysBetween(origin, p.Date); day%stepDays == 0 {
				out[day] = p.Value
			}
		}
	}
	return out
}

// longestGap returns the longest stretch of days in from…to, its ends included, without an observation.
func (p placed) longestGap(from, to int) int {
	longest, before := 0, from
	for _, day := range p.observed {
		if day > to {
			break
		}
		if day > before {
			longest, before = max(longest, day-before), day
		}
	}
	return max(longest, to-before)
}

// NamedSeries is a series of a file or table of many, with its id there.
type NamedSeries struct {
	ID     string
	Series Series
}
