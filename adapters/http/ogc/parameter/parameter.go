// Package parameter reads the values of parameters that OGC API and STAC share: boxes, spans of time, and the ids of
// features.
package parameter

import (
	"strconv"
	"strings"
	"time"

	"tilth/adapters/http/member"
	"tilth/app/features"
	"tilth/core/geo"
	"tilth/ports"
)

// partMark separates the record of a feature from its number in the record.
const partMark = "."

// TextOf returns an id as it is written.
func TextOf(id features.ID) string {
	text := strconv.FormatInt(id.Record, 10)
	if id.Part > 0 {
		text += partMark + strconv.Itoa(id.Part)
	}
	return text
}

// ParseID reads an id; ok is false if the text is not one.
func ParseID(text string) (id features.ID, ok bool) {
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

// ParseSpan reads a time, or an interval of two, one of which may be open; nil: it is neither.
func ParseSpan(text string) *ports.Span {
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

// ParseBox reads a box from a text of numbers; nil: it is not a box.
func ParseBox(text string) []geo.Box {
	words := strings.Split(text, ",")
	n := make([]float64, len(words))
	for i, word := range words {
		var err error
		if n[i], err = strconv.ParseFloat(strings.TrimSpace(word), 64); err != nil {
			return nil
		}
	}
	return BoxesOf(n)
}

// BoxesOf returns a box in degrees, or two boxes if it begins east of where it ends and so crosses the antimeridian.
// Heights are ignored. nil: it is not a box.
func BoxesOf(n []float64) []geo.Box {
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
