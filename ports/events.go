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
	// if there is none.
	After(ctx context.Context, scope access.Scope, position int64, types []string, limit int) ([]event.Logged, error)
}

// EventKeeper keeps the feeds of all companies.
type EventKeeper interface {
	// Waiting reports whether committed events have no position yet.
	Waiting(ctx context.Context) (bool, error)
	// Assign numbers up to limit events, oldest first, with the next positions of their companies'
	// feeds, and returns them. One transaction of a database does so at a time, until it ends,
	// and others wait for it: positions become visible in their order. Events of no company
	// get no position and are not returned.
	Assign(ctx context.Context, at time.Time, limit int) ([]event.Logged, error)
	// Positions returns the positions of events by their ids; 0 for an event that belongs to no
	// feed. An event that waits for its position is left out.
	Positions(ctx context.Context, ids []string) (map[string]int64, error)
	// Lasts returns the last position of each of the feeds; one without an event is left out.
	Lasts(ctx context.Context, companies []int64) (map[int64]int64, error)
	// Prune removes up to limit events that got their position before a time and are
	// published, and returns how many.
	Prune(ctx context.Context, before time.Time, limit int) (int64, error)
}
