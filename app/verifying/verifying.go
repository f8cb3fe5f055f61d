// Package verifying holds the use cases of crop verification: the check, in the
// background, of what an assessment declares to have grown against what satellites saw of
// the season. It costs no credit and blocks nothing: an assessment is as submitted with a
// failed check as with a verified one.
package verifying

import (
	"context"
	"log/slog"
	"strconv"

	"tilth/app/curves"
	"tilth/app/gate"
	"tilth/app/series"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/core/verification"
	"tilth/ports"
)

// Resource is the word of what is verified, in permission slugs and in the audit trail.
const Resource = "assessment"

// Restart is the action of the audit trail: a check was started again.
const Restart audit.Action = "verify"

// Verifying is the use cases of requests.
type Verifying struct{ deps gate.Deps }

// New makes the use cases.
func New(deps gate.Deps) *Verifying { return &Verifying{deps} }

// Verification gives the check of an assessment, own or shared. One that was submitted and
// not begun is pending; without a submission ok is false.
// Faults: Unauthenticated, Forbidden, NotFound.
func (v *Verifying) Verification(ctx context.Context, who access.Principal, shared bool, id int64) (record verification.Record, ok bool, err error) {
	if err := v.deps.Gate.Require(ctx, who, access.Assessments.View); err != nil {
		return record, false, err
	}
	err = v.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		a, err := tx.Assessments.Get(ctx, who.Scope(shared), id)
		if err != nil {
			return err
		}
		if ok = a.Status == assessment.Submitted; !ok {
			record = verification.Record{AssessmentID: id}
			return nil
		}
		record, err = current(ctx, tx, access.Own(a.CompanyID), &a) // seen by the assessment's reader
		return err
	})
	return record, ok, err
}

// current gives the check of what was submitted last; one that has not begun is new.
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
func (v *Verifying) Restart(ctx context.Context, who access.Principal, id int64) (verification.Record, error) {
	var record verification.Record
	if err := v.deps.Gate.Require(ctx, who, access.Assessments.Edit); err != nil {
		return record, err
	}
	scope := who.Scope(false)
	err := v.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		now := v.deps.Clock.Now()
		a, err := tx.Assessments.GetForUpdate(ctx, scope, id)
		if err != nil {
			return err
		}
		if a.Status != assessment.Submitted {
			return fault.New(fault.Invalid, "not_submitted", "Submit the assessment first: what is submitted is verified.")
		}
		if record, err = current(ctx, tx, scope, &a); err != nil {
			return err
		}
		record.Begin(a.SubmittedVersion, now)
		if err := tx.Verifications.Put(ctx, scope, record); err != nil {
			return err
		}
		if err := tx.Audit.Add(ctx, audit.By(who, now).Of(Restart, Resource, id, nil)); err != nil {
			return err
		}
		return tx.Jobs.Enqueue(ctx, ports.Job{Kind: ports.JobVerification, Key: strconv.FormatInt(id, 10), CompanyID: a.CompanyID, Subject: id, RunAt: now})
	})
	return record, err
}

// Computer computes one series, without a database.
type Computer interface {
	Compute(ctx context.Context, req series.Request) (vegetation.Series, error)
}

// Worker carries checks out. It may be killed at any moment: what it writes is one
// transaction each, which commits only while the lease of the job is held.
type Worker struct {
	Store    ports.Store
	Clock    ports.Clock
	IDs      ports.IDs
	Curves   *curves.Library
	Computer Computer
	Log      *slog.Logger
}
