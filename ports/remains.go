package ports

import (
	"context"
	"time"
)

// Remains removes what has ended and is only kept for a while, for all companies. Each call removes
// up to limit records and returns how many.
type Remains interface {
	// Sessions removes refresh tokens that expired before a time.
	Sessions(ctx context.Context, before time.Time, limit int) (int64, error)
	// Invitations removes invitations whose links expired before a time, accepted or not.
	Invitations(ctx context.Context, before time.Time, limit int) (int64, error)
	// Imports removes imports of outlines that ended before a time.
	Imports(ctx context.Context, before time.Time, limit int) (int64, error)
	// Messages removes events from and to PACT clients that were received or made before a time and wait for nothing.
	Messages(ctx context.Context, before time.Time, limit int) (int64, error)
	// Batches removes batches of assessments that ended before a time.
	Batches(ctx context.Context, before time.Time, limit int) (int64, error)
}

// Partitions are the events and the entries of the audit trail in a database that keeps them by time, so that old ones are
// removed together. A database that does not do so keeps everything here, and leaves it to the removal of single rows.
type Partitions interface {
	// DropEvents drops the partitions whose events are all from before a time, published and delivered. It returns how
	// many events it removed, and the time before which the others are removed one by one.
	DropEvents(ctx context.Context, before time.Time) (n int64, rest time.Time, err error)
	// EntriesBefore returns the time up to which entries of the trails are marked as purged, where those from before a time may be.
	EntriesBefore(before time.Time) time.Time
	// DropEntries drops the partitions whose entries are all from before a time, and below the marks of their chains.
	DropEntries(ctx context.Context, before time.Time) error
}
