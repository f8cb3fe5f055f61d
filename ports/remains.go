package ports

import (
	"context"
	"time"
)

// Remains is what is over and only kept for a while, of all companies. Each call removes up to
// limit records and returns how many.
type Remains interface {
	// Sessions removes refresh tokens that expired before a time.
	Sessions(ctx context.Context, before time.Time, limit int) (int64, error)
	// Invitations removes invitations whose links expired before a time, accepted or not.
	Invitations(ctx context.Context, before time.Time, limit int) (int64, error)
	// Imports removes imports of outlines that ended before a time.
	Imports(ctx context.Context, before time.Time, limit int) (int64, error)
	// Messages removes events from and to PACT clients that came or were made before a time and wait for nothing.
	Messages(ctx context.Context, before time.Time, limit int) (int64, error)
	// Batches removes batches of assessments that ended before a time.
	Batches(ctx context.Context, before time.Time, limit int) (int64, error)
}

// Partitions are events and entries of the audit trail that a database keeps by their time, so that old ones go together. One that
// does not keeps everything here for who removes rows one by one.
type Partitions interface {
	// DropEvents drops the partitions whose events are all of before a time, published and delivered. It returns how many events
	// went, and the time before which the others are removed one by one.
	DropEvents(ctx context.Context, before time.Time) (n int64, rest time.Time, err error)
	// EntriesBefore returns the time up to which entries of the trails are marked as purged, where those of before a time may be.
	EntriesBefore(before time.Time) time.Time
	// DropEntries drops the partitions whose entries are all of before a time, and below the marks of their chains.
	DropEntries(ctx context.Context, before time.Time) error
}
