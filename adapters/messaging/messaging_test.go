package messaging_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"tilth/adapters/messaging"
	"tilth/core/fault"
	"tilth/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type clock struct{}

func (clock) Now() time.Time { return time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC) }

var quiet = slog.New(slog.DiscardHandler)

// queue hands out each job once and notes what comes back.
type queue struct {
	mu       sync.Mutex
	waiting  []ports.Job
	returned []int64
}

func (q *queue) Claim(_ context.Context, _ time.Time, _ time.Duration, limit int) ([]ports.Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(limit, len(q.waiting))
	out := q.waiting[:n]
	q.waiting = q.waiting[n:]
	return out, nil
}
func (q *queue) Renew(context.Context, ports.Job, time.Time) error { return nil }
func (q *queue) Return(_ context.Context, job ports.Job, _ time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.returned = append(q.returned, job.ID)
	return nil
}

func TestPoolRunsEveryJobAndSurvivesItsFailures(t *testing.T) {
	t.Parallel()
	q := &queue{}
	for id := int64(1); id <= 20; id++ {
		q.waiting = append(q.waiting, ports.Job{ID: id, Kind: "k"})
	}
	q.waiting = append(q.waiting, ports.Job{ID: 21, Kind: "unknown"})
	var mu sync.Mutex
	seen, running, most := map[int64]int{}, 0, 0
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	pool := &messaging.Pool{Queue: q, Clock: clock{}, Log: quiet, Workers: 3, Poll: time.Millisecond, Handlers: map[string]messaging.Handler{
		"k": func(_ context.Context, job ports.Job) error {
			mu.Lock()
			running++
			most = max(most, running)
			seen[job.ID]++
			all := len(seen) == 20
			mu.Unlock()
			defer func() { mu.Lock(); running--; mu.Unlock() }()
			if all {
				cancel()
			}
			switch job.ID % 3 {
			case 0:
				return errors.New("broken")
			case 1:
				panic("panicked")
			}
			return nil
		},
	}}
	require.NoError(t, pool.Run(ctx))
	require.Len(t, seen, 20)
	for id, n := range seen {
		require.Equal(t, 1, n, "job %d", id)
	}
	require.LessOrEqual(t, most, 3)
}

func TestPoolGivesJobsBackOnShutdown(t *testing.T) {
	t.Parallel()
	q := &queue{waiting: []ports.Job{{ID: 1, Kind: "slow"}, {ID: 2, Kind: "slow"}}}
	ctx, cancel := context.WithCancel(context.Background())
	var started sync.WaitGroup
	started.Add(2)
	pool := &messaging.Pool{Queue: q, Clock: clock{}, Log: quiet, Workers: 2, Poll: time.Millisecond, Handlers: map[string]messaging.Handler{
		"slow": func(ctx context.Context, _ ports.Job) error {
			started.Done()
			<-ctx.Done()
			return ctx.Err()
		},
	}}
	done := make(chan error)
	go func() { done <- pool.Run(ctx) }()
	started.Wait()
	cancel()
	require.NoError(t, <-done)
	require.ElementsMatch(t, []int64{1, 2}, q.returned)
}

// outbox is the reading side of an outbox in memory.
type outbox struct {
	mu        sync.Mutex
	rows      []ports.OutboxRow
	published []int64
	seen      map[string]bool
	fail      int // how many marks fail
}

func (o *outbox) Pending(_ context.Context, _ time.Time, _ time.Duration, limit int) ([]ports.OutboxRow, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.rows[:min(limit, len(o.rows))], nil
}

func (o *outbox) Published(_ context.Context, seq int64, _ time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fail > 0 {
		o.fail--
		return fault.New(fault.Unavailable, "away", "away")
	}
	o.published = append(o.published, seq)
	for i, r := range o.rows {
		if r.Seq == seq {
			o.rows = append(o.rows[:i:i], o.rows[i+1:]...)
		}
	}
	return nil
}

func (o *outbox) Seen(_ context.Context, consumer, id string, _ time.Time) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := consumer + "/" + id
	first := !o.seen[key]
	o.seen[key] = true
	return first, nil
}

// Every event reaches every consumer once, in order, although marking it as published
// fails twice and so delivers it again.
func TestBusDeliversOnceToEachConsumer(t *testing.T) {
	t.Parallel()
	o := &outbox{seen: map[string]bool{}, fail: 2}
	for seq := int64(1); seq <= 250; seq++ {
		o.rows = append(o.rows, ports.OutboxRow{Seq: seq, ID: string(rune('a'+seq%26)) + time.Duration(seq).String(), Type: "t", CompanyID: 5, Data: []byte(`{"n":1}`)})
	}
	want := make([]string, len(o.rows))
	for i, r := range o.rows {
		want[i] = r.ID
	}
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	got := map[string][]string{}
	consumer := func(name string) messaging.Consumer {
		return messaging.Consumer{Name: name, Handle: func(_ context.Context, e messaging.CloudEvent) {
			mu.Lock()
			defer mu.Unlock()
			got[name] = append(got[name], e.ID)
			if e.SpecVersion != "1.0" || e.CompanyID != 5 || string(e.Data) != `{"n":1}` {
				t.Errorf("not the event that was written: %+v", e)
			}
		}}
	}
	bus, err := messaging.NewBus(o, clock{}, quiet, time.Millisecond, consumer("one"), consumer("two"))
	require.NoError(t, err)
	done := make(chan error)
	go func() { done <- bus.Run(ctx) }()
	require.Eventually(t, func() bool { o.mu.Lock(); defer o.mu.Unlock(); return len(o.rows) == 0 }, 10*time.Second, time.Millisecond)
	cancel()
	require.NoError(t, <-done)
	require.Equal(t, want, got["one"])
	require.Equal(t, want, got["two"])
}
