package ports

import (
	"context"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/webhook"
)

// DeliveryQuery selects deliveries, newest first. An empty state does not narrow it.
type DeliveryQuery struct {
	WebhookID int64
	State     webhook.State
	Limit     int64 // 0: all
	Offset    int64
}

// Deliveries are what is sent, and was sent, to the webhooks of a company.
type Deliveries interface {
	// Count counts what a query selects, without its page.
	Count(ctx context.Context, scope access.Scope, q DeliveryQuery) (int64, error)
	// Each streams the page of a query.
	Each(ctx context.Context, scope access.Scope, q DeliveryQuery) iter.Seq2[webhook.Delivery, error]
	// GetForUpdate returns a delivery of a webhook and locks it. Faults: NotFound.
	GetForUpdate(ctx context.Context, scope access.Scope, webhookID, id int64) (webhook.Delivery, error)
	// Due returns the pending delivery of a webhook that has been due for longest; ok is false if none is.
	Due(ctx context.Context, scope access.Scope, webhookID int64, now time.Time) (d webhook.Delivery, ok bool, err error)
	// NextTry returns when the next pending delivery of a webhook is due; nil if none is pending.
	NextTry(ctx context.Context, scope access.Scope, webhookID int64) (*time.Time, error)
	// Insert stores a delivery and fills in its id.
	Insert(ctx context.Context, scope access.Scope, d *webhook.Delivery) error
	// Update stores a delivery read under a lock.
	Update(ctx context.Context, scope access.Scope, d webhook.Delivery) error
	// End makes every pending delivery of a webhook failed, for a reason.
	End(ctx context.Context, scope access.Scope, webhookID int64, reason string) error
}

// WebhookKeeper holds the webhooks and the deliveries of all companies.
type WebhookKeeper interface {
	// Take returns the events of the companies' feeds of which no deliveries were made yet, in
	// order, and marks them as taken by this transaction. Others that take them wait for it.
	Take(ctx context.Context, companies []int64) ([]event.Logged, error)
	// Listening returns the active webhooks of the companies and locks them, in order of id.
	Listening(ctx context.Context, companies []int64) ([]webhook.Webhook, error)
	// Add stores deliveries; one of an event that the webhook has already is left out.
	Add(ctx context.Context, deliveries []webhook.Delivery) error
	// Prune removes up to limit deliveries made before a time that are not pending, and returns how many.
	Prune(ctx context.Context, before time.Time, limit int) (int64, error)
}

// Parcel is what is posted to a webhook.
type Parcel struct {
	URL     string
	ID      string // of the event; the same at every try
	At      time.Time
	Body    []byte
	Secrets []string // whsec_…, each signs
}

// WebhookSender posts parcels.
type WebhookSender interface {
	// Check returns what is wrong with an address, for people; empty if nothing is. What the
	// name resolves to is checked whenever it is dialled.
	Check(address string) string
	// Send posts a parcel, once, and returns the outcome; a failure is one, too.
	Send(ctx context.Context, p Parcel) webhook.Outcome
}
