package footprint

import (
	"encoding/json"
	"time"

	"tilth/core/access"
)

// Publication is a footprint that the owner shows to its clients.
type Publication struct {
	ID           int64 `audit:"-"`
	AssessmentID int64
	Version      int
	Document     Document `audit:"-"` // as it was published; see Shown
	PublishedAt  time.Time
	PublishedBy  *access.Named `audit:"-"` // nil where that user is gone
	DeprecatedAt *time.Time
}

// Shown returns the footprint with its current status. Nothing else in it ever changes.
func (p Publication) Shown() Document {
	out := p.Document
	if p.DeprecatedAt != nil {
		out.Status = Deprecated
	}
	return out
}

// Same reports whether two footprints differ in nothing but when and under which ids they were made.
func (d Document) Same(other Document) bool { return d.content() == other.content() }

func (d Document) content() string {
	d.ID, d.PrecedingPfIDs, d.Created, d.Status = "", nil, time.Time{}, ""
	text, _ := json.Marshal(d) // strings, booleans and times always encode
	return string(text)
}
