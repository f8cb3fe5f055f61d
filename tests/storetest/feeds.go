package storetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/webhook"
	"tilth/ports"
)

func (w *world) happened(company int64, id string) event.Event {
	return event.Event{ID: id, Type: event.TypeProfileCompleted, CompanyID: company, Subject: "profile/" + id, At: w.clock.Now(), Data: map[string]int{"n": 1}}
}

func (w *world) publish(events ...event.Event) {
	w.t.Helper()
	w.operate(func(tx ports.OperatorRepos) error { return tx.Outbox.Add(w.ctx, events...) })
}

func assign(ctx context.Context, db *persistence.Database, at time.Time, limit int) (out []event.Logged, err error) {
	err = db.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
		out, err = tx.Events.Assign(ctx, at, limit)
		return err
	})
	return out, err
}

func (w *world) assign(limit int) []event.Logged {
	w.t.Helper()
	out, err := assign(w.ctx, w.Database, w.clock.Now(), limit)
	require.NoError(w.t, err)
	return out
}

func (w *world) after(scope access.Scope, position int64, types []string, limit int) (ids []string, bounds event.Bounds) {
	w.t.Helper()
	w.read(func(tx ports.Repos) (err error) {
		list, err := tx.Events.After(w.ctx, scope, position, types, limit)
		require.NoError(w.t, err)
		for i, e := range list {
			ids = append(ids, e.ID)
			require.Equal(w.t, scope.Company(), e.CompanyID)
			if len(types) == 0 {
				require.Equal(w.t, position+int64(i)+1, e.Position, "places count up without a gap")
			}
		}
		bounds, err = tx.Events.Bounds(w.ctx, scope)
		return err
	})
	return ids, bounds
}

func testFeeds(t *testing.T, b Backend) {
	w := newWorld(t, b)
	ours, theirs := w.ours.scope.Company(), w.theirs.scope.Company()
	waiting := func() (out bool) {
		w.operate(func(tx ports.OperatorRepos) (err error) {
			out, err = tx.Events.Waiting(w.ctx)
			return err
		})
		return out
	}
	require.False(t, waiting())
	require.Empty(t, w.assign(10))
	nobodys := w.happened(0, "nobody's")
	w.publish(w.happened(ours, "a"), w.happened(theirs, "x"), nobodys, w.happened(ours, "b"))
	another := w.happened(ours, "c")
	another.Type = "another"
	w.publish(another, w.happened(ours, "d"))
	require.True(t, waiting())
	require.Len(t, w.assign(4), 3, "an event of no company has no place")
	got := w.assign(10)
	require.Len(t, got, 2)
	require.Equal(t, event.Logged{
		ID: "c", Type: "another", CompanyID: ours, Subject: "profile/c", At: kept(w.clock.Now()), Data: got[0].Data, Position: 3,
	}, got[0])
	require.JSONEq(t, `{"n":1}`, string(got[0].Data))
	require.False(t, waiting())
	require.Empty(t, w.assign(10), "a place is given once")

	ids, bounds := w.after(w.ours.scope, 0, nil, 10)
	require.Equal(t, []string{"a", "b", "c", "d"}, ids)
	require.Equal(t, event.Bounds{Last: 4}, bounds)
	ids, _ = w.after(w.ours.scope, 1, nil, 2)
	require.Equal(t, []string{"b", "c"}, ids)
	ids, _ = w.after(w.ours.scope, 0, []string{"another", "none"}, 10)
	require.Equal(t, []string{"c"}, ids)
	ids, bounds = w.after(w.theirs.scope, 0, nil, 10)
	require.Equal(t, []string{"x"}, ids)
	require.Equal(t, event.Bounds{Last: 1}, bounds)
	for _, none := range []access.Scope{{}, access.Own(-1), access.SharedWith(ours), access.Own(1 << 40)} {
		ids, bounds = w.after(none, 0, nil, 10)
		require.Empty(t, ids)
		require.Zero(t, bounds)
	}
	w.operate(func(tx ports.OperatorRepos) error {
		lasts, err := tx.Events.Lasts(w.ctx, []int64{ours, theirs, 1 << 40})
		require.Equal(t, map[int64]int64{ours: 4, theirs: 1}, lasts)
		return err
	})

	// What is published and old is forgotten, in batches; the positions of the rest stay.
	prune := func(before time.Time, limit int) (n int64) {
		w.operate(func(tx ports.OperatorRepos) (err error) {
			n, err = tx.Events.Prune(w.ctx, before, limit)
			return err
		})
		return n
	}
	require.Zero(t, prune(w.clock.Now().Add(time.Hour), 10), "what was not published stays")
	rows, err := w.Relay().Pending(w.ctx, w.clock.Now(), lease, 10)
	require.NoError(t, err)
	require.EqualValues(t, 3, rows[4].Position)
	for _, row := range rows[:5] { // all except d
		require.NoError(t, w.Relay().Published(w.ctx, []int64{row.Seq}, w.clock.Now()))
	}
	require.Zero(t, prune(w.clock.Now(), 10), "what is young stays")
	require.EqualValues(t, 1, prune(w.clock.Now().Add(time.Hour), 10), "what the webhooks have not got stays, but for that of no company")
	w.operate(func(tx ports.OperatorRepos) error {
		found, err := tx.Events.Get(w.ctx, "a")
		require.NoError(t, err)
		require.Equal(t, []any{ours, int64(1)}, []any{found.CompanyID, found.Position})
		_, err = tx.Events.Get(w.ctx, "never")
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = tx.Webhooks.Take(w.ctx, []int64{ours, theirs})
		return err
	})
	require.EqualValues(t, 2, prune(w.clock.Now().Add(time.Hour), 2))
	require.EqualValues(t, 2, prune(w.clock.Now().Add(time.Hour), 10))
	require.Zero(t, prune(w.clock.Now().Add(time.Hour), 10))
	ids, bounds = w.after(w.ours.scope, 3, nil, 10)
	require.Equal(t, []string{"d"}, ids)
	require.Equal(t, event.Bounds{Last: 4, Pruned: 3}, bounds)
	w.publish(w.happened(theirs, "y"))
	w.assign(10)
	ids, bounds = w.after(w.theirs.scope, 1, nil, 10)
	require.Equal(t, []string{"y"}, ids, "a feed that was emptied goes on where it ended")
	require.Equal(t, event.Bounds{Last: 2, Pruned: 1}, bounds)
}

// testTakenEvents lets two replicas take the events of two feeds while positions are
// assigned: each event is taken once, in the order of its feed.
func testTakenEvents(t *testing.T, b Backend) {
	w := newWorld(t, b)
	ours, theirs := w.ours.scope.Company(), w.theirs.scope.Company()
	replicas := []*persistence.Database{w.Database, open(t, w.address, w.clock, w.ids)}
	const events = 60
	for i := range events {
		w.publish(w.happened(ours, fmt.Sprintf("a%d", i)), w.happened(theirs, fmt.Sprintf("b%d", i)), w.happened(0, fmt.Sprintf("c%d", i)))
	}
	var working sync.WaitGroup
	var mu sync.Mutex
	times := map[string]int{}
	for i := range 4 {
		working.Go(func() {
			for left := true; left; {
				_, err := assign(w.ctx, replicas[i%2], w.clock.Now(), 7)
				if err != nil {
					t.Error(err)
					return
				}
				var taken []event.Logged
				err = replicas[i%2].Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
					if left, err = tx.Events.Waiting(ctx); err == nil {
						taken, err = tx.Webhooks.Take(ctx, []int64{ours, theirs})
					}
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for j, e := range taken {
					times[e.ID]++
					if j > 0 && taken[j-1].CompanyID == e.CompanyID && taken[j-1].Position != e.Position-1 {
						t.Errorf("position %d comes after %d", e.Position, taken[j-1].Position)
					}
				}
				mu.Unlock()
			}
		})
	}
	working.Wait()
	require.Len(t, times, 2*events)
	for id, n := range times {
		require.Equal(t, 1, n, id)
	}
	w.operate(func(tx ports.OperatorRepos) error {
		positions, err := tx.Events.Positions(w.ctx, []string{"a0", "b59", "c0", "never"})
		require.Equal(t, map[string]int64{"a0": 1, "b59": events, "c0": 0}, positions)
		return err
	})
	taken := func(rollback error) (out []event.Logged) {
		err := w.Operate(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) (err error) {
			if out, err = tx.Webhooks.Take(ctx, []int64{ours}); err == nil {
				err = rollback
			}
			return err
		})
		require.ErrorIs(t, err, rollback)
		return out
	}
	w.publish(w.happened(ours, "z"), w.happened(theirs, "y"))
	require.Empty(t, taken(nil), "an event without a position waits")
	w.assign(10)
	require.Len(t, taken(errChanged), 1)
	require.Len(t, taken(nil), 1, "what was rolled back comes again")
	require.Empty(t, taken(nil))
}

// testFeedRaces lets many transactions commit events, beginning and ending in any order,
// while two replicas assign positions: a reader that always continues from the last
// position it saw misses none and sees none twice.
func testFeedRaces(t *testing.T, b Backend) {
	w := newWorld(t, b)
	const writers, each = 4, 25
	replicas := []*persistence.Database{w.Database, open(t, w.address, w.clock, w.ids)}
	var writing, assigning sync.WaitGroup
	var done atomic.Bool
	for i := range writers {
		writing.Go(func() {
			for n := range each {
				err := replicas[i%2].Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
					if err := tx.Outbox.Add(ctx, w.happened(w.ours.scope.Company(), fmt.Sprintf("%d/%d", i, n))); err != nil {
						return err
					}
					// A second statement keeps the transaction open after its number was drawn.
					_, err := tx.Farms.Count(ctx, w.ours.scope, ports.Query{})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 4 {
		assigning.Go(func() {
			for !done.Load() {
				if _, err := assign(w.ctx, replicas[i%2], w.clock.Now(), 7); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	seen, position := map[string]bool{}, int64(0)
	for deadline := time.Now().Add(time.Minute); len(seen) < writers*each; {
		require.True(t, time.Now().Before(deadline), "%d events were missed", writers*each-len(seen))
		ids, _ := w.after(w.ours.scope, position, nil, 10)
		for _, id := range ids {
			require.False(t, seen[id], "%s was seen twice", id)
			seen[id] = true
		}
		position += int64(len(ids))
	}
	writing.Wait()
	done.Store(true)
	assigning.Wait()
	require.Empty(t, w.assign(100))
}

var webhookResource = resource[webhook.Webhook]{
	repo: func(tx ports.Repos) ports.Records[webhook.Webhook] { return tx.Webhooks },
	make: func(w *world, e estate, n int) webhook.Webhook {
		hook := webhook.Webhook{
			Meta: w.meta(e), URL: fmt.Sprintf("https://%d.example/", n), Description: "é", IsActive: n%2 == 0, Secret: "whsec_a",
		}
		if n > 0 {
			at := kept(w.clock.Now())
			hook.EventTypes, hook.PreviousSecret, hook.PreviousUntil, hook.DisabledReason = []string{"t"}, "whsec_b", &at, "gone"
			hook.Failures, hook.FailingSince, hook.PausedUntil = n, &at, &at
			hook.Last = &webhook.Last{At: at, Delivered: true, StatusCode: 204}
		}
		return hook
	},
	change: func(r *webhook.Webhook) { r.URL, r.IsActive, r.Secret = "https://new.example/", false, "whsec_c" },
	base:   func(r *webhook.Webhook) *record.Meta { return r.Base() },
}

func (w *world) newHook(e estate, n int) webhook.Webhook {
	hook := webhookResource.make(w, e, n)
	w.write(func(tx ports.Repos) error { return tx.Webhooks.Insert(w.ctx, e.scope, []*webhook.Webhook{&hook}) })
	return hook
}

func testWebhooks(t *testing.T, b Backend) {
	w := newWorld(t, b)
	first, second, off, other := w.newHook(w.ours, 0), w.newHook(w.ours, 2), w.newHook(w.ours, 1), w.newHook(w.theirs, 0)
	isolated(t, w, webhookResource, first)
	w.write(func(tx ports.Repos) error {
		for _, want := range []webhook.Webhook{first, second, off} {
			got, err := tx.Webhooks.GetForUpdate(w.ctx, w.ours.scope, want.ID)
			require.NoError(t, err)
			want.Meta, got.EventTypes = got.Meta, append([]string(nil), got.EventTypes...)
			require.Equal(t, want, got)
			webhookResource.change(&got)
			require.NoError(t, tx.Webhooks.Update(w.ctx, w.ours.scope, &got))
			changed, err := tx.Webhooks.Get(w.ctx, w.ours.scope, want.ID)
			require.NoError(t, err)
			require.Equal(t, "https://new.example/", changed.URL)
			require.NoError(t, tx.Webhooks.Update(w.ctx, w.ours.scope, &want))
		}
		return nil
	})
	w.operate(func(tx ports.OperatorRepos) error {
		for want, companies := range map[int][]int64{0: nil, 2: {w.ours.scope.Company()}, 3: {w.ours.scope.Company(), w.theirs.scope.Company()}} {
			hooks, err := tx.Webhooks.Listening(w.ctx, companies)
			require.NoError(t, err)
			require.Len(t, hooks, want)
			for _, h := range hooks {
				require.NotEqual(t, off.ID, h.ID)
			}
		}
		return nil
	})
	now := kept(w.clock.Now())
	pending := func(hook webhook.Webhook, id string, at time.Time) webhook.Delivery {
		return webhook.Delivery{
			CompanyID: hook.CompanyID, WebhookID: hook.ID, EventID: id, EventType: "t", Body: `{"a": 1}`, CreatedAt: now, State: webhook.Pending, NextTry: &at,
		}
	}
	w.operate(func(tx ports.OperatorRepos) error {
		all := []webhook.Delivery{pending(first, "1", now.Add(time.Minute)), pending(first, "2", now), pending(second, "1", now), pending(other, "1", now)}
		require.NoError(t, tx.Webhooks.Add(w.ctx, all))
		return tx.Webhooks.Add(w.ctx, all[:1])
	})
	list := func(scope access.Scope, q ports.DeliveryQuery) (ids []string) {
		w.read(func(tx ports.Repos) error {
			for _, d := range collect(t, tx.Deliveries.Each(w.ctx, scope, q)) {
				ids = append(ids, d.EventID)
			}
			q.Limit, q.Offset = 0, 0
			n, err := tx.Deliveries.Count(w.ctx, scope, q)
			require.GreaterOrEqual(t, n, int64(len(ids)))
			return err
		})
		return ids
	}
	require.Equal(t, []string{"2", "1"}, list(w.ours.scope, ports.DeliveryQuery{WebhookID: first.ID}), "newest first, and each event once")
	require.Equal(t, []string{"1"}, list(w.ours.scope, ports.DeliveryQuery{WebhookID: first.ID, Limit: 1, Offset: 1}))
	for _, none := range []access.Scope{w.theirs.scope, {}, access.SharedWith(w.ours.scope.Company())} {
		require.Empty(t, list(none, ports.DeliveryQuery{WebhookID: first.ID}))
	}
	deliveryLife(t, w, first, now)
	require.Equal(t, []string{"2"}, list(w.ours.scope, ports.DeliveryQuery{WebhookID: first.ID, State: webhook.Delivered}))
	require.Equal(t, []string{"1"}, list(w.ours.scope, ports.DeliveryQuery{WebhookID: first.ID, State: webhook.Failed}))

	w.operate(func(tx ports.OperatorRepos) error {
		n, err := tx.Webhooks.Prune(w.ctx, now, 10)
		require.Zero(t, n)
		require.NoError(t, err)
		n, err = tx.Webhooks.Prune(w.ctx, now.Add(time.Second), 1)
		require.EqualValues(t, 1, n)
		require.NoError(t, err)
		n, err = tx.Webhooks.Prune(w.ctx, now.Add(time.Second), 10)
		require.EqualValues(t, 1, n, "what is pending stays")
		return err
	})
}

// deliveryLife sends the due delivery, ends the other, and finds neither from another company.
func deliveryLife(t *testing.T, w *world, hook webhook.Webhook, now time.Time) {
	w.write(func(tx ports.Repos) error {
		due, ok, err := tx.Deliveries.Due(w.ctx, w.ours.scope, hook.ID, now)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, "2", due.EventID)
		got, err := tx.Deliveries.GetForUpdate(w.ctx, w.ours.scope, hook.ID, due.ID)
		require.NoError(t, err)
		require.Equal(t, due, got)
		for _, none := range []access.Scope{w.theirs.scope, {}, access.SharedWith(w.ours.scope.Company())} {
			_, err = tx.Deliveries.GetForUpdate(w.ctx, none, hook.ID, due.ID)
			require.True(t, fault.Is(err, fault.NotFound))
			require.True(t, fault.Is(tx.Deliveries.Update(w.ctx, access.Own(1<<40), due), fault.NotFound))
			_, ok, err = tx.Deliveries.Due(w.ctx, none, hook.ID, now)
			require.False(t, ok)
			require.NoError(t, err)
		}
		_, err = tx.Deliveries.GetForUpdate(w.ctx, w.ours.scope, hook.ID+1, due.ID)
		require.True(t, fault.Is(err, fault.NotFound), "it belongs to another webhook")
		due.Tried(webhook.Outcome{StatusCode: 204, Answer: "ok", Duration: 1500 * time.Microsecond}, now, 0)
		require.NoError(t, tx.Deliveries.Update(w.ctx, w.ours.scope, due))
		got, err = tx.Deliveries.GetForUpdate(w.ctx, w.ours.scope, hook.ID, due.ID)
		require.NoError(t, err)
		require.Equal(t, due, got)
		_, ok, err = tx.Deliveries.Due(w.ctx, w.ours.scope, hook.ID, now)
		require.False(t, ok)
		require.NoError(t, err)
		next, err := tx.Deliveries.NextTry(w.ctx, w.ours.scope, hook.ID)
		require.NoError(t, err)
		require.Equal(t, now.Add(time.Minute), *next)
		require.NoError(t, tx.Deliveries.End(w.ctx, w.theirs.scope, hook.ID, "not theirs"))
		require.NoError(t, tx.Deliveries.End(w.ctx, w.ours.scope, hook.ID, "off"))
		next, err = tx.Deliveries.NextTry(w.ctx, w.ours.scope, hook.ID)
		require.Nil(t, next)
		return err
	})
}

// testQueues asserts that a queue of some kinds and a queue of the others share the jobs.
func testQueues(t *testing.T, b Backend) {
	w := newWorld(t, b)
	now := w.clock.Now()
	w.enqueue(ports.Job{Kind: "a", Key: "1", RunAt: now}, ports.Job{Kind: "b", Key: "1", RunAt: now}, ports.Job{Kind: "c", Key: "1", RunAt: now})
	kinds := func(q ports.Queue) (out []string) {
		jobs, err := q.Claim(w.ctx, now, lease, 10)
		require.NoError(t, err)
		for _, j := range jobs {
			out = append(out, j.Kind)
		}
		return out
	}
	require.Equal(t, []string{"b"}, kinds(w.QueueOf("b")))
	require.Equal(t, []string{"a", "c"}, kinds(w.QueueBut("b")))
	require.Empty(t, kinds(w.Queue()))
}
