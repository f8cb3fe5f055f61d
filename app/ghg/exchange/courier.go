package exchange

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/footprint"
	"tilth/core/webhook"
	"tilth/ports"
)

// MessageJob is the kind of the jobs that send events to a client; there is one per client.
const MessageJob = "pact_messages"

// announcement is an event that is sent to clients.
type announcement struct {
	kind string
	data any
	at   time.Time
	ids  ports.IDs
	// source is the address of our own events, which the event names as its source.
	source string
}

// notify sends an announcement to every client of a company that takes events.
func notify(ctx context.Context, tx ports.Repos, scope access.Scope, a announcement) error {
	var ids []int64
	for client, err := range tx.FootprintClients.Each(ctx, scope, ports.Query{}) {
		if err != nil {
			return err
		}
		if client.EventsURL != "" {
			ids = append(ids, client.ID)
		}
	}
	for _, id := range ids { // in the order of ids, as everyone does who locks several clients
		client, err := tx.FootprintClients.GetForUpdate(ctx, scope, id)
		if err != nil {
			return err
		}
		if err := send(ctx, tx, &client, a); err != nil {
			return err
		}
	}
	return nil
}

// send stores an event for a client, which the caller has locked, and the job that sends it.
func send(ctx context.Context, tx ports.Repos, client *footprint.Client, a announcement) error {
	event := footprint.Event{Type: a.kind, SpecVersion: "1.0", ID: a.ids.UUID(), Source: a.source, Time: a.at, Data: a.data}
	body, err := json.Marshal(event)
	if err != nil {
		return err
	}
	message := footprint.Message{
		ClientID: client.ID, Source: event.Source, EventID: event.ID, EventType: event.Type, Body: string(body), CreatedAt: a.at,
		Delivery: webhook.Delivery{State: webhook.Pending, NextTry: &a.at},
	}
	if err := tx.FootprintMessages.Insert(ctx, access.Own(client.CompanyID), &message); err != nil {
		return err
	}
	return tx.Jobs.Enqueue(ctx, task.JobOn(MessageJob, client.CompanyID, client.ID, a.at))
}

// perTurn is the number of messages that a client is sent before the others have their turn.
const perTurn = 20

// Courier sends the messages that wait for a client, as app/events does for webhooks: one worker at a time per client, at least once.
type Courier struct {
	Store  ports.Store
	Sender ports.WebhookSender
	Clock  ports.Clock
	IDs    ports.IDs
	Log    *slog.Logger
}

// Run does one job of [MessageJob]: it sends what is due, and postpones the job until the next message is.
func (c *Courier) Run(ctx context.Context, job ports.Job) error {
	runner := task.ForCompany(c.Store, c.Clock, c.IDs, c.Log)
	return task.Do(ctx, runner, task.Limits{Pieces: perTurn}, courierWork{c}, job)
}

// courierWork sends the messages to one client, one after the other.
type courierWork struct{ *Courier }

// dueMessage is a client under its lock with the message that is due.
type dueMessage struct {
	client footprint.Client
	next   footprint.Message
}

// attempt is a message and the outcome of one try of it.
type attempt struct {
	message footprint.Message
	outcome webhook.Outcome
}

// maxPause bounds the time for which a client whose system failed is left alone.
const maxPause = 5 * time.Minute

func (courierWork) Lock(ctx context.Context, run task.Run[ports.Repos]) (s dueMessage, next task.Next, err error) {
	s.client, err = run.Tx.FootprintClients.GetForUpdate(ctx, run.Scope, run.Job.Subject)
	if fault.Is(err, fault.NotFound) {
		return s, task.Finish(), nil
	}
	return s, task.Continue(), err
}

// Begin finds the message that is due.
func (courierWork) Begin(ctx context.Context, run task.Run[ports.Repos], s *dueMessage) (task.Next, error) {
	next, err := run.Tx.FootprintMessages.Due(ctx, run.Scope, s.client.ID, run.Now)
	if fault.Is(err, fault.NotFound) {
		at, err := run.Tx.FootprintMessages.NextTry(ctx, run.Scope, s.client.ID)
		if err != nil || at == nil {
			return task.Finish(), err
		}
		return task.Again(*at), nil
	}
	s.next = next
	return task.Continue(), err
}

func (w courierWork) Do(ctx context.Context, s dueMessage) (attempt, error) {
	parcel := ports.Parcel{URL: s.client.EventsURL, ID: s.next.EventID, At: w.Clock.Now(), Body: []byte(s.next.Body)}
	if s.client.TokenURL != "" {
		parcel.Token = &ports.TokenRequest{URL: s.client.TokenURL, ID: s.client.RecipientID, Secret: s.client.RecipientSecret}
	}
	return attempt{s.next, w.Sender.Send(ctx, parcel)}, nil
}

// Same is true for every client: what was sent is recorded, whatever has become of the client.
func (courierWork) Same(_, _ dueMessage) bool { return true }

// Complete stores the outcome of a try. A client whose system fails is left alone for a while.
func (courierWork) Complete(ctx context.Context, run task.Run[ports.Repos], _ *dueMessage, tried attempt) (task.Next, error) {
	d := tried.message.Delivery
	d.Tried(tried.outcome, run.Now, run.Jitter)
	if err := run.Tx.FootprintMessages.Tried(ctx, run.Scope, tried.message.ID, d); err != nil || tried.outcome.Delivered() {
		return task.Continue(), err
	}
	pause := run.Now.Add(maxPause)
	if d.NextTry != nil && d.NextTry.Before(pause) {
		pause = *d.NextTry
	}
	return task.Again(pause), nil
}

// Unavailable hands the job back; an address that does not answer is an outcome, not a failure of the job.
func (courierWork) Unavailable(_ context.Context, _ task.Run[ports.Repos], _ dueMessage, cause error) (task.Next, error) {
	return task.Next{}, cause
}

// Fail has nothing to store: each message has its own tries.
func (courierWork) Fail(context.Context, task.Run[ports.Repos], dueMessage, string) error { return nil }
