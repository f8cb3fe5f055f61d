package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/app/events"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/tests/brokertest"
	"tilth/tests/rig"
)

// readiness is the state that a server reports. The server always answers that it is ready.
func readiness(t *testing.T, s *rig.Server) (out map[string]any) {
	t.Helper()
	rig.Remote(t, s.URL, "").Expect(200, "GET", "/readyz", nil).Into(t, &out)
	return out
}

// consumed returns the ids of the events of a company that another system receives from the broker, in the broker's order.
func consumed(t *testing.T, js jetstream.JetStream, company int64, n int) (ids []string) {
	t.Helper()
	consumer, err := js.CreateOrUpdateConsumer(t.Context(), "tilth", jetstream.ConsumerConfig{
		Durable: fmt.Sprint("erp-", company), FilterSubject: fmt.Sprintf("tilth.%d.>", company), AckPolicy: jetstream.AckExplicitPolicy,
	})
	require.NoError(t, err)
	for last := ""; len(ids) < n; {
		m, err := consumer.Next(jetstream.FetchMaxWait(10 * time.Minute))
		require.NoError(t, err)
		require.NoError(t, m.Ack())
		var e events.CloudEvent
		require.NoError(t, json.Unmarshal(m.Data(), &e))
		require.Equal(t, fmt.Sprintf("tilth.%d.%s", company, e.Type), m.Subject())
		require.Greater(t, e.Sequence, last, "in the order of the feed")
		ids, last = append(ids, e.ID), e.Sequence
	}
	return ids
}

// Two servers of one database with a broker: the streams of either, webhooks and other systems receive every event,
// including those of the time when the broker was unavailable, which no request notices.
func TestEventsGoOverTheBroker(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		at := brokertest.Start(t)
		options := rig.Options{Database: database, Config: func(cfg *cli.Config) {
			openHooks(cfg)
			cfg.BrokerURL, cfg.BrokerBytes = at.URL, 64<<20
		}}
		first, second := rig.Start(t, options), rig.Start(t, options)
		p, c := newPublisher(t, database), first.Company("owner", 0)
		target := newReceiver(t)
		c.Expect(200, "POST", "webhook/", map[string]any{"url": target.URL})
		streams := []*reader{listen(t, first.URL, c.Token, "", "").ready(), listen(t, second.URL, c.Token, "", "").ready()}
		check := func(ids []string) {
			t.Helper()
			for _, r := range streams {
				require.Equal(t, ids, r.take(len(ids)))
			}
		}
		ids := p.publish(c.CompanyID, 20)
		check(ids)
		require.Equal(t, map[string]any{"database": "ready", "broker": "ready", "objects": "ready"}, readiness(t, first))
		require.Equal(t, ids, consumed(t, at.Client(), c.CompanyID, 20))
		target.await(t, 20) // events in the broker that no consumer has taken yet arrive once it is back

		at.Stop()
		rig.Eventually(t, func() bool { return readiness(t, second)["degraded"] != nil }, 10*time.Minute, 10*time.Millisecond)
		require.Equal(t, map[string]any{"database": "ready", "broker": "unavailable", "objects": "ready", "degraded": []any{"broker"}}, readiness(t, second))
		late := p.publish(c.CompanyID, 20)
		check(late)
		target.await(t, 40)
		c.Expect(200, "GET", "webhook/", nil)
		rig.Eventually(t, func() bool { return strings.Contains(first.Metrics(), "tilth_broker_connected 0") }, 10*time.Minute, 10*time.Millisecond)

		at.Restart()
		require.Equal(t, late, consumed(t, at.Client(), c.CompanyID, 20))
		rig.Eventually(t, func() bool { return readiness(t, second)["degraded"] == nil }, 10*time.Minute, 10*time.Millisecond)
		var delivered []string
		for _, d := range target.await(t, 40) {
			delivered = append(delivered, d.id)
		}
		require.Equal(t, slices.Concat(ids, late), delivered, "each once, in order")
	})
}

// operated runs a command as the operator and returns its output.
func operated(t *testing.T, database string, args ...string) string {
	t.Helper()
	out, failed, status := run(t, database, "", args...)
	require.Zero(t, status, failed)
	return out
}

// A consumer that fails on one event leaves a dead letter; later events arrive, and the letter is replayed.
func TestDeadLettersAreSeenAndReplayed(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		at := brokertest.Start(t)
		var poison atomic.Int64 // the company whose events make the consumers fail
		fails := func(next func(context.Context, []events.CloudEvent) error) func(context.Context, []events.CloudEvent) error {
			return func(ctx context.Context, batch []events.CloudEvent) error {
				if slices.ContainsFunc(batch, func(e events.CloudEvent) bool { return e.CompanyID == poison.Load() }) {
					return fault.New(fault.Invalid, "of_test", "It cannot be read.")
				}
				return next(ctx, batch)
			}
		}
		s := rig.Start(t, rig.Options{Database: database, Failures: &cli.Failures{Consume: fails}, Config: func(cfg *cli.Config) {
			openHooks(cfg)
			cfg.BrokerURL, cfg.BrokerBytes = at.URL, 64<<20
		}})
		p, bad, good := newPublisher(t, database), s.Company("owner", 0), s.Company("owner", 0)
		target := newReceiver(t)
		for _, c := range []*rig.Client{bad, good} {
			c.Expect(200, "POST", "webhook/", map[string]any{"url": target.URL})
		}
		poison.Store(bad.CompanyID)
		ids := p.publish(bad.CompanyID, 1)
		fine := p.publish(good.CompanyID, 1)
		require.Equal(t, fine[0], target.await(t, 1)[0].id)

		type letter struct {
			ID                            int64
			Consumer, Type, Event, Reason string
			Company                       int64
		}
		dead := func() (out []letter) {
			for line := range strings.Lines(operated(t, database, "queue", "dead", "list", "--json")) {
				var one letter
				require.NoError(t, json.Unmarshal([]byte(line), &one))
				out = append(out, one)
			}
			return out
		}
		rig.Eventually(t, func() bool { return len(dead()) >= 2 }, 10*time.Minute, 100*time.Millisecond) // one of the webhooks, one of the log
		hooks := slices.IndexFunc(dead(), func(l letter) bool { return l.Consumer == "webhooks" })
		require.GreaterOrEqual(t, hooks, 0)
		one := dead()[hooks]
		require.Equal(t, letter{one.ID, "webhooks", event.TypeProfileCompleted, ids[0], one.Reason, bad.CompanyID}, one)
		require.Contains(t, one.Reason, "It cannot be read.")
		op := operatorOf(t, s, database)
		require.Equal(t, "failed", op.Expect(200, "GET", path("operator/job", one.ID), nil).Data(t)["state"])

		// The commands of the guides run as written, first on the letter of the log and then on this one.
		other := dead()[slices.IndexFunc(dead(), func(l letter) bool { return l.ID != one.ID })]
		for _, words := range commandsOf(t, "docs/operating.md", "tilth job", other.ID) {
			require.NotEmpty(t, operated(t, database, words...), "%v", words)
		}
		poison.Store(0)
		for _, words := range commandsOf(t, "docs/broker.md", "tilth queue dead", one.ID) {
			said := operated(t, database, words...)
			if words[len(words)-1] == fmt.Sprint(one.ID) {
				require.Contains(t, said, "1 dead letters")
				require.Equal(t, ids[0], target.await(t, 2)[1].id)
			}
		}
		rig.Eventually(t, func() bool { return len(dead()) == 0 }, 10*time.Minute, 100*time.Millisecond)
	})
}

// commandsOf returns the commands of a guide that begin with some words, with the id in place of the guide's.
func commandsOf(t *testing.T, guide, begins string, id int64) (out [][]string) {
	t.Helper()
	for line := range strings.Lines(blockOf(t, guide, begins)) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		require.Equal(t, "tilth", words[0])
		for i, word := range words {
			if word == "17" {
				words[i] = fmt.Sprint(id)
			}
		}
		out = append(out, words[1:])
	}
	return out
}
