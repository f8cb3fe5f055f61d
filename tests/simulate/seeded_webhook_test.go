package simulate

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/messaging"
	"tilth/app"
	"tilth/app/events"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/record"
	"tilth/core/webhook"
	"tilth/ports"
)

// posting is a webhook of a planned world, at an address that answers, fails or hangs. Every committed event arrives,
// each under its own id, and has one delivery, whatever fails between the commit and the answer.
type posting struct {
	*planned
	store   ports.Store
	bus     *messaging.Bus
	courier *events.Courier
	events  int
	posted  map[string]string // bodies, by the id of the event
}

func newPosting(p *planned, deps app.Deps) *posting {
	h := &posting{planned: p, store: deps.Store, posted: map[string]string{}}
	log := slog.New(slog.DiscardHandler)
	h.courier = &events.Courier{Store: deps.Store, Sender: h, Clock: &p.Clock, IDs: &p.IDs, Log: log}
	h.bus = &messaging.Bus{
		Relay: unsureRelay{p.Relay(), p}, Clock: &p.Clock, Log: log,
		Place:     (&events.Sequencer{Store: deps.Store, Clock: &p.Clock}).Place,
		Consumers: map[string]messaging.Consumer{"webhooks": {Take: (&events.Dispatcher{Store: deps.Store, Clock: &p.Clock}).Dispatch}},
	}
	hook := webhook.Webhook{Meta: record.Meta{CompanyID: 1}, URL: "https://hooks.example.org/", IsActive: true, Secret: "whsec_AAAA"}
	p.Put(func(tx ports.Repos) error {
		return tx.Webhooks.Insert(p.t.Context(), access.Own(1), []*webhook.Webhook{&hook})
	})
	return h
}

// publish commits a few events, or fails to: what is in the outbox is committed.
func (h *posting) publish() {
	_ = h.store.Write(h.t.Context(), func(ctx context.Context, tx ports.Repos) error {
		for range 1 + h.plan.IntN(3) {
			h.events++
			e := event.Event{ID: fmt.Sprint("event-", h.events), Type: event.TypeProfileCompleted, CompanyID: 1, Subject: "profile/1", At: h.Clock.Now(), Data: map[string]int{"n": h.events}}
			if err := tx.Outbox.Add(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// relay carries what is committed to the consumers; what fails is repeated.
func (h *posting) relay() {
	for {
		if more, err := h.bus.Step(h.t.Context()); !more || err != nil {
			return
		}
	}
}

// Check implements ports.WebhookSender.
func (h *posting) Check(string) string { return "" }

// Send implements ports.WebhookSender.
func (h *posting) Send(ctx context.Context, parcel ports.Parcel) webhook.Outcome {
	hang := func() webhook.Outcome {
		select {
		case <-time.After(time.Hour):
		case <-ctx.Done(): // the process is killed
		}
		return webhook.Outcome{Error: "no answer"}
	}
	switch {
	case h.happens(0.1):
		return hang()
	case h.happens(0.15):
		return webhook.Outcome{StatusCode: 500}
	}
	if body, again := h.posted[parcel.ID]; again {
		require.Equal(h.t, body, string(parcel.Body), "an event is the same at every try")
	}
	h.posted[parcel.ID] = string(parcel.Body)
	if h.happens(0.1) { // it arrived, but the sender does not learn of it
		return hang()
	}
	return webhook.Outcome{StatusCode: 200}
}

// judge compares the deliveries with what is committed and what was posted.
func (h *posting) judge() {
	committed, seen := map[string]bool{}, map[string]bool{}
	for _, e := range h.Events {
		require.False(h.t, committed[e.ID], "an event is committed once")
		committed[e.ID] = true
	}
	for _, d := range h.Deliveries(1) {
		require.True(h.t, committed[d.EventID])
		require.False(h.t, seen[d.EventID], "an event has one delivery")
		seen[d.EventID] = true
		if d.State == webhook.Delivered {
			require.Equal(h.t, d.Body, h.posted[d.EventID], "what is said to be delivered has arrived")
		}
	}
	for id := range h.posted {
		require.True(h.t, seen[id], "nothing else is posted")
	}
}

// judgeEnd checks that no event is lost when all work has ended.
func (h *posting) judgeEnd() {
	h.judge()
	deliveries := h.Deliveries(1)
	require.Len(h.t, deliveries, len(h.Events))
	for i, d := range deliveries {
		require.Equal(h.t, h.Events[i].ID, d.EventID, "deliveries are made in the order of the events")
		require.Equal(h.t, webhook.Delivered, d.State, "after %d tries", d.Tries)
	}
}

// unsureRelay reads the outbox from a failing disk.
type unsureRelay struct {
	ports.Relay
	p *planned
}

func (r unsureRelay) Pending(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]ports.OutboxRow, error) {
	if r.p.happens(0.05) {
		return nil, errDisk
	}
	return r.Relay.Pending(ctx, now, lease, limit)
}

func (r unsureRelay) Published(ctx context.Context, seqs []int64, at time.Time) error {
	if r.p.happens(0.05) {
		return errDisk
	}
	err := r.Relay.Published(ctx, seqs, at)
	if err == nil && r.p.happens(0.05) {
		return errDisk // it is marked, but the caller does not learn of it
	}
	return err
}
