package ghg

import (
	"context"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/cropcheck"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/core/verification"
	"tilth/ports"
)

// verificationClaimLimit ends a check that kills its worker every time.
var verificationClaimLimit = 5 * vegetation.Retry.Tries

// Run does one job: begin, look at each field, settle. It returns an error only when the
// job must be given back as it is: the context ended, or the database is away.
func (w *VerificationWorker) Run(ctx context.Context, job ports.Job) error {
	scope := access.Own(job.CompanyID)
	began, declared, ready, err := w.begin(ctx, scope, job)
	if err != nil || !ready {
		return err
	}
	plan, err := w.plan(ctx, scope, declared)
	if err != nil {
		return err
	}
	var fields []verification.Field
	for _, t := range plan.targets {
		if err := w.look(ctx, scope, began, &t); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return w.settle(ctx, scope, job, began, func(r *verification.Record) verificationOutcome { return w.sourceOut(ctx, r, fields, err) })
		}
		fields = append(fields, t.field)
	}
	return w.settle(ctx, scope, job, began, func(r *verification.Record) verificationOutcome {
		now := w.Clock.Now()
		r.Evidence.Model = cropcheck.Model
		if plan.reason != "" {
			r.Evidence.Fields = nil
			r.Undecided(plan.reason, plan.text, now)
		} else {
			r.Decide(fields, now)
		}
		return verificationOutcome{}
	})
}

// declaredCrops is what an assessment says that grew.
type declaredCrops struct {
	assessment assessment.Assessment
	cropType   string
}

// begin moves the check to processing. ready is false where there is nothing to check: the
// assessment is deleted, or its check has ended.
func (w *VerificationWorker) begin(ctx context.Context, scope access.Scope, job ports.Job) (record verification.Record, said declaredCrops, ready bool, err error) {
	err = w.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		ready = false
		now := w.Clock.Now()
		a, err := tx.Assessments.GetForUpdate(ctx, scope, job.Subject)
		if fault.Is(err, fault.NotFound) || err == nil && a.Status != assessment.Submitted {
			return tx.Jobs.Finish(ctx, job)
		}
		if err != nil {
			return err
		}
		if record, err = current(ctx, tx, scope, &a); err != nil {
			return err
		}
		if record.DecidedAt != nil {
			return tx.Jobs.Finish(ctx, job)
		}
		if job.Attempt > verificationClaimLimit {
			record.Undecided(verification.ReasonBrokenOff, "The check was broken off too often; start it again.", now)
			return w.end(ctx, tx, scope, job, record)
		}
		sheet, err := tx.Assessments.Sheet(ctx, scope, a.ID)
		if err != nil {
			return err
		}
		said, ready = declaredCrops{a, sheet.CropType()}, true
		record.Process(said.cropType, now)
		return tx.Verifications.Put(ctx, scope, record)
	})
	return record, said, ready, err
}

// verificationOutcome says whether a run comes back.
type verificationOutcome struct {
	again bool // the check waits until the record's NextTryAt
}

// settle stores what came of a run, in one transaction with the event and the end of the
// job. Where the check was started again, or another version submitted, meanwhile, it runs anew.
func (w *VerificationWorker) settle(ctx context.Context, scope access.Scope, job ports.Job, began verification.Record, apply func(r *verification.Record) verificationOutcome) error {
	return w.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		now := w.Clock.Now()
		a, err := tx.Assessments.GetForUpdate(ctx, scope, job.Subject)
		if fault.Is(err, fault.NotFound) {
			return tx.Jobs.Finish(ctx, job)
		}
		if err != nil {
			return err
		}
		record, err := current(ctx, tx, scope, &a)
		if err != nil {
			return err
		}
		if record.Run != began.Run || record.Version != began.Version {
			return tx.Jobs.Postpone(ctx, job, now)
		}
		if out := apply(&record); out.again {
			if err := tx.Verifications.Put(ctx, scope, record); err != nil {
				return err
			}
			return tx.Jobs.Postpone(ctx, job, *record.NextTryAt)
		}
		return w.end(ctx, tx, scope, job, record)
	})
}

// end stores a check that has ended, tells of it, and finishes the job.
func (w *VerificationWorker) end(ctx context.Context, tx ports.Repos, scope access.Scope, job ports.Job, r verification.Record) error {
	if err := tx.Verifications.Put(ctx, scope, r); err != nil {
		return err
	}
	told := event.Event{
		ID: w.IDs.UUID(), Type: event.TypeVerificationCompleted, CompanyID: job.CompanyID, Subject: "assessment/" + job.Key, At: r.UpdatedAt,
		Data: event.VerificationCompleted{
			Assessment: r.AssessmentID, Version: r.Version, Status: string(r.Status), Reason: string(r.Reason), CropType: r.CropType, Confidence: r.Confidence,
		},
	}
	if err := tx.Outbox.Add(ctx, told); err != nil {
		return err
	}
	return tx.Jobs.Finish(ctx, job)
}

// sourceOut keeps what was computed before the source went out, and decides when to try
// again.
func (w *VerificationWorker) sourceOut(ctx context.Context, r *verification.Record, done []verification.Field, failure error) verificationOutcome {
	w.Log.WarnContext(ctx, "crop verification found the imagery source out", "assessment", r.AssessmentID, "attempt", r.Attempts+1, "error", failure)
	r.Keep(done)
	_, again := r.SourceUnavailable(w.Clock.Now(), w.IDs.Jitter())
	return verificationOutcome{again}
}
