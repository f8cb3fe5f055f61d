package events

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/webhook"
	"tilth/ports"
)

// Deliveries returns the deliveries of a webhook, sent and pending, newest first. Faults: NotFound.
func (w *Webhooks) Deliveries(ctx context.Context, who access.Principal, q ports.DeliveryQuery) (app.List[webhook.Delivery], error) {
	return app.ReadList(ctx, w.Deps, app.Ask{Who: who, Need: access.Webhooks.View}, q,
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			if _, err := tx.Webhooks.Get(ctx, scope, q.WebhookID); err != nil {
				return 0, err
			}
			return tx.Deliveries.Count(ctx, scope, q)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope, q ports.DeliveryQuery) iter.Seq2[webhook.Delivery, error] {
			return tx.Deliveries.Each(ctx, scope, q)
		})
}

// Test sends a test event to a webhook, active or not, immediately and only once, and returns the delivery
// with its outcome. It counts neither for nor against the webhook. Faults: NotFound.
func (w *Webhooks) Test(ctx context.Context, who access.Principal, id int64) (webhook.Delivery, error) {
	scope := who.Scope(false)
	hook, err := app.Read(ctx, w.Deps, who, access.Webhooks.Edit, func(ctx context.Context, tx ports.Repos) (webhook.Webhook, error) {
		return tx.Webhooks.Get(ctx, scope, id)
	})
	if err != nil {
		return webhook.Delivery{}, err
	}
	out, err := w.made(hook)
	if err != nil {
		return out, err
	}
	outcome := w.Sender.Send(ctx, parcel(&hook, &out, out.CreatedAt))
	if err := ctx.Err(); err != nil {
		return out, err // the caller left: nobody waits for the outcome
	}
	out.Tried(outcome, w.Clock.Now(), 0)
	err = w.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		if _, err := tx.Webhooks.GetForUpdate(ctx, scope, id); err != nil {
			return err
		}
		return tx.Deliveries.Insert(ctx, scope, &out)
	})
	return out, err
}

// made returns the delivery of a test event.
func (w *Webhooks) made(hook webhook.Webhook) (webhook.Delivery, error) {
	now := w.Clock.Now()
	data, err := json.Marshal(event.WebhookTest{Webhook: hook.ID})
	if err != nil {
		return webhook.Delivery{}, err
	}
	e := event.Logged{
		ID: w.IDs.UUID(), Type: event.TypeWebhookTest, CompanyID: hook.CompanyID,
		Subject: fmt.Sprintf("webhook/%d", hook.ID), At: now, Data: data,
	}
	body, err := json.Marshal(CloudEventOf(e))
	return webhook.Delivery{
		WebhookID: hook.ID, EventID: e.ID, EventType: e.Type, Body: string(body), Test: true, CreatedAt: now, State: webhook.Pending,
	}, err
}

// parcel returns a delivery in the form in which it is posted.
func parcel(hook *webhook.Webhook, d *webhook.Delivery, at time.Time) ports.Parcel {
	return ports.Parcel{URL: hook.URL, ID: d.EventID, At: at, Body: []byte(d.Body), Secrets: hook.Secrets(at)}
}

// Retry begins another round of tries of a delivery, whatever its state. Faults: NotFound, Conflict
// (webhook_inactive).
func (w *Webhooks) Retry(ctx context.Context, who access.Principal, id, deliveryID int64) (webhook.Delivery, error) {
	scope, now := who.Scope(false), w.Clock.Now()
	return app.Write(ctx, w.Deps, who, access.Webhooks.Edit, func(ctx context.Context, tx ports.Repos) (out webhook.Delivery, err error) {
		hook, err := tx.Webhooks.GetForUpdate(ctx, scope, id)
		if err != nil {
			return out, err
		}
		d, err := tx.Deliveries.GetForUpdate(ctx, scope, id, deliveryID)
		if err != nil {
			return out, err
		}
		if !hook.IsActive {
			return out, fault.New(fault.Conflict, "webhook_inactive", "The webhook is switched off; switch it on first (is_active).")
		}
		d.Again(now)
		if err := tx.Deliveries.Update(ctx, scope, d); err != nil {
			return out, err
		}
		out = d
		hook.PausedUntil = nil // a caller who retries now has fixed the address
		if err := tx.Webhooks.Update(ctx, scope, &hook); err != nil {
			return out, err
		}
		return out, tx.Jobs.Enqueue(ctx, task.JobOn(WebhookJob, hook.CompanyID, id, now))
	})
}

// deliveriesPerTurn is the number of deliveries that a webhook may make before the others have their turn.
const deliveriesPerTurn = 20

// Courier sends the deliveries that wait for a webhook. There is one job per webhook, so that only
// one worker at a time serves it, and a slow address costs the others no more than that worker.
type Courier struct {
	Store  ports.Store
	Sender ports.WebhookSender
	Clock  ports.Clock
	IDs    ports.IDs
	Log    *slog.Logger
}

// Run does one job of [WebhookJob]: it sends deliveries in the order in which they are due, until
// none is due, one fails or its turn ends, and postpones the job until the next is due. A worker
// that is killed between an answer and its transaction sends that delivery again: at least once.
func (c *Courier) Run(ctx context.Context, job ports.Job) error {
	runner := task.ForCompany(c.Store, c.Clock, c.IDs, c.Log)
	return task.Do(ctx, runner, task.Limits{Pieces: deliveriesPerTurn}, courierWork{c}, job)
}

// courierWork sends the deliveries of one webhook, one after the other.
type courierWork struct{ *Courier }

// dueDelivery is a webhook, under the lock that whoever adds deliveries also holds, with the delivery that is due.
type dueDelivery struct {
	hook webhook.Webhook
	next webhook.Delivery
}

// attempt is a delivery and the outcome of one try of it.
type attempt struct {
	delivery int64
	outcome  webhook.Outcome
}

func (courierWork) Lock(ctx context.Context, run task.Run[ports.Repos]) (s dueDelivery, next task.Next, err error) {
	s.hook, err = run.Tx.Webhooks.GetForUpdate(ctx, run.Scope, run.Job.Subject)
	if fault.Is(err, fault.NotFound) {
		return s, task.Finish(), nil
	}
	return s, task.Continue(), err
}

// Begin finds the delivery that is due.
func (w courierWork) Begin(ctx context.Context, run task.Run[ports.Repos], s *dueDelivery) (task.Next, error) {
	due := false
	if s.hook.IsActive {
		var err error
		if s.next, due, err = run.Tx.Deliveries.Due(ctx, run.Scope, s.hook.ID, run.Now); err != nil {
			return task.Next{}, err
		}
	}
	if !due {
		return w.pause(ctx, run, &s.hook)
	}
	return task.Continue(), nil
}

// pause postpones the job until the next delivery is due and the webhook accepts one; it ends the
// job if there is none, or the webhook is off.
func (courierWork) pause(ctx context.Context, run task.Run[ports.Repos], hook *webhook.Webhook) (task.Next, error) {
	at, err := run.Tx.Deliveries.NextTry(ctx, run.Scope, hook.ID)
	if err != nil || at == nil || !hook.IsActive {
		return task.Finish(), err
	}
	if pause := hook.SendAt(run.Now); pause.After(*at) {
		at = &pause
	}
	return task.Again(*at), nil
}

func (w courierWork) Do(ctx context.Context, s dueDelivery) (attempt, error) {
	return attempt{s.next.ID, w.Sender.Send(ctx, parcel(&s.hook, &s.next, w.Clock.Now()))}, nil
}

// Same is true for every webhook: a delivery that was sent is recorded, whatever has become of the webhook.
func (courierWork) Same(_, _ dueDelivery) bool { return true }

// Complete stores the outcome of a try.
func (w courierWork) Complete(ctx context.Context, run task.Run[ports.Repos], s *dueDelivery, tried attempt) (task.Next, error) {
	d, err := run.Tx.Deliveries.GetForUpdate(ctx, run.Scope, s.hook.ID, tried.delivery)
	if err != nil {
		return task.Next{}, err
	}
	hook, was := &s.hook, s.hook.IsActive
	hook.Tried(tried.outcome, run.Now)
	d.Tried(tried.outcome, run.Now, run.Jitter)
	if !hook.IsActive && d.State == webhook.Pending { // switched off while the request was under way
		d.State, d.NextTry = webhook.Failed, nil
	}
	if err := run.Tx.Deliveries.Update(ctx, run.Scope, d); err != nil {
		return task.Next{}, err
	}
	if was && !hook.IsActive {
		w.Log.WarnContext(ctx, "a webhook is switched off", "webhook", hook.ID, "reason", hook.DisabledReason)
		hook.UpdatedAt = record.NextVersion(hook.UpdatedAt, run.Now)
		if err := run.Tx.Deliveries.End(ctx, run.Scope, hook.ID, "The webhook was switched off: "+hook.DisabledReason); err != nil {
			return task.Next{}, err
		}
	}
	if err := run.Tx.Webhooks.Update(ctx, run.Scope, hook); err != nil {
		return task.Next{}, err
	}
	if !tried.outcome.Delivered() {
		return w.pause(ctx, run, hook)
	}
	return task.Continue(), nil
}

// Unavailable hands the job back; an address that does not answer is an outcome, not a failure of the job.
func (courierWork) Unavailable(_ context.Context, _ task.Run[ports.Repos], _ dueDelivery, cause error) (task.Next, error) {
	return task.Next{}, cause
}

// Fail has nothing to store: each delivery has its own tries.
func (courierWork) Fail(context.Context, task.Run[ports.Repos], dueDelivery, string) error {
	return nil
}
