package events

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/webhook"
	"tilth/ports"
)

// Deliveries returns the deliveries of a webhook, sent and pending, newest first.
// Faults: Unauthenticated, Forbidden, NotFound.
func (w *Webhooks) Deliveries(ctx context.Context, who access.Principal, q ports.DeliveryQuery) (app.List[webhook.Delivery], error) {
	if err := w.deps.Gate.Require(ctx, who, access.Webhooks.View); err != nil {
		return app.List[webhook.Delivery]{}, err
	}
	scope := who.Scope(false)
	if _, err := w.get(ctx, scope, q.WebhookID); err != nil {
		return app.List[webhook.Delivery]{}, err
	}
	return app.ReadList(ctx, w.deps.Store,
		func(ctx context.Context, tx ports.Repos) (int64, error) { return tx.Deliveries.Count(ctx, scope, q) },
		func(ctx context.Context, tx ports.Repos) iter.Seq2[webhook.Delivery, error] {
			return tx.Deliveries.Each(ctx, scope, q)
		})
}

// Test sends a test event to a webhook, active or not, at once and once, and returns the
// delivery with its outcome. It counts neither for nor against the webhook.
// Faults: Unauthenticated, Forbidden, NotFound.
func (w *Webhooks) Test(ctx context.Context, who access.Principal, id int64) (webhook.Delivery, error) {
	var out webhook.Delivery
	if err := w.deps.Gate.Require(ctx, who, access.Webhooks.Edit); err != nil {
		return out, err
	}
	scope := who.Scope(false)
	hook, err := w.get(ctx, scope, id)
	if err != nil {
		return out, err
	}
	if out, err = w.made(hook); err != nil {
		return out, err
	}
	outcome := w.sender.Send(ctx, parcel(&hook, &out, out.CreatedAt))
	if err := ctx.Err(); err != nil {
		return out, err // the caller left: nobody waits for the outcome
	}
	out.Tried(outcome, w.deps.Clock.Now(), 0)
	err = w.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		if _, err := tx.Webhooks.GetForUpdate(ctx, scope, id); err != nil {
			return err
		}
		return tx.Deliveries.Insert(ctx, scope, &out)
	})
	return out, err
}

// made returns the delivery of a test event.
func (w *Webhooks) made(hook webhook.Webhook) (webhook.Delivery, error) {
	now := w.deps.Clock.Now()
	data, err := json.Marshal(event.WebhookTest{Webhook: hook.ID})
	if err != nil {
		return webhook.Delivery{}, err
	}
	e := event.Logged{
		ID: w.deps.IDs.UUID(), Type: event.TypeWebhookTest, CompanyID: hook.CompanyID,
		Subject: fmt.Sprintf("webhook/%d", hook.ID), At: now, Data: data,
	}
	body, err := json.Marshal(CloudEventOf(e))
	return webhook.Delivery{
		WebhookID: hook.ID, EventID: e.ID, EventType: e.Type, Body: string(body), Test: true, CreatedAt: now, State: webhook.Pending,
	}, err
}

// parcel returns a delivery as it is posted.
func parcel(hook *webhook.Webhook, d *webhook.Delivery, at time.Time) ports.Parcel {
	return ports.Parcel{URL: hook.URL, ID: d.EventID, At: at, Body: []byte(d.Body), Secrets: hook.Secrets(at)}
}

// Retry begins another round of tries of a delivery, whatever its state.
// Faults: Unauthenticated, Forbidden, NotFound, Conflict (webhook_inactive).
func (w *Webhooks) Retry(ctx context.Context, who access.Principal, id, deliveryID int64) (webhook.Delivery, error) {
	var out webhook.Delivery
	if err := w.deps.Gate.Require(ctx, who, access.Webhooks.Edit); err != nil {
		return out, err
	}
	scope, now := who.Scope(false), w.deps.Clock.Now()
	err := w.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		hook, err := tx.Webhooks.GetForUpdate(ctx, scope, id)
		if err != nil {
			return err
		}
		d, err := tx.Deliveries.GetForUpdate(ctx, scope, id, deliveryID)
		if err != nil {
			return err
		}
		if !hook.IsActive {
			return fault.New(fault.Conflict, "webhook_inactive", "The webhook is switched off; switch it on first (is_active).")
		}
		d.Again(now)
		if err := tx.Deliveries.Update(ctx, scope, d); err != nil {
			return err
		}
		out = d
		hook.PausedUntil = nil // who retries now has fixed the address
		if err := tx.Webhooks.Update(ctx, scope, &hook); err != nil {
			return err
		}
		return tx.Jobs.Enqueue(ctx, webhookJobOf(&hook, now))
	})
	return out, err
}
