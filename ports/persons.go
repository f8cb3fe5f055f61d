package ports

import (
	"context"
	"time"

	"tilth/core/chain"
)

// Held is what is stored about a person, by kind; each record by the names of its columns.
type Held map[string][]map[string]any

// Persons find and erase what is stored about a person.
type Persons interface {
	// Held returns everything that is stored about a user except secrets and hashes, and the ids of
	// the records that it made.
	Held(ctx context.Context, user User) (Held, error)
	// Entries returns the ids of the entries of its company's audit trail that may name a user:
	// those about users and invitations, and those of its own.
	Entries(ctx context.Context, user User) ([]int64, error)
	// Erase removes sessions, links, letters, identities, roles and the password of a user, ends its
	// keys, and stores a name and an address in place of its own.
	Erase(ctx context.Context, user User, name, email string, at time.Time) error
}

// ValueEraser erases values of chained rows.
type ValueEraser interface {
	// EraseValues erases the values that choose picks from each of the chained rows, and returns
	// how many. Faults: Unavailable where one of them is not chained yet.
	EraseValues(ctx context.Context, id chain.ID, rows []int64, choose func(row chain.Row) func(f chain.Field) bool, at time.Time) (int64, error)
}
