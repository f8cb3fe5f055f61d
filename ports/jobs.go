package ports

import (
	"context"
	"time"
)

// Job is a piece of background work. Its key is unique among the unfinished jobs of its kind.
type Job struct {
	ID        int64
	Kind      string
	Key       string
	CompanyID int64
	Subject   int64 // the record it works on
	RunAt     time.Time
	Attempt   int // how often it was claimed, this time included
	Lease     string
	Cancelled bool // the operator cancelled it: its work is given up at the next claim
	Retried   bool // the operator retried it after it failed
}

// JobWriter puts jobs into the queue, in the transaction that requests them.
type JobWriter interface {
	// Enqueue adds a job; a waiting one of its kind and key stays, with the earlier of the two times.
	Enqueue(ctx context.Context, job Job) error
	// Waits reports whether a job of that kind and key is unfinished, running or not.
	Waits(ctx context.Context, kind, key string) (bool, error)
	// TryEnqueue is Enqueue for several jobs, each with a key of its own; its failure leaves the
	// transaction as it was. It is for work that a sweep finds again, so that the caller need not
	// fail with it.
	TryEnqueue(ctx context.Context, jobs ...Job) error
	// Hold locks a leased job until the transaction ends. Faults: Conflict (lease_lost): the transaction must not commit.
	Hold(ctx context.Context, job Job) error
	// Fail keeps a held job as failed, with its reason; it is no longer handed out. Faults: Conflict (lease_lost).
	Fail(ctx context.Context, job Job, failed FailedJob) error
	// Finish removes a job under its lease. Faults: Conflict (lease_lost): the transaction must not commit.
	Finish(ctx context.Context, job Job) error
	// Postpone returns a held job to the queue, to run at a time. Faults: Conflict (lease_lost).
	Postpone(ctx context.Context, job Job, at time.Time) error
	// Repeat is Postpone for a job that did its work: its claims count from 0. Faults: Conflict (lease_lost).
	Repeat(ctx context.Context, job Job, at time.Time) error
}

// FailedJob is why a job failed for good, until the operator retries or cancels it, or its record requests it again.
type FailedJob struct {
	At     time.Time
	Reason string
}

// KeptJob is a job as the operator sees it.
type KeptJob struct {
	Job
	LeasedUntil *time.Time // a worker has it until then
	Failed      *FailedJob
}

// JobState is the state of a job.
type JobState string

// The states of jobs.
const (
	JobWaiting JobState = "waiting"
	JobRunning JobState = "running"
	JobFailed  JobState = "failed"
)

// JobStates lists the states.
var JobStates = []JobState{JobWaiting, JobRunning, JobFailed}

// JobKeeper is the queue as the operator works on it.
type JobKeeper interface {
	JobWriter
	// The jobs in order of id. Filters: id, state, kind, company.
	Whole[KeptJob]
	// GetForUpdate returns a job and locks it. Faults: NotFound.
	GetForUpdate(ctx context.Context, id int64) (KeptJob, error)
	// Retry makes a failed job due, and counts its claims from 0.
	Retry(ctx context.Context, id int64, at time.Time) error
	// Cancel takes a job from its worker and makes it due as cancelled; a failed one is removed.
	Cancel(ctx context.Context, id int64, at time.Time) error
	// ForgetFailed removes up to limit jobs that failed before a time, and returns how many.
	ForgetFailed(ctx context.Context, before time.Time, limit int) (int64, error)
}

// Queue hands out jobs under leases, again where a lease expires: it survives any kill. Times are
// by the clock of the calling process; only durations pass to others, whose clocks may differ.
type Queue interface {
	// Claim returns up to limit jobs that are due, each under a new lease.
	Claim(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]Job, error)
	// Next returns when the next job is due, which may be in the past; waits is false where there is none.
	Next(ctx context.Context) (at time.Time, waits bool, err error)
	// Renew prolongs a lease. Faults: Conflict (lease_lost).
	Renew(ctx context.Context, job Job, until time.Time) error
	// Fail keeps a job as failed, in a transaction of its own. Faults: Conflict (lease_lost).
	Fail(ctx context.Context, job Job, failed FailedJob) error
	// Return returns a job to the queue, due at a time, and ends its lease. The claim does not count: it was not the
	// work that ended it, as on shutdown.
	Return(ctx context.Context, job Job, at time.Time) error
}
