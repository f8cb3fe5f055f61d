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

// WebhookJob is the kind of the jobs that deliver to a webhook; there is one a webhook.
const WebhookJob = "webhook"

// WebhookJobOf makes the job that delivers what waits for a webhook.
func WebhookJobOf(hook *webhook.Webhook, at time.Time) ports.Job {
	return ports.Job{
		Kind: WebhookJob, Key: strconv.FormatInt(hook.ID, 10), CompanyID: hook.CompanyID, Subject: hook.ID, RunAt: at,
	}
}

// Sizes of transactions.
const (
	stepEvents = 100 // events given a position at a time
	pruneRows  = 500 // rows forgotten at a time
)

// seenFor is how long it is kept which consumer has seen which event: longer than any
// event waits to be published.
const seenFor = 7 * 24 * time.Hour

// Sequencer gives committed events their places, in order, and makes the deliveries of
// the webhooks that asked for them, in the same transaction: either both are there after
// a kill, or neither.
type Sequencer struct {
	Store ports.Store
	Clock ports.Clock
	Feed  *Feed // is told at once
}

// Step returns some events their places; more reports whether others may be waiting.
func (s *Sequencer) Step(ctx context.Context) (more bool, err error) {
	waiting := false
	err = s.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		waiting, err = tx.Events.Waiting(ctx)
		return err
	})
	if err != nil || !waiting {
		return false, err
	}
	n := 0
	err = s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		now := s.Clock.Now()
		placed, err := tx.Events.Assign(ctx, now, stepEvents)
		if err != nil {
			return err
		}
		n = len(placed)
		return deliver(ctx, tx, placed, now)
	})
	if err == nil && n > 0 {
		s.Feed.Wake()
	}
	return err == nil && n == stepEvents, err
}

// deliver makes the deliveries of events. The webhooks stay locked until the transaction
// ends: whoever finishes the job of one of them sees what was added, or adds after it.
func deliver(ctx context.Context, tx ports.OperatorRepos, placed []event.Logged, now time.Time) error {
	var companies []int64
	for _, e := range placed {
		companies = append(companies, e.CompanyID)
	}
	slices.Sort(companies)
	hooks, err := tx.Webhooks.Listening(ctx, slices.Compact(companies))
	if err != nil || len(hooks) == 0 {
		return err
	}
	var deliveries []webhook.Delivery
	for i := range hooks {
		mine, err := deliveriesOf(&hooks[i], placed, now)
		if err != nil {
			return err
		}
		if len(mine) == 0 {
			continue
		}
		deliveries = append(deliveries, mine...)
		if err := tx.Jobs.Enqueue(ctx, WebhookJobOf(&hooks[i], hooks[i].SendAt(now))); err != nil {
			return err
		}
	}
	return tx.Webhooks.Add(ctx, deliveries)
}

func deliveriesOf(hook *webhook.Webhook, placed []event.Logged, now time.Time) ([]webhook.Delivery, error) {
	var out []webhook.Delivery
	for _, e := range placed {
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

// Prune forgets the events, and the deliveries, that are older than they are kept, in
// small transactions, and gives how many rows there were.
func (s *Sequencer) Prune(ctx context.Context) (total int64, err error) {
	now := s.Clock.Now()
	for _, batch := range []func(ctx context.Context, tx ports.OperatorRepos) (int64, error){
		func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
			return tx.Events.Prune(ctx, now.Add(-event.Kept), pruneRows)
		},
		func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
			return tx.Events.PruneSeen(ctx, now.Add(-seenFor), pruneRows)
		},
		func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
			return tx.Webhooks.Prune(ctx, now.Add(-webhook.KeptFor), pruneRows)
		},
	} {
		for n := int64(pruneRows); n == pruneRows; total += n {
			err := s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
				n, err = batch(ctx, tx)
				return err
			})
			if err != nil {
				return total, err
			}
		}
	}
	return total, nil
}
