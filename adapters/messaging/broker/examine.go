package broker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Health is what a broker reports about itself.
type Health struct {
	Server  string // its version and address
	Cluster string // its name; empty: there is one node
	Stream  string // what the stream holds; empty: it is not made yet
	// Faults are what loses events or keeps them from others, with what to do about it; Warnings what may.
	Faults, Warnings []Advice
}

// Advice is something to be changed at the broker.
type Advice struct{ What, Fix string }

// Examine connects once and reports the state of the broker and its stream.
func Examine(ctx context.Context, o Options) (h Health, err error) {
	options, err := o.security()
	if err != nil {
		return h, err
	}
	conn, err := nats.Connect(strings.Join(o.Servers, ","), append(options, nats.Name(o.Client), nats.Timeout(connectWithin))...)
	if err != nil {
		return h, err
	}
	defer conn.Close()
	h.Server, h.Cluster = fmt.Sprintf("NATS %s at %s", conn.ConnectedServerVersion(), conn.ConnectedUrlRedacted()), conn.ConnectedClusterName()
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	js, err := jetstream.New(conn)
	if err != nil {
		return h, err
	}
	stream, err := js.Stream(ctx, o.Stream)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return h, nil
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		return h, errors.New("JetStream is off. Fix: switch it on at the server (-js, or jetstream {} in its file) and for this account")
	case err != nil:
		return h, err
	}
	info := stream.CachedInfo()
	h.Stream = fmt.Sprintf("stream %s with %d events (%d bytes)", o.Stream, info.State.Msgs, info.State.Bytes)
	h.judge(o, info.Config)
	return h, nil
}

// judge adds what is wrong with a stream.
func (h *Health) judge(o Options, have jetstream.StreamConfig) {
	covered := false
	for _, subject := range have.Subjects {
		covered = covered || subject == o.subjects() || subject == o.Stream+".>"
	}
	if !covered {
		h.Faults = append(h.Faults, Advice{
			fmt.Sprintf("its subjects are %s: events are refused", strings.Join(have.Subjects, ", ")), "give it the subjects " + o.subjects() + ", or set TILTH_BROKER_STREAM to another name"})
	}
	if have.Retention != jetstream.LimitsPolicy {
		h.Faults = append(h.Faults, Advice{"its retention is " + strings.ToLower(have.Retention.String()) + ": consumers take events from one another", "recreate it with the retention policy limits"})
	}
	if have.Storage != jetstream.FileStorage {
		h.Faults = append(h.Faults, Advice{"it is kept in memory: a restart of the broker loses events that Tilth considers stored", "recreate it with file storage"})
	}
	if h.Cluster != "" && have.Replicas < 2 {
		h.Warnings = append(h.Warnings, Advice{"it is on only one node of the cluster " + h.Cluster, "run `nats stream edit " + o.Stream + " --replicas 3`; TILTH_BROKER_COPIES sets it for a new stream"})
	}
}
