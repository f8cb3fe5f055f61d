package cropcheck

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tilth/core/fault"
)

// GrowingYear is the day on which the growing year of a region begins, in every year.
type GrowingYear struct {
	Month time.Month
	Day   int
}

// in returns the first day of the growing year that begins in a calendar year.
func (g GrowingYear) in(year int) time.Time {
	return time.Date(year, g.Month, g.Day, 0, 0, 0, 0, time.UTC)
}

// begin returns the first day of the growing year that a day lies in.
func (g GrowingYear) begin(day time.Time) time.Time {
	if begin := g.in(day.Year()); !begin.After(day) {
		return begin
	}
	return g.in(day.Year() - 1)
}

// Step is one point of a curve.
type Step struct {
	Day  int     `json:"day"`      // since the beginning of the growing year, 0…365
	NDVI float64 `json:"ndvi"`     // the median of the samples
	P25  float64 `json:"ndvi_p25"` // the quartiles of NDVI
	P75  float64 `json:"ndvi_p75"`
	EVI  float64 `json:"evi"` // the median; meaningful where the set has EVI
	N    int     `json:"n"`   // samples
}

// Curve is the course of a class over the growing year, its steps in the order of days.
type Curve struct {
	Class string `json:"class"`
	Steps []Step `json:"steps"`
	// The caps of comparisons by NDVI, and by NDVI and EVI; nil where too few labelled series made the curve.
	CapNDVI *Cap `json:"cap_ndvi,omitempty"`
	CapBoth *Cap `json:"cap_ndvi_evi,omitempty"`
}

// Extent is a box in degrees.
type Extent struct {
	West  float64 `json:"west"`
	South float64 `json:"south"`
	East  float64 `json:"east"`
	North float64 `json:"north"`
}

// Place is a point in degrees.
type Place struct{ Lon, Lat float64 }

func (e Extent) holds(p Place) bool {
	return p.Lon >= e.West && p.Lon <= e.East && p.Lat >= e.South && p.Lat <= e.North
}

// Set is the curves of one region, which share a growing year.
type Set struct {
	Year   GrowingYear
	HasEVI bool
	Scope  string  // the origin of the curves, as reasons show it; may be empty
	Extent *Extent // where they may be used; nil where that is not known
	Curves []Curve // in the order of classes
}

// maxIndex bounds a plausible NDVI or EVI. Composites exceed 1 a little; values beyond 2 lack their scale factor.
const maxIndex = 2

// maxCap bounds a plausible cap: twice the largest difference of two indices.
const maxCap = 4 * maxIndex

// NewSet checks curves and sorts them by class. Faults: Invalid.
func NewSet(year GrowingYear, hasEVI bool, curves []Curve) (Set, error) {
	s := Set{Year: year, HasEVI: hasEVI, Curves: slices.Clone(curves)}
	// 29 February is refused: not every year has one.
	if d := year.in(2001); d.Month() != year.Month || d.Day() != year.Day {
		return Set{}, fault.Field("start", "The growing year must begin on a day that every year has, such as 09-14.")
	}
	slices.SortFunc(s.Curves, func(a, b Curve) int { return cmp.Compare(a.Class, b.Class) })
	if len(s.Curves) == 0 {
		return Set{}, fault.Field("curves", "There are no curves.")
	}
	problems := fault.Fields{}
	for i, c := range s.Curves {
		if i > 0 && c.Class == s.Curves[i-1].Class {
			problems.Addf("class", "%q is listed twice.", c.Class)
		}
		c.check(problems, hasEVI)
	}
	if err := problems.Err(); err != nil {
		return Set{}, err
	}
	return s, nil
}

func (c Curve) check(problems fault.Fields, hasEVI bool) {
	if c.Class == "" || c.Class == ResemblesNone {
		problems.Addf("class", "A curve has no class, or its class is %q, which answers use for no class.", ResemblesNone)
	}
	for _, bound := range []*Cap{c.CapNDVI, c.CapBoth} {
		if bound != nil && !(bound.Distance > 0 && bound.Shape > 0 && max(bound.Distance, bound.Shape) <= maxCap) {
			problems.Addf("cap", "%q: caps must be numbers above 0 and at most %d.", c.Class, maxCap)
		}
	}
	if len(c.Steps) < 2 {
		problems.Addf("step", "%q has fewer than two steps.", c.Class)
	}
	for i, s := range c.Steps {
		if s.Day < 0 || s.Day > 365 || i > 0 && s.Day <= c.Steps[i-1].Day {
			problems.Addf("day", "%q: days must increase from step to step, within 0 to 365; day %d does not.", c.Class, s.Day)
		}
		if !plausible(s.NDVI) || hasEVI && !plausible(s.EVI) {
			problems.Addf("step", "%q: the index on day %d is not a number from -2 to 2.", c.Class, s.Day)
		}
	}
}

func plausible(v float64) bool { return math.Abs(v) <= maxIndex } // false for NaN

// Classes returns the names of the curves, sorted.
func (s Set) Classes() []string {
	out := make([]string, len(s.Curves))
	for i, c := range s.Curves {
		out[i] = c.Class
	}
	return out
}

func (s Set) curve(class string) (Curve, bool) {
	i, found := slices.BinarySearchFunc(s.Curves, class, func(c Curve, class string) int { return cmp.Compare(c.Class, class) })
	if !found {
		return Curve{}, false
	}
	return s.Curves[i], true
}

// first and last are the days that a curve spans.
func (c Curve) first() int { return c.Steps[0].Day }
func (c Curve) last() int  { return c.Steps[len(c.Steps)-1].Day }

// at returns the indices of a day within the curve's span, linear between the steps.
func (c Curve) at(day int) sample {
	i, exact := slices.BinarySearchFunc(c.Steps, day, func(s Step, day int) int { return cmp.Compare(s.Day, day) })
	if exact {
		return sample{day, c.Steps[i].NDVI, c.Steps[i].EVI}
	}
	a, b := c.Steps[i-1], c.Steps[i]
	t := float64(day-a.Day) / float64(b.Day-a.Day)
	return sample{day, a.NDVI + t*(b.NDVI-a.NDVI), a.EVI + t*(b.EVI-a.EVI)}
}

// activeShare is the share of a curve's amplitude above which it is active: 20 % of the seasonal
// amplitude, the usual threshold for the start and end of a season (Jönsson and Eklundh 2004,
// TIMESAT, Computers & Geosciences 30: 833–845).
const activeShare = 0.2

// active returns the first and last day on which a curve's NDVI exceeds its lowest value by
// activeShare of its amplitude, with everything between two crops of a year.
func (c Curve) active() (from, to int) {
	lo, hi := c.Steps[0].NDVI, c.Steps[0].NDVI
	for _, s := range c.Steps {
		lo, hi = min(lo, s.NDVI), max(hi, s.NDVI)
	}
	threshold := lo + activeShare*(hi-lo)
	above := func(s Step) bool { return s.NDVI >= threshold }
	from = c.Steps[slices.IndexFunc(c.Steps, above)].Day
	for _, s := range c.Steps {
		if above(s) {
			to = s.Day
		}
	}
	return from, to
}
