package ogc

import (
	"strconv"
	"strings"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/query"
	"tilth/app/features"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/ports"
)

// Messages about an invalid box and about invalid times.
const (
	noBox  = "Give west, south, east and north in degrees, separated by commas: longitudes from -180 to 180, latitudes from -90 to 90."
	noSpan = "Give a time as 2026-03-01T12:00:00Z or a day as 2026-03-01; or two in order, separated by a slash, one of which may be .. for open."
)

// queryOf reads the parameters of a page. Faults: Invalid.
func queryOf(given map[string]any, filters []filter) (q features.Query, err error) {
	errs := fault.Fields{}
	q.Limit = query.DefaultLimit
	if n, ok := given[limitParam].(int64); ok {
		q.Limit = int(n)
	}
	if text, ok := given[bboxParam].(string); ok {
		q.Boxes = parseBox(text)
		errs.AddIf(q.Boxes == nil, bboxParam, noBox)
	}
	if text, ok := given[timeParam].(string); ok {
		q.Span = parseSpan(text)
		errs.AddIf(q.Span == nil, timeParam, noSpan)
	}
	q.After, q.Before = place(given, afterParam, errs), place(given, beforeParam, errs)
	errs.AddIf(q.After != nil && q.Before != nil, beforeParam, "Cannot be combined with after.")
	for _, f := range filters {
		if value := given[f.Name]; value != nil {
			q.Filters = append(q.Filters, ports.Filter{Name: f.name(), Value: value})
		}
	}
	return q, errs.Err()
}

func (f filter) name() string {
	if f.as == "" {
		return f.Name
	}
	return f.as
}

// place reads the feature that a page begins after or ends before.
func place(given map[string]any, param string, errs fault.Fields) *features.ID {
	text, ok := given[param].(string)
	if !ok {
		return nil
	}
	id, ok := parseID(text)
	errs.AddIf(!ok, param, "Use the link to the neighbouring page unchanged.")
	return &id
}

// partMark separates the record of a feature from its number in the record.
const partMark = "."

// textOf returns an id as it is written.
func textOf(id features.ID) string {
	text := strconv.FormatInt(id.Record, 10)
	if id.Part > 0 {
		text += partMark + strconv.Itoa(id.Part)
	}
	return text
}

// parseID reads an id; ok is false if the text is not one.
func parseID(text string) (id features.ID, ok bool) {
	record, part, several := strings.Cut(text, partMark)
	n, err := strconv.ParseUint(record, 10, 63) // which takes no sign
	if err != nil || n == 0 {
		return id, false
	}
	id.Record = int64(n)
	if !several {
		return id, true
	}
	m, err := strconv.ParseUint(part, 10, 31)
	id.Part = int(m)
	return id, err == nil && m > 0
}

// parseSpan reads a time, or an interval of two, one of which may be open; nil: it is neither.
func parseSpan(text string) *ports.Span {
	first, last, interval := strings.Cut(text, "/")
	if !interval {
		last = first
	}
	from, _, ok := parseTime(first, interval)
	if !ok {
		return nil
	}
	_, to, ok := parseTime(last, interval)
	if !ok || from == nil && to == nil || from != nil && to != nil && to.Before(*from) {
		return nil
	}
	return &ports.Span{From: from, To: to}
}

// parseTime reads a time, or the first and the last moment of a day; nil: it is open.
func parseTime(text string, mayBeOpen bool) (first, last *time.Time, ok bool) {
	if text == "" || text == ".." {
		return nil, nil, mayBeOpen
	}
	if day, err := member.ParseDate(text); err == nil {
		return new(day.Time()), new(day.Time().AddDate(0, 0, 1).Add(-time.Microsecond)), true
	}
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	return &at, &at, err == nil && at.Year() > 0
}

// The numbers of coordinates in a box: two corners, without or with heights.
const (
	corners2D = 4
	corners3D = 6
)

// parseBox reads a box from a text of numbers; nil: it is not a box.
func parseBox(text string) []geo.Box {
	words := strings.Split(text, ",")
	n := make([]float64, len(words))
	for i, word := range words {
		var err error
		if n[i], err = strconv.ParseFloat(strings.TrimSpace(word), 64); err != nil {
			return nil
		}
	}
	return boxesOf(n)
}

// boxesOf returns a box in degrees, or two boxes if it begins east of where it ends and so crosses the antimeridian.
// Heights are ignored. nil: it is not a box.
func boxesOf(n []float64) []geo.Box {
	switch len(n) {
	case corners2D:
	case corners3D:
		n = []float64{n[0], n[1], n[3], n[4]}
	default:
		return nil
	}
	b := geo.Box{MinX: n[0], MinY: n[1], MaxX: n[2], MaxY: n[3]}
	globe := geo.Box{MinX: -180, MinY: -90, MaxX: 180, MaxY: 90}
	if !globe.Contains(geo.Position{X: b.MinX, Y: b.MinY}) || !globe.Contains(geo.Position{X: b.MaxX, Y: b.MaxY}) || b.MinY > b.MaxY {
		return nil
	}
	if b.MinX <= b.MaxX {
		return []geo.Box{b}
	}
	west, east := b, b
	west.MaxX, east.MinX = globe.MaxX, globe.MinX
	return []geo.Box{west, east}
}
