package replicas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/adapters/messaging"
	"tilth/adapters/messaging/broker"
	"tilth/adapters/persistence"
	"tilth/app/events"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/record"
	"tilth/core/webhook"
	"tilth/ports"
	"tilth/tests/brokertest"
	"tilth/tests/rig"
)

// eventsEach is the number of events that each of two companies publishes.
const eventsEach = 150

// outages is the number of outages of the broker.
const outages = 4

// fast is a clock on which a lease runs out within 75 ms.
type fast struct{ began time.Time }

func (c fast) Now() time.Time { return c.began.Add(200 * time.Since(c.began)) }

var errKilled = errors.New("killed")

// mortal is the store and the outbox of a process that dies before, within or after its
// transactions. Its death ends the process.
type mortal struct {
	*persistence.Database
	die context.CancelFunc
}

func (m mortal) dies() bool {
	dead := rand.IntN(6) == 0
	if dead {
		m.die()
	}
	return dead
}

func (m mortal) Operate(ctx context.Context, do func(ctx context.Context, tx ports.OperatorRepos) error) error {
	if m.dies() {
		return errKilled
	}
	err := m.Database.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := do(ctx, tx); err != nil || !m.dies() {
			return err
		}
		return errKilled
	})
	if err == nil && m.dies() {
		return errKilled
	}
	return err
}

// outbox dies between the steps of the relay.
type outbox struct {
	ports.Relay
	mortal
}

func (o outbox) Pending(ctx context.Context, now time.Time, lease time.Duration, _ int) ([]ports.OutboxRow, error) {
	rows, err := o.Relay.Pending(ctx, now, lease, 1+rand.IntN(20))
	if err == nil && len(rows) > 0 && o.dies() {
		return nil, errKilled
	}
	return rows, err
}

func (o outbox) Published(ctx context.Context, seqs []int64, at time.Time) error {
	if o.dies() {
		return errKilled
	}
	return o.Relay.Published(ctx, seqs, at)
}

// process relays events until it dies or the context ends.
func process(ctx context.Context, db *persistence.Database, clock fast, transport func() (messaging.Transport, error)) error {
	ctx, die := context.WithCancel(ctx)
	defer die()
	store := mortal{db, die}
	over, err := transport()
	if err != nil {
		return err
	}
	sequencer := &events.Sequencer{Store: store, Clock: clock}
	bus := &messaging.Bus{
		Relay: outbox{db.Relay(), store}, Transport: over, Clock: clock, Log: quiet, Poll: time.Millisecond,
		Place: sequencer.Place, PlaceAll: sequencer.PlaceAll,
		Consumers: map[string]messaging.Consumer{"webhooks": {Take: (&events.Dispatcher{Store: store, Clock: clock}).Dispatch, Rereads: true}},
	}
	return bus.Run(ctx)
}

var quiet = slog.New(slog.DiscardHandler)

func TestEventsArriveOnceWhateverIsKilled(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, address string) {
		arriveOnce(t, address, func() (messaging.Transport, error) { return messaging.InProcess(quiet), nil })
	})
}

// The same over a broker that keeps failing and recovering: it, too, has every event once.
func TestEventsArriveOnceOverABrokerThatGoesAway(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, address string) {
		at := brokertest.Start(t)
		servers := []string{at.URL}
		looks, arrived := make(chan struct{}), make(chan struct{})
		var restarting sync.WaitGroup
		restarting.Go(func() {
			for range outages {
				pass(looks, arrived, 100+rand.IntN(300))
				at.Stop()
				pass(looks, arrived, rand.IntN(200))
				at.Restart()
			}
		})
		ids := arriveOnce(t, address, func() (messaging.Transport, error) {
			over, err := broker.Connect(broker.Options{Servers: servers, Stream: "tilth", Keep: time.Hour, Bytes: 64 << 20, Copies: 1, Log: quiet})
			return counted{over, looks}, err
		})
		close(arrived)
		restarting.Wait()
		stream, err := at.Client().Stream(t.Context(), "tilth")
		require.NoError(t, err)
		var stored []string
		for seq := stream.CachedInfo().State.FirstSeq; seq <= stream.CachedInfo().State.LastSeq; seq++ {
			m, err := stream.GetMsg(t.Context(), seq)
			require.NoError(t, err)
			stored = append(stored, m.Header.Get("Nats-Msg-Id"))
		}
		require.ElementsMatch(t, ids, stored)
	})
}

// counted is a transport that signals each time that its relay checks whether there is something to publish.
type counted struct {
	messaging.Transport
	looks chan<- struct{}
}

func (c counted) Away() error {
	select {
	case c.looks <- struct{}{}:
	default: // nobody is counting
	}
	return c.Transport.Away()
}

// pass waits until relays have checked n times, or all events have arrived.
func pass(looks, arrived <-chan struct{}, n int) {
	for range n {
		select {
		case <-looks:
		case <-arrived:
			return
		}
	}
}

// arriveOnce publishes events while two replicas relay them and die, and returns the ids of all of them.
func arriveOnce(t *testing.T, address string, transport func() (messaging.Transport, error)) (ids []string) {
	clock := fast{time.Now()}
	replicas := []*persistence.Database{open(t, address, clock), open(t, address, clock)}
	companies := []company{newCompany(t, replicas[0], clock, "a"), newCompany(t, replicas[0], clock, "b")}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var working sync.WaitGroup
	for _, db := range replicas {
		working.Go(func() {
			for ctx.Err() == nil {
				if err := process(ctx, db, clock, transport); err != nil {
					t.Error(err)
					stop()
				}
			}
		})
	}
	for _, c := range companies {
		working.Go(func() { c.publish(ctx, t, replicas[0], clock) })
	}
	rig.Eventually(t, func() bool { return through(ctx, t, replicas[1], companies) && published(ctx, t, replicas[1]) }, 10*time.Minute, 5*time.Millisecond)
	stop()
	working.Wait()
	for _, c := range companies {
		ids = append(ids, c.check(t, replicas[0])...)
	}
	return ids
}

// published reports whether no event waits in the outbox.
func published(ctx context.Context, t *testing.T, db *persistence.Database) bool {
	waiting, err := db.Backlog(ctx)
	if err != nil {
		t.Error(err)
	}
	return waiting.Events == 0
}

func open(t *testing.T, address string, clock fast) *persistence.Database {
	db, err := persistence.Open(t.Context(), address, persistence.Options{Clock: clock, Shared: clock, IDs: identity.Random{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// company publishes events to two paused webhooks: nothing is sent.
type company struct {
	scope access.Scope
	hooks []int64
}

func newCompany(t *testing.T, db *persistence.Database, clock fast, name string) company {
	now := clock.Now()
	paused := now.Add(365 * 24 * time.Hour)
	made := ports.Company{UUID: identity.Random{}.UUID(), Name: name, CreatedAt: now}
	user := ports.User{Email: name + "@test.example", CreatedAt: now}
	require.NoError(t, db.Operate(t.Context(), func(ctx context.Context, tx ports.OperatorRepos) error {
		if err := tx.Accounts.CreateCompany(ctx, &made, access.DefaultRoles()); err != nil {
			return err
		}
		user.CompanyID = made.ID
		return tx.Accounts.CreateUser(ctx, &user)
	}))
	c := company{scope: access.Own(made.ID)}
	for range 2 {
		hook := webhook.Webhook{
			Meta: record.Meta{CreatedAt: now, UpdatedAt: now, CreatedBy: &record.Ref{ID: user.ID}},
			URL:  "https://hooks.example/", IsActive: true, Secret: "whsec_a", PausedUntil: &paused,
		}
		require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx ports.Repos) error {
			return tx.Webhooks.Insert(ctx, c.scope, []*webhook.Webhook{&hook})
		}))
		c.hooks = append(c.hooks, hook.ID)
	}
	return c
}

func (c company) publish(ctx context.Context, t *testing.T, db *persistence.Database, clock fast) {
	for range eventsEach {
		err := db.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
			return tx.Outbox.Add(ctx, event.Event{
				ID: identity.Random{}.UUID(), Type: event.TypeProfileCompleted, CompanyID: c.scope.Company(), Subject: "profile/1",
				At: clock.Now(), Data: event.ProfileCompleted{Status: "active"},
			})
		})
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// through reports whether all events have a position and their deliveries.
func through(ctx context.Context, t *testing.T, db *persistence.Database, companies []company) bool {
	all := true
	err := db.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		for _, c := range companies {
			for _, hook := range c.hooks {
				n, err := tx.Deliveries.Count(ctx, c.scope, ports.DeliveryQuery{WebhookID: hook})
				if err != nil {
					return err
				}
				all = all && n >= eventsEach
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return all
}

// check checks that the feed has no gaps, and that each webhook has each event once, in
// the order of the feed. It returns the ids of the events.
func (c company) check(t *testing.T, db *persistence.Database) (all []string) {
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, tx ports.Repos) error {
		logged, err := tx.Events.After(ctx, c.scope, 0, nil, 2*eventsEach)
		require.NoError(t, err)
		var ids []string
		for i, e := range logged {
			require.EqualValues(t, i+1, e.Position)
			ids = append(ids, fmt.Sprint(event.FormatPosition(e.Position), " ", e.ID))
			all = append(all, e.ID)
		}
		require.Len(t, ids, eventsEach)
		for _, hook := range c.hooks {
			var delivered []string
			for d, err := range tx.Deliveries.Each(ctx, c.scope, ports.DeliveryQuery{WebhookID: hook}) {
				require.NoError(t, err)
				var e events.CloudEvent
				require.NoError(t, json.Unmarshal([]byte(d.Body), &e))
				delivered = append(delivered, fmt.Sprint(e.Sequence, " ", d.EventID))
			}
			slices.Reverse(delivered) // they are listed newest first
			require.Equal(t, ids, delivered)
		}
		return nil
	}))
	return all
}
