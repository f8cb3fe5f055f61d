package persistence

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// Layouts of times in text. PostgreSQL reads both as literals; in SQLite, where they
// are kept as they stand, they sort as the times do.
const (
	stampLayout = "2006-01-02T15:04:05.000000Z"
	dayLayout   = time.DateOnly
)

// micro gives a time as both databases can keep it: UTC, whole microseconds.
func micro(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// stamp is a point in time in a column: TIMESTAMPTZ, or text in SQLite.
type stamp struct{ time.Time }

func stampAt(t time.Time) stamp { return stamp{t} }

func stampOf(t *time.Time) *stamp {
	if t == nil {
		return nil
	}
	return &stamp{*t}
}

// timeOf gives the time of a column that may be null.
func (s *stamp) timeOf() *time.Time {
	if s == nil {
		return nil
	}
	return &s.Time
}

// Value implements driver.Valuer.
func (s stamp) Value() (driver.Value, error) { return micro(s.Time).Format(stampLayout), nil }

// Scan implements sql.Scanner.
func (s *stamp) Scan(src any) (err error) {
	s.Time, err = scanTime(src, stampLayout)
	return err
}

// day is a civil date in a column: DATE, or text in SQLite.
type day struct{ time.Time }

func dayAt(t time.Time) day { return day{t} }

func dayOf(t *time.Time) *day {
	if t == nil {
		return nil
	}
	return &day{*t}
}

// timeOf gives midnight UTC of a date that may be null.
func (d *day) timeOf() *time.Time {
	if d == nil {
		return nil
	}
	return &d.Time
}

// Value implements driver.Valuer.
func (d day) Value() (driver.Value, error) { return d.Format(dayLayout), nil }

// Scan implements sql.Scanner.
func (d *day) Scan(src any) (err error) {
	d.Time, err = scanTime(src, dayLayout)
	return err
}

func scanTime(src any, layout string) (time.Time, error) {
	switch v := src.(type) {
	case time.Time:
		return v.UTC(), nil
	case string:
		return time.Parse(layout, v)
	case []byte:
		return time.Parse(layout, string(v))
	}
	return time.Time{}, fmt.Errorf("a time column holds a %T", src)
}

// document is a value in a JSON column: JSONB, or text in SQLite.
type document[T any] struct{ V T }

func documentWith[T any](value T) document[T] { return document[T]{value} }

// Value implements driver.Valuer.
func (d document[T]) Value() (driver.Value, error) {
	raw, err := json.Marshal(d.V)
	return string(raw), err
}

// Scan implements sql.Scanner.
func (d *document[T]) Scan(src any) error {
	switch v := src.(type) {
	case string:
		return json.Unmarshal([]byte(v), &d.V)
	case []byte:
		return json.Unmarshal(v, &d.V)
	}
	return fmt.Errorf("a JSON column holds a %T", src)
}
