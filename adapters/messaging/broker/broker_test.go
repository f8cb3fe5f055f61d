package broker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"tilth/adapters/messaging"
	"tilth/adapters/messaging/broker"
	"tilth/app/events"
	"tilth/core/event"
	"tilth/ports"
	"tilth/tests/brokertest"
)

var _ messaging.Transport = (*broker.Broker)(nil)

const patience = time.Minute

func optionsOf(at *brokertest.Broker) broker.Options {
	return broker.Options{
		Servers: []string{at.URL}, Stream: "tilth", Keep: 24 * time.Hour, Bytes: 64 << 20, Copies: 1, Client: "test", Log: slog.New(slog.DiscardHandler),
	}
}

func connect(t *testing.T, o broker.Options) *broker.Broker {
	t.Helper()
	b, err := broker.Connect(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// batch is a message with events of a company, from one position to another.
func batch(company, from, to int64) *message.Message {
	var all []events.CloudEvent
	for n := from; n <= to; n++ {
		all = append(all, events.CloudEventOf(event.Logged{
			ID: fmt.Sprint(company, "-", n), Type: event.TypeProfileCompleted, CompanyID: company, Subject: "profile/1", At: time.Unix(n, 0).UTC(),
			Data: []byte(`{"n":1}`), Position: n,
		}))
	}
	payload, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return message.NewMessage("m", payload)
}

// stored returns the messages of the stream.
func stored(t *testing.T, at *brokertest.Broker) (out []*jetstream.RawStreamMsg) {
	t.Helper()
	stream, err := at.Client().Stream(t.Context(), "tilth")
	require.NoError(t, err)
	for seq := uint64(1); seq <= stream.CachedInfo().State.LastSeq; seq++ {
		m, err := stream.GetMsg(t.Context(), seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		require.NoError(t, err)
		out = append(out, m)
	}
	return out
}

func TestAnEventIsOneCloudEventUnderItsSubjectOnce(t *testing.T) {
	t.Parallel()
	at := brokertest.Start(t)
	b := connect(t, optionsOf(at))
	require.NoError(t, b.Publish("", batch(7, 1, 3), batch(0, 1, 1)))
	require.NoError(t, b.Publish("", batch(7, 2, 4)), "two of them come again")
	all := stored(t, at)
	var subjects []string
	for _, m := range all {
		var e events.CloudEvent
		require.NoError(t, json.Unmarshal(m.Data, &e))
		subjects = append(subjects, m.Subject+" "+e.Sequence)
	}
	require.Equal(t, []string{
		"tilth.7.vi_profile_completed 0000000000000000001", "tilth.7.vi_profile_completed 0000000000000000002", "tilth.7.vi_profile_completed 0000000000000000003",
		"tilth.0.vi_profile_completed 0000000000000000001", "tilth.7.vi_profile_completed 0000000000000000004",
	}, subjects)
	require.Equal(t, "application/cloudevents+json", all[0].Header.Get("content-type"))
	require.JSONEq(t, `{"specversion":"1.0","id":"7-1","source":"/tilth","type":"vi_profile_completed","subject":"profile/1","time":"1970-01-01T00:00:01Z",
		"datacontenttype":"application/json","companyid":7,"sequence":"0000000000000000001","data":{"n":1}}`, string(all[0].Data))

	stream, err := at.Client().Stream(t.Context(), "tilth")
	require.NoError(t, err)
	config := stream.CachedInfo().Config
	require.Equal(t, 24*time.Hour, config.MaxAge)
	require.EqualValues(t, 64<<20, config.MaxBytes)
	require.Equal(t, jetstream.FileStorage, config.Storage)
	require.Equal(t, ports.BrokerTraffic{Connected: true, Published: 7}, b.Traffic())
}

// collector gets what a consumer of some processes gets.
type collector struct {
	mu   sync.Mutex
	ids  map[string]int
	all  chan struct{} // closed when it has as many as are expected
	want int
}

func newCollector(want int) *collector {
	return &collector{ids: map[string]int{}, all: make(chan struct{}), want: want}
}

// take notes the events of a message, and closes all once it has as many as are expected.
func (c *collector) take(t *testing.T, m *message.Message) {
	var got []events.CloudEvent
	if err := json.Unmarshal(m.Payload, &got); err != nil {
		t.Error(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range got {
		if c.ids[e.ID]++; c.ids[e.ID] == 1 && len(c.ids) == c.want {
			close(c.all)
		}
	}
}

func (c *collector) wait(t *testing.T) {
	t.Helper()
	select {
	case <-c.all:
	case <-time.After(patience):
		c.mu.Lock()
		defer c.mu.Unlock()
		t.Fatalf("only %d of %d events came", len(c.ids), c.want)
	}
}

// consume hands a consumer's messages to a function until the test ends.
func consume(t *testing.T, b *broker.Broker, name string, each bool, handle func(m *message.Message)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	in, err := b.For(name, each).Subscribe(ctx, "")
	require.NoError(t, err)
	var done sync.WaitGroup
	done.Go(func() {
		for m := range in {
			handle(m)
		}
	})
	t.Cleanup(func() { cancel(); done.Wait() })
}

func TestProcessesShareAConsumerAndEachHasAnother(t *testing.T) {
	t.Parallel()
	at := brokertest.Start(t)
	first, second := connect(t, optionsOf(at)), connect(t, optionsOf(at))
	shared, apart := newCollector(200), []*collector{newCollector(200), newCollector(200)}
	var refused sync.Once
	for i, b := range []*broker.Broker{first, second} {
		consume(t, b, "webhooks", false, func(m *message.Message) {
			again := false
			refused.Do(func() { again = true })
			if again {
				m.Nack()
				return
			}
			shared.take(t, m)
			m.Ack()
		})
		consume(t, b, "streams", true, func(m *message.Message) { apart[i].take(t, m); m.Ack() })
	}
	// A message on the broker that is no event of ours stops nobody. Once it arrives, the subscriptions of each process exist.
	js := at.Client()
	require.Eventually(t, func() bool {
		_, err := js.Publish(t.Context(), "tilth.7.junk", []byte("no event"))
		return err == nil && first.Traffic().Ignored > 1 && second.Traffic().Ignored > 1
	}, patience, 10*time.Millisecond)
	require.NoError(t, first.Publish("", batch(7, 1, 100)))
	require.NoError(t, second.Publish("", batch(8, 1, 100)))
	shared.wait(t)
	apart[0].wait(t)
	apart[1].wait(t)
	for id, n := range shared.ids {
		require.Equal(t, 1, n, "%s: handled by one process alone", id)
	}
	require.Eventually(t, func() bool {
		consumer, err := js.Consumer(t.Context(), "tilth", "tilth-webhooks")
		require.NoError(t, err)
		info := consumer.CachedInfo()
		return info.NumAckPending == 0 && info.NumPending == 0
	}, patience, 10*time.Millisecond, "all is acknowledged")
}

func TestABrokerThatIsAwayComesBackWithAllThatItStored(t *testing.T) {
	t.Parallel()
	at := brokertest.Start(t)
	b := connect(t, optionsOf(at))
	before, got := newCollector(10), newCollector(20)
	consume(t, b, "webhooks", false, func(m *message.Message) { before.take(t, m); got.take(t, m); m.Ack() })
	require.NoError(t, b.Publish("", batch(7, 1, 10)))
	before.wait(t)
	<-b.Back() // the first connection
	at.Stop()
	require.Eventually(t, func() bool { return b.Away() != nil }, patience, time.Millisecond)
	require.Error(t, b.Check(t.Context()))
	require.Error(t, b.Publish("", batch(7, 8, 20)), "nothing is said to be stored that is not")
	at.Restart()
	<-b.Back()
	require.NoError(t, b.Away())
	require.NoError(t, b.Publish("", batch(7, 8, 20)))
	require.NoError(t, b.Check(t.Context()))
	got.wait(t)
	require.Len(t, stored(t, at), 20)
}

func TestABrokerMayBeAwayAtTheStart(t *testing.T) {
	t.Parallel()
	at := brokertest.Start(t)
	at.Stop()
	b := connect(t, optionsOf(at))
	require.Error(t, b.Away())
	got := newCollector(3)
	consume(t, b, "webhooks", false, func(m *message.Message) { got.take(t, m); m.Ack() })
	at.Restart()
	<-b.Back()
	require.NoError(t, b.Publish("", batch(7, 1, 3)))
	got.wait(t)
}

// A broker that lost its stream, as after its folder was removed, gets it anew.
func TestAStreamThatIsGoneIsMadeAnew(t *testing.T) {
	t.Parallel()
	at := brokertest.Start(t)
	b := connect(t, optionsOf(at))
	require.NoError(t, b.Publish("", batch(7, 1, 1)))
	require.NoError(t, at.Client().DeleteStream(t.Context(), "tilth"))
	require.Error(t, b.Publish("", batch(7, 2, 2)))
	require.Error(t, b.Check(t.Context()), "operators see that events are not stored")
	require.NoError(t, b.Publish("", batch(7, 2, 2)))
	require.Len(t, stored(t, at), 1)
}

func TestExamineSaysWhatIsWrongWithAStream(t *testing.T) {
	t.Parallel()
	at := brokertest.Start(t)
	js := at.Client()
	h, err := broker.Examine(t.Context(), optionsOf(at))
	require.NoError(t, err)
	require.Empty(t, h.Stream)
	require.Contains(t, h.Server, "NATS 2.")
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: "tilth", Subjects: []string{"tilth.7.*"}, Storage: jetstream.MemoryStorage, Retention: jetstream.InterestPolicy,
	})
	require.NoError(t, err)
	h, err = broker.Examine(t.Context(), optionsOf(at))
	require.NoError(t, err)
	var faults []string
	for _, f := range h.Faults {
		require.NotEmpty(t, f.Fix)
		faults = append(faults, f.What)
	}
	require.Len(t, faults, 3, strings.Join(faults, "; "))

	at.Stop()
	_, err = broker.Examine(t.Context(), optionsOf(at))
	require.ErrorIs(t, err, nats.ErrNoServers)
}
