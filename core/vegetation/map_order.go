package vegetation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/list"
)

// MapTerms holds what an order of a map states beyond what orders of profiles do.
type MapTerms struct {
	Day     *time.Time // the requested date, of an order without a season
	Outline string     // the digest of the outline, of an order without a field
	Output  string     // one of MapOutputs
	Classes int        // 0: the usual number
}

// MapOutputs are the types of data that a map can be ordered as; all of them are available afterwards.
var MapOutputs = []string{"geotiff", "png", "geojson"}

// The classes that a map may be divided into.
const (
	MinClasses = 2
	MaxClasses = 9
)

// MapDays is the maximum distance, in days, of the acquisition of a map of one date from that date.
const MapDays = 5

// NearDays is the number of days around that date within which usable dates are looked for, to be named where none lies within MapDays.
const NearDays = 30

// Found is the outcome of computing a map that is not a series of dates.
type Found struct {
	Layers    int
	Synthetic bool
	Reason    string // why there is no layer; empty where there is one
}

// Check returns what is wrong with the terms.
func (t MapTerms) Check() fault.Fields {
	f := fault.Fields{}
	if t.Output != "" && !slices.Contains(MapOutputs, t.Output) {
		f.Addf("output_data_type", "%.30q is not one of: %s.", t.Output, strings.Join(MapOutputs, ", "))
	}
	if t.Classes != 0 && (t.Classes < MinClasses || t.Classes > MaxClasses) {
		f.Addf("no_of_classes", "From %d to %d classes.", MinClasses, MaxClasses)
	}
	return f
}

// Around returns the first and the last day on which an acquisition may lie for a map of a date: the given number of days before and after it.
func Around(day time.Time, days int) (from, to time.Time) {
	return day.AddDate(0, 0, -days), day.AddDate(0, 0, days)
}

func (t MapTerms) same(other MapTerms) bool {
	day := func(t MapTerms) time.Time {
		if t.Day == nil {
			return time.Time{}
		}
		return *t.Day
	}
	return day(t).Equal(day(other)) && t.Outline == other.Outline && t.Classes == other.Classes
}

// reason returns why a series has no accepted date; "" where it has one.
func (t MapTerms) reason(s Series, near []time.Time) string {
	why := s.Empty()
	if t.Day == nil || why == "" {
		return why
	}
	if len(s.Rejected) == 0 {
		why = "No scene of the imagery archive covers the field in these days."
	}
	why = fmt.Sprintf("Nothing usable was acquired within %d days of %s: %s", MapDays, t.Day.Format(time.DateOnly), why)
	if len(near) > 0 {
		days := list.Map(near, func(d time.Time) string { return d.Format(time.DateOnly) })
		return why + " The nearest usable dates are " + strings.Join(days, " and ") + "."
	}
	return why + fmt.Sprintf(" Nor is any date within %d days usable.", NearDays)
}

// searchedAgain returns a sentence on how long the archive is searched again.
func (t MapTerms) searchedAgain() string {
	if t.Day == nil {
		return " The archive is searched again every day of the season."
	}
	return fmt.Sprintf(" The archive is searched again every day until %d days after the date.", MapDays)
}

// Code returns the product of the order.
func (s OrderState) Code() credit.Product { return cmp.Or(s.Product, credit.VegetationIndexProfile) }

// Site returns what the order is charged for.
func (s OrderState) Site() credit.Site {
	if s.FieldID != 0 {
		return credit.Site{FieldID: s.FieldID}
	}
	return credit.Site{Outline: s.Map.Outline}
}

// Timeless reports whether the map is of the land as it is, and of no season, date or index.
func (s OrderState) Timeless() bool {
	return s.Product == credit.ElevationMap || s.Product == credit.SoilMap
}

// placed reports whether the order states where and, unless it is timeless, when.
func (s OrderState) placed() bool {
	where := s.FieldID > 0 || s.Product != "" && s.Map.Outline != ""
	return where && (s.Timeless() || s.SeasonID > 0 || s.Product != "" && s.Map.Day != nil)
}

// Key returns the text by which a company has one order of a product: the field or the outline and, except for a
// timeless map, the season or the date, and the index.
func (s OrderState) Key() string {
	place, span := "field "+strconv.FormatInt(s.FieldID, 10), "season "+strconv.FormatInt(s.SeasonID, 10)
	if s.FieldID == 0 {
		place = "outline " + s.Map.Outline
	}
	if s.Timeless() {
		return place
	}
	if s.Map.Day != nil {
		span = "date " + s.Map.Day.Format(time.DateOnly)
	}
	return place + ", " + span + ", " + s.Index
}

// NotBegun returns the reason of an order whose window has not begun.
func (s OrderState) NotBegun() string {
	if s.Map.Day != nil {
		return "The date has not come yet."
	}
	return "The season has not begun."
}

// OrderRef names an order of any product.
type OrderRef struct {
	Product credit.Product
	ID      int64
}

// Nearest returns at most upper observations of a series, those nearest to a day: the nearest first and, of equals, the
// earlier.
func (s Series) Nearest(day time.Time, upper int) []Observation {
	away := func(o Observation) time.Duration { return o.Date.Sub(day).Abs() }
	out := slices.SortedFunc(slices.Values(s.Observations), func(a, b Observation) int {
		return cmp.Or(cmp.Compare(away(a), away(b)), a.Date.Compare(b.Date))
	})
	return out[:min(upper, len(out))]
}

// Only returns the series with one of its observations, and the dates that were rejected.
func (s Series) Only(o Observation) Series {
	s.Observations = []Observation{o}
	return s
}
