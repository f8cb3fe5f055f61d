package sqlstore

import (
	"bytes"
	"compress/flate"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// NullableID returns a foreign key of an id; 0 refers to nothing.
func NullableID(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// ValueOf returns what a pointer points at, or the zero value.
func ValueOf[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// Layouts of times in text. PostgreSQL reads both; in SQLite they sort as the times do.
const (
	stampLayout = "2006-01-02T15:04:05.000000Z"
	dayLayout   = time.DateOnly
)

// Micro returns a time as both databases can keep it: UTC, whole microseconds.
func Micro(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// Stamp is a point in time in a column: TIMESTAMPTZ, or text in SQLite.
type Stamp struct{ time.Time }

// Day is a civil date in a column: DATE, or text in SQLite.
type Day struct{ time.Time }

// StampAt returns the column of a point in time.
func StampAt(t time.Time) Stamp { return Stamp{t} }

// DayAt returns the column of a civil date.
func DayAt(t time.Time) Day { return Day{t} }

// NullableStamp returns the column of a point in time that may be missing.
func NullableStamp(t *time.Time) *Stamp { return apply(t, StampAt) }

// NullableDay returns the column of a civil date that may be missing.
func NullableDay(t *time.Time) *Day { return apply(t, DayAt) }

// Nullable returns the time of a column that may be null.
func (s *Stamp) Nullable() *time.Time { return apply(s, func(s Stamp) time.Time { return s.Time }) }

// Nullable returns midnight UTC of a date that may be null.
func (d *Day) Nullable() *time.Time { return apply(d, func(d Day) time.Time { return d.Time }) }

// apply returns what a function makes of a value that may be missing.
func apply[A, B any](p *A, to func(A) B) *B {
	if p == nil {
		return nil
	}
	return new(to(*p))
}

// Value implements driver.Valuer.
func (s Stamp) Value() (driver.Value, error) { return Micro(s.Time).Format(stampLayout), nil }

// Value implements driver.Valuer.
func (d Day) Value() (driver.Value, error) { return d.Format(dayLayout), nil }

// Scan implements sql.Scanner.
func (s *Stamp) Scan(src any) (err error) {
	s.Time, err = scanTime(src, stampLayout)
	return err
}

// Scan implements sql.Scanner.
func (d *Day) Scan(src any) (err error) {
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

// JSON is a value in a JSON column: JSONB, or text in SQLite.
type JSON[T any] struct{ V T }

// JSONOf returns the column of a value.
func JSONOf[T any](value T) JSON[T] { return JSON[T]{value} }

// ListOf returns the column of a list, which is [] where the list is nil.
func ListOf[T any](list []T) JSON[[]T] { return JSON[[]T]{append([]T{}, list...)} }

// Value implements driver.Valuer.
func (d JSON[T]) Value() (driver.Value, error) {
	if own, ok := any(d.V).(compact); ok {
		raw, err := own.CompactJSON()
		return string(raw), err
	}
	raw, err := json.Marshal(d.V)
	return string(raw), err
}

// compact is a value that writes JSON which encoding/json need not read through again.
type compact interface{ CompactJSON() ([]byte, error) }

// Scan implements sql.Scanner.
func (d *JSON[T]) Scan(src any) error {
	var raw []byte
	switch v := src.(type) {
	case string:
		raw = []byte(v)
	case []byte:
		raw = v
	default:
		return fmt.Errorf("a JSON column holds a %T", src)
	}
	if own, ok := any(&d.V).(json.Unmarshaler); ok { // directly: json.Unmarshal would first read it twice
		return own.UnmarshalJSON(raw)
	}
	return json.Unmarshal(raw, &d.V)
}

// maxInflated bounds the size of an inflated document: a hundred times the labels of the largest frame.
const maxInflated = 256 << 20

// Deflate returns the stored form of a large value that is always read whole: deflated JSON.
func Deflate(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return DeflateBytes(raw)
}

// DeflateBytes deflates bytes.
func DeflateBytes(raw []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(raw); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// Inflate reads what Deflate wrote.
func Inflate(stored []byte, into any) error {
	r := flate.NewReader(bytes.NewReader(stored))
	defer r.Close()
	return json.NewDecoder(io.LimitReader(r, maxInflated)).Decode(into)
}
