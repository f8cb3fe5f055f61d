package events

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"tilth/core/event"
	"tilth/core/webhook"
	"tilth/ports"
)

// WebhookJob is the kind of the jobs that deliver to a webhook; there is one per webhook.
const WebhookJob = "webhook"

// webhookJobOf returns the job that sends the pending deliveries of a webhook.
func webhookJobOf(hook *webhook.Webhook, at time.Time) ports.Job {
	return ports.Job{
		Kind: WebhookJob, Key: strconv.FormatInt(hook.ID, 10), CompanyID: hook.CompanyID, Subject: hook.ID, RunAt: at,
	}
}

// Dispatcher is the consumer that makes deliveries of events, and the jobs that send them.
// Its done-mark is how far the feed of each company is delivered.
type Dispatcher struct {
	Store ports.Store
	Clock ports.Clock
}

// Dispatch makes the deliveries of all events, in order, up to the ends of the feeds of a
// batch, including older events that another replica has relayed and not dispatched yet.
// The webhooks stay locked until the transaction ends: whoever finishes the job of one of them
// sees the new deliveries, or they are added afterwards.
func (d *Dispatcher) Dispatch(ctx context.Context, batch []CloudEvent) error {
	var companies []int64
	for _, e := range batch {
		companies = append(companies, e.CompanyID)
	}
	slices.Sort(companies)
	companies = slices.Compact(companies)
	return d.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		now := d.Clock.Now()
		taken, err := tx.Webhooks.Take(ctx, companies)
		if err != nil || len(taken) == 0 {
			return err
		}
		hooks, err := tx.Webhooks.Listening(ctx, companies)
		if err != nil {
			return err
		}
		var deliveries []webhook.Delivery
		for i := range hooks {
			mine, err := deliveriesOf(&hooks[i], taken, now)
			if err != nil {
				return err
			}
			if len(mine) == 0 {
				continue
			}
			deliveries = append(deliveries, mine...)
			if err := tx.Jobs.Enqueue(ctx, webhookJobOf(&hooks[i], hooks[i].SendAt(now))); err != nil {
				return err
			}
		}
		return tx.Webhooks.Add(ctx, deliveries)
	})
}

func deliveriesOf(hook *webhook.Webhook, taken []event.Logged, now time.Time) ([]webhook.Delivery, error) {
	var out []webhook.Delivery
	for _, e := range taken {
		if e.CompanyID != hook.CompanyID || !hook.Wants(e.Type) {
			continue
		}
		body, err := json.Marshal(CloudEventOf(e))
		if err != nil {
			return nil, err
		}
		out = append(out, webhook.Delivery{
			CompanyID: hook.CompanyID, WebhookID: hook.ID, EventID: e.ID, EventType: e.Type, Body: string(body),
			CreatedAt: now, State: webhook.Pending, NextTry: &now,
		})
	}
	return out, nil
}
