package wire

import (
	"context"
	"log/slog"
	"time"

	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/adapters/messaging"
	"tilth/adapters/messaging/broker"
	"tilth/adapters/persistence/sqlstore"
	"tilth/app/events"
)

// hookWorkers is how many webhooks, and systems of PACT clients, are posted to at a time. Slow ones (10 seconds) keep no other work waiting.
const hookWorkers = 8

// openBroker connects to the broker of the configuration, which may be unreachable; nil: there is none.
func openBroker(cfg cli.Config, client string, log *slog.Logger) (*broker.Broker, error) {
	o, err := brokerOptions(cfg, client, log)
	if err != nil || len(o.Servers) == 0 {
		return nil, err
	}
	return broker.Connect(o)
}

func brokerOptions(cfg cli.Config, client string, log *slog.Logger) (broker.Options, error) {
	servers, files, err := cfg.Broker()
	return broker.Options{
		Servers: servers, Files: files, Stream: cfg.BrokerStream, Keep: cfg.BrokerKeep, Bytes: cfg.BrokerBytes, Copies: cfg.BrokerCopies,
		Client: "tilth " + client, Log: log,
	}, err
}

// newBus returns the bus that carries events to the consumers: over the broker, where there is one, else within this process.
func (r *Running) newBus(failures *cli.Failures) *messaging.Bus {
	bus := &messaging.Bus{
		Relay: r.db.Relay(), Clock: identity.Clock{}, Log: r.log, Woken: r.db.Wakes(sqlstore.EventsWait),
		Place: r.parts.Sequencer.Place, PlaceAll: r.parts.Sequencer.PlaceAll, SetAside: r.parts.Aside.Keep,
		Consumers: map[string]messaging.Consumer{
			"webhooks": {Take: r.parts.Dispatcher.Dispatch, Rereads: true},
			"streams":  {Take: r.parts.Interface.Events.Feed.Hear, Everywhere: true, Rereads: true},
			"log":      {Take: messaging.Announcer(r.log)},
		},
	}
	if bus.Transport = messaging.InProcess(r.log); r.broker != nil {
		bus.Transport = r.broker
	}
	r.parts.Aside.Consumers = map[string]func(context.Context, []events.CloudEvent) error{}
	for name, consumer := range bus.Consumers {
		if failures != nil && failures.Consume != nil {
			consumer.Take = failures.Consume(consumer.Take)
			bus.Consumers[name] = consumer
		}
		r.parts.Aside.Consumers[name] = consumer.Take
	}
	return bus
}

// followGap is the minimum time between two looks of the streams of this process for what other processes relayed.
const followGap = 100 * time.Millisecond
