package ghg

import (
	"context"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
	"tilth/ports"
)

// CompletenessJob is the kind of the jobs that compute the completeness of an assessment.
const CompletenessJob = ports.JobCompleteness

// sweepLimit is the number of assessments that a sweep handles.
const sweepLimit = 1_000

// startCompletion queues the computation of the completeness of assessments that were written. A failure to
// queue it does not undo the write: it is logged, and the sweep asks again.
func (a *Assessments) startCompletion(ctx context.Context, tx ports.Repos, all ...assessment.Assessment) {
	now := a.Clock.Now()
	jobs := make([]ports.Job, len(all))
	for i, r := range all {
		jobs[i] = task.JobOn(CompletenessJob, r.CompanyID, r.ID, now)
	}
	if err := tx.Jobs.TryEnqueue(ctx, jobs...); err != nil {
		a.Log.ErrorContext(ctx, "the completeness of assessments could not be queued; the sweep will find them", "assessment", all[0].ID, "assessments", len(all), "error", err)
	}
}

// Run does one job: it computes the completeness of an assessment and stores it, under the lock of
// the assessment. A concurrent write either comes before, and is counted, or comes after, and
// leaves a job of its own. A result computed on request meanwhile stands.
func (a *Assessments) Run(ctx context.Context, job ports.Job) error {
	scope := access.Own(job.CompanyID)
	return a.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		whole, err := lockWhole(ctx, tx, scope, job.Subject)
		if err == nil && whole.Stale() {
			_, err = a.complete(ctx, tx, scope, &whole)
		}
		if err != nil && !fault.Is(err, fault.NotFound) { // deleted: there is nothing to do
			return err
		}
		return tx.Jobs.Finish(ctx, job)
	})
}

// complete computes and stores the completeness of a locked assessment.
func (a *Assessments) complete(ctx context.Context, tx ports.Repos, scope access.Scope, whole *Whole) (assessment.State, error) {
	facts, _, err := a.facts(ctx, tx, scope, whole)
	if err != nil {
		return assessment.State{}, err
	}
	state := a.Table.Complete(&whole.Assessment, whole.Sheet, facts)
	at := facts.Now
	if at.Before(whole.UpdatedAt) { // a clock was set back: the state is nevertheless that of this version
		at = whole.UpdatedAt
	}
	whole.Completeness, whole.Ready, whole.CompletenessComputedAt = state.Percentage, state.Ready, &at
	return state, tx.Assessments.SetState(ctx, scope, whole.ID, state, at)
}

// Completeness returns the stored state of an assessment; it computes nothing. If there is none the
// sections are empty. Faults: NotFound.
func (a *Assessments) Completeness(ctx context.Context, who access.Principal, shared bool, id int64) (assessment.Assessment, assessment.State, error) {
	var state assessment.State
	record, err := app.Read(ctx, a.Deps, who, access.Assessments.View, func(ctx context.Context, tx ports.Repos) (record assessment.Assessment, err error) {
		if record, err = tx.Assessments.Get(ctx, who.Scope(shared), id); err == nil {
			state, _, err = tx.Assessments.State(ctx, who.Scope(shared), id)
		}
		return record, err
	})
	return record, state, err
}

// Compute works out at once how complete an assessment is, and stores the result. Faults: NotFound.
func (a *Assessments) Compute(ctx context.Context, who access.Principal, id int64) (assessment.Assessment, assessment.State, error) {
	var state assessment.State
	whole, err := app.Write(ctx, a.Deps, who, access.Assessments.Edit, func(ctx context.Context, tx ports.Repos) (whole Whole, err error) {
		if whole, err = lockWhole(ctx, tx, who.Scope(false), id); err == nil {
			state, err = a.complete(ctx, tx, who.Scope(false), &whole)
		}
		return whole, err
	})
	return whole.Assessment, state, err
}

// Sweep queues the computations that were never queued, or were lost, the longest waiting first,
// and returns their number.
func (a *Assessments) Sweep(ctx context.Context) (asked int64, err error) {
	return app.In(ctx, a.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
		now := a.Clock.Now()
		stale, err := tx.Assessments.Stale(ctx, sweepLimit)
		if err != nil {
			return 0, err
		}
		for _, r := range stale {
			if err := tx.Jobs.Enqueue(ctx, task.JobOn(CompletenessJob, r.CompanyID, r.ID, now)); err != nil {
				return 0, err
			}
		}
		return int64(len(stale)), nil
	})
}
