package ghg

import (
	"context"
	"log/slog"
	"time"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/core/verification"
	"tilth/ports"
)

// RestartVerification is the action of the audit trail: a check was started again.
const RestartVerification audit.Action = "verify"

// Verification is the use cases of requests.
type Verification struct{ deps app.Deps }

// NewVerification makes the use cases.
func NewVerification(deps app.Deps) *Verification { return &Verification{deps} }

// Verification returns the check of an assessment, own or shared. One that was submitted and
// not begun is pending; without a submission ok is false.
// Faults: Unauthenticated, Forbidden, NotFound.
func (v *Verification) Verification(ctx context.Context, who access.Principal, shared bool, id int64) (record verification.Record, ok bool, err error) {
	record, err = app.Read(ctx, v.deps, who, access.Assessments.View, func(ctx context.Context, tx ports.Repos) (out verification.Record, err error) {
		a, err := tx.Assessments.Get(ctx, who.Scope(shared), id)
		if err != nil {
			return out, err
		}
		if ok = a.Status == assessment.Submitted; !ok {
			return verification.Record{AssessmentID: id}, nil
		}
		return current(ctx, tx, access.Own(a.CompanyID), &a) // seen by the assessment's reader
	})
	return record, ok, err
}

// current returns the check of what was submitted last; one that has not begun is new.
func current(ctx context.Context, tx ports.Repos, scope access.Scope, a *assessment.Assessment) (verification.Record, error) {
	record, ok, err := tx.Verifications.Get(ctx, scope, a.ID)
	if err != nil {
		return record, err
	}
	if !ok || record.Version != a.SubmittedVersion {
		record.AssessmentID = a.ID
		record.Begin(a.SubmittedVersion, a.UpdatedAt)
	}
	return record, nil
}

// Restart starts the check of a submitted assessment again, whatever became of it.
// Faults: Unauthenticated, Forbidden, NotFound, Invalid (not_submitted).
func (v *Verification) Restart(ctx context.Context, who access.Principal, id int64) (verification.Record, error) {
	scope := who.Scope(false)
	return app.Write(ctx, v.deps, who, access.Assessments.Edit, func(ctx context.Context, tx ports.Repos) (record verification.Record, err error) {
		now := v.deps.Clock.Now()
		a, err := tx.Assessments.GetForUpdate(ctx, scope, id)
		if err != nil {
			return record, err
		}
		if a.Status != assessment.Submitted {
			return record, fault.New(fault.Invalid, "not_submitted", "Submit the assessment first: what is submitted is verified.")
		}
		if record, err = current(ctx, tx, scope, &a); err != nil {
			return record, err
		}
		record.Begin(a.SubmittedVersion, now)
		if err := tx.Verifications.Put(ctx, scope, record); err != nil {
			return record, err
		}
		if err := tx.Audit.Add(ctx, audit.By(who, now).Of(RestartVerification, access.Assessments.Name, id, nil)); err != nil {
			return record, err
		}
		return record, AskVerification(ctx, tx, a, now)
	})
}

// AskVerification asks, in a transaction, for the check of what an assessment submitted last.
func AskVerification(ctx context.Context, tx ports.Repos, a assessment.Assessment, at time.Time) error {
	return tx.Jobs.Enqueue(ctx, task.JobOn(ports.JobVerification, a.CompanyID, a.ID, at))
}

// SeriesComputer computes one series, without a database.
type SeriesComputer interface {
	Compute(ctx context.Context, req satellite.SeriesRequest) (vegetation.Series, error)
}

// VerificationWorker carries checks out.
type VerificationWorker struct {
	Store    ports.Store
	Clock    ports.Clock
	IDs      ports.IDs
	Curves   *satellite.CurveLibrary
	Computer SeriesComputer
	Log      *slog.Logger
}
