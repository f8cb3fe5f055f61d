package ports

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/webhook"
)

// Outbox takes the events of a transaction.
type Outbox interface {
	Add(ctx context.Context, events ...event.Event) error
}

// OutboxRow is an event that waits to be published.
type OutboxRow struct {
	event.Logged
	Seq      int64
	Attempts int
}

// Relay is the reading side of the outbox.
type Relay interface {
	// Pending returns up to limit unpublished events, oldest first, held until the lease ends; none while a relay holds
	// some, so that they are published in order.
	Pending(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]OutboxRow, error)
	// Published marks events as acknowledged by every consumer, or stored by the broker.
	Published(ctx context.Context, seqs []int64, at time.Time) error
}

// EventFeed is the feed of a company's events, in the order of their positions.
type EventFeed interface {
	// Bounds returns what the feed holds.
	Bounds(ctx context.Context, scope access.Scope) (event.Bounds, error)
	// After returns up to limit events after a position, of the given types or, where none is given, of all.
	After(ctx context.Context, scope access.Scope, position int64, types []string, limit int) ([]event.Logged, error)
}

// EventKeeper keeps the feeds of all companies.
type EventKeeper interface {
	// Waiting reports whether committed events have no position yet.
	Waiting(ctx context.Context) (bool, error)
	// Assign numbers up to limit events, oldest first, with the next positions of their companies'
	// feeds, and returns them. Only one transaction of a database does so at a time, and others
	// wait until it ends: positions become visible in their order. Events of no company get no
	// position and are not returned.
	Assign(ctx context.Context, at time.Time, limit int) ([]event.Logged, error)
	// Positions returns the positions of events by id: 0 for an event of no feed, nothing for one that still waits for its position.
	Positions(ctx context.Context, ids []string) (map[string]int64, error)
	// Lasts returns the last position of each of the feeds; one without an event is left out.
	Lasts(ctx context.Context, companies []int64) (map[int64]int64, error)
	// Get returns a committed event. Faults: NotFound.
	Get(ctx context.Context, id string) (event.Logged, error)
	// Prune removes up to limit published events with a position from before a time, and returns how many. Those that
	// webhooks have not received yet stay.
	Prune(ctx context.Context, before time.Time, limit int) (int64, error)
}

// DeliveryQuery selects deliveries, newest first. An empty state does not narrow it.
type DeliveryQuery struct {
	WebhookID int64
	State     webhook.State
	Limit     int64 // 0: all
	Offset    int64
	At        *Place // see [Query]
	From
}

// Page returns the bounds of a query; a limit of 0 is none.
func (q DeliveryQuery) Page() (limit, offset int64) { return q.Limit, q.Offset }

// Chunk returns the same query with other bounds, at a place.
func (q DeliveryQuery) Chunk(limit, offset int64, at *Place) DeliveryQuery {
	q.Limit, q.Offset, q.At = limit, offset, at
	return q
}

// Deliveries are what is sent, and was sent, to the webhooks of a company.
type Deliveries interface {
	List[webhook.Delivery, DeliveryQuery]
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
	// End marks every pending delivery of a webhook as failed, for a reason.
	End(ctx context.Context, scope access.Scope, webhookID int64, reason string) error
}

// WebhookKeeper holds the webhooks and the deliveries of all companies.
type WebhookKeeper interface {
	// Take returns the events of the companies' feeds of which no deliveries were made yet, in order, and marks them as
	// taken by this transaction. Other transactions that take them wait for it.
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
	Secrets []string      // whsec_…, each signs; none: it is not signed
	Token   *TokenRequest // nil: it is posted without a token
}

// TokenRequest is a credential for access tokens (OAuth 2.0, client credentials) that a parcel is posted with.
type TokenRequest struct{ URL, ID, Secret string }

// WebhookSender posts parcels.
type WebhookSender interface {
	// Check returns what is wrong with an address, for people; empty for nothing. Every dial checks what it resolves to.
	Check(address string) string
	// Send posts a parcel, once, and returns the outcome; a failure is an outcome too.
	Send(ctx context.Context, p Parcel) webhook.Outcome
}
