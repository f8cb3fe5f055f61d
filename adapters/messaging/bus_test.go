package messaging_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/stretchr/testify/require"

	"tilth/adapters/messaging"
	"tilth/app/events"
	"tilth/core/fault"
)

// ids notes the events that a consumer takes.
type ids struct {
	mu   sync.Mutex
	seen []string
	all  chan struct{}
	want int
}

func newIDs(want int) *ids { return &ids{all: make(chan struct{}), want: want} }

func (i *ids) take(_ context.Context, batch []events.CloudEvent) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, e := range batch {
		if i.seen = append(i.seen, e.ID); len(i.seen) == i.want {
			close(i.all)
		}
	}
	return nil
}

// run runs a bus until a channel is closed.
func run(t *testing.T, bus *messaging.Bus, until <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- bus.Run(ctx) }()
	select {
	case <-until:
	case <-time.After(time.Minute):
		t.Error("the bus hangs")
	}
	cancel()
	require.NoError(t, <-done)
}

// One event on which a consumer fails for its own reason is set aside; those before and after it arrive.
func TestAnEventThatAConsumerFailsOnIsSetAside(t *testing.T) {
	t.Parallel()
	o, good, aside := newOutbox(5), newIDs(4), newIDs(1)
	tries := 0
	bus := newBus(o, map[string]messaging.Consumer{"picky": {Take: func(ctx context.Context, batch []events.CloudEvent) error {
		if slices.ContainsFunc(batch, func(e events.CloudEvent) bool { return e.ID == "3" }) {
			if tries++; tries == 2 {
				panic("panicked")
			}
			return errors.New("broken")
		}
		return good.take(ctx, batch)
	}}})
	bus.SetAside = func(ctx context.Context, consumer string, e events.CloudEvent, cause error) error {
		if consumer != "picky" || cause.Error() != "broken" {
			t.Errorf("%s: %v", consumer, cause)
		}
		return aside.take(ctx, []events.CloudEvent{e})
	}
	run(t, bus, o.empty)
	require.Equal(t, []string{"1", "2", "4", "5"}, good.seen)
	require.Equal(t, []string{"3"}, aside.seen)
}

// An event that fails because the database is unavailable is never set aside: it comes again when the database is back.
func TestADatabaseThatIsAwayMakesNoDeadLetters(t *testing.T) {
	t.Parallel()
	o, got, tries := newOutbox(3), newIDs(3), 0
	bus := newBus(o, map[string]messaging.Consumer{"c": {Take: func(ctx context.Context, batch []events.CloudEvent) error {
		if tries++; tries < 20 {
			return fault.New(fault.Unavailable, "away", "The database is away.")
		}
		return got.take(ctx, batch)
	}}})
	bus.SetAside = func(context.Context, string, events.CloudEvent, error) error {
		t.Error("an event was set aside")
		return nil
	}
	run(t, bus, o.empty)
	require.Equal(t, []string{"1", "2", "3"}, got.seen)
}

// away is a transport that is away until it returns.
type away struct {
	messaging.Transport
	mu   sync.Mutex
	err  error
	back chan struct{}
}

func (a *away) Away() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

func (a *away) Back() <-chan struct{} { return a.back }

func (a *away) Publish(topic string, all ...*message.Message) error {
	if err := a.Away(); err != nil {
		return err
	}
	return a.Transport.Publish(topic, all...)
}

func (a *away) returns() {
	a.mu.Lock()
	a.err = nil
	a.mu.Unlock()
	a.back <- struct{}{}
}

// While the transport is away the consumers that read the database receive events within the process; all others receive
// every event when it is back.
func TestConsumersGoOnWhileTheTransportIsAway(t *testing.T) {
	t.Parallel()
	o, reads, other := newOutbox(4), newIDs(4), newIDs(4)
	bus := newBus(o, map[string]messaging.Consumer{"reads": {Take: reads.take, Rereads: true}, "other": {Take: other.take}})
	transport := &away{Transport: bus.Transport, err: errors.New("away"), back: make(chan struct{}, 1)}
	bus.Transport, bus.Poll = transport, time.Hour
	placed := false
	bus.PlaceAll = func(context.Context) (out []events.CloudEvent, err error) {
		if placed {
			return nil, nil
		}
		placed = true
		for _, row := range o.rows {
			out = append(out, events.CloudEventOf(row.Logged))
		}
		return out, nil
	}
	go func() {
		<-reads.all
		other.mu.Lock()
		if len(other.seen) > 0 || len(o.rows) != 4 {
			t.Error("events are done that were not published")
		}
		other.mu.Unlock()
		transport.returns()
	}()
	run(t, bus, o.empty)
	require.Equal(t, []string{"1", "2", "3", "4"}, other.seen)
}
