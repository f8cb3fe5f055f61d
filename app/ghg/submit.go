package ghg

import (
	"context"
	"errors"
	"fmt"

	"tilth/app"
	"tilth/app/ghg/cropcheck"
	"tilth/app/idempotency"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/evidence"
	"tilth/core/audit"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/ports"
)

// CodeNotSubmittable is the code of a refused submission. The details of the fault hold
// violations and warnings, each a list of {code, path, message}.
const CodeNotSubmittable = "not_submittable"

// submitTries is the number of times an assessment is calculated before giving up because it was
// written meanwhile. Writes are rare compared with calculations of a millisecond.
const submitTries = 5

// Submission is the outcome of submitting one assessment.
type Submission struct {
	Record  assessment.Assessment
	Version ports.AssessmentVersion
	// Unchanged: this content was already submitted, as that version; nothing was stored.
	Unchanged bool
	Warnings  []assessment.Finding
}

// Submit checks an assessment afresh, calculates it, and stores the result as its next version. The calculation runs
// outside the transaction, which stores the result only if it is that of the assessment's content by then. Content that
// the newest version already holds is not stored twice. Faults: NotFound, Invalid ([CodeNotSubmittable]), Unavailable
// (the engine; the assessment keeps the state it had), Conflict (assessment_busy).
func (a *Assessments) Submit(ctx context.Context, who access.Principal, id int64) (Submission, error) {
	if err := a.Gate.Require(ctx, who, access.Assessments.Edit); err != nil {
		return Submission{}, err
	}
	scope := who.Scope(false)
	for range submitTries {
		calculated, err := a.calculated(ctx, scope, id)
		if err != nil {
			return Submission{}, err
		}
		if out, err := a.keep(ctx, who, id, calculated); !errors.Is(err, errStale) {
			return out, err
		}
	}
	return Submission{}, fault.New(fault.Conflict, "assessment_busy", "The assessment kept changing while it was submitted; submit it again when the changes have stopped.")
}

// preparedCalculation is an assessment in the form in which an engine gets it.
type preparedCalculation struct {
	whole       Whole
	subject     assessment.Subject
	input       ghg.Input
	conversions []ghg.TraceLine // from what was entered to the input
	digest      string          // of the input
	entered     []byte          // JSON of an assessment.AsEntered
	enteredSum  string          // of entered
	attached    []evidence.File
	listed      []byte // JSON of an evidence.List
	listedSum   string // of listed
	state       assessment.State
	obstacles   []assessment.Finding // to any calculation
	violations  []assessment.Finding // obstacles to a submission
	warnings    []assessment.Finding
	choice      ports.EngineChoice
}

// prepare checks an assessment for submission and makes its snapshot. Farm, field and engine are looked up in
// the scope of its own company: perhaps only the assessment is shared.
func (a *Assessments) prepare(ctx context.Context, tx ports.Repos, whole Whole) (preparedCalculation, error) {
	scope := access.Own(whole.CompanyID)
	p := preparedCalculation{whole: whole}
	facts, name, err := a.facts(ctx, tx, scope, &whole)
	if err != nil {
		return p, err
	}
	if p.choice, err = tx.EngineChoices.Get(ctx, scope); err != nil {
		return p, err
	}
	p.violations, p.warnings = a.Table.Submittable(&whole.Assessment, whole.Sheet, facts)
	p.input, p.conversions, p.obstacles = a.Table.Converted(&whole.Assessment, whole.Sheet, facts)
	p.subject = whole.Subject(name, p.input)
	p.state = a.Table.Complete(&whole.Assessment, whole.Sheet, facts)
	if p.entered, p.enteredSum, err = a.Table.AsEntered(&whole.Assessment, whole.Sheet).Text(); err != nil {
		return p, err
	}
	if err := a.list(ctx, tx, scope, &p); err != nil {
		return p, err
	}
	p.digest, err = p.input.Digest()
	return p, err
}

// list completes a prepared calculation with the attached files.
func (a *Assessments) list(ctx context.Context, tx ports.Repos, scope access.Scope, p *preparedCalculation) (err error) {
	if p.attached, err = tx.Evidence.Of(ctx, scope, p.whole.ID); err != nil {
		return err
	}
	p.violations = append(p.violations, evidence.Findings(evidence.Unknown(evidence.AllCites(a.Table, p.whole.Sheet), p.attached))...)
	list, warnings := evidence.Listed(p.attached, p.whole.Sheet)
	p.warnings = append(p.warnings, warnings...)
	p.listed, p.listedSum, err = list.Text()
	return err
}

// prepared prepares an assessment as it stands.
func (a *Assessments) prepared(ctx context.Context, scope access.Scope, id int64) (preparedCalculation, error) {
	return app.In(ctx, a.Store.Read, func(ctx context.Context, tx ports.Repos) (out preparedCalculation, err error) {
		whole, err := readWhole(ctx, tx, scope, id)
		if err != nil {
			return out, err
		}
		return a.prepare(ctx, tx, whole)
	})
}

// calculation is a prepared assessment with its result.
type calculation struct {
	preparedCalculation
	result    ghg.Result
	reference ports.EngineReference
}

// calculated prepares an assessment as it stands and calculates it.
func (a *Assessments) calculated(ctx context.Context, scope access.Scope, id int64) (calculation, error) {
	prepared, err := a.prepared(ctx, scope, id)
	out := calculation{preparedCalculation: prepared}
	if err == nil && len(out.violations) > 0 {
		err = refused(CodeNotSubmittable, "The assessment cannot be submitted yet", out.violations, out.warnings)
	}
	if err != nil {
		return out, err
	}
	out.result, out.reference, err = a.run(ctx, out.preparedCalculation)
	if fault.Is(err, fault.Invalid) {
		return out, refused(CodeNotSubmittable, "The assessment cannot be calculated", findingsOf(err), out.warnings)
	}
	if err != nil {
		a.recordFailure(ctx, scope, id, err)
	}
	return out, err
}

// run calculates a snapshot with the engine of the company.
func (a *Assessments) run(ctx context.Context, p preparedCalculation) (ghg.Result, ports.EngineReference, error) {
	engine, err := a.Engines.Engine(p.choice.Engine)
	if err != nil {
		return ghg.Result{}, ports.EngineReference{}, err
	}
	return engine.Calculate(ctx, p.input, p.choice.FactorSet, ghg.Options{Trace: true, Conversions: p.conversions})
}

// recordFailure records that the engine failed. The record is not the effect of the request, which
// may be repeated under its key; if it cannot be stored, it is dropped.
func (a *Assessments) recordFailure(ctx context.Context, scope access.Scope, id int64, failure error) {
	reason := "The calculation engine failed."
	if f, ok := fault.As(failure); ok && f.Kind != fault.Internal {
		reason = f.Message
	}
	err := a.Store.Write(idempotency.Apart(ctx), func(ctx context.Context, tx ports.Repos) error {
		if _, err := tx.Assessments.GetForUpdate(ctx, scope, id); err != nil {
			return err
		}
		return tx.Assessments.SetCalculation(ctx, scope, id, assessment.Failed, reason)
	})
	if err != nil {
		a.Log.WarnContext(ctx, "the failure of a calculation could not be recorded", "assessment", id, "error", err)
	}
}

// errStale aborts the transaction if a result no longer matches the content of the assessment.
var errStale = errors.New("the assessment was written while it was calculated")

// keep stores a result as the next version, in one transaction with the state of the assessment,
// its completeness, its event and its entry in the audit trail. It returns errStale if the result
// no longer matches the content of the assessment.
func (a *Assessments) keep(ctx context.Context, who access.Principal, id int64, c calculation) (Submission, error) {
	scope := who.Scope(false)
	return app.In(ctx, a.Store.Write, func(ctx context.Context, tx ports.Repos) (out Submission, err error) {
		whole, err := lockWhole(ctx, tx, scope, id)
		if err != nil {
			return out, err
		}
		now, err := a.prepare(ctx, tx, whole)
		if err != nil {
			return out, err
		}
		if now.digest != c.digest || now.enteredSum != c.enteredSum || !now.subject.Same(c.subject) || now.choice != c.choice {
			return out, errStale
		}
		if len(now.violations) > 0 { // such as a farm or field that is gone meanwhile
			return out, refused(CodeNotSubmittable, "The assessment cannot be submitted yet", now.violations, now.warnings)
		}
		c.preparedCalculation = now
		return a.keepLocked(ctx, tx, who, c)
	})
}

func (a *Assessments) keepLocked(ctx context.Context, tx ports.Repos, who access.Principal, c calculation) (Submission, error) {
	scope := who.Scope(false)
	newest, err := newestVersion(ctx, tx, scope, c.whole.ID)
	if err != nil {
		return Submission{}, err
	}
	if newest != nil && c.isOf(*newest) {
		return a.settle(ctx, tx, scope, c, *newest)
	}
	at := c.whole.NextVersion(a.Clock.Now())
	version, report, err := c.version(who, c.whole.SubmittedVersion+1, at)
	if err != nil {
		return Submission{}, err
	}
	before := c.whole
	after := before
	after.Status, after.SubmittedVersion, after.SubmittedAt = assessment.Submitted, version.Number, &version.SubmittedAt
	after.CalculationStatus, after.CalculationReason, after.HasUnsubmittedChanges = assessment.Done, "", false
	after.UpdatedAt = at
	if err := tx.AssessmentVersions.Insert(ctx, scope, &version); err != nil {
		return Submission{}, err
	}
	if err := tx.Evidence.Hold(ctx, scope, after.ID, version.Number); err != nil {
		return Submission{}, err
	}
	if c.reference != (ports.EngineReference{}) {
		refs := ports.EngineReferences{AssessmentID: after.ID, Number: version.Number, Engine: version.Engine, Reference: c.reference}
		if err := tx.EngineReferences.Put(ctx, scope, refs); err != nil {
			return Submission{}, err
		}
	}
	if err := tx.Assessments.Update(ctx, scope, &after.Assessment); err != nil {
		return Submission{}, err
	}
	if _, err := a.complete(ctx, tx, scope, &after); err != nil {
		return Submission{}, err
	}
	if err := cropcheck.Ask(ctx, tx, after.Assessment, at); err != nil {
		return Submission{}, err
	}
	if err := a.publishSubmitted(ctx, tx, who, submitted{before, after, version, report}); err != nil {
		return Submission{}, err
	}
	stored, err := tx.Assessments.Get(ctx, scope, after.ID)
	return Submission{Record: stored, Version: version, Warnings: c.warnings}, err
}

// settle returns the version that already holds the content. It corrects the record if that shows a
// later run that failed, or changes that were undone.
func (a *Assessments) settle(ctx context.Context, tx ports.Repos, scope access.Scope, c calculation, newest ports.AssessmentVersion) (Submission, error) {
	out := Submission{Record: c.whole.Assessment, Version: newest, Unchanged: true, Warnings: c.warnings}
	r := &out.Record
	if r.HasUnsubmittedChanges {
		r.HasUnsubmittedChanges, r.CalculationStatus, r.CalculationReason = false, assessment.Done, ""
		r.UpdatedAt = r.NextVersion(a.Clock.Now())
		if err := tx.Assessments.Update(ctx, scope, r); err != nil {
			return out, err
		}
		a.startCompletion(ctx, tx, *r)
		return out, nil
	}
	if r.CalculationStatus != assessment.Done {
		r.CalculationStatus, r.CalculationReason = assessment.Done, ""
		return out, tx.Assessments.SetCalculation(ctx, scope, r.ID, assessment.Done, "")
	}
	return out, nil
}

// submitted is an assessment before and after its submission, with what was stored.
type submitted struct {
	before, after Whole
	version       ports.AssessmentVersion
	report        report.Report
}

// publishSubmitted publishes the event of a submission and writes it to the audit trail.
func (a *Assessments) publishSubmitted(ctx context.Context, tx ports.Repos, who access.Principal, s submitted) error {
	before, after, v, report := s.before, s.after, s.version, s.report
	published := event.Event{
		ID: a.IDs.UUID(), Type: event.TypeAssessmentSubmitted, CompanyID: after.CompanyID,
		Subject: fmt.Sprintf("assessment/%d", after.ID), At: v.SubmittedAt,
		Data: event.AssessmentSubmitted{
			Assessment: after.ID, Version: v.Number, ResourceType: string(after.ResourceType), ResourceID: after.ResourceID,
			AssessmentYear: *after.Year, InputDigest: v.Digest, Emissions: report.Totals.Emissions, Removals: report.Totals.Removals,
		},
	}
	if err := tx.Outbox.Add(ctx, published); err != nil {
		return err
	}
	changes := []audit.Change{{Member: "submitted_version", Before: int64(before.SubmittedVersion), After: int64(v.Number)}}
	if before.Status != after.Status {
		changes = append(changes, audit.Change{Member: "status", Before: string(before.Status), After: string(after.Status)})
	}
	changes = append(changes, audit.Change{Member: "input_digest", After: v.Digest})
	by := audit.By(who, v.SubmittedAt)
	return tx.Audit.Add(ctx, by.Of(SubmitAction, access.Assessments.Name, after.ID, changes))
}

// SubmitAction is the action of storing a version, in the audit trail.
const SubmitAction audit.Action = "submit"
