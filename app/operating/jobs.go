package operating

import (
	"context"
	"slices"
	"time"

	"tilth/app"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/ports"
)

// jobAudited is the form in which the trail keeps a job.
type jobAudited struct {
	Kind, Key, State, Reason string
}

func auditedJob(j ports.KeptJob) *jobAudited {
	out := &jobAudited{Kind: j.Kind, Key: j.Key, State: string(StateOf(j))}
	if j.Failed != nil {
		out.Reason = j.Failed.Reason
	}
	return out
}

// StateOf returns the state of a job.
func StateOf(j ports.KeptJob) ports.JobState {
	switch {
	case j.Failed != nil:
		return ports.JobFailed
	case j.LeasedUntil != nil:
		return ports.JobRunning
	}
	return ports.JobWaiting
}

// Jobs returns background jobs by id. Faults: Invalid (state).
func (o *Operating) Jobs(ctx context.Context, q ports.Query) (app.List[ports.KeptJob], error) {
	for _, f := range q.Filters {
		if state, ok := f.Value.(string); ok && f.Name == "state" && !slices.Contains(ports.JobStates, ports.JobState(state)) {
			return app.List[ports.KeptJob]{}, fault.Field("state", "A job is waiting, running or failed.")
		}
	}
	return app.ListAll(ctx, o.Store, q, func(tx ports.OperatorRepos) ports.Whole[ports.KeptJob] { return tx.Jobs }, nil)
}

// Job returns one background job. Faults: NotFound.
func (o *Operating) Job(ctx context.Context, id int64) (out ports.KeptJob, err error) {
	return app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (ports.KeptJob, error) {
		return one(tx.Jobs.Each(ctx, ofID(id)), "job")
	})
}

// RetryJob makes a failed job due again, and resets its count of claims. Faults: NotFound, Conflict (job_not_failed).
func (o *Operating) RetryJob(ctx context.Context, id int64) (ports.KeptJob, error) {
	return o.changeJob(ctx, id, func(ctx context.Context, tx ports.OperatorRepos, j ports.KeptJob, now time.Time) error {
		if j.Failed == nil {
			return fault.Newf(fault.Conflict, "job_not_failed", "Job %d is %s; only a failed job can be retried.", id, StateOf(j))
		}
		return tx.Jobs.Retry(ctx, id, now)
	})
}

// CancelJob ends the record that a job works on as failed, at the job's next claim, whoever holds the
// job now: an order fails and its hold is released. A failed job is removed. Jobs for the
// installation's own upkeep cannot be cancelled. Faults: NotFound, Conflict (job_of_upkeep).
func (o *Operating) CancelJob(ctx context.Context, id int64) (ports.KeptJob, error) {
	return o.changeJob(ctx, id, func(ctx context.Context, tx ports.OperatorRepos, j ports.KeptJob, now time.Time) error {
		if j.CompanyID == 0 && j.Failed == nil {
			return fault.Newf(fault.Conflict, "job_of_upkeep", "Job %d (%s) is upkeep of the installation and cannot be cancelled.", id, j.Kind)
		}
		return tx.Jobs.Cancel(ctx, id, now)
	})
}

// changeJob changes a job under its lock, records it in the trail, and returns the job as it was.
func (o *Operating) changeJob(
	ctx context.Context, id int64, change func(ctx context.Context, tx ports.OperatorRepos, j ports.KeptJob, now time.Time) error,
) (was ports.KeptJob, err error) {
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (was ports.KeptJob, err error) {
		now := o.Clock.Now()
		if was, err = tx.Jobs.GetForUpdate(ctx, id); err != nil {
			return was, err
		}
		if err := change(ctx, tx, was, now); err != nil {
			return was, err
		}
		return was, tx.Trail.Add(ctx, o.ofInstallation(now, audit.Update, "job", was.Kind+"/"+was.Key, audit.Diff(auditedJob(was), nil)))
	})
}
