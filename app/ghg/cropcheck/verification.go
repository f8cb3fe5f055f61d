package cropcheck

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/audit"
	"tilth/core/cropcheck"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/core/verification"
	"tilth/ports"
)

// RestartVerification is the action of the audit trail for restarting a check.
const RestartVerification audit.Action = "verify"

// Verification holds the use cases of requests.
type Verification struct{ app.Deps }

// Verification returns the check of an assessment, own or shared. The check of a submitted assessment
// that has not begun is pending; without a submission ok is false. Faults: NotFound.
func (v *Verification) Verification(ctx context.Context, who access.Principal, shared bool, id int64) (record verification.Record, ok bool, err error) {
	record, err = app.Read(ctx, v.Deps, who, access.Assessments.View, func(ctx context.Context, tx ports.Repos) (out verification.Record, err error) {
		a, err := tx.Assessments.Get(ctx, who.Scope(shared), id)
		if err != nil {
			return out, err
		}
		if ok = a.Status == assessment.Submitted; !ok {
			return verification.Record{AssessmentID: id}, nil
		}
		return current(ctx, tx, access.Own(a.CompanyID), &a) // visible to the assessment's reader
	})
	return record, ok, err
}

// current returns the check of the last submission; one that has not begun is new.
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

// Restart starts the check of a submitted assessment again, whatever its outcome was. Faults: NotFound,
// Invalid (not_submitted).
func (v *Verification) Restart(ctx context.Context, who access.Principal, id int64) (verification.Record, error) {
	scope := who.Scope(false)
	return app.Write(ctx, v.Deps, who, access.Assessments.Edit, func(ctx context.Context, tx ports.Repos) (record verification.Record, err error) {
		now := v.Clock.Now()
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
		return record, Ask(ctx, tx, a, now)
	})
}

// Ask queues, in a transaction, the check of what an assessment submitted last.
func Ask(ctx context.Context, tx ports.Repos, a assessment.Assessment, at time.Time) error {
	return tx.Jobs.Enqueue(ctx, task.JobOn(ports.JobVerification, a.CompanyID, a.ID, at))
}

// Worker carries checks out.
type Worker struct {
	Store    ports.Store
	Clock    ports.Clock
	IDs      ports.IDs
	Curves   *satellite.CurveLibrary
	Computer satellite.ProfileComputer
	Log      *slog.Logger
}

// Run does one job of [ports.JobVerification]: it looks at each field of an assessment. The limit
// ends a check that kills its worker every time.
func (w *Worker) Run(ctx context.Context, job ports.Job) error {
	runner := task.ForCompany(w.Store, w.Clock, w.IDs, w.Log)
	return task.Do(ctx, runner, task.Limits{Claims: 5 * vegetation.Retry.Tries}, &verificationWork{Worker: w}, job)
}

// verificationWork carries out one check.
type verificationWork struct {
	*Worker
	looked []verification.Field // so far, kept for the next try if the source becomes unavailable
}

// declaredCrops is what an assessment states was grown.
type declaredCrops struct {
	assessment assessment.Assessment
	cropType   string
}

// verificationStep is a check under the lock of its assessment.
type verificationStep struct {
	assessment assessment.Assessment
	record     verification.Record
	plan       verificationPlan // set by Begin
}

func (w *verificationWork) Lock(ctx context.Context, run task.Run[ports.Repos]) (s verificationStep, next task.Next, err error) {
	s.assessment, err = run.Tx.Assessments.GetForUpdate(ctx, run.Scope, run.Job.Subject)
	if fault.Is(err, fault.NotFound) {
		return s, task.Finish(), nil
	}
	if err == nil {
		s.record, err = current(ctx, run.Tx, run.Scope, &s.assessment)
	}
	return s, task.Continue(), err
}

func (w *verificationWork) Begin(ctx context.Context, run task.Run[ports.Repos], s *verificationStep) (task.Next, error) {
	if run.Job.Retried && s.record.Reason == verification.ReasonBrokenOff {
		s.record.Begin(s.assessment.SubmittedVersion, run.Now) // resumed by the operator
	}
	if s.assessment.Status != assessment.Submitted || s.record.DecidedAt != nil {
		return task.Finish(), nil
	}
	sheet, err := run.Tx.Assessments.Sheet(ctx, run.Scope, s.assessment.ID)
	if err != nil {
		return task.Next{}, err
	}
	said := declaredCrops{s.assessment, sheet.CropType()}
	if s.plan, err = w.plan(ctx, run, said); err != nil {
		return task.Next{}, err
	}
	s.record.Process(said.cropType, run.Now)
	return task.Continue(), run.Tx.Verifications.Put(ctx, run.Scope, s.record)
}

func (w *verificationWork) Do(ctx context.Context, s verificationStep) (verificationPlan, error) {
	for i := range s.plan.targets {
		t := &s.plan.targets[i]
		if err := w.look(ctx, access.Own(s.assessment.CompanyID), s.record, t); err != nil {
			return s.plan, err
		}
		w.looked = append(w.looked, t.field)
	}
	return s.plan, nil
}

// Same is false if the check was restarted, or another version submitted, meanwhile.
func (w *verificationWork) Same(began, current verificationStep) bool {
	return current.record.Run == began.record.Run && current.record.Version == began.record.Version
}

func (w *verificationWork) Complete(ctx context.Context, run task.Run[ports.Repos], s *verificationStep, plan verificationPlan) (task.Next, error) {
	s.record.Evidence.Model = cropcheck.Model
	if plan.reason != "" {
		s.record.Evidence.Fields = nil
		s.record.Undecided(plan.reason, plan.text, run.Now)
	} else {
		s.record.Decide(w.looked, run.Now)
	}
	return task.Finish(), w.end(ctx, run, s.record)
}

// Unavailable keeps what was computed before the source became unavailable.
func (w *verificationWork) Unavailable(ctx context.Context, run task.Run[ports.Repos], s verificationStep, _ error) (task.Next, error) {
	s.record.Keep(w.looked)
	at, again := s.record.SourceUnavailable(run.Now, run.Jitter)
	if !again {
		return task.Finish(), w.end(ctx, run, s.record)
	}
	return task.Again(at), run.Tx.Verifications.Put(ctx, run.Scope, s.record)
}

// Fail ends a check that cannot be carried out: a problem with a field is part of its verdict.
func (w *verificationWork) Fail(ctx context.Context, run task.Run[ports.Repos], s verificationStep, reason string) error {
	s.record.Undecided(verification.ReasonBrokenOff, strings.TrimSuffix(reason, ".")+"; start the check again.", run.Now)
	return w.end(ctx, run, s.record)
}

// end stores a check that has ended, with its event.
func (w *verificationWork) end(ctx context.Context, run task.Run[ports.Repos], r verification.Record) error {
	if err := run.Tx.Verifications.Put(ctx, run.Scope, r); err != nil {
		return err
	}
	return run.Tx.Outbox.Add(ctx, event.Event{
		ID: w.IDs.UUID(), Type: event.TypeVerificationCompleted, CompanyID: run.Job.CompanyID, Subject: "assessment/" + run.Job.Key, At: r.UpdatedAt,
		Data: event.VerificationCompleted{
			Assessment: r.AssessmentID, Version: r.Version, Status: string(r.Status), Reason: string(r.Reason), CropType: r.CropType, Confidence: r.Confidence,
		},
	})
}
