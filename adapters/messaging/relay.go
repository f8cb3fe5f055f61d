package messaging

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"

	"tilth/app/events"
	"tilth/core/event"
	"tilth/ports"
)

// Topic is where all events of the product are published.
const Topic = "tilth.events"

// relayBatch is how many events are taken from the outbox at a time.
const relayBatch = 100

// CloudEvent is an event as it is published.
type CloudEvent = events.CloudEvent

// Consumer hears of an event: it announces it to whoever watches this process (a log,
// a stream). An event is marked as seen before it is handled, so a repeat of the relay
// is never announced twice; a consumer that changes records must mark it in the
// transaction of its own change instead.
type Consumer struct {
	Name   string
	Handle func(ctx context.Context, e CloudEvent)
}

// Bus carries events from the outbox to the consumers of this process. A row of the
// outbox is done only when every consumer has acknowledged it.
type Bus struct {
	relay ports.Relay
	clock ports.Clock
	log   *slog.Logger
	poll  time.Duration

	// Sequence, where it is set, gives some of the events their places in the feeds of their
	// companies; more reports whether others wait. It runs before events are published.
	Sequence func(ctx context.Context) (more bool, err error)

	channel *gochannel.GoChannel
	router  *message.Router
}

// NewBus makes a bus with its consumers.
func NewBus(relay ports.Relay, clock ports.Clock, log *slog.Logger, poll time.Duration, consumers ...Consumer) (*Bus, error) {
	logger := watermill.NewSlogLoggerWithLevelMapping(log, map[slog.Level]slog.Level{
		slog.LevelInfo: slog.LevelDebug, // its word on every subscription is no news to an operator
	})
	if poll == 0 {
		poll = PollEvery
	}
	b := &Bus{
		relay: relay, clock: clock, log: log, poll: poll,
		channel: gochannel.NewGoChannel(gochannel.Config{BlockPublishUntilSubscriberAck: true}, logger),
	}
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: 5 * time.Second}, logger)
	if err != nil {
		return nil, err
	}
	for _, c := range consumers {
		router.AddConsumerHandler(c.Name, Topic, b.channel, b.once(c))
	}
	b.router = router
	return b, nil
}

// once makes a handler that drops what its consumer has handled before.
func (b *Bus) once(c Consumer) message.NoPublishHandlerFunc {
	return func(m *message.Message) error {
		var e CloudEvent
		if err := json.Unmarshal(m.Payload, &e); err != nil {
			b.log.Error("event that cannot be read is dropped", "id", m.UUID, "error", err)
			return nil
		}
		ctx := m.Context()
		first, err := b.relay.Seen(ctx, c.Name, e.ID, b.clock.Now())
		if err != nil {
			return err
		}
		if !first {
			b.log.DebugContext(ctx, "event seen again", "consumer", c.Name, "id", e.ID)
			return nil
		}
		c.Handle(ctx, e)
		return nil
	}
}

// Run publishes events until the context ends.
func (b *Bus) Run(ctx context.Context) error {
	stopped := make(chan error, 1)
	go func() { stopped <- b.router.Run(ctx) }()
	select {
	case <-b.router.Running():
	case err := <-stopped:
		return err
	}
	ticker := time.NewTicker(b.poll)
	defer ticker.Stop()
	for {
		b.sequence(ctx)
		b.drain(ctx)
		select {
		case <-ctx.Done():
			err := <-stopped
			_ = b.channel.Close()
			return err
		case <-ticker.C:
		}
	}
}

// sequence gives the events that wait their places.
func (b *Bus) sequence(ctx context.Context) {
	for more := b.Sequence != nil; more && ctx.Err() == nil; {
		var err error
		if more, err = b.Sequence(ctx); err != nil && ctx.Err() == nil {
			b.log.ErrorContext(ctx, "cannot give events their places; they stay in the outbox", "error", err)
		}
	}
}

// drain publishes what waits. What is not acknowledged stays in the outbox.
func (b *Bus) drain(ctx context.Context) {
	for ctx.Err() == nil {
		rows, err := b.relay.Pending(ctx, b.clock.Now(), LeaseFor, relayBatch)
		if err != nil {
			if ctx.Err() == nil {
				b.log.ErrorContext(ctx, "cannot read the outbox", "error", err)
			}
			return
		}
		for _, row := range rows {
			if err := b.publish(ctx, row); err != nil {
				b.log.ErrorContext(ctx, "cannot publish an event; it stays in the outbox", "id", row.ID, "error", err)
				return
			}
		}
		if len(rows) < relayBatch {
			return
		}
	}
}

func (b *Bus) publish(ctx context.Context, row ports.OutboxRow) error {
	payload, err := json.Marshal(events.CloudEventOf(event.Logged{
		ID: row.ID, Type: row.Type, CompanyID: row.CompanyID, Subject: row.Subject, At: row.At, Data: row.Data, Position: row.Position,
	}))
	if err != nil {
		return err
	}
	m := message.NewMessage(row.ID, payload)
	m.SetContext(ctx)
	if err := b.channel.Publish(Topic, m); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err() // the wait for the acknowledgement may have been cut short
	}
	return b.relay.Published(ctx, row.Seq, b.clock.Now())
}

// Announcer writes every event into the log of the process.
func Announcer(log *slog.Logger) Consumer {
	return Consumer{Name: "log", Handle: func(ctx context.Context, e CloudEvent) {
		log.InfoContext(ctx, "event published", "type", e.Type, "id", e.ID, "company", e.CompanyID, "subject", e.Subject)
	}}
}
