package ports

import (
	"context"
	"time"
)

// Holding is a kind of what a company has, as it is counted for a cap.
type Holding string

// What is counted.
const (
	HoldAPIKeys     Holding = "api_keys"     // not revoked
	HoldInvitations Holding = "invitations"  // neither accepted nor revoked, and not expired
	HoldWebhooks    Holding = "webhooks"     // not deleted
	HoldPACTClients Holding = "pact_clients" // not revoked
	HoldJobs        Holding = "pending_jobs" // unfinished, but for JobCompleteness
)

// Holdings counts what companies have.
type Holdings interface {
	// Count returns how much of a kind a company has, up to a bound, at a time. Until the transaction
	// ends others who count for that company wait, so that nobody adds what the count has not seen.
	Count(ctx context.Context, company int64, of Holding, bound int64, at time.Time) (int64, error)
}
