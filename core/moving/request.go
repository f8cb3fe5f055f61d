package moving

import (
	"time"

	"tilth/core/record"
)

// Status is how far an export in the background is.
type Status string

// The states of an export.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
)

// Kept is how long the file of an export lies ready.
const Kept = 7 * 24 * time.Hour

// Request is an export that somebody of the company asked for.
type Request struct {
	ID        int64
	CompanyID int64
	CreatedBy record.Ref
	Operator  bool // who asked is an operator, acting inside the company
	CreatedAt time.Time
	UpdatedAt time.Time
	Status    Status
	Reason    string // of a failed one
	Object    string // the stored file
	Bytes     int64
	Rows      int64
	SHA256    string // of the manifest
}

// Open reports whether the export is still to be made.
func (r Request) Open() bool { return r.Status == Queued || r.Status == Running }

// Expires returns when the file goes.
func (r Request) Expires() time.Time { return r.UpdatedAt.Add(Kept) }
