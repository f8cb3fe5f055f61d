package events

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/event"
	"tilth/core/webhook"
	"tilth/ports"
)

// pruneRows is the number of rows that one transaction prunes.
const pruneRows = 500

// Sequencer is the consumer that assigns committed events their positions in the feeds of their
// companies. An event that has its position is done.
type Sequencer struct {
	Store ports.Store
	Clock ports.Clock
}

// Place assigns positions to the events of a batch and to all older ones, and returns the batch
// with its positions. An event that comes again keeps its position.
func (s *Sequencer) Place(ctx context.Context, batch []CloudEvent) ([]CloudEvent, error) {
	ids := make([]string, len(batch))
	for i, e := range batch {
		ids[i] = e.ID
	}
	var positions map[string]int64
	err := s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		// More than one round where another replica has claimed older events and not placed them yet.
		for waiting := true; waiting; {
			_, err := tx.Events.Assign(ctx, s.Clock.Now(), len(batch))
			if err != nil {
				return err
			}
			if positions, err = tx.Events.Positions(ctx, ids); err != nil || len(positions) == len(ids) {
				return err
			}
			if waiting, err = tx.Events.Waiting(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	out := make([]CloudEvent, len(batch))
	for i, e := range batch {
		out[i] = e.at(positions[e.ID])
	}
	return out, err
}

// placeRows is the number of events that one transaction places when nobody has asked for particular ones.
const placeRows = 500

// PlaceAll assigns a position to every event that has none, and returns these events.
func (s *Sequencer) PlaceAll(ctx context.Context) (out []CloudEvent, err error) {
	for {
		waiting, err := app.In(ctx, s.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (bool, error) { return tx.Events.Waiting(ctx) })
		if err != nil || !waiting {
			return out, err
		}
		placed, err := app.In(ctx, s.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) ([]event.Logged, error) {
			return tx.Events.Assign(ctx, s.Clock.Now(), placeRows)
		})
		if err != nil {
			return out, err
		}
		for _, e := range placed {
			out = append(out, CloudEventOf(e))
		}
	}
}

// Prune removes events and deliveries past their retention, in partitions and in small transactions,
// and returns the number of rows.
func (s *Sequencer) Prune(ctx context.Context, eventsKept, deliveriesKept time.Duration) (total int64, err error) {
	now := s.Clock.Now()
	var rest time.Time
	err = s.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		total, rest, err = tx.Partitions.DropEvents(ctx, now.Add(-eventsKept))
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, prune := range []func(ctx context.Context, tx ports.OperatorRepos) (int64, error){
		func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
			return tx.Events.Prune(ctx, rest, pruneRows)
		},
		func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
			return tx.Webhooks.Prune(ctx, now.Add(-deliveriesKept), pruneRows)
		},
	} {
		n, err := app.InPieces(ctx, s.Store, pruneRows, prune)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// WebhookJob is the kind of the jobs that deliver to a webhook; each webhook has one.
const WebhookJob = "webhook"

// Dispatcher is the consumer that makes deliveries of events, and the jobs that send them.
// Its done-mark is how far the feed of each company is delivered.
type Dispatcher struct {
	Store ports.Store
	Clock ports.Clock
}

// Dispatch makes the deliveries of all events, in order, up to the ends of the feeds of a batch, including older
// events that another replica has relayed and not dispatched yet. The webhooks stay locked until the transaction
// ends: whoever finishes the job of one of them either sees the new deliveries, or they are added afterwards.
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
			if err := tx.Jobs.Enqueue(ctx, task.JobOn(WebhookJob, hooks[i].CompanyID, hooks[i].ID, hooks[i].SendAt(now))); err != nil {
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
