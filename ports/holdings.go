package ports

import (
	"context"
	"time"
)

// Holding is a kind of thing that a company has and that is counted against a cap.
type Holding string

// What is counted.
const (
	HoldAPIKeys     Holding = "api_keys"     // not revoked
	HoldInvitations Holding = "invitations"  // neither accepted nor revoked, and not expired
	HoldWebhooks    Holding = "webhooks"     // not deleted
	HoldPACTClients Holding = "pact_clients" // not revoked
	HoldJobs        Holding = "pending_jobs" // unfinished, except JobCompleteness
)

// Holdings counts what companies have.
type Holdings interface {
	// Count returns how many of a kind a company has at a time, up to a bound. Other callers that count for that
	// company wait until the transaction ends, so that nobody adds what the count has not seen.
	Count(ctx context.Context, company int64, of Holding, bound int64, at time.Time) (int64, error)
}
