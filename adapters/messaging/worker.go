// Package messaging moves work and events in the background: a pool that runs leased
// jobs, and a bus that carries events from the outbox to their consumers. It knows no rule
// of the product: what a job or a consumer does is a use case.
package messaging

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"tilth/core/fault"
	"tilth/ports"
)

// Timing of leases: a worker that dies is replaced when its lease runs out.
const (
	LeaseFor   = 15 * time.Second
	RenewEvery = 5 * time.Second
	// PollEvery is how often a loop that nobody wakes looks for work.
	PollEvery = 5 * time.Second
	// lookAgain is how soon a loop looks again after a failure, or for a job that is due but that it did not get.
	lookAgain = 500 * time.Millisecond
	// claimGap is the minimum time between two claims of a pool that is woken all the time.
	claimGap = 100 * time.Millisecond
)

// maxClaims is how often a job whose handler fails on its own account is handed out. A handler
// that ends its record after fewer claims does so first.
const maxClaims = 100

// Handler runs one job. It ends the job itself, in its own transaction; after an error
// the job is handed out again.
type Handler func(ctx context.Context, job ports.Job) error

// Pool runs jobs.
type Pool struct {
	Queue    ports.Queue
	Handlers map[string]Handler
	Clock    ports.Clock
	Log      *slog.Logger
	Workers  int             // jobs at a time, at least 1
	Woken    <-chan struct{} // has a value when there may be a new job; nil: the pool only polls
	Poll     time.Duration   // 0: PollEvery
	Observer ports.Observer  // nil: nobody follows the jobs
}

// Run claims and runs jobs until the context ends; then it stops those that run and
// returns them to the queue, so that another worker takes them at once.
func (p *Pool) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, max(1, p.Workers))
	freed := make(chan struct{}, 1)
	for {
		looked := time.Now()
		for _, job := range p.claim(ctx, cap(slots)-len(slots)) {
			slots <- struct{}{}
			running.Go(func() {
				p.run(ctx, job)
				<-slots
				select {
				case freed <- struct{}{}:
				default:
				}
			})
		}
		for idle := true; idle; {
			free := cap(slots) - len(slots)
			latest, quiet := p.idle(ctx, free)
			why := Rhythm{Latest: latest, Woken: p.Woken, Gap: claimGap, Also: freed}.await(ctx, looked)
			if why == over {
				return nil
			}
			// Where nothing was due and nobody woke it, it only checks whether something is due, which writes nothing.
			idle = why == idled && quiet && free > 0
			looked = time.Now()
		}
	}
}

// idle returns how long the pool need not look for a job: until the next is due. quiet reports that none is due by then.
func (p *Pool) idle(ctx context.Context, free int) (latest time.Duration, quiet bool) {
	longest := cmp.Or(p.Poll, PollEvery)
	if free == 0 || ctx.Err() != nil {
		return longest, false
	}
	at, waits, err := p.Queue.Next(ctx)
	if err == nil && !waits {
		return longest, true
	}
	until := at.Sub(p.Clock.Now())
	if err != nil || until <= 0 {
		return min(lookAgain, longest), false
	}
	return min(until, longest), until > longest
}

func (p *Pool) claim(ctx context.Context, free int) []ports.Job {
	if free == 0 || ctx.Err() != nil {
		return nil
	}
	jobs, err := p.Queue.Claim(ctx, p.Clock.Now(), LeaseFor, free)
	if err != nil && ctx.Err() == nil {
		p.Log.ErrorContext(ctx, "cannot claim jobs", "error", err)
	}
	return jobs
}

// Step claims one job and runs it, and returns whether there was one.
func (p *Pool) Step(ctx context.Context) bool {
	jobs := p.claim(ctx, 1)
	for _, job := range jobs {
		p.run(ctx, job)
	}
	return len(jobs) > 0
}

// run runs one job under a lease that is renewed while it lasts. A lost lease stops
// it: another worker has the job.
func (p *Pool) run(ctx context.Context, job ports.Job) {
	jobCtx, stop := context.WithCancelCause(ctx)
	ended := func(ports.Ending) {}
	if p.Observer != nil && p.Handlers[job.Kind] != nil {
		jobCtx, ended = p.Observer.Begin(jobCtx, ports.Activity{Kind: ports.ActJob, Name: job.Kind, ID: job.ID})
	}
	var renewing sync.WaitGroup
	renewing.Go(func() { p.renew(jobCtx, job, stop) })
	err := p.handle(jobCtx, job)
	lost := context.Cause(jobCtx)
	stop(nil)
	renewing.Wait()
	taken := errors.Is(lost, errLeaseLost) || leaseLost(err)
	ended(ports.Ending{Err: err, Lost: err != nil && (taken || ctx.Err() != nil)})
	switch {
	case err == nil:
	case ctx.Err() != nil:
		p.giveBack(ctx, job, 0)
	case taken:
		p.Log.WarnContext(ctx, "job lease lost, another worker has it", "kind", job.Kind, "job", job.ID)
	case unanswered(err):
		p.Log.WarnContext(ctx, "the database did not answer a job", "kind", job.Kind, "job", job.ID, "error", err)
		p.giveBack(ctx, job, LeaseFor)
	default:
		p.Log.ErrorContext(ctx, "job failed", "kind", job.Kind, "job", job.ID, "attempt", job.Attempt, "error", err)
		if job.Attempt < maxClaims {
			return // the lease runs out by itself: that is the pause before the next try
		}
		if err := p.Queue.Fail(ctx, job, ports.FailedJob{At: p.Clock.Now(), Reason: err.Error()}); err != nil {
			p.Log.WarnContext(ctx, "a failed job could not be set aside", "kind", job.Kind, "job", job.ID, "error", err)
		}
	}
}

// handle runs the job's handler; a panic of one job ends that job alone.
func (p *Pool) handle(ctx context.Context, job ports.Job) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.Newf(fault.Internal, "panic", "job panicked: %v", r)
		}
	}()
	handler, ok := p.Handlers[job.Kind]
	if !ok {
		return fault.Newf(fault.Internal, "unknown_job", "no handler for jobs of kind %q", job.Kind)
	}
	return handler(ctx, job)
}

var errLeaseLost = errors.New("lease lost")

func leaseLost(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Code == "lease_lost"
}

func (p *Pool) renew(ctx context.Context, job ports.Job, stop context.CancelCauseFunc) {
	ticker := time.NewTicker(RenewEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := p.Queue.Renew(ctx, job, p.Clock.Now().Add(LeaseFor))
		if leaseLost(err) {
			stop(errLeaseLost)
			return
		}
	}
}

// unanswered reports whether a job ended because the database was unavailable, which says nothing about the job.
func unanswered(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Code == "database_unavailable"
}

// giveBack returns a job to the queue, due after a pause. It has a few seconds of its own, since the pool's context may
// have ended. If the database does not answer in that time, the lease runs out, and the claim counts.
func (p *Pool) giveBack(ctx context.Context, job ports.Job, pause time.Duration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := p.Queue.Return(ctx, job, p.Clock.Now().Add(pause)); err != nil && !leaseLost(err) {
		p.Log.WarnContext(ctx, "could not return a job to the queue; its lease will run out", "job", job.ID, "error", err)
	}
}
