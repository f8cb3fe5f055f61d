package events_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/app"
	"tilth/app/events"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/webhook"
	"tilth/ports"
	"tilth/tests/migrated"
)

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

type ids struct{ n atomic.Int64 }

func (i *ids) UUID() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i.n.Add(1)) }
func (i *ids) Secret() string {
	return base64.RawURLEncoding.EncodeToString([]byte(fmt.Sprintf("%032d", i.n.Add(1))))
}
func (i *ids) Jitter() float64 { return 0 }

type everybody struct{}

func (everybody) Allowed(context.Context, access.Principal, access.Slug) (bool, error) {
	return true, nil
}

// target is the receiving side: it answers as told.
type target struct {
	answer webhook.Outcome
	got    []ports.Parcel
	hear   func() // called while a request is under way
}

func (*target) Check(address string) string {
	if strings.HasPrefix(address, "https://") {
		return ""
	}
	return "no"
}

func (t *target) Send(_ context.Context, p ports.Parcel) webhook.Outcome {
	t.got = append(t.got, p)
	if t.hear != nil {
		t.hear()
	}
	return t.answer
}

// office holds the webhooks of one company over a database.
type office struct {
	t          *testing.T
	db         *persistence.Database
	clock      *clock
	ids        *ids
	target     *target
	hooks      *events.Webhooks
	courier    *events.Courier
	sequencer  *events.Sequencer
	dispatcher *events.Dispatcher
	who        access.Principal
	hook       webhook.Webhook
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{
		t: t, clock: &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, ids: &ids{}, target: &target{answer: webhook.Outcome{StatusCode: 200}},
	}
	source := o.ids
	var err error
	o.db, err = persistence.Open(t.Context(), migrated.SQLite(t), persistence.Options{Clock: o.clock, Shared: o.clock, IDs: source})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, o.db.Close()) })
	company := ports.Company{UUID: source.UUID(), Name: "Acme", CreatedAt: o.clock.now}
	user := ports.User{Email: "ann@example.org", Name: "Ann", CreatedAt: o.clock.now}
	require.NoError(t, o.db.Operate(t.Context(), func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := tx.Accounts.CreateCompany(ctx, &company, access.DefaultRoles()); err != nil {
			return err
		}
		user.CompanyID = company.ID
		return tx.Accounts.CreateUser(ctx, &user)
	}))
	o.who = access.Principal{UserID: user.ID, Name: user.Name, CompanyID: company.ID}
	doors := app.NewGate(everybody{}, nil, nil)
	o.hooks = &events.Webhooks{Deps: app.Deps{Store: o.db, Gate: doors, Clock: o.clock, IDs: source}, Sender: o.target}
	o.courier = &events.Courier{Store: o.db, Sender: o.target, Clock: o.clock, IDs: source, Log: slog.New(slog.DiscardHandler)}
	o.sequencer = &events.Sequencer{Store: o.db, Clock: o.clock}
	o.dispatcher = &events.Dispatcher{Store: o.db, Clock: o.clock}
	o.hook, err = o.hooks.Create(t.Context(), o.who, webhook.Webhook{URL: "https://a.example/", IsActive: true})
	require.NoError(t, err)
	return o
}

// happen commits n events and passes them through the consumers, together with those before once more.
func (o *office) happen(n int) {
	o.t.Helper()
	for range n {
		require.NoError(o.t, o.db.Write(o.t.Context(), func(ctx context.Context, tx ports.Repos) error {
			return tx.Outbox.Add(ctx, event.Event{
				ID: o.ids.UUID(), Type: event.TypeProfileCompleted,
				CompanyID: o.who.CompanyID, Subject: "profile/1", At: o.clock.now, Data: event.ProfileCompleted{Status: "active"},
			})
		}))
	}
	require.NoError(o.t, o.dispatcher.Dispatch(o.t.Context(), o.place(1000)))
}

// place claims events and assigns their positions.
func (o *office) place(limit int) []events.CloudEvent {
	o.t.Helper()
	rows, err := o.db.Relay().Pending(o.t.Context(), o.clock.now, 0, limit)
	require.NoError(o.t, err)
	var batch []events.CloudEvent
	for _, row := range rows {
		batch = append(batch, events.CloudEventOf(row.Logged))
	}
	placed, err := o.sequencer.Place(o.t.Context(), batch)
	require.NoError(o.t, err)
	return placed
}

// work runs the jobs that are due, and returns their number.
func (o *office) work() int {
	o.t.Helper()
	jobs, err := o.db.QueueOf(events.WebhookJob).Claim(o.t.Context(), o.clock.now, time.Minute, 10)
	require.NoError(o.t, err)
	for _, job := range jobs {
		require.NoError(o.t, o.courier.Run(o.t.Context(), job))
	}
	return len(jobs)
}

func (o *office) deliveries() (out []webhook.Delivery) {
	o.t.Helper()
	list, err := o.hooks.Deliveries(o.t.Context(), o.who, ports.DeliveryQuery{WebhookID: o.hook.ID})
	require.NoError(o.t, err)
	for d, err := range list.Each {
		require.NoError(o.t, err)
		out = append(out, d)
	}
	require.EqualValues(o.t, list.Count, len(out))
	return out
}

func (o *office) now() webhook.Webhook {
	o.t.Helper()
	hook, err := o.hooks.Retrieve(o.t.Context(), o.who, o.hook.ID)
	require.NoError(o.t, err)
	return hook
}

func TestEventsAreDelivered(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.happen(25)
	require.Zero(t, len(o.target.got))
	require.Equal(t, 1, o.work(), "one job a webhook")
	require.Len(t, o.target.got, 20, "others have their turn")
	require.Equal(t, 1, o.work())
	require.Len(t, o.target.got, 25)
	require.Zero(t, o.work())
	var before string
	for i, p := range o.target.got {
		var e events.CloudEvent
		require.NoError(t, json.Unmarshal(p.Body, &e))
		require.Equal(t, p.ID, e.ID)
		require.Less(t, before, e.Sequence, "in order")
		require.Equal(t, event.FormatPosition(int64(i+1)), e.Sequence)
		require.Equal(t, []string{o.hook.Secret}, p.Secrets)
		before = e.Sequence
	}
	for _, d := range o.deliveries() {
		require.Equal(t, webhook.Delivered, d.State)
	}
	require.True(t, o.now().Last.Delivered)
}

// Until the round ends every try follows the schedule, with the same body; then nothing is due
// until somebody asks for another round.
func TestRoundOfTries(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.target.answer = webhook.Outcome{StatusCode: 500, Answer: "broken"}
	began := o.clock.now
	o.happen(1)
	for o.work() > 0 {
		d := o.deliveries()[0]
		require.Equal(t, "broken", d.Answer)
		if d.State == webhook.Failed {
			break
		}
		o.clock.now = d.NextTry.Add(-time.Microsecond)
		require.Zero(t, o.work(), "not before its time")
		o.clock.now = *d.NextTry
	}
	require.Len(t, o.target.got, webhook.MaxTries)
	require.LessOrEqual(t, o.clock.now.Sub(began), webhook.RoundLasts)
	for _, p := range o.target.got {
		require.Equal(t, o.target.got[0].Body, p.Body)
	}
	o.clock.now = o.clock.now.Add(time.Hour)
	require.Zero(t, o.work())
	o.target.answer = webhook.Outcome{StatusCode: 200}
	d, err := o.hooks.Retry(t.Context(), o.who, o.hook.ID, o.deliveries()[0].ID)
	require.NoError(t, err)
	require.Equal(t, webhook.Pending, d.State)
	require.Equal(t, 1, o.work())
	require.Equal(t, webhook.Delivered, o.deliveries()[0].State)
	require.Equal(t, webhook.MaxTries+1, o.deliveries()[0].Attempt)
	_, err = o.hooks.Retry(t.Context(), o.who, o.hook.ID, 1<<40)
	require.True(t, fault.Is(err, fault.NotFound))
}

// After a failure the whole webhook pauses, also for events that come meanwhile: a slow address
// costs a worker only one try.
func TestFailingWebhookPauses(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.target.answer = webhook.Outcome{StatusCode: 503, RetryAfter: 2 * time.Minute}
	o.happen(3)
	require.Equal(t, 1, o.work())
	require.Len(t, o.target.got, 1)
	o.happen(2)
	require.Zero(t, o.work())
	o.clock.now = o.clock.now.Add(2 * time.Minute)
	o.target.answer = webhook.Outcome{StatusCode: 200}
	require.Equal(t, 1, o.work())
	require.Len(t, o.target.got, 6)
}

func TestWebhookIsSwitchedOff(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.target.answer = webhook.Outcome{StatusCode: 410}
	o.happen(3)
	o.work()
	require.Len(t, o.target.got, 1)
	off := o.now()
	require.False(t, off.IsActive)
	require.Equal(t, "The address answered 410 Gone.", off.DisabledReason)
	require.True(t, off.UpdatedAt.After(o.hook.UpdatedAt), "a new version")
	for _, d := range o.deliveries() {
		require.Equal(t, webhook.Failed, d.State)
	}
	o.happen(1)
	require.Len(t, o.deliveries(), 3, "nothing is made for one that is off")
	_, err := o.hooks.Retry(t.Context(), o.who, o.hook.ID, o.deliveries()[0].ID)
	require.True(t, fault.Is(err, fault.Conflict))
	on, err := o.hooks.Update(t.Context(), o.who, o.hook.ID, func(w webhook.Webhook) (webhook.Webhook, error) {
		w.IsActive = true
		return w, nil
	})
	require.NoError(t, err)
	require.Empty(t, on.DisabledReason)
	o.happen(1)
	require.Len(t, o.deliveries(), 4)

	require.NoError(t, o.hooks.Delete(t.Context(), o.who, o.hook.ID, func(webhook.Webhook) error { return nil }))
	o.target.got = nil
	o.clock.now = o.clock.now.Add(time.Hour)
	require.Equal(t, 1, o.work())
	require.Zero(t, o.work(), "its job is gone with it")
	require.Empty(t, o.target.got)
	_, err = o.hooks.Test(t.Context(), o.who, o.hook.ID)
	require.True(t, fault.Is(err, fault.NotFound))
}

// A webhook that is deleted or switched off while a delivery is under way is not changed by the outcome.
func TestChangedWhileSending(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(o *office)
		answer int
		state  webhook.State
	}{
		"deleted": {func(o *office) {
			require.NoError(o.t, o.hooks.Delete(o.t.Context(), o.who, o.hook.ID, func(webhook.Webhook) error { return nil }))
		}, 500, ""},
		"switched off, failed":    {switchOff, 500, webhook.Failed},
		"switched off, delivered": {switchOff, 200, webhook.Delivered},
	} {
		o := newOffice(t)
		o.target.answer = webhook.Outcome{StatusCode: c.answer}
		o.target.hear = func() { c.change(o) }
		o.happen(1)
		require.Equal(t, 1, o.work(), name)
		require.Zero(t, o.work(), name)
		if c.state != "" {
			require.Equal(t, c.state, o.deliveries()[0].State, name)
		}
	}
}

func switchOff(o *office) {
	_, err := o.hooks.Update(o.t.Context(), o.who, o.hook.ID, func(w webhook.Webhook) (webhook.Webhook, error) {
		w.IsActive = false
		return w, nil
	})
	require.NoError(o.t, err)
}

func TestPruning(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.happen(3)
	o.work()
	rows, err := o.db.Relay().Pending(t.Context(), o.clock.now, time.Second, 10)
	require.NoError(t, err)
	for _, row := range rows {
		require.NoError(t, o.db.Relay().Published(t.Context(), []int64{row.Seq}, o.clock.now))
	}
	prune := func() int64 {
		n, err := o.sequencer.Prune(t.Context(), 24*time.Hour, 7*24*time.Hour)
		require.NoError(t, err)
		return n
	}
	o.clock.now = o.clock.now.Add(24 * time.Hour)
	require.Zero(t, prune())
	o.clock.now = o.clock.now.Add(time.Second)
	require.EqualValues(t, 3, prune(), "the events")
	o.clock.now = o.clock.now.Add(7 * 24 * time.Hour)
	require.EqualValues(t, 3, prune(), "the deliveries")
	require.Empty(t, o.deliveries())
}

func TestTheAddressOfAWebhookIsChecked(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_, err := o.hooks.Create(t.Context(), o.who, webhook.Webhook{URL: "ftp://a.example/"})
	f, _ := fault.As(err)
	require.Equal(t, []string{"no"}, f.Fields["url"])
}
