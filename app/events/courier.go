package events

import (
	"context"
	"log/slog"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/webhook"
	"tilth/ports"
)

// deliveriesPerTurn is how many deliveries of a webhook are sent before others have their turn.
const deliveriesPerTurn = 20

// Courier sends the pending deliveries of a webhook. There is one job per webhook, so a slow
// address occupies one worker at most.
type Courier struct {
	Store  ports.Store
	Sender ports.WebhookSender
	Clock  ports.Clock
	IDs    ports.IDs
	Log    *slog.Logger
}

// Run sends deliveries in the order in which they are due, until none is due, one fails
// or its turn is over, and postpones the job until the next is due. A worker that is killed
// after a response and before its commit sends that delivery again: at least once.
func (c *Courier) Run(ctx context.Context, job ports.Job) error {
	scope := access.Own(job.CompanyID)
	for range deliveriesPerTurn {
		hook, next, ok, err := c.next(ctx, scope, job.Subject)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		outcome := c.Sender.Send(ctx, parcel(&hook, &next, c.Clock.Now()))
		if err := ctx.Err(); err != nil {
			return err // a shutdown, or a lost lease, is no failure of the address
		}
		if err := c.recordOutcome(ctx, scope, job.Subject, next.ID, outcome); err != nil {
			return err
		}
		if !outcome.Delivered() {
			break // the webhook pauses
		}
	}
	return c.leave(ctx, scope, job)
}

// next returns the delivery that is due; ok is false if there is none, or the webhook is
// inactive or deleted.
func (c *Courier) next(ctx context.Context, scope access.Scope, id int64) (hook webhook.Webhook, next webhook.Delivery, ok bool, err error) {
	err = c.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		hook, err = tx.Webhooks.Get(ctx, scope, id)
		if fault.Is(err, fault.NotFound) || err == nil && !hook.IsActive {
			return nil
		}
		if err != nil {
			return err
		}
		next, ok, err = tx.Deliveries.Due(ctx, scope, id, c.Clock.Now())
		return err
	})
	return hook, next, ok, err
}

// recordOutcome stores the outcome of a try.
func (c *Courier) recordOutcome(ctx context.Context, scope access.Scope, id, deliveryID int64, outcome webhook.Outcome) error {
	now, jitter := c.Clock.Now(), c.IDs.Jitter()
	var off string
	err := c.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		off = ""
		hook, err := tx.Webhooks.GetForUpdate(ctx, scope, id)
		if fault.Is(err, fault.NotFound) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return err
		}
		d, err := tx.Deliveries.GetForUpdate(ctx, scope, id, deliveryID)
		if err != nil {
			return err
		}
		was := hook.IsActive
		hook.Tried(outcome, now)
		d.Tried(outcome, now, jitter)
		if !hook.IsActive && d.State == webhook.Pending { // switched off while the request was under way
			d.State, d.NextTry = webhook.Failed, nil
		}
		if err := tx.Deliveries.Update(ctx, scope, d); err != nil {
			return err
		}
		if was && !hook.IsActive {
			off = hook.DisabledReason
			hook.UpdatedAt = record.NextVersion(hook.UpdatedAt, now)
			if err := tx.Deliveries.End(ctx, scope, id, "The webhook was switched off: "+hook.DisabledReason); err != nil {
				return err
			}
		}
		return tx.Webhooks.Update(ctx, scope, &hook)
	})
	if err == nil && off != "" {
		c.Log.WarnContext(ctx, "a webhook was switched off", "webhook", id, "reason", off)
	}
	return err
}

// leave postpones the job until the next delivery is due, or ends it. It holds the webhook's
// lock, as whoever adds deliveries does.
func (c *Courier) leave(ctx context.Context, scope access.Scope, job ports.Job) error {
	return c.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		hook, err := tx.Webhooks.GetForUpdate(ctx, scope, job.Subject)
		if fault.Is(err, fault.NotFound) {
			return tx.Jobs.Finish(ctx, job)
		}
		if err != nil {
			return err
		}
		at, err := tx.Deliveries.NextTry(ctx, scope, job.Subject)
		if err != nil {
			return err
		}
		if at == nil || !hook.IsActive {
			return tx.Jobs.Finish(ctx, job)
		}
		if pause := hook.SendAt(c.Clock.Now()); pause.After(*at) {
			at = &pause
		}
		return tx.Jobs.Postpone(ctx, job, *at)
	})
}
