package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/webhook"
	"tilth/ports"
)

// feeds is the state of the events of the outbox, by their positions in it.
type feeds struct {
	noFeeds
	w         *World
	positions map[int]int64 // in the feeds of their companies; 0: in none
	lasts     map[int64]int64
	taken     map[int64]int64 // how far the feeds of companies are delivered
	published map[int]bool
}

type noFeeds struct{ ports.EventKeeper }

func (w *World) addEvents() {
	f := &feeds{w: w, positions: map[int]int64{}, lasts: map[int64]int64{}, taken: map[int64]int64{}, published: map[int]bool{}}
	hooks := recordTable(w, "webhook", func(r *webhook.Webhook) *record.Meta { return &r.Meta })
	sent := &deliveries{table: newTable(w, "delivery", func(r *webhook.Delivery) (id, company *int64) { return &r.ID, &r.CompanyID })}
	w.repos.Webhooks, w.repos.Deliveries = hooks, sent
	w.operator.Events, w.operator.Webhooks = f, webhookKeeper{feeds: f, hooks: hooks, sent: sent}
	w.saves = append(w.saves, func() func() {
		positions, lasts, taken, published := maps.Clone(f.positions), maps.Clone(f.lasts), maps.Clone(f.taken), maps.Clone(f.published)
		return func() { f.positions, f.lasts, f.taken, f.published = positions, lasts, taken, published }
	})
}

// Deliveries returns the pending and past deliveries to the webhooks of a company, by id.
func (w *World) Deliveries(company int64) (out []webhook.Delivery) {
	for _, d := range w.repos.Deliveries.(*deliveries).table.all(access.Own(company), nil) {
		out = append(out, d)
	}
	return out
}

// Relay returns the reading side of the outbox. It records no leases, because there is only one relay.
func (w *World) Relay() ports.Relay { return relay{w.operator.Events.(*feeds)} }

type relay struct{ *feeds }

func (r relay) Pending(_ context.Context, _ time.Time, _ time.Duration, limit int) (out []ports.OutboxRow, err error) {
	for i := range r.w.Events {
		if !r.published[i] && len(out) < limit {
			out = append(out, ports.OutboxRow{Logged: r.logged(i), Seq: int64(i)})
		}
	}
	return out, nil
}

func (r relay) Published(_ context.Context, seqs []int64, _ time.Time) error {
	for _, seq := range seqs {
		r.published[int(seq)] = true
	}
	return nil
}

func (f *feeds) logged(i int) event.Logged {
	e := f.w.Events[i]
	data, err := json.Marshal(e.Data)
	if err != nil {
		panic(err)
	}
	return event.Logged{ID: e.ID, Type: e.Type, CompanyID: e.CompanyID, Subject: e.Subject, At: e.At, Data: data, Position: f.positions[i]}
}

func (f *feeds) Waiting(context.Context) (bool, error) {
	return len(f.positions) < len(f.w.Events), nil
}

func (f *feeds) Assign(_ context.Context, _ time.Time, limit int) (out []event.Logged, err error) {
	for i, e := range f.w.Events {
		if _, placed := f.positions[i]; placed || limit == 0 {
			continue
		}
		limit--
		if f.positions[i] = 0; e.CompanyID != 0 {
			f.lasts[e.CompanyID]++
			f.positions[i] = f.lasts[e.CompanyID]
			out = append(out, f.logged(i))
		}
	}
	return out, nil
}

func (f *feeds) Positions(_ context.Context, ids []string) (map[string]int64, error) {
	out := map[string]int64{}
	for i, e := range f.w.Events {
		if position, placed := f.positions[i]; placed && slices.Contains(ids, e.ID) {
			out[e.ID] = position
		}
	}
	return out, nil
}

func (f *feeds) Get(_ context.Context, id string) (event.Logged, error) {
	for i, e := range f.w.Events {
		if e.ID == id {
			return f.logged(i), nil
		}
	}
	return event.Logged{}, fault.Missing("event")
}

type noWebhookKeeper struct{ ports.WebhookKeeper }

type webhookKeeper struct {
	noWebhookKeeper
	feeds *feeds
	hooks *table[webhook.Webhook]
	sent  *deliveries
}

func (k webhookKeeper) Take(_ context.Context, companies []int64) (out []event.Logged, err error) {
	for i, e := range k.feeds.w.Events {
		if slices.Contains(companies, e.CompanyID) && k.feeds.positions[i] > k.feeds.taken[e.CompanyID] {
			out = append(out, k.feeds.logged(i))
		}
	}
	for _, company := range companies {
		k.feeds.taken[company] = k.feeds.lasts[company]
	}
	return out, nil
}

func (k webhookKeeper) Listening(_ context.Context, companies []int64) (out []webhook.Webhook, err error) {
	for _, company := range companies {
		for _, hook := range k.hooks.all(access.Own(company), func(h webhook.Webhook) bool { return h.IsActive }) {
			out = append(out, hook)
		}
	}
	slices.SortFunc(out, func(a, b webhook.Webhook) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

func (k webhookKeeper) Add(ctx context.Context, all []webhook.Delivery) error {
	for _, d := range all {
		same := func(o webhook.Delivery) bool { return o.WebhookID == d.WebhookID && o.EventID == d.EventID }
		if scope := access.Own(d.CompanyID); len(k.sent.table.ids(scope, same)) == 0 {
			if err := k.sent.Insert(ctx, scope, &d); err != nil {
				return err
			}
		}
	}
	return nil
}

type noDeliveries struct{ ports.Deliveries }

type deliveries struct {
	noDeliveries
	table *table[webhook.Delivery]
}

func (d *deliveries) GetForUpdate(ctx context.Context, scope access.Scope, webhookID, id int64) (webhook.Delivery, error) {
	one, err := d.table.Get(ctx, scope, id)
	if err == nil && one.WebhookID != webhookID {
		err = fault.Missing(d.table.name)
	}
	return one, err
}

// pending returns the pending deliveries of a webhook, ordered by due time.
func (d *deliveries) pending(scope access.Scope, webhookID int64) (out []webhook.Delivery) {
	waits := func(o webhook.Delivery) bool { return o.WebhookID == webhookID && o.State == webhook.Pending }
	for _, one := range d.table.all(scope, waits) {
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b webhook.Delivery) int { return a.NextTry.Compare(*b.NextTry) })
	return out
}

func (d *deliveries) Due(_ context.Context, scope access.Scope, webhookID int64, now time.Time) (out webhook.Delivery, ok bool, err error) {
	if waiting := d.pending(scope, webhookID); len(waiting) > 0 && !waiting[0].NextTry.After(now) {
		return waiting[0], true, nil
	}
	return out, false, nil
}

func (d *deliveries) NextTry(_ context.Context, scope access.Scope, webhookID int64) (*time.Time, error) {
	if waiting := d.pending(scope, webhookID); len(waiting) > 0 {
		return waiting[0].NextTry, nil
	}
	return nil, nil
}

func (d *deliveries) Insert(ctx context.Context, scope access.Scope, one *webhook.Delivery) error {
	return d.table.Insert(ctx, scope, []*webhook.Delivery{one})
}

func (d *deliveries) Update(ctx context.Context, scope access.Scope, one webhook.Delivery) error {
	return d.table.Update(ctx, scope, &one)
}
