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
