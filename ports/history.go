package ports

import (
	"context"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/farm"
)

// Order is one term of the order of a list. The fields are those of the resource's
// documented ordering.
type Order struct {
	Field      string
	Descending bool
}

// Restorable is what brings soft-deleted records of a company back.
type Restorable[T any] interface {
	// GetDeleted returns an own record that was deleted at or after a time, with when it was,
	// and locks it until the transaction ends. Faults: NotFound.
	GetDeleted(ctx context.Context, scope access.Scope, id int64, since time.Time) (T, time.Time, error)
	// Undelete makes a record live again that was deleted at that very time.
	Undelete(ctx context.Context, scope access.Scope, id int64, deletedAt, now time.Time) error
}

// Fertilizations are the applications of fertilizers of a company.
type Fertilizations interface {
	Records[farm.Fertilization]
	// SoftDeleteOfFields marks those of live cultivations of the fields deleted.
	SoftDeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, at time.Time) (int64, error)
	// SoftDeleteOfCultivation marks those of a cultivation deleted.
	SoftDeleteOfCultivation(ctx context.Context, scope access.Scope, cultivationID int64, at time.Time) (int64, error)
	// UndeleteOfFields makes those live again that were deleted at a time with the
	// cultivations of the fields.
	UndeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, deletedAt, now time.Time) error
	// UndeleteOfCultivation makes those live again that were deleted at a time with a cultivation.
	UndeleteOfCultivation(ctx context.Context, scope access.Scope, cultivationID int64, deletedAt, now time.Time) error
}

// Boundaries are the boundaries that the fields of a company have had.
type Boundaries interface {
	// Close ends the versions in force of the fields.
	Close(ctx context.Context, scope access.Scope, fieldIDs []int64, at time.Time) error
	// Open stores versions that are in force; those before them must have been closed.
	Open(ctx context.Context, scope access.Scope, versions []farm.BoundaryVersion) error
	// Count counts the versions of a field in the scope.
	Count(ctx context.Context, scope access.Scope, fieldID int64) (int64, error)
	// Each streams a page of the versions of a field, newest first.
	Each(ctx context.Context, scope access.Scope, fieldID int64, q Query) iter.Seq2[farm.BoundaryVersion, error]
}

// Answer is what a request was answered with, kept to be given again.
type Answer struct {
	Status int
	Header map[string]string
	Body   []byte
}

// Replay is a request under an idempotency key: first claimed, then executed, when its
// effect is committed, then answered.
type Replay struct {
	Key        string
	Digest     string // of the request
	Token      string // of the claim
	ClaimedAt  time.Time
	LeaseUntil time.Time // until when the claim keeps others waiting
	Executed   bool
	Answer     *Answer // nil: not answered
}

// Replays are the requests under idempotency keys of a company.
type Replays interface {
	// Get returns the request under a key and locks it; ok is false where there is none.
	Get(ctx context.Context, scope access.Scope, key string) (r Replay, ok bool, err error)
	// Claim stores a claim in the place of the one with a token, or, where that is empty,
	// as the first. Faults: Conflict (claim_lost) when another was first.
	Claim(ctx context.Context, scope access.Scope, claim Replay, instead string) error
	// Executed marks a claim executed. Faults: Conflict (claim_lost) when another request
	// has taken the key over: the transaction must not commit.
	Executed(ctx context.Context, scope access.Scope, key, token string, at time.Time) error
	// Answered stores the answer of a claim that is still held.
	Answered(ctx context.Context, scope access.Scope, key, token string, answer Answer, at time.Time) error
	// Release forgets a claim that was not executed.
	Release(ctx context.Context, scope access.Scope, key, token string) error
	// Purge forgets the requests of all companies claimed before a time, and gives how many.
	Purge(ctx context.Context, before time.Time) (int64, error)
}
