package moving

import (
	"time"

	"tilth/core/record"
)

// Status is the progress of an export in the background.
type Status string

// The states of an export.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
)

// Kept is how long the file of an export stays available.
const Kept = 7 * 24 * time.Hour

// Request is an export that was requested for a company.
type Request struct {
	ID        int64
	CompanyID int64
	CreatedBy record.Ref
	Operator  bool // the requester is an operator, acting inside the company
	CreatedAt time.Time
	UpdatedAt time.Time
	Status    Status
	Reason    string // of a failed export
	Object    string // the stored file
	Bytes     int64
	Rows      int64
	SHA256    string // of the manifest
}

// Open reports whether the export is still to be made.
func (r Request) Open() bool { return r.Status == Queued || r.Status == Running }

// Expires returns when the file expires.
func (r Request) Expires() time.Time { return r.UpdatedAt.Add(Kept) }
