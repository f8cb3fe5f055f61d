// Package record holds what the records of a company share: id, owner, times, creator and version.
// It knows nothing about particular kinds of records.
package record

import "time"

// Ref is a reference to another record: its id and its name.
type Ref struct {
	ID   int64
	Name string
}

// Meta is the common part of every record of a company.
type Meta struct {
	ID        int64     `audit:"-"`
	CompanyID int64     `audit:"-"`
	Company   string    `audit:"-"` // name of the company; read-only
	CreatedAt time.Time `audit:"-"`
	UpdatedAt time.Time `audit:"-"`
	CreatedBy *Ref      `audit:"-"` // nil where the creator is gone or was the system
}

// Base returns the common part, for code that handles all records alike.
func (m *Meta) Base() *Meta { return m }

// NextVersion returns the time of a change, which is also the record's version: it is later than
// the previous one, even within a microsecond or when a clock was set back.
func NextVersion(before, now time.Time) time.Time {
	if minimum := before.Add(time.Microsecond); now.Before(minimum) {
		return minimum
	}
	return now
}

// RestorePeriod is the time within which a deleted record can be restored.
const RestorePeriod = 30 * 24 * time.Hour
