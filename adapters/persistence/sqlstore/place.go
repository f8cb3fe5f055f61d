package sqlstore

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"tilth/core/geo"
	"tilth/ports"
)

// The names of the filters by place and time.
const (
	InBoxes = "bbox"
	InSpan  = "datetime"
)

// Area describes where rows lie: the columns of their box, or of their place. A row that lies nowhere is in every box.
type Area struct {
	West, South, East, North string
	In                       string // wraps the condition of the columns, as %s; empty: that condition alone
}

// Spell describes when rows are: the columns of start and end, the same column for a moment. A missing start or end is unbounded.
type Spell struct {
	From, To string
	Days     bool // civil dates, the last one included
}

// PointOf is the area of rows with a place.
func PointOf(longitude, latitude string) *Area {
	return &Area{West: longitude, South: latitude, East: longitude, North: latitude}
}

// BoxOf is the area of fields of an alias.
func BoxOf(alias string) *Area {
	return &Area{West: alias + ".min_x", South: alias + ".min_y", East: alias + ".max_x", North: alias + ".max_y"}
}

// placed returns the condition of a value that is a place or a time; ok is false for any other.
func (f Filter) placed(value any) (c Condition, ok bool) {
	boxes, isPlace := value.([]geo.Box)
	span, isTime := value.(ports.Span)
	switch {
	case isPlace && f.Where != nil:
		return f.Where.meets(boxes), true
	case isTime && f.When != nil:
		return f.When.meets(span), true
	}
	return c, false
}

func (a *Area) meets(boxes []geo.Box) Condition {
	terms, args := []string{a.West + " IS NULL"}, []any(nil)
	for _, b := range boxes {
		terms = append(terms, a.West+" <= ? AND "+a.East+" >= ? AND "+a.South+" <= ? AND "+a.North+" >= ?")
		args = append(args, b.MaxX, b.MinX, b.MaxY, b.MinY)
	}
	return When(fmt.Sprintf(cmp.Or(a.In, "%s"), "("+strings.Join(terms, " OR ")+")"), args...)
}

func (s *Spell) meets(span ports.Span) Condition {
	sql, args := "1 = 1", []any(nil)
	add := func(column, comparison string, at *time.Time) {
		if at != nil {
			sql += " AND (" + column + " IS NULL OR " + column + comparison + ")"
			args = append(args, map[bool]any{false: StampAt(*at), true: DayAt(at.UTC())}[s.Days])
		}
	}
	add(s.From, " <= ?", span.To)
	add(s.To, " >= ?", span.From)
	return When(sql, args...)
}
