package messaging

import (
	"encoding/json"
	"log/slog"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"

	"tilth/app/events"
)

// feedTopic is the topic of the bus: events with their positions in the feeds of their companies.
const feedTopic = "tilth.feed"

// batchMedia is the content type of a message (cloudevents/formats/json-format.md, section 4).
const batchMedia = "application/cloudevents-batch+json"

// Transport carries messages, each a batch of CloudEvents, to the consumers. Publish returns nil only when every consumer
// has acknowledged the message, or when its events are stored where a kill does not lose them.
type Transport interface {
	message.Publisher
	// For returns the subscriber of a consumer: one for all processes, or, with each, one for every process.
	For(consumer string, each bool) message.Subscriber
	// Away returns why nothing can be published now; nil: it can be tried.
	Away() error
	// Back has a value when the transport is back after it was away; nil: it is never away.
	Back() <-chan struct{}
}

// inProcess is the transport within a process.
type inProcess struct{ *gochannel.GoChannel }

// InProcess returns the transport to the consumers of this process.
func InProcess(log *slog.Logger) Transport {
	return inProcess{gochannel.NewGoChannel(gochannel.Config{BlockPublishUntilSubscriberAck: true}, watermillLog(log))}
}

func (t inProcess) For(string, bool) message.Subscriber { return t.GoChannel }
func (inProcess) Away() error                           { return nil }
func (inProcess) Back() <-chan struct{}                 { return nil }

// watermillLog lowers what watermill reports about each subscription to debug.
func watermillLog(log *slog.Logger) watermill.LoggerAdapter {
	return watermill.NewSlogLoggerWithLevelMapping(log, map[slog.Level]slog.Level{slog.LevelInfo: slog.LevelDebug})
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
