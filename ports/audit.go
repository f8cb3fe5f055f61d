package ports

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/audit"
)

// AuditQuery selects entries of the audit trail. Zero values do not narrow it.
type AuditQuery struct {
	Resource string
	RecordID int64
	UserID   int64
	Action   audit.Action
	Since    *time.Time // at or after
	Until    *time.Time // at or before
	Limit    int64      // 0: all
	Offset   int64
	At       *Place // see [Query]
	From
}

// Page returns the bounds of a query; a limit of 0 is none.
func (q AuditQuery) Page() (limit, offset int64) { return q.Limit, q.Offset }

// Chunk returns the same query with other bounds, at a place.
func (q AuditQuery) Chunk(limit, offset int64, at *Place) AuditQuery {
	q.Limit, q.Offset, q.At = limit, offset, at
	return q
}

// AuditWriter adds to the audit trail, which is append-only, in the transaction of the change.
type AuditWriter interface {
	// Add stores entries. Those without a company or a record are refused (Internal).
	Add(ctx context.Context, entries ...audit.Entry) error
	// AddCascade stores an entry for every record that this transaction has soft-deleted or restored and that has no
	// entry yet: the children of a record are deleted and restored with it. The given entries say who did which of the
	// two; they are stored as they are, the others without members.
	AddCascade(ctx context.Context, by ...audit.Entry) error
}

// AuditTrail is the audit trail of a company, newest first.
type AuditTrail interface {
	AuditWriter
	List[audit.Entry, AuditQuery]
}

// OperatorEntry is a change of something that belongs to no company.
type OperatorEntry struct {
	ID       int64
	At       time.Time
	User     *access.Named // the operator who made it; nil: the command line
	Action   audit.Action
	Resource string // "price", "crop", "curves", "signing_key"
	Record   string // its name
	Changes  []audit.Change
}

// OperatorTrail is the trail of the operators, newest first. It is append-only.
type OperatorTrail interface {
	Add(ctx context.Context, entry OperatorEntry) error
	Whole[OperatorEntry]
}
