package messaging

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"

	"tilth/app/events"
	"tilth/ports"
)

// The topics of the bus. A message of either is a batch of CloudEvents.
const (
	committedTopic = "tilth.events" // as the relay takes them from the outbox
	feedTopic      = "tilth.feed"   // with their positions in the feeds of their companies
)

// batchMedia is the content type of a message (cloudevents/formats/json-format.md, section 4).
const batchMedia = "application/cloudevents-batch+json"

const relayBatch = 500

// drainGap is how far apart the looks of a busy relay are at least: each writes, whatever the number of events.
const drainGap = 500 * time.Millisecond

// Transport carries messages to the consumers. Publish returns nil only when every consumer
// has acknowledged the message, or when the message is stored where a kill does not lose it.
type Transport interface {
	message.Publisher
	message.Subscriber
}

// InProcess returns the transport to the consumers of this process.
func InProcess(log *slog.Logger) Transport {
	return gochannel.NewGoChannel(gochannel.Config{BlockPublishUntilSubscriberAck: true}, watermillLog(log))
}

// watermillLog lowers what watermill reports about each subscription to debug.
func watermillLog(log *slog.Logger) watermill.LoggerAdapter {
	return watermill.NewSlogLoggerWithLevelMapping(log, map[slog.Level]slog.Level{slog.LevelInfo: slog.LevelDebug})
}

// Consumer handles a batch of events that have their positions. It may get an event again:
// a consumer that changes records keeps its own done-mark, in the transaction of its change.
type Consumer func(ctx context.Context, batch []events.CloudEvent) error

// Bus carries events from the outbox to the consumers. The first consumer gives events their
// positions; all others read what it publishes. A row of the outbox is done only when every
// consumer has acknowledged it, and comes again, to any replica, when its lease runs out.
type Bus struct {
	Relay     ports.Relay
	Transport Transport
	Clock     ports.Clock
	Log       *slog.Logger
	Woken     <-chan struct{} // has a value when there may be new events; nil: the bus only polls
	Poll      time.Duration   // 0: PollEvery
	Place     func(ctx context.Context, batch []events.CloudEvent) ([]events.CloudEvent, error)
	Consumers map[string]Consumer // by name
}

// Run publishes events until the context ends.
func (b *Bus) Run(ctx context.Context) error {
	router, err := b.router()
	if err != nil {
		return err
	}
	stopped := make(chan error, 1)
	go func() { stopped <- router.Run(ctx) }()
	select {
	case <-router.Running():
	case err := <-stopped:
		return err
	}
	for {
		looked, latest := time.Now(), cmp.Or(b.Poll, PollEvery)
		if err := b.drain(ctx); err != nil && ctx.Err() == nil {
			latest = min(latest, lookAgain)
			b.Log.ErrorContext(ctx, "cannot relay events; they stay in the outbox", "error", err)
		}
		if !(Rhythm{Latest: latest, Woken: b.Woken, Gap: drainGap}).Wait(ctx, looked) {
			err := <-stopped
			_ = b.Transport.Close()
			return err
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
	router.AddHandler("feed", committedTopic, b.Transport, feedTopic, b.Transport, func(m *message.Message) ([]*message.Message, error) {
		batch, err := decode(m)
		if err == nil {
			batch, err = b.Place(m.Context(), batch)
		}
		if err != nil {
			return nil, err
		}
		out, err := encode(batch)
		return []*message.Message{out}, err
	})
	for name, consume := range b.Consumers {
		router.AddConsumerHandler(name, feedTopic, b.Transport, func(m *message.Message) error {
			batch, err := decode(m)
			if err == nil {
				err = consume(m.Context(), batch)
			}
			return err
		})
	}
	return router, nil
}

// pause waits after a handler failed or panicked: the transport delivers the message again at once.
func (b *Bus) pause(handle message.HandlerFunc) message.HandlerFunc {
	return func(m *message.Message) (out []*message.Message, err error) {
		done := false
		defer func() {
			if done {
				return
			}
			select {
			case <-m.Context().Done():
			case <-time.After(cmp.Or(b.Poll, lookAgain)):
			}
		}()
		out, err = handle(m)
		done = err == nil
		return out, err
	}
}

// drain publishes what waits, batch by batch. What is not acknowledged stays in the outbox.
func (b *Bus) drain(ctx context.Context) error {
	for {
		rows, err := b.Relay.Pending(ctx, b.Clock.Now(), LeaseFor, relayBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		batch, seqs := batchOf(rows)
		m, err := encode(batch)
		if err != nil {
			return err
		}
		if err := b.Transport.Publish(committedTopic, m); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err // the wait for the acknowledgements may have been cut short
		}
		if err := b.Relay.Published(ctx, seqs, b.Clock.Now()); err != nil {
			return err
		}
		if len(rows) < relayBatch {
			return nil
		}
	}
}

// Step carries one batch to the consumers without the transport, and returns whether there was one.
func (b *Bus) Step(ctx context.Context) (bool, error) {
	rows, err := b.Relay.Pending(ctx, b.Clock.Now(), LeaseFor, relayBatch)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	batch, seqs := batchOf(rows)
	if batch, err = b.Place(ctx, batch); err != nil {
		return true, err
	}
	for _, name := range slices.Sorted(maps.Keys(b.Consumers)) {
		if err := b.Consumers[name](ctx, batch); err != nil {
			return true, err
		}
	}
	return true, b.Relay.Published(ctx, seqs, b.Clock.Now())
}

func batchOf(rows []ports.OutboxRow) (batch []events.CloudEvent, seqs []int64) {
	for _, row := range rows {
		batch, seqs = append(batch, events.CloudEventOf(row.Logged)), append(seqs, row.Seq)
	}
	return batch, seqs
}

func encode(batch []events.CloudEvent) (*message.Message, error) {
	payload, err := json.Marshal(batch)
	m := message.NewMessage(watermill.NewUUID(), payload)
	m.Metadata.Set("content-type", batchMedia)
	return m, err
}

func decode(m *message.Message) (batch []events.CloudEvent, err error) {
	err = json.Unmarshal(m.Payload, &batch)
	return batch, err
}

// Announcer writes every event into the log of the process.
func Announcer(log *slog.Logger) Consumer {
	return func(ctx context.Context, batch []events.CloudEvent) error {
		for _, e := range batch {
			log.InfoContext(ctx, "event published", "type", e.Type, "id", e.ID, "company", e.CompanyID, "subject", e.Subject)
		}
		return nil
	}
}
