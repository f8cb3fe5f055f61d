package messaging_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"tilth/adapters/messaging"
	"tilth/app/events"
	"tilth/core/event"
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
	failed   []int64
	failing  func(ports.Job)

	returning func(at time.Time)
}

func (q *queue) Claim(_ context.Context, _ time.Time, _ time.Duration, limit int) ([]ports.Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(limit, len(q.waiting))
	out := q.waiting[:n]
	q.waiting = q.waiting[n:]
	return out, nil
}
func (q *queue) Next(context.Context) (time.Time, bool, error)     { return time.Time{}, false, nil }
func (q *queue) Renew(context.Context, ports.Job, time.Time) error { return nil }
func (q *queue) Fail(_ context.Context, job ports.Job, _ ports.FailedJob) error {
	q.failed = append(q.failed, job.ID)
	q.failing(job)
	return nil
}
func (q *queue) Return(_ context.Context, job ports.Job, at time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.returned = append(q.returned, job.ID)
	if q.returning != nil {
		q.returning(at)
	}
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
	seen, running, upper := map[int64]int{}, 0, 0
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	pool := &messaging.Pool{Queue: q, Clock: clock{}, Log: quiet, Workers: 3, Poll: time.Millisecond, Handlers: map[string]messaging.Handler{
		"k": func(_ context.Context, job ports.Job) error {
			mu.Lock()
			running++
			upper = max(upper, running)
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
	require.LessOrEqual(t, upper, 3)
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

// outbox is the reading side of an outbox in memory. A row that is not marked comes again at once.
type outbox struct {
	mu    sync.Mutex
	rows  []ports.OutboxRow
	fail  int // how many marks fail
	empty chan struct{}
}

func (o *outbox) Pending(_ context.Context, _ time.Time, _ time.Duration, limit int) ([]ports.OutboxRow, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.rows[:min(limit, len(o.rows))]), nil
}

func (o *outbox) Published(_ context.Context, seqs []int64, _ time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fail > 0 {
		o.fail--
		return fault.New(fault.Unavailable, "away", "away")
	}
	o.rows = slices.DeleteFunc(o.rows, func(r ports.OutboxRow) bool { return slices.Contains(seqs, r.Seq) })
	if len(o.rows) == 0 {
		close(o.empty)
	}
	return nil
}

func newOutbox(n int) *outbox {
	o := &outbox{empty: make(chan struct{})}
	for seq := int64(1); seq <= int64(n); seq++ {
		o.rows = append(o.rows, ports.OutboxRow{Seq: seq, Logged: event.Logged{ID: strconv.FormatInt(seq, 10), Type: "t", CompanyID: 5, Data: []byte(`{"n":1}`)}})
	}
	return o
}

func positionOf(id string) string {
	n, _ := strconv.ParseInt(id, 10, 64)
	return event.FormatPosition(n)
}

// placer gives each event its id as its position.
func placer(_ context.Context, batch []events.CloudEvent) ([]events.CloudEvent, error) {
	for i := range batch {
		batch[i].Sequence = positionOf(batch[i].ID)
	}
	return batch, nil
}

func newBus(o *outbox, consumers map[string]messaging.Consumer) *messaging.Bus {
	return &messaging.Bus{
		Relay: o, Transport: messaging.InProcess(quiet), Clock: clock{}, Log: quiet, Poll: time.Millisecond, Place: placer, Consumers: consumers,
	}
}

// Every event reaches every consumer in order and with its position, although consumers fail
// and panic, and marking it as published fails twice.
func TestBusDeliversToEveryConsumer(t *testing.T) {
	t.Parallel()
	o := newOutbox(1250)
	o.fail = 2
	var mu sync.Mutex
	got, tries := map[string][]string{}, map[string]int{}
	consumer := func(name string, trip func(try int) error) messaging.Consumer {
		return messaging.Consumer{Take: func(_ context.Context, batch []events.CloudEvent) error {
			mu.Lock()
			defer mu.Unlock()
			tries[name]++
			if err := trip(tries[name]); err != nil {
				return err
			}
			for _, e := range batch {
				if e.SpecVersion != "1.0" || e.CompanyID != 5 || string(e.Data) != `{"n":1}` || e.Sequence != positionOf(e.ID) {
					t.Errorf("not the event that was written: %+v", e)
				}
				if !slices.Contains(got[name], e.ID) {
					got[name] = append(got[name], e.ID)
				}
			}
			return nil
		}}
	}
	bus := newBus(o, map[string]messaging.Consumer{
		"steady": consumer("steady", func(int) error { return nil }),
		"failing": consumer("failing", func(try int) error {
			if try < 3 {
				return errors.New("broken")
			}
			return nil
		}),
		"panicking": consumer("panicking", func(try int) error {
			if try == 2 {
				panic("panicked")
			}
			return nil
		}),
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- bus.Run(ctx) }()
	<-o.empty
	cancel()
	require.NoError(t, <-done)
	require.Len(t, got, 3)
	for name, ids := range got {
		require.Len(t, ids, 1250, name)
		for i, id := range ids {
			require.Equal(t, strconv.Itoa(i+1), id, name)
		}
	}
}

// An event that a consumer has not acknowledged when the process stops stays in the outbox.
func TestBusKeepsWhatIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	o := newOutbox(3)
	ctx, cancel := context.WithCancel(context.Background())
	bus := newBus(o, map[string]messaging.Consumer{
		"quick": {Take: func(context.Context, []events.CloudEvent) error { return nil }},
		"stuck": {Take: func(ctx context.Context, _ []events.CloudEvent) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		}},
	})
	require.NoError(t, bus.Run(ctx))
	require.Len(t, o.rows, 3)
}

func TestPoolSetsAJobAsideThatFailsForGood(t *testing.T) {
	t.Parallel()
	q := &queue{waiting: []ports.Job{{ID: 1, Kind: "unknown", Attempt: 99}, {ID: 2, Kind: "unknown", Attempt: 100}}}
	ctx, cancel := context.WithCancel(t.Context())
	q.failing = func(ports.Job) { cancel() }
	pool := &messaging.Pool{Queue: q, Clock: clock{}, Log: quiet, Workers: 1, Poll: time.Millisecond}
	require.NoError(t, pool.Run(ctx))
	require.Equal(t, []int64{2}, q.failed)
}

// An unavailable database says nothing about the job: it comes again after a pause, and the claim does not count, however often.
func TestPoolGivesJobsBackThatTheDatabaseDidNotAnswer(t *testing.T) {
	t.Parallel()
	q := &queue{waiting: []ports.Job{{ID: 1, Kind: "stored", Attempt: 1000}}}
	ctx, cancel := context.WithCancel(t.Context())
	var due time.Time
	q.returning = func(at time.Time) { due = at; cancel() }
	q.failing = func(ports.Job) { cancel() }
	pool := &messaging.Pool{Queue: q, Clock: clock{}, Log: quiet, Workers: 1, Poll: time.Millisecond, Handlers: map[string]messaging.Handler{
		"stored": func(context.Context, ports.Job) error {
			return fmt.Errorf("began: %w", fault.New(fault.Unavailable, "database_unavailable", "The database does not answer."))
		},
	}}
	require.NoError(t, pool.Run(ctx))
	require.Equal(t, []int64{1}, q.returned)
	require.Empty(t, q.failed)
	require.Equal(t, clock{}.Now().Add(messaging.LeaseFor), due)
}
