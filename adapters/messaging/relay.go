package messaging

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"tilth/app/events"
	"tilth/core/fault"
	"tilth/ports"
)

const relayBatch = 500

// drainGap is the minimum time between two looks of a busy relay: each look writes, whatever the number of events.
const drainGap = 500 * time.Millisecond

// Consumer handles events that have their positions.
type Consumer struct {
	// Take handles a batch. It may get an event again: a consumer that changes records keeps its own done-mark, in the
	// transaction of its change.
	Take Take
	// Everywhere says that every process has such a consumer, which wakes what waits in that process.
	Everywhere bool
	// Rereads says that the consumer reads from the database what the events are about: when it receives some, it also
	// handles all before them, in order. It receives events within the process while the transport is unavailable.
	Rereads bool
}

// Take handles a batch of events.
type Take func(ctx context.Context, batch []events.CloudEvent) error

// Bus carries events from the outbox to the consumers, each with its position in the feed of its company. A row of the
// outbox is done only when every consumer has acknowledged it, or the transport has stored it; until then it comes again, to
// any replica, when its lease runs out. One replica publishes at a time, so that the events of a company are published in order.
type Bus struct {
	Relay     ports.Relay // nil: this process only consumes what others publish
	Transport Transport
	Clock     ports.Clock
	Log       *slog.Logger
	Woken     <-chan struct{} // has a value when there may be new events; nil: the bus only polls
	Poll      time.Duration   // 0: PollEvery
	// Place assigns the events of a batch, and all older ones, their positions, and returns the batch with them.
	Place func(ctx context.Context, batch []events.CloudEvent) ([]events.CloudEvent, error)
	// PlaceAll does so for all events without a position, and returns them; nil: events wait for the transport.
	PlaceAll  func(ctx context.Context) ([]events.CloudEvent, error)
	Consumers map[string]Consumer // by name
	// SetAside keeps an event that a consumer has failed on, to be handled apart from those that follow; nil: it is
	// handed to the consumer until the consumer takes it.
	SetAside func(ctx context.Context, consumer string, e events.CloudEvent, cause error) error

	held taken
}

// taken is a batch whose lease this process holds, while the transport cannot take it.
type taken struct {
	batch []events.CloudEvent
	seqs  []int64
	since time.Time // by the process's own clock
}

// Run publishes events until the context ends, and hands to the consumers what the transport delivers.
func (b *Bus) Run(ctx context.Context) error {
	router, err := b.router()
	if err != nil {
		return err
	}
	defer func() { _ = b.Transport.Close() }()
	if b.Relay == nil {
		return router.Run(ctx)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- router.Run(ctx) }()
	select {
	case <-router.Running():
	case err := <-stopped:
		return err
	}
	var said string // the last error, which is logged once
	for {
		looked, latest := time.Now(), cmp.Or(b.Poll, PollEvery)
		err := b.drain(ctx)
		if err != nil && ctx.Err() == nil && said != err.Error() {
			b.Log.ErrorContext(ctx, "cannot relay events; they stay in the outbox", "error", err)
		}
		if said = ""; err != nil {
			said = err.Error()
			if b.Transport.Away() == nil { // else Back tells when it is back
				latest = min(latest, lookAgain)
			}
		}
		if !(Rhythm{Latest: latest, Woken: b.Woken, Gap: drainGap, Also: b.Transport.Back()}).Wait(ctx, looked) {
			return <-stopped
		}
	}
}

// router subscribes the consumers.
func (b *Bus) router() (*message.Router, error) {
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: 5 * time.Second}, watermillLog(b.Log))
	if err != nil {
		return nil, err
	}
	router.AddMiddleware(b.pause)
	for name, consumer := range b.Consumers {
		router.AddConsumerHandler(name, feedTopic, b.Transport.For(name, consumer.Everywhere), func(m *message.Message) error {
			batch, err := decode(m)
			if err != nil {
				return err
			}
			return b.hand(m.Context(), name, batch)
		})
	}
	return router, nil
}

// pause waits after a handler failed: the transport in the process delivers the message again at once.
func (b *Bus) pause(handle message.HandlerFunc) message.HandlerFunc {
	return func(m *message.Message) ([]*message.Message, error) {
		out, err := handle(m)
		if err != nil {
			b.rest(m.Context())
		}
		return out, err
	}
}

func (b *Bus) rest(ctx context.Context) {
	timer := time.NewTimer(cmp.Or(b.Poll, lookAgain))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// handTries is how often a batch is handed to a consumer before its events are handed over one by one.
const handTries = 3

// hand hands a batch to a consumer. An event on which the consumer fails again and again, for a reason of its own, is set
// aside, so that one event does not hold up those that follow.
func (b *Bus) hand(ctx context.Context, name string, batch []events.CloudEvent) error {
	err := b.take(ctx, name, batch)
	for try := 1; err != nil && try < handTries && !passes(ctx, err); try++ {
		b.Log.WarnContext(ctx, "a consumer of events has failed", "consumer", name, "try", try, "error", err)
		b.rest(ctx)
		err = b.take(ctx, name, batch)
	}
	if err != nil && b.Consumers[name].Everywhere && ctx.Err() == nil {
		return nil // what it wakes looks by itself, too
	}
	if err == nil || b.SetAside == nil || passes(ctx, err) {
		return err
	}
	for _, e := range batch {
		err := b.take(ctx, name, []events.CloudEvent{e})
		if err != nil && !passes(ctx, err) {
			b.Log.ErrorContext(ctx, "an event is set aside", "consumer", name, "type", e.Type, "id", e.ID, "company", e.CompanyID, "error", err)
			err = b.SetAside(ctx, name, e, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// passes reports whether a failure is not due to the event: a part of the program does not answer, or the process stops.
func passes(ctx context.Context, err error) bool {
	return ctx.Err() != nil || fault.Is(err, fault.Unavailable)
}

// take hands a batch to a consumer; a panic becomes an error.
func (b *Bus) take(ctx context.Context, name string, batch []events.CloudEvent) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.Newf(fault.Internal, "panic", "the consumer %s panicked: %v", name, r)
		}
	}()
	return b.Consumers[name].Take(ctx, batch)
}

// drain publishes what waits, batch by batch. What is not acknowledged stays in the outbox, and consumers that need no
// transport receive it all the same.
func (b *Bus) drain(ctx context.Context) error {
	for {
		more, err := b.publish(ctx)
		if err != nil && ctx.Err() == nil {
			if told := b.carryOn(ctx); told != nil {
				b.Log.DebugContext(ctx, "events wait in the outbox", "error", told)
			}
		}
		if err != nil || !more {
			return err
		}
	}
}

// publish publishes one batch, and returns whether there is another.
func (b *Bus) publish(ctx context.Context) (more bool, err error) {
	if err := b.Transport.Away(); err != nil {
		return false, err
	}
	if b.held.batch == nil || time.Since(b.held.since) > LeaseFor-2*time.Second {
		if err := b.claim(ctx); err != nil {
			return false, err
		}
	}
	if b.held.batch == nil {
		return false, b.carryOn(ctx) // there is nothing, or another replica is publishing
	}
	m, err := encode(b.held.batch)
	if err != nil {
		return false, err
	}
	m.SetContext(ctx)
	if err := b.Transport.Publish(feedTopic, m); err != nil {
		return false, err
	}
	if err := ctx.Err(); err != nil {
		return false, err // the wait for the acknowledgements may have been cut short
	}
	done := b.held
	b.held = taken{}
	return len(done.seqs) == relayBatch, b.Relay.Published(ctx, done.seqs, b.Clock.Now())
}

// claim takes what is to be published next, with its positions.
func (b *Bus) claim(ctx context.Context) error {
	b.held = taken{}
	since := time.Now()
	rows, err := b.Relay.Pending(ctx, b.Clock.Now(), LeaseFor, relayBatch)
	if err != nil || len(rows) == 0 {
		return err
	}
	batch, seqs := batchOf(rows)
	if batch, err = b.Place(ctx, batch); err != nil {
		return err
	}
	inOrder(batch)
	b.held = taken{batch, seqs, since}
	return nil
}

// inOrder sorts a batch by the positions in the feed of each company: an event that was committed late comes after those that
// were placed there before it.
func inOrder(batch []events.CloudEvent) {
	slices.SortStableFunc(batch, func(a, b events.CloudEvent) int {
		return cmp.Or(cmp.Compare(a.CompanyID, b.CompanyID), cmp.Compare(a.Sequence, b.Sequence))
	})
}

// carryOn assigns events their positions, and hands them to the consumers that need no transport: streams and webhooks go on while
// the events wait in the outbox for the transport, or for another replica.
func (b *Bus) carryOn(ctx context.Context) error {
	if b.PlaceAll == nil {
		return nil
	}
	batch, err := b.PlaceAll(ctx)
	if err != nil || len(batch) == 0 {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(b.Consumers)) {
		if !b.Consumers[name].Rereads {
			continue
		}
		if err := b.take(ctx, name, batch); err != nil {
			return fmt.Errorf("%s: %w", name, err) // it gets them when the transport is back
		}
	}
	return nil
}

// Step carries one batch to the consumers without the transport, and returns whether there was one.
func (b *Bus) Step(ctx context.Context) (bool, error) {
	if err := b.claim(ctx); err != nil || b.held.batch == nil {
		return false, err
	}
	done := b.held
	for _, name := range slices.Sorted(maps.Keys(b.Consumers)) {
		if err := b.Consumers[name].Take(ctx, done.batch); err != nil {
			return true, err
		}
	}
	return true, b.Relay.Published(ctx, done.seqs, b.Clock.Now())
}

func batchOf(rows []ports.OutboxRow) (batch []events.CloudEvent, seqs []int64) {
	for _, row := range rows {
		batch, seqs = append(batch, events.CloudEventOf(row.Logged)), append(seqs, row.Seq)
	}
	return batch, seqs
}

// Announcer writes every event into the log of the process.
func Announcer(log *slog.Logger) Take {
	return func(ctx context.Context, batch []events.CloudEvent) error {
		for _, e := range batch {
			log.InfoContext(ctx, "event published", "type", e.Type, "id", e.ID, "company", e.CompanyID, "subject", e.Subject)
		}
		return nil
	}
}
