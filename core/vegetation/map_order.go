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

// MapTerms is what an order of a map says beside what orders of profiles do.
type MapTerms struct {
	Day     *time.Time // the date that is wanted, of an order without a season
	Outline string     // the digest of the outline, of an order without a field
	Output  string     // one of MapOutputs
	Classes int        // 0: as many as are usual
}

// MapOutputs are the types of data that maps are ordered as; all of them are there afterwards.
var MapOutputs = []string{"geotiff", "png", "geojson"}

// The classes that a map may be divided into.
const (
	MinClasses = 2
	MaxClasses = 9
)

// MapDays is how far, in days, the acquisition of a map of one date may lie from that date.
const MapDays = 5

// NearDays is how far around it usable dates are looked for, to be named, where there is none within MapDays.
const NearDays = 30

// Found is what the computation of a map came to that is no series of dates.
type Found struct {
	Layers    int
	Synthetic bool
	Reason    string // why there is no layer; empty where there is one
}

// Check returns what is wrong with the terms.
func (t MapTerms) Check() fault.Fields {
	f := fault.Fields{}
	if t.Output != "" && !slices.Contains(MapOutputs, t.Output) {
		f.Addf("output_data_type", "%.30q is none of: %s.", t.Output, strings.Join(MapOutputs, ", "))
	}
	if t.Classes != 0 && (t.Classes < MinClasses || t.Classes > MaxClasses) {
		f.Addf("no_of_classes", "From %d to %d classes.", MinClasses, MaxClasses)
	}
	return f
}

// Around returns the first and the last day of the acquisitions that a map of a date may be of, so many days around it.
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

// searchedAgain says until when the archive is searched again.
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

// placed reports whether the order says where and when.
func (s OrderState) placed() bool {
	where := s.FieldID > 0 || s.Product != "" && s.Map.Outline != ""
	return where && (s.Timeless() || s.SeasonID > 0 || s.Product != "" && s.Map.Day != nil)
}

// Key returns what a company has one order of a product of: the field or the outline, and but for a timeless map the season or the
// date, and the index.
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

// NotBegun says what an order waits for whose window has not begun.
func (s OrderState) NotBegun() string {
	if s.Map.Day != nil {
		return "The date has not come."
	}
	return "The season has not begun."
}

// OrderRef names an order of any product.
type OrderRef struct {
	Product credit.Product
	ID      int64
}

// Nearest returns the observations of a series that are nearest to a day, the nearest first, of equals the earlier; at most so
// many.
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
