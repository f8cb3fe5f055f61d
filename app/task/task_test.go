package task_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/task"
	"tilth/core/fault"
	"tilth/ports"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

type clock struct{}

func (clock) Now() time.Time { return noon }

type ids struct{ ports.IDs }

func (ids) Jitter() float64 { return 0.5 }

// queue records what happens to a job.
type queue struct {
	ports.JobWriter
	lost  bool
	calls []string
}

func (q *queue) did(what string) error {
	if q.lost {
		return fault.New(fault.Conflict, "lease_lost", "Another worker has this job.")
	}
	q.calls = append(q.calls, what)
	return nil
}

func (q *queue) Hold(context.Context, ports.Job) error   { return q.did("hold") }
func (q *queue) Finish(context.Context, ports.Job) error { return q.did("finish") }
func (q *queue) Fail(_ context.Context, _ ports.Job, f ports.FailedJob) error {
	return q.did("fail: " + f.Reason)
}
func (q *queue) Postpone(_ context.Context, _ ports.Job, at time.Time) error {
	return q.did("again " + at.Sub(noon).String())
}

func (q *queue) Repeat(_ context.Context, _ ports.Job, at time.Time) error {
	return q.did("repeat " + at.Sub(noon).String())
}

// counting is work over a record that is the number of pieces left.
type counting struct {
	q       *queue
	left    int
	open    bool
	moved   bool // the record asks for something else by now
	failure error
	reason  string
	began   int
	closed  bool
}

func (c *counting) Lock(context.Context, task.Run[*queue]) (int, task.Next, error) {
	if !c.open {
		return 0, task.Finish(), nil
	}
	return c.left, task.Continue(), nil
}

func (c *counting) Begin(context.Context, task.Run[*queue], *int) (task.Next, error) {
	c.began++
	return task.Continue(), nil
}

func (c *counting) Do(_ context.Context, left int) (int, error) { return left - 1, c.failure }

func (c *counting) Same(began, current int) bool { return !c.moved && began == current }

func (c *counting) Complete(_ context.Context, _ task.Run[*queue], s *int, left int) (task.Next, error) {
	*s, c.left = left, left
	if left > 0 {
		return task.Continue(), nil
	}
	return task.Finish(), nil
}

func (c *counting) Unavailable(_ context.Context, run task.Run[*queue], _ int, _ error) (task.Next, error) {
	return task.Again(run.Now.Add(time.Minute)), nil
}

func (c *counting) Fail(_ context.Context, _ task.Run[*queue], _ int, reason string) error {
	c.reason = reason
	return nil
}

func (c *counting) Revive(_ context.Context, _ task.Run[*queue], s *int) (task.Next, error) {
	c.open, *s = true, c.left
	return task.Continue(), nil
}

func (c *counting) Close() { c.closed = true }

func (c *counting) runner() task.Runner[*queue] {
	return task.Runner[*queue]{
		Write: func(ctx context.Context, do func(context.Context, *queue) error) error { return do(ctx, c.q) },
		Jobs:  func(q *queue) ports.JobWriter { return q },
		Clock: clock{}, IDs: ids{}, Log: slog.New(slog.DiscardHandler),
	}
}

func (c *counting) handle(ctx context.Context, limits task.Limits, job ports.Job) error {
	job.ID, job.CompanyID = 1, 1
	handler := func(ctx context.Context, job ports.Job) error {
		return task.Do(ctx, c.runner(), limits, task.Work[*queue, int, int](c), job)
	}
	return handler(ctx, job)
}

func TestHandle(t *testing.T) {
	for name, c := range map[string]struct {
		work   counting
		limits task.Limits
		job    ports.Job
		calls  []string
		reason string
		began  int
	}{
		"one piece":        {work: counting{open: true, left: 1}, calls: []string{"hold", "finish"}, began: 1},
		"three pieces":     {work: counting{open: true, left: 3}, calls: []string{"hold", "hold", "hold", "finish"}, began: 3},
		"a turn is over":   {work: counting{open: true, left: 3}, limits: task.Limits{Pieces: 2}, calls: []string{"hold", "hold", "again 0s"}, began: 2},
		"nothing to do":    {work: counting{left: 1}, calls: []string{"finish"}},
		"moved meanwhile":  {work: counting{open: true, left: 1, moved: true}, calls: []string{"hold", "again 0s"}, began: 1},
		"broken off often": {work: counting{open: true, left: 1}, limits: task.Limits{Claims: 3}, job: ports.Job{Attempt: 4}, calls: []string{"fail: The work was interrupted too often."}, reason: "The work was interrupted too often."},
		"cancelled":        {work: counting{open: true, left: 1}, job: ports.Job{Cancelled: true}, calls: []string{"finish"}, reason: "The operator cancelled it."},
		"retried":          {work: counting{left: 1}, job: ports.Job{Retried: true}, calls: []string{"hold", "finish"}, began: 1},
		"last claim":       {work: counting{open: true, left: 1}, limits: task.Limits{Claims: 3}, job: ports.Job{Attempt: 3}, calls: []string{"hold", "finish"}, began: 1},
		"wrong for good": {
			work: counting{open: true, left: 1, failure: fault.New(fault.NotFound, "gone", "The file is gone.")}, calls: []string{"hold", "fail: The file is gone."},
			reason: "The file is gone.", began: 1,
		},
		"source unavailable": {work: counting{open: true, left: 1, failure: errors.New("timeout")}, calls: []string{"hold", "again 1m0s"}, began: 1},
	} {
		t.Run(name, func(t *testing.T) {
			work := c.work
			work.q = &queue{}
			require.NoError(t, work.handle(t.Context(), c.limits, c.job))
			require.Equal(t, c.calls, work.q.calls)
			require.Equal(t, c.reason, work.reason)
			require.Equal(t, c.began, work.began)
			require.True(t, work.closed)
		})
	}
}

func TestHandleStoresNothingWithoutItsLease(t *testing.T) {
	work := counting{q: &queue{lost: true}, open: true, left: 1}
	err := work.handle(t.Context(), task.Limits{}, ports.Job{})
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	require.Equal(t, 1, work.left)
}

func TestHandleGivesTheJobBackWhenItIsStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	work := counting{q: &queue{}, open: true, left: 1, failure: errors.New("stopped")}
	stop()
	require.ErrorIs(t, work.handle(ctx, task.Limits{}, ports.Job{}), context.Canceled)
	require.Equal(t, []string{"hold"}, work.q.calls)
}

func TestWorkWithinARequestHasNoPlaceInTheQueue(t *testing.T) {
	for name, failure := range map[string]error{"done": nil, "refused": fault.New(fault.Invalid, "no", "No."), "unavailable": errors.New("timeout")} {
		t.Run(name, func(t *testing.T) {
			work := counting{q: &queue{lost: true}, open: true, left: 1, failure: failure}
			require.NoError(t, task.Do(t.Context(), work.runner(), task.Limits{Claims: 1}, &work, ports.Job{CompanyID: 1}))
			require.Empty(t, work.q.calls)
			require.Equal(t, failure == nil, work.left == 0)
		})
	}
}
