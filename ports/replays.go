package ports

import (
	"context"
	"time"

	"tilth/core/access"
)

// Answer is what a request was answered with, kept to be given again.
type Answer struct {
	Status int
	Header map[string]string
	Body   []byte
}

// Replay is a request under an idempotency key: claimed, then executed (its effect is committed), then answered.
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
	// Executed marks a claim executed. Faults: Conflict (claim_lost): the transaction must not commit.
	Executed(ctx context.Context, scope access.Scope, key, token string, at time.Time) error
	// Answered stores the answer of a claim that is still held.
	Answered(ctx context.Context, scope access.Scope, key, token string, answer Answer, at time.Time) error
	// Release forgets a claim that was not executed.
	Release(ctx context.Context, scope access.Scope, key, token string) error
	// Purge forgets the requests of all companies claimed before a time, and gives how many.
	Purge(ctx context.Context, before time.Time) (int64, error)
}
