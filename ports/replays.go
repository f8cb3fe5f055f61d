package ports

import (
	"context"
	"time"

	"tilth/core/access"
)

// Answer is the answer to a request, kept for repeats of the request.
type Answer struct {
	Status int
	Header map[string]string
	Body   []byte
}

// Replay is a request under an idempotency key with its answer.
type Replay struct {
	Key        string
	Digest     string // of the request
	AnsweredAt time.Time
	Answer     Answer
}

// CodeAnswered is the code of the fault where another request with the same key was answered.
const CodeAnswered = "already_answered"

// Replays are the answered requests under idempotency keys of a company.
type Replays interface {
	// Get returns the request under a key; ok is false where there is none.
	Get(ctx context.Context, scope access.Scope, key string) (r Replay, ok bool, err error)
	// Put stores a request, in the place of one with its key that was answered no later than
	// expired. Faults: Unavailable ([CodeAnswered]) where another was answered since then; the
	// transaction must not commit.
	Put(ctx context.Context, scope access.Scope, r Replay, expired time.Time) error
	// Purge removes up to limit requests of all companies answered before a time, and returns how many.
	Purge(ctx context.Context, before time.Time, limit int) (int64, error)
}
