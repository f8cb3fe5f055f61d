package ports

import (
	"context"
	"iter"
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
}

// AuditWriter adds to the audit trail, in the transaction of what it tells of. The
// trail is append-only.
type AuditWriter interface {
	// Add stores entries. Those without a company or a record are refused (Internal).
	Add(ctx context.Context, entries ...audit.Entry) error
	// AddCascade stores an entry for every record that this transaction has soft-deleted or
	// restored and not yet told of: what hangs below a record goes and comes with it. by says
	// who did which of the two; its own record is stored as it is, the others without members.
	AddCascade(ctx context.Context, by audit.Entry) error
}

// AuditTrail is the audit trail of a company.
type AuditTrail interface {
	AuditWriter
	// Count counts what a query selects, without its page.
	Count(ctx context.Context, scope access.Scope, q AuditQuery) (int64, error)
	// Each streams the page of a query, newest first.
	Each(ctx context.Context, scope access.Scope, q AuditQuery) iter.Seq2[audit.Entry, error]
}
