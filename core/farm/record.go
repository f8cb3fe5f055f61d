// Package farm holds the records of farm management: farms, fields with their
// boundaries, seasons, the crop catalog and cultivations, each with the rules that
// need nothing but the record itself. Rules that need other records (does the farm
// exist, is this the last cultivation) are stated here and applied by the use cases.
package farm

import (
	"time"
	"unicode/utf8"

	"tilth/core/fault"
)

// Ref is a record seen from another: its id and its name.
type Ref struct {
	ID   int64
	Name string
}

// Meta is what every record of a company carries.
type Meta struct {
	ID        int64     `audit:"-"`
	CompanyID int64     `audit:"-"`
	Company   string    `audit:"-"` // name of the company; read-only
	CreatedAt time.Time `audit:"-"`
	UpdatedAt time.Time `audit:"-"`
	CreatedBy *Ref      `audit:"-"` // nil where the creator is gone or was the system
}

// Base gives the common part of a record, for code that handles all of them alike.
func (m *Meta) Base() *Meta { return m }

// NextVersion gives the time of a change, which is also the record's version: it is
// later than the one before, also within a microsecond and when a clock was set back.
func NextVersion(before, now time.Time) time.Time {
	if least := before.Add(time.Microsecond); now.Before(least) {
		return least
	}
	return now
}

// External is where a record came from, for records kept in step with another system.
type External struct {
	ExternalID string // at most 255 characters
	Source     string // at most 255 characters
}

func (e External) check(f fault.Fields) {
	text(f, "external_id", e.ExternalID, 255)
	text(f, "source", e.Source, 255)
}

// required adds an error when a name is empty or longer than limit characters.
func required(f fault.Fields, field, value string, limit int) {
	if value == "" {
		f.Add(field, "This field may not be blank.")
	}
	text(f, field, value, limit)
}

// text adds an error when a value is longer than limit characters or not text.
func text(f fault.Fields, field, value string, limit int) {
	if !utf8.ValidString(value) {
		f.Add(field, "This is not valid UTF-8 text.")
		return
	}
	if n := utf8.RuneCountInString(value); n > limit {
		f.Addf(field, "At most %d characters; this has %d.", limit, n)
	}
	for _, r := range value {
		if r == 0 {
			f.Add(field, "The character U+0000 is not allowed.")
			return
		}
	}
}

// choice adds an error when a value is set and not one of the allowed words.
func choice(f fault.Fields, field, value string, allowed []string) {
	if value == "" {
		return
	}
	for _, a := range allowed {
		if a == value {
			return
		}
	}
	f.Addf(field, "%q is not one of %s.", value, list(allowed))
}

func list(words []string) string {
	out := ""
	for i, w := range words {
		if i > 0 {
			out += ", "
		}
		out += w
	}
	return out
}
