// Package task runs background work: it begins a job, does it, and settles the outcome, each step
// in one transaction that holds the job's lease. A process may be killed at any moment; whoever
// claims the job next starts from what is stored.
//
// A product defines only what is specific to it, as a [Work]. The package knows no product, and
// hands out no jobs: the pool does.
package task

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// Run is one step of a job: a transaction with what every step needs.
type Run[T any] struct {
	Tx     T
	Job    ports.Job
	Scope  access.Scope // the company of the job
	Now    time.Time
	Jitter float64 // in [0, 1)
}

// Work defines what a product does in a job. S is the record that the job works on, as read under
// its lock, R the result of the work, T the bundle of repositories.
//
// Lock, Begin, Complete, Fail and Unavailable are called inside a transaction that may be run
// again: they touch nothing but the bundle. Do has no transaction.
type Work[T, S, R any] interface {
	// Lock reads the record under its lock. It continues if there is work left, finishes if the
	// record has ended or is gone, and gives up if the work has lost its basis.
	Lock(ctx context.Context, run Run[T]) (S, Next, error)
	// Begin stores that the work (or its next piece) begins, and completes s with what Do needs.
	Begin(ctx context.Context, run Run[T], s *S) (Next, error)
	// Do does the work. A fault that the caller caused (Invalid, NotFound, Forbidden,
	// Unauthenticated) fails the record for good; any other error is left to Unavailable to decide.
	Do(ctx context.Context, s S) (R, error)
	// Same reports whether the record still asks for the work that was begun; if not, the work begins anew.
	Same(began, current S) bool
	// Complete stores the result with its events, and brings s up to date. It continues where
	// another piece follows.
	Complete(ctx context.Context, run Run[T], s *S, result R) (Next, error)
	// Unavailable stores that a source could not be reached: to be tried again later, or given up.
	Unavailable(ctx context.Context, run Run[T], s S, cause error) (Next, error)
	// Fail stores that the record failed for good, with a reason that its owner can read.
	Fail(ctx context.Context, run Run[T], s S, reason string) error
}

// Reviver is work that the operator can resume after its record failed for good. If work is no
// Reviver, a retried job finds its record ended, and finishes.
type Reviver[T, S any] interface {
	// Revive reopens the failed record, under its lock, with what it costs.
	Revive(ctx context.Context, run Run[T], s *S) (Next, error)
}

// Next is what follows a step.
type Next struct {
	kind   kind
	at     time.Time
	reason string
}

type kind int

const (
	carryOn kind = iota
	finish
	again
	repeat
	giveUp
)

// Continue goes on with the work.
func Continue() Next { return Next{} }

// Finish ends the job.
func Finish() Next { return Next{kind: finish} }

// Again hands the job out again at a time.
func Again(at time.Time) Next { return Next{kind: again, at: at} }

// Repeat ends the current work, and hands the job out at a time as if it were new: its claims count from 0.
func Repeat(at time.Time) Next { return Next{kind: repeat, at: at} }

// GiveUp fails the record for good, and ends the job.
func GiveUp(reason string) Next { return Next{kind: giveUp, reason: reason} }

// Runner runs work over bundles of one type.
type Runner[T any] struct {
	// Write runs a callback in one transaction, as ports.Store does.
	Write func(ctx context.Context, do func(ctx context.Context, tx T) error) error
	// Jobs returns the queue of a bundle.
	Jobs  func(tx T) ports.JobWriter
	Clock ports.Clock
	IDs   ports.IDs
	Log   *slog.Logger
}

// ForCompany runs the work of companies' records.
func ForCompany(store ports.Store, clock ports.Clock, ids ports.IDs, log *slog.Logger) Runner[ports.Repos] {
	return Runner[ports.Repos]{store.Write, func(tx ports.Repos) ports.JobWriter { return tx.Jobs }, clock, ids, log}
}

// ForOperator runs work over the bundle that no company owns.
func ForOperator(store ports.Store, clock ports.Clock, ids ports.IDs, log *slog.Logger) Runner[ports.OperatorRepos] {
	return Runner[ports.OperatorRepos]{store.Operate, func(tx ports.OperatorRepos) ports.JobWriter { return tx.Jobs }, clock, ids, log}
}

// Limits bounds a job.
type Limits struct {
	Claims int // a job that was claimed more often has killed its workers, and is given up; 0: no limit
	Pieces int // pieces per claim, before other jobs have their turn; 0: no limit
}

// JobOn returns the job of a kind that works on a record of a company; a record has one at a time.
func JobOn(kind string, company, record int64, at time.Time) ports.Job {
	return ports.Job{Kind: kind, Key: strconv.FormatInt(record, 10), CompanyID: company, Subject: record, RunAt: at}
}

// Do does the work of one job. It returns an error only where the job must be handed out again as it is: the context
// ended, the lease was lost, or the database does not answer. If the work has a Close method, it is called when the run
// ends, to close what the work holds, such as a file. A job without an id is work within a request, which has no place
// in the queue and no lease: [Again] leaves it to the job that is queued for the same record.
func Do[T, S, R any](ctx context.Context, r Runner[T], limits Limits, work Work[T, S, R], job ports.Job) error {
	if c, ok := any(work).(interface{ Close() }); ok {
		defer c.Close()
	}
	one := running[T, S, R]{r, limits, work, job}
	return one.run(ctx)
}

// running is one run of one job.
type running[T, S, R any] struct {
	Runner[T]
	limits Limits
	work   Work[T, S, R]
	job    ports.Job
}

func (r running[T, S, R]) run(ctx context.Context) error {
	var began S
	next, err := r.step(ctx, func(ctx context.Context, run Run[T]) (Next, S, error) {
		s, next, err := r.work.Lock(ctx, run)
		if reviver, ok := any(r.work).(Reviver[T, S]); ok && err == nil && next.kind == finish && r.job.Retried {
			next, err = reviver.Revive(ctx, run, &s)
		}
		if err == nil && next.kind == carryOn {
			next, err = r.begin(ctx, run, &s)
		}
		began = s
		return next, s, err
	})
	if known, ok := fault.As(err); ok && r.job.Retried && (permanent(known) || known.Kind == fault.PaymentRequired) {
		return r.Write(ctx, func(ctx context.Context, tx T) error {
			return r.Jobs(tx).Fail(ctx, r.job, ports.FailedJob{At: r.Clock.Now(), Reason: "It cannot be resumed: " + reason(known)})
		})
	}
	for piece := 1; err == nil && next.kind == carryOn; piece++ {
		doing := began // the transaction below may run again
		result, failure := r.work.Do(ctx, doing)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		last := piece == r.limits.Pieces
		next, err = r.step(ctx, func(ctx context.Context, run Run[T]) (Next, S, error) {
			s, next, err := r.settle(ctx, run, doing, result, failure)
			if err == nil && next.kind == carryOn {
				if last {
					next = Again(run.Now)
				} else {
					next, err = r.work.Begin(ctx, run, &s)
				}
			}
			began = s
			return next, s, err
		})
	}
	return err
}

func (r running[T, S, R]) begin(ctx context.Context, run Run[T], s *S) (Next, error) {
	if r.job.Cancelled {
		return GiveUp("The operator cancelled it."), nil
	}
	if r.limits.Claims > 0 && r.job.Attempt > r.limits.Claims {
		return GiveUp("The work was interrupted too often."), nil
	}
	return r.work.Begin(ctx, run, s)
}

// settle locks the record again and stores the outcome of the work.
func (r running[T, S, R]) settle(ctx context.Context, run Run[T], began S, result R, failure error) (S, Next, error) {
	s, next, err := r.work.Lock(ctx, run)
	if err != nil || next.kind != carryOn {
		return s, next, err
	}
	if !r.work.Same(began, s) {
		return s, Again(run.Now), nil
	}
	switch known, ok := fault.As(failure); {
	case failure == nil:
		next, err = r.work.Complete(ctx, run, &s, result)
	case ok && permanent(known):
		next = GiveUp(reason(known))
	default:
		r.Log.WarnContext(ctx, "a job could not be done", "kind", r.job.Kind, "subject", r.job.Subject, "claim", r.job.Attempt, "error", failure)
		next, err = r.work.Unavailable(ctx, run, s, failure)
	}
	return s, next, err
}

// permanent reports whether trying again cannot help.
func permanent(f *fault.Error) bool {
	switch f.Kind {
	case fault.Invalid, fault.NotFound, fault.Forbidden, fault.Unauthenticated:
		return true
	}
	return false
}

// reason returns what the owner of a failed record reads: the message and the fields, not the cause.
func reason(f *fault.Error) string {
	shown := *f
	shown.Cause = nil
	return shown.Error()
}

// step runs one transaction and ends it according to its outcome, with the job still held.
func (r running[T, S, R]) step(ctx context.Context, do func(ctx context.Context, run Run[T]) (Next, S, error)) (Next, error) {
	var next Next
	err := r.Write(ctx, func(ctx context.Context, tx T) error {
		run := Run[T]{tx, r.job, access.Own(r.job.CompanyID), r.Clock.Now(), r.IDs.Jitter()}
		var s S
		var err error
		if next, s, err = do(ctx, run); err != nil {
			return err
		}
		if next.kind == giveUp {
			if err := r.work.Fail(ctx, run, s, next.reason); err != nil {
				return err
			}
		}
		return r.end(ctx, r.Jobs(tx), run.Now, next)
	})
	return next, err
}

// end ends a step of the job; without its lease the transaction fails. A job that was given up is
// kept with its reason, unless the operator cancelled it.
func (r running[T, S, R]) end(ctx context.Context, jobs ports.JobWriter, now time.Time, next Next) error {
	switch {
	case r.job.ID == 0:
		return nil
	case next.kind == carryOn:
		return jobs.Hold(ctx, r.job)
	case next.kind == again:
		return jobs.Postpone(ctx, r.job, next.at)
	case next.kind == repeat:
		return jobs.Repeat(ctx, r.job, next.at)
	case next.kind == giveUp && !r.job.Cancelled:
		return jobs.Fail(ctx, r.job, ports.FailedJob{At: now, Reason: next.reason})
	}
	return jobs.Finish(ctx, r.job)
}
