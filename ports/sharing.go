package ports

import (
	"context"
	"iter"
	"time"

	"tilth/core/access"
)

// GrantQuery selects share grants, ordered by id. Zero values do not narrow it.
type GrantQuery struct {
	Given    bool // only those the company gives
	Received bool // only those addressed to it
	Status   access.GrantStatus
	Farm     int64
	Field    int64
	Limit    int64 // 0: all
	Offset   int64
}

// Grants are the share grants that a company gives or is offered. A grant between two
// others is not found.
type Grants interface {
	// Count counts what a query selects, without its page.
	Count(ctx context.Context, scope access.Scope, q GrantQuery) (int64, error)
	// Each streams the page of a query in order of id.
	Each(ctx context.Context, scope access.Scope, q GrantQuery) iter.Seq2[access.Grant, error]
	// Get returns one grant. Faults: NotFound.
	Get(ctx context.Context, scope access.Scope, id int64) (access.Grant, error)
	// GetForUpdate returns one grant and locks it until the transaction ends. Faults: NotFound.
	GetForUpdate(ctx context.Context, scope access.Scope, id int64) (access.Grant, error)
	// Insert stores a grant of the company and fills in its id.
	Insert(ctx context.Context, scope access.Scope, grant *access.Grant) error
	// SetStatus stores the status of a grant read by GetForUpdate. Faults: NotFound.
	SetStatus(ctx context.Context, scope access.Scope, id int64, status access.GrantStatus, at time.Time) error
	// Party returns the company of a uuid, which is how one company names another: there is
	// no way to list them. Faults: NotFound.
	Party(ctx context.Context, uuid string) (access.Party, error)
}
