package ghg

import (
	"context"
	"reflect"
	"strconv"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// AssessmentChange is an assessment in its wanted state: a new draft, or the next version of
// Before. Before was read under a lock.
type AssessmentChange struct {
	Before *Whole // nil: a new one
	Draft  AssessmentDraft
	Same   bool // nothing but the existing assessment is asked for: Draft is empty
}

// SettledAssessment is the outcome of a change: the assessment as it stands, or what was wrong.
type SettledAssessment struct {
	Whole
	Unchanged bool // it already was as wanted, and nothing was written
	Errors    fault.Fields
}

// Writer is a caller who writes many assessments.
type Writer struct {
	access.Principal
	sampling error // see maySample
}

// Writer returns the caller in the form that Settle takes. It must be made before the transaction.
func (a *Assessments) Writer(ctx context.Context, who access.Principal) Writer {
	return Writer{who, a.maySample(ctx, who)}
}

// asProblem turns a refused permission into an error of one of many changes.
func asProblem(refusal error) error {
	known, isFault := fault.As(refusal)
	if !isFault || known.Kind != fault.Forbidden {
		return refusal
	}
	wrong := fault.Fields{}
	wrong.Nest("soil", fault.Fields{"sample_plan": []string{known.Message}})
	return wrong.Err()
}

// Settle checks changes against the same rules as Create and Update, and stores the sound ones even if others are
// not. It is for use cases that write many assessments: it runs in their transaction, and they have checked the
// permissions of both. Changes that name a sample plan are refused to a caller who may not view samples. New
// assessments are stored together, in a few statements whatever their number.
func (a *Assessments) Settle(ctx context.Context, tx ports.Repos, who Writer, changes []AssessmentChange) ([]SettledAssessment, error) {
	live, err := liveResources(ctx, tx, who.Scope(false), changes)
	if err != nil {
		return nil, err
	}
	out := make([]SettledAssessment, len(changes))
	var fresh []*assessmentEdit
	var of []int // the change of each of them
	for i, c := range changes {
		if c.Same {
			out[i] = SettledAssessment{Whole: *c.Before, Unchanged: true}
			continue
		}
		before := a.newWhole(who.Principal)
		if c.Before != nil {
			before = *c.Before
		}
		e := newAssessmentEdit(before)
		err := a.applyKnowing(e, c.Draft, live)
		if err == nil {
			err = asProblem(e.named(who.sampling))
		}
		if known, refused := fault.As(err); refused && known.Kind == fault.Invalid {
			out[i].Errors = known.Fields
			continue
		}
		switch {
		case err != nil:
			return nil, err
		case c.Before == nil:
			fresh, of = append(fresh, e), append(of, i)
		case len(e.sections) == 0 && reflect.DeepEqual(e.before.Assessment, e.after.Assessment):
			out[i] = SettledAssessment{Whole: before, Unchanged: true}
		default:
			if out[i].Whole, err = a.store(ctx, tx, who.Principal, e); err != nil {
				return nil, err
			}
		}
	}
	stored, err := a.insertAll(ctx, tx, who.Principal, fresh)
	for at, i := range of {
		if err == nil {
			out[i].Whole = stored[at]
		}
	}
	return out, err
}

// newWhole returns an empty draft, before anything is applied to it.
func (a *Assessments) newWhole(who access.Principal) Whole {
	now := a.Clock.Now()
	return Whole{Assessment: assessment.Assessment{
		Meta:   record.Meta{CompanyID: who.CompanyID, CreatedAt: now, UpdatedAt: now, CreatedBy: &record.Ref{ID: who.UserID, Name: who.Name}},
		Status: assessment.Draft, Declarations: assessment.Declarations{},
	}, Sheet: assessment.Sheet{}}
}

// insertAll stores new assessments with their sections, entries in the audit trail and jobs.
func (a *Assessments) insertAll(ctx context.Context, tx ports.Repos, who access.Principal, edits []*assessmentEdit) ([]Whole, error) {
	if len(edits) == 0 {
		return nil, nil
	}
	scope, now := who.Scope(false), a.Clock.Now()
	records := make([]*assessment.Assessment, len(edits))
	for i, e := range edits {
		records[i] = &e.after.Assessment
	}
	if err := claim(ctx, tx, scope, edits...); err != nil {
		return nil, err
	}
	if err := tx.Assessments.Insert(ctx, scope, records); err != nil {
		return nil, err
	}
	out := make([]Whole, len(edits))
	for i, e := range edits {
		out[i] = e.after
	}
	if err := tx.Assessments.Enter(ctx, scope, out); err != nil {
		return nil, err
	}
	by, entries, fresh := audit.By(who, now), make([]audit.Entry, len(edits)), make([]assessment.Assessment, len(edits))
	for i, e := range out {
		entries[i], fresh[i] = by.Of(audit.Create, access.Assessments.Name, e.ID, a.changesOf(Whole{}, e)), e.Assessment
	}
	a.startCompletion(ctx, tx, fresh...)
	return out, tx.Audit.Add(ctx, entries...)
}

// liveResources looks up all farms and fields that changes refer to.
func liveResources(ctx context.Context, tx ports.Repos, scope access.Scope, changes []AssessmentChange) (func(r *assessment.Assessment) (bool, error), error) {
	asked := map[assessment.ResourceType][]string{}
	for _, c := range changes {
		if r := c.Draft.Record; !c.Same && (c.Before == nil || c.Before.ResourceType != r.ResourceType || c.Before.ResourceID != r.ResourceID) {
			asked[r.ResourceType] = append(asked[r.ResourceType], strconv.FormatInt(r.ResourceID, 10))
		}
	}
	found := map[assessment.ResourceType]map[string][]ports.Resource{}
	for _, of := range assessment.ResourceTypes {
		var err error
		if found[of], err = tx.Assessments.Resources(ctx, scope, of, ports.ByID, asked[of]); err != nil {
			return nil, err
		}
	}
	return func(r *assessment.Assessment) (bool, error) {
		return len(found[r.ResourceType][strconv.FormatInt(r.ResourceID, 10)]) > 0, nil
	}, nil
}
