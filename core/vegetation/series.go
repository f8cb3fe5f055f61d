package vegetation

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tilth/core/list"
)

// What a date must reach to enter a profile.
const (
	MinCoverage = 0.5 // valid pixels per pixel of the field; masks may have another
	MinValid    = 10  // valid pixels; not required of a small field
)

// Observation is the index of a field on one date, over the pixels that count. The figures of a
// small field are weighted with the pixels' shares of area.
type Observation struct {
	Date      time.Time // the solar day, as UTC midnight
	Value     float64   // the arithmetic mean of the pixels' index
	Median    float64
	Std       float64 // of the population
	Min, Max  float64
	P10, P90  float64 // percentiles, linear between the values
	Histogram Histogram
	Coverage  float64         // valid / in the field, 0…1
	NValid    int             // pixels with a value
	NPolygon  int             // pixels of the field
	Items     []string        // the scenes with values, the one with the larger coverage first
	Offsets   []AppliedOffset // of each of Items, in their order
	Sensor    *Sensor         // of harmonised readings
	Origin    Origin
}

// Reason is why a date did not enter.
type Reason string

// The reasons; the first that applies counts.
const (
	// ReasonError: the file of a scene of the pass is broken, gone, or lacks a band of the index.
	ReasonError Reason = "error"
	// ReasonNoData: no pixel of the field had data in any scene of the pass.
	ReasonNoData Reason = "nodata"
	// ReasonPartial: the data, clear or not, covers less of the field than the mask's minimum coverage, half as a rule.
	ReasonPartial Reason = "partial"
	// ReasonCloud: the mask left less of the field than that.
	ReasonCloud Reason = "cloud"
	// ReasonTooFew: that much is clear, but fewer than ten pixels, or a smaller share, have a value; or the mask's
	// buffer left no pixel of the field.
	ReasonTooFew Reason = "too_few"
)

// Rejection is a date that did not enter, and why. NValid counts the pixels with a value or, where
// the classification sufficed and the bands were not read, the clear pixels.
type Rejection struct {
	Date     time.Time
	Reason   Reason
	Coverage float64
	NValid   int
	NPolygon int
	Items    []string // all scenes of the pass, by sensing time, then id
	Note     string   // for people: of ReasonError what could not be read; why the buffer left no pixel
	Origin   Origin
}

// Profile is a series of dates and values.
type Profile []Point

// Point is one date of a profile.
type Point struct {
	Date  time.Time
	Value float64
}

// Series is an index of a field over time: at most one observation or rejection a day, by date.
type Series struct {
	Index        IndexCode
	Mask         Mask
	Dataset      DatasetCode
	Observations []Observation
	Rejected     []Rejection
	NoSCL        bool // a scene had no classification: every pixel with data counted as clear
	SmallField   bool // fewer than ten pixels: exact area weights
	Synthetic    bool // a scene came from a synthetic archive
}

// Profile returns the raw profile: the accepted observations, not smoothed or filled in.
func (s Series) Profile() Profile {
	return list.Map(s.Observations, func(o Observation) Point { return Point{Date: o.Date, Value: o.Value} })
}

// Warning is a doubt about a series that its reader should know about. The code is for programs.
type Warning struct {
	Code    string
	Message string
}

// WarnOffsetByPixels is the code of the warning that pixels overruled the metadata.
const WarnOffsetByPixels = "offset_by_pixels"

// Warnings returns the doubts about the series, in a fixed order.
func (s Series) Warnings() []Warning {
	var dates []string
	for _, o := range s.Observations {
		if slices.ContainsFunc(o.Offsets, func(a AppliedOffset) bool { return a.Basis == OffsetByPixels }) {
			dates = append(dates, o.Date.Format(time.DateOnly))
		}
	}
	if len(dates) == 0 {
		return nil
	}
	return []Warning{{WarnOffsetByPixels, fmt.Sprintf(
		"The pixels contradict the offset that the archive states, and decided it instead, on %d of %d dates: the first is %s. Check the archive's metadata.",
		len(dates), len(s.Observations), dates[0])}}
}

// Outcome is the result of one pass: an observation or a rejection.
type Outcome struct {
	Observation *Observation // nil where Rejection is not
	Rejection   *Rejection
	Origin
}

// Assemble makes the series from the outcomes of all passes. Of several passes on a day the
// accepted one with the largest coverage stays or, where none is accepted, the rejected one with
// the largest; of equals the first. Days are sorted.
func Assemble(reading Reading, outcomes []Outcome) Series {
	out := Series{Index: reading.Index, Mask: reading.Mask, Dataset: reading.Dataset}
	best, origins := map[time.Time]Outcome{}, map[time.Time]Origin{}
	for _, o := range outcomes {
		out.NoSCL = out.NoSCL || o.NoSCL
		out.SmallField = out.SmallField || o.SmallField
		out.Synthetic = out.Synthetic || o.Synthetic
		date, _, _ := o.judged()
		origin := o.origin()
		have, second := best[date]
		if second {
			origin = origins[date].and(origin)
		}
		origins[date] = origin
		if !second || o.better(have) {
			best[date] = o
		}
	}
	for date, o := range best {
		if o.Observation != nil {
			accepted := *o.Observation
			accepted.Origin = origins[date]
			out.Observations = append(out.Observations, accepted)
		} else {
			rejected := *o.Rejection
			rejected.Origin = origins[date]
			out.Rejected = append(out.Rejected, rejected)
		}
	}
	slices.SortFunc(out.Observations, func(a, b Observation) int { return a.Date.Compare(b.Date) })
	slices.SortFunc(out.Rejected, func(a, b Rejection) int { return a.Date.Compare(b.Date) })
	return out
}

func (o Outcome) judged() (date time.Time, accepted bool, coverage float64) {
	if o.Observation != nil {
		return o.Observation.Date, true, o.Observation.Coverage
	}
	return o.Rejection.Date, false, o.Rejection.Coverage
}

func (o Outcome) better(than Outcome) bool {
	_, accepted, coverage := o.judged()
	_, other, upper := than.judged()
	return accepted && !other || accepted == other && coverage > upper
}

// tally counts the pixels of a composite by weight and number.
type tally struct {
	weight, data, unmasked, valued float64
	clear, valid                   int
}

func (c *Composite) tally() tally {
	var t tally
	for i, s := range c.states {
		w := c.footprint.Cells[i].Weight
		t.weight += w
		if s > noData {
			t.data += w
		}
		if s > masked {
			t.unmasked += w
		}
		if s == clear {
			t.clear++
		}
		if s == valid {
			t.valued += w
			t.valid++
		}
	}
	return t
}

// ClearCoverage returns the clear share, 0…1, of the field: by class where bands are not read yet.
func (c *Composite) ClearCoverage() float64 {
	t := c.tally()
	return share(t.unmasked, t.weight)
}

// Screened judges by the classifications alone. It returns nil while the bands can still make an
// observation, else the rejection that no band can change.
func (c *Composite) Screened(p Pass) *Rejection {
	t := c.tally()
	reason := c.reason(t)
	if reason == "" {
		return nil
	}
	return c.reject(p, reason, share(t.unmasked, t.weight), t.clear)
}

// Result judges after the bands have been added; items are the ids of the scenes with values.
func (c *Composite) Result(p Pass, items []string) Outcome {
	t := c.tally()
	coverage := share(t.valued, t.weight)
	reason := c.reason(t)
	if reason == "" && (coverage < c.mask.MinCoverage() || (t.valid < MinValid && !c.footprint.Small)) {
		reason = ReasonTooFew
	}
	if reason != "" {
		return Outcome{Rejection: c.reject(p, reason, coverage, t.valid)}
	}
	o := c.statistics()
	o.Date, o.Items = p.Day, items
	o.Coverage, o.NValid, o.NPolygon = coverage, t.valid, len(c.states)
	return Outcome{Observation: &o}
}

// Unreadable returns the rejection of a pass with a scene that could not be read; note says why.
// nPolygon is the number of pixels of the field, 0 where no scene has a grid to count them on.
func Unreadable(p Pass, nPolygon int, note string) Outcome {
	return Outcome{Rejection: &Rejection{
		Date: p.Day, Reason: ReasonError, NPolygon: nPolygon, Items: p.items(), Note: note,
	}}
}

// reason returns why the field as a whole is not clear enough, or "".
func (c *Composite) reason(t tally) Reason {
	switch {
	case len(c.states) == 0 && c.mask.buffer > 0:
		return ReasonTooFew
	case t.data == 0:
		return ReasonNoData
	case share(t.data, t.weight) < c.mask.MinCoverage():
		return ReasonPartial
	case share(t.unmasked, t.weight) < c.mask.MinCoverage():
		return ReasonCloud
	}
	return ""
}

func (c *Composite) reject(p Pass, reason Reason, coverage float64, n int) *Rejection {
	out := &Rejection{Date: p.Day, Reason: reason, Coverage: coverage, NValid: n, NPolygon: len(c.states), Items: p.items()}
	if len(c.states) == 0 && c.mask.buffer > 0 {
		out.Note = fmt.Sprintf("The field is too narrow for the buffer of %s m: no pixel is left.", decimal(c.mask.buffer))
	}
	return out
}

func (p Pass) items() []string {
	return list.Map(p.Scenes, func(s Scene) string { return s.ID })
}

func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(1, part/whole)
}

// ByCoverage returns the order of merging: the larger coverage first, of equals the smaller id.
func (p Pass) ByCoverage(coverage []float64) []int {
	order := make([]int, len(p.Scenes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(coverage[b], coverage[a]), cmp.Compare(p.Scenes[a].ID, p.Scenes[b].ID))
	})
	return order
}
