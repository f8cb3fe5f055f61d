package ports

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/event"
)

// EventFeed is the feed of a company's events, in the order of their positions.
type EventFeed interface {
	// Bounds returns what the feed holds.
	Bounds(ctx context.Context, scope access.Scope) (event.Bounds, error)
	// After returns up to limit events after a position, of the given types, or of every type
	// where none is given.
	After(ctx context.Context, scope access.Scope, position int64, types []string, limit int) ([]event.Logged, error)
}

// EventKeeper keeps the feeds of all companies.
type EventKeeper interface {
	// Waiting reports whether committed events have no position yet.
	Waiting(ctx context.Context) (bool, error)
	// Assign returns up to limit events, oldest first, the next positions of their companies'
	// feeds. One transaction of a database does so at a time, until it ends: positions become
	// visible in their order. Where another is at it, it does nothing. Events of no company
	// get no position and are not given.
	Assign(ctx context.Context, at time.Time, limit int) ([]event.Logged, error)
	// Lasts returns the last position of each of the feeds; one without an event is left out.
	Lasts(ctx context.Context, companies []int64) (map[int64]int64, error)
	// Prune forgets up to limit events that were given their position before a time and are
	// published, and gives how many. Where another transaction is at the feeds, it does nothing.
	Prune(ctx context.Context, before time.Time, limit int) (int64, error)
	// PruneSeen forgets up to limit notes of consumers from before a time, and gives how many.
	PruneSeen(ctx context.Context, before time.Time, limit int) (int64, error)
}
