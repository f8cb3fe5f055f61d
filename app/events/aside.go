package events

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"tilth/app/task"
	"tilth/core/event"
	"tilth/core/fault"
	coretask "tilth/core/task"
	"tilth/ports"
)

// AsideJob is the kind of the jobs that hand an event to a consumer that failed on it. A job that fails for good is a
// dead letter: the operator sees it, with its reason, and can replay it.
const AsideJob = "event"

// asideRetry is the retry schedule for an event on which a consumer fails: about two hours.
var asideRetry = coretask.Backoff{First: 5 * time.Second, Max: time.Hour, Tries: 12}

// Aside separates events on which a consumer fails from those that follow, and hands them to it again.
type Aside struct {
	Store ports.Store
	Clock ports.Clock
	IDs   ports.IDs
	Log   *slog.Logger
	// Consumers are the handlers of events, by name.
	Consumers map[string]func(ctx context.Context, batch []CloudEvent) error
}

// Keep queues the job of an event. An event has one job for each consumer.
func (a *Aside) Keep(ctx context.Context, consumer string, e CloudEvent, _ error) error {
	return a.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		pause, _ := asideRetry.Wait(1, a.IDs.Jitter())
		return tx.Jobs.Enqueue(ctx, ports.Job{Kind: AsideJob, Key: asideKey(consumer, e), CompanyID: e.CompanyID, RunAt: a.Clock.Now().Add(pause)})
	})
}

// asideKey identifies, for the operator too, what was set aside: the consumer, the event's type and its id.
func asideKey(consumer string, e CloudEvent) string { return consumer + "/" + e.Type + "/" + e.ID }

// Run does one job of [AsideJob].
func (a *Aside) Run(ctx context.Context, job ports.Job) error {
	return task.Do(ctx, task.ForOperator(a.Store, a.Clock, a.IDs, a.Log), task.Limits{}, asideWork{a}, job)
}

// asideWork hands an event to its consumer, which works in its own transactions, with its own done-mark.
type asideWork struct{ *Aside }

type asideRun = task.Run[ports.OperatorRepos]

// setAside is an event and the consumer that failed on it.
type setAside struct {
	consumer string
	event    event.Logged
}

func (asideWork) Lock(ctx context.Context, run asideRun) (s setAside, next task.Next, err error) {
	consumer, rest, _ := strings.Cut(run.Job.Key, "/")
	_, id, _ := strings.Cut(rest, "/")
	s.consumer = consumer
	s.event, err = run.Tx.Events.Get(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return s, task.GiveUp("The event is no longer kept."), nil
	}
	return s, task.Continue(), err
}

func (asideWork) Begin(context.Context, asideRun, *setAside) (task.Next, error) {
	return task.Continue(), nil
}

func (w asideWork) Do(ctx context.Context, s setAside) (struct{}, error) {
	consume := w.Consumers[s.consumer]
	if consume == nil {
		return struct{}{}, fault.Newf(fault.NotFound, "no_consumer", "There is no consumer %q.", s.consumer)
	}
	return struct{}{}, consume(ctx, []CloudEvent{CloudEventOf(s.event)})
}

// Same is true for every event: a committed event does not change.
func (asideWork) Same(_, _ setAside) bool { return true }

func (asideWork) Complete(context.Context, asideRun, *setAside, struct{}) (task.Next, error) {
	return task.Finish(), nil
}

func (asideWork) Unavailable(_ context.Context, run asideRun, _ setAside, cause error) (task.Next, error) {
	if pause, again := asideRetry.Wait(run.Job.Attempt, run.Jitter); again {
		return task.Again(run.Now.Add(pause)), nil
	}
	return task.GiveUp(cause.Error()), nil
}

func (w asideWork) Fail(ctx context.Context, run asideRun, s setAside, reason string) error {
	w.Log.ErrorContext(ctx, "an event is a dead letter", "consumer", s.consumer, "type", s.event.Type, "id", s.event.ID, "company", run.Job.CompanyID, "reason", reason)
	return nil
}
