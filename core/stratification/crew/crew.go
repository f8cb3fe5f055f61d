// Package crew holds what a crew records in the field at the points of a plan: what a field package states when it leaves,
// and the rows that it yields on its return. It knows no file format and stores nothing.
package crew

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/labtable"
	"tilth/core/stratification/sample"
)

// Status is the crew's statement about a point or one of its samples.
type Status string

// The statements of a crew. An empty status of a point states nothing; an empty status of a sample stands for that of its point.
const (
	Taken  Status = "collected"
	Moved  Status = "moved" // taken at another place, which is recorded
	Missed Status = "missed"
)

// Statuses lists the statements of a crew.
var Statuses = []Status{Taken, Moved, Missed}

// Point is a point as the crew records it.
type Point struct {
	ID       string // of the plan's point
	Status   Status
	Planned  geo.Position  // longitude, latitude
	OnMap    *geo.Position // where the point lies on the map; nil: nowhere, which counts as planned
	Measured *geo.Position // by the receiver
	Accuracy *float64      // of Measured, metres
	Clock    *time.Time    // what the device's clock showed, as if it were UTC
	At       *time.Time    // the same moment in UTC
	By       string
	Notes    string
	Photos   []string // paths below the package's folder
	Errors   fault.Fields
}

// Sample is a sample of a point as the crew records it.
type Sample struct {
	Label  string
	Point  string // id
	Status Status
	Notes  string
	Errors fault.Fields
}

// Known returns what is known about the samples of a point when a package leaves. If all samples agree, the point states it for
// them; otherwise each sample states its own. A package that is imported as it left changes nothing.
func Known(id string, of []sample.Sample) (Point, []Sample) {
	p := Point{ID: id}
	own := make([]Sample, len(of))
	same := len(of) > 0
	for i, s := range of {
		p.Planned = s.Planned
		own[i] = Sample{Label: s.Label, Point: id, Status: said(s), Notes: s.Notes}
		same = same && said(s) == said(of[0]) && taken(s) == taken(of[0])
	}
	if !same || own[0].Status == "" {
		return p, own
	}
	p.Status = own[0].Status
	if c := of[0].Collected; c != nil {
		at := c.At
		p.Measured, p.Accuracy, p.At, p.By = c.LonLat, c.AccuracyM, &at, c.By
	}
	for i := range own {
		own[i].Status = ""
	}
	return p, own
}

func said(s sample.Sample) Status {
	switch {
	case s.Collected != nil:
		return Taken
	case s.Status == sample.StatusMissed:
		return Missed
	default:
		return ""
	}
}

// taking is what a crew records about the taking of a sample.
type taking struct {
	at, by   string
	place    geo.Position
	accuracy float64
}

func taken(s sample.Sample) (out taking) {
	c := s.Collected
	if c == nil {
		return out
	}
	out = taking{at: c.At.UTC().Format(time.RFC3339Nano), by: c.By, place: geo.Position{X: math.Inf(1)}, accuracy: -1}
	if c.LonLat != nil {
		out.place = *c.LonLat
	}
	if c.AccuracyM != nil {
		out.accuracy = *c.AccuracyM
	}
	return out
}

// Photo is a photo of a point that the crew took.
type Photo struct {
	Path  string // below the package's folder
	Point string
	Row   int // the first row of its point
}

// Rows returns a row for each sample, in order, then a row with an error for each point that has no samples although the crew
// states something about it. It also returns the photos of points that have rows.
func Rows(points []Point, samples []Sample) ([]labtable.Row, []Photo) {
	of := map[string][]int{}
	for i, p := range points {
		of[p.ID] = append(of[p.ID], i)
	}
	stated := make([]labtable.Row, len(points))
	for i := range points {
		stated[i] = points[i].row()
	}
	var rows []labtable.Row
	var photos []Photo
	seen := map[string]bool{}
	for _, s := range samples {
		row := labtable.Row{Label: s.Label, Errors: fault.Fields{}, Instead: -1}
		row.Errors.Merge(s.Errors)
		places := of[s.Point]
		switch {
		case len(places) == 0:
			row.Errors.Addf("point", "The layer points has no point %q. Fix: restore it, with this id.", s.Point)
		case len(places) > 1:
			row.Errors.Addf("point", "The layer points has %d points %q. Fix: keep only one.", len(places), s.Point)
		default:
			at := places[0]
			s.says(points[at], stated[at], &row)
			if !seen[s.Point] {
				for _, path := range points[at].Photos {
					photos = append(photos, Photo{path, s.Point, len(rows)})
				}
			}
		}
		seen[s.Point] = true
		rows = append(rows, row)
	}
	for i, p := range points {
		if !seen[p.ID] && (p.Status != "" || p.Notes != "" || len(p.Photos) > 0) {
			row := stated[i]
			row.Errors = fault.Fields{}
			row.Errors.Addf("point", "%q has no samples in this package: it was added in the field, or its samples were removed. "+
				"Fix: add the point to the plan (customise) and make its samples, or use a reserve.", p.ID)
			rows = append(rows, labtable.Row{Errors: row.Errors, Instead: -1})
		}
	}
	return rows, photos
}

// says completes the row of a sample with what the sample and its point state.
func (s Sample) says(p Point, of labtable.Row, row *labtable.Row) {
	status := s.Status
	if status == "" {
		status = p.Status
	}
	if !slices.Contains(Statuses, status) && status != "" {
		row.Errors.Addf("status", "%q is not one of %s.", status, fault.List(Statuses))
	}
	notes := []string{p.Notes, s.Notes}
	row.Says.Notes = strings.Join(slices.DeleteFunc(notes, func(n string) bool { return n == "" }), "\n")
	row.Errors.Merge(p.Errors)
	switch {
	case status == Missed:
		row.Says.Status = sample.StatusMissed
	case status == "" && !reflect.DeepEqual(of.Says, labtable.Says{}):
		row.Errors.Addf("status", "The point %s was moved, or has a date or a place, but no status. Fix: set its status, or undo the changes.", p.ID)
	case status != "":
		notes := row.Says.Notes
		row.Says, row.Says.Notes, row.Says.Taken = of.Says, notes, true
		row.Remarks = slices.Clone(of.Remarks)
		row.Errors.AddIf(status == Moved && of.Says.At == nil, "status",
			"The point %s was taken at another place, but nothing states where. Fix: move it on the map, or fill in lon and lat.", p.ID)
	}
}

// Tolerances of what a crew records.
const (
	unmoved   = 0.05 // metres: a point this near its planned place was not moved
	apart     = 1.0  // metres between the point on the map and the receiver's place, above which a remark is made
	zoneSteps = 15 * time.Minute
	maxZone   = 14 * time.Hour
	clockSlip = 2 * time.Second // between two readings of a clock in one form
)

// row returns what a point states about the taking of all its samples.
func (p Point) row() (out labtable.Row) {
	moved := p.OnMap != nil && geo.Distance(p.Planned, *p.OnMap) > unmoved
	switch {
	case moved:
		out.Says.At = p.OnMap
		if p.Measured != nil && geo.Distance(*p.OnMap, *p.Measured) > apart {
			out.Remarks = append(out.Remarks, fmt.Sprintf("lon: the point was moved on the map, and that place counts; the receiver measured one %.0f m away.", geo.Distance(*p.OnMap, *p.Measured)))
		}
	case p.Measured != nil:
		out.Says.At = p.Measured
	}
	if out.Says.At == p.Measured {
		out.Says.AccuracyM = p.Accuracy
	}
	out.Says.CollectedBy = p.By
	switch {
	case p.At != nil && (p.Clock == nil || inZone(p.Clock.Sub(*p.At))):
		out.Says.CollectedAt = p.At
	case p.Clock != nil:
		out.Says.CollectedAt = p.Clock
		out.Remarks = append(out.Remarks, "collected_at: its time zone is not known; it is read as UTC.")
	}
	if p.Status == "" {
		out.Says.CollectedBy = "" // devices fill it in by themselves
	}
	return out
}

// inZone reports whether ahead, a clock's lead over UTC, can be the offset of a time zone.
func inZone(ahead time.Duration) bool {
	slip := ahead - ahead.Round(zoneSteps)
	return ahead.Abs() <= maxZone+clockSlip && slip.Abs() <= clockSlip
}
