package ports

import (
	"context"
	"time"
)

// SecretPlace is where a walk over all stored secrets stands; the zero value is its start.
type SecretPlace struct {
	Table int
	Key   []string // of the last row
}

// SecretKeeper reseals the secrets of the whole installation: signing keys, secrets of webhooks,
// kept answers.
type SecretKeeper interface {
	// Reseal seals the secrets of up to limit rows after a place with the current key, where
	// another key or none sealed them. It returns how many it changed, and the next place; nil
	// after the last row. Faults: Precondition (secret_key_missing) where no key is configured;
	// Unavailable (secret_key_missing) for a secret whose key is not configured.
	Reseal(ctx context.Context, after SecretPlace, limit int) (changed int64, next *SecretPlace, err error)
	// Waiting counts, up to a limit, the secrets that the current key has not sealed.
	Waiting(ctx context.Context, limit int) (int64, error)
	// Retire forgets the keys that no longer seal anything, except the current one, and returns its id.
	Retire(ctx context.Context) (current string, err error)

	// Lost counts the secrets whose keys are not configured.
	Lost(ctx context.Context) (LostSecrets, error)
	// Discard replaces the lost secrets of up to limit rows after a place, or removes those that
	// can be made again. It returns the next place; nil after the last row.
	Discard(ctx context.Context, after SecretPlace, limit int, instead SecretRemedies) (out Discarded, next *SecretPlace, err error)
	// Forget forgets the keys that are not configured, once nothing is sealed with them, and returns their ids.
	Forget(ctx context.Context) ([]string, error)
}

// LostSecrets counts secrets whose key is lost.
type LostSecrets struct {
	SigningKeys  int64 // of access tokens
	ChainKeys    int64 // that signed the chains of the ledger and the trails
	Webhooks     int64
	Recipients   int64 // credentials shown to the recipients of footprints
	Links        int64 // printed on labels and field sheets
	Answers      int64 // kept under an Idempotency-Key
	Certificates int64 // fetched ones, with the account at their authority
}

// Any reports whether any secret is lost.
func (l LostSecrets) Any() bool { return l != LostSecrets{} }

// SecretRemedies is what takes the place of lost secrets.
type SecretRemedies struct {
	At             time.Time
	WebhookSecret  func() (string, error)
	DisabledReason string // of webhooks whose secret is new
	Answer         Answer
}

// Discarded is what was done about lost secrets.
type Discarded struct {
	Lost     LostSecrets
	Webhooks []WebhookPlace
}

// WebhookPlace names a webhook of any company.
type WebhookPlace struct{ CompanyID, ID int64 }
