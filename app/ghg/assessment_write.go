package ghg

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/evidence"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/ports"
)

// AssessmentDraft is an assessment as a client wants it.
type AssessmentDraft struct {
	Record       assessment.Assessment // its general part
	Sections     map[string]any        // sections as sent, by key; those that are absent stay as they are
	Declarations any                   // declarations as sent
	Declared     bool                  // whether any declarations were sent; they then replace the existing ones
	Unread       bool                  // it is no object: Errors say so, and nothing else is known about it
	Partial      bool                  // objects of sections are merged with the existing ones; lists are replaced either way
	Errors       fault.Fields          // errors in the general part as sent
}

// Create stores a new draft with the sections that were sent, in one transaction. Its completeness is
// computed in the background. Faults: Invalid, Conflict (duplicate_external_id).
func (a *Assessments) Create(ctx context.Context, who access.Principal, draft AssessmentDraft) (Whole, error) {
	sampling := a.maySample(ctx, who)
	return app.Write(ctx, a.Deps, who, access.Assessments.Create, func(ctx context.Context, tx ports.Repos) (out Whole, err error) {
		scope := who.Scope(false)
		e := newAssessmentEdit(a.newWhole(who))
		e.attached = func() ([]evidence.File, error) { return nil, nil }
		if err := a.apply(ctx, tx, scope, e, draft); err != nil {
			return out, err
		}
		if err := e.named(sampling); err != nil {
			return out, err
		}
		if err := claim(ctx, tx, scope, e); err != nil {
			return out, err
		}
		if err := tx.Assessments.Insert(ctx, scope, []*assessment.Assessment{&e.after.Assessment}); err != nil {
			return out, err
		}
		if err := e.storeSections(ctx, tx, scope); err != nil {
			return out, err
		}
		if out, err = readWhole(ctx, tx, scope, e.after.ID); err != nil {
			return out, err
		}
		if err := a.audit(ctx, tx, who, audit.Create, Whole{}, out); err != nil {
			return out, err
		}
		a.startCompletion(ctx, tx, out.Assessment)
		return out, nil
	})
}

// Update changes the general part of an assessment, and the sections that were sent: decode is given the current assessment,
// under its lock. Faults: NotFound, Invalid, Conflict (duplicate_external_id), and those of decode.
func (a *Assessments) Update(ctx context.Context, who access.Principal, id int64, decode func(current Whole) (AssessmentDraft, error)) (Whole, error) {
	return a.change(ctx, who, id, func(ctx context.Context, tx ports.Repos, e *assessmentEdit) error {
		draft, err := decode(e.before)
		if err != nil {
			return err
		}
		return a.apply(ctx, tx, who.Scope(false), e, draft)
	})
}

// assessmentEdit is one change of an assessment: its states before and after, and the sections that
// have to be written.
type assessmentEdit struct {
	before, after Whole
	sections      map[string]func(ctx context.Context, tx ports.Repos, scope access.Scope) error
	citing
}

func newAssessmentEdit(before Whole) *assessmentEdit {
	after := before
	after.Sheet, after.Declarations = maps.Clone(before.Sheet), maps.Clone(before.Declarations)
	return &assessmentEdit{before: before, after: after, sections: map[string]func(context.Context, ports.Repos, access.Scope) error{}}
}

// replace puts rows in place of those of a section. An object without members counts as absent; an object
// that is replaced keeps its row.
func (e *assessmentEdit) replace(section assessment.Section, rows []assessment.Row) {
	if section.Shape == assessment.Object {
		rows = slices.DeleteFunc(rows, func(r assessment.Row) bool { return len(r.Values) == 0 })
		for i := range rows {
			if rows[i].ID = 0; len(e.before.Sheet[section.Key]) > 0 {
				rows[i].ID = e.before.Sheet[section.Key][0].ID
			}
		}
	}
	e.set(section.Key, rows)
	if sameRows(rows, e.before.Sheet[section.Key]) {
		return // PUT sent back what GET returned
	}
	e.sections[section.Key] = func(ctx context.Context, tx ports.Repos, scope access.Scope) error {
		return tx.Assessments.ReplaceSection(ctx, scope, e.after.ID, section.Key, rows)
	}
}

func sameRows(a, b []assessment.Row) bool {
	return slices.EqualFunc(a, b, func(x, y assessment.Row) bool { return x.ID == y.ID && reflect.DeepEqual(x.Values, y.Values) })
}

// set sets the rows that a section holds from now on; if there are any, a declaration that there is nothing ends.
func (e *assessmentEdit) set(key string, rows []assessment.Row) {
	if e.after.Sheet[key] = rows; len(rows) == 0 {
		delete(e.after.Sheet, key)
		return
	}
	delete(e.after.Declarations, key)
}

func (e *assessmentEdit) storeSections(ctx context.Context, tx ports.Repos, scope access.Scope) error {
	for _, key := range slices.Sorted(maps.Keys(e.sections)) {
		if err := e.sections[key](ctx, tx, scope); err != nil {
			return err
		}
	}
	return nil
}

// change runs one edit of an assessment under its lock, in one transaction with its entry in the
// audit trail and the job that recomputes its completeness.
func (a *Assessments) change(ctx context.Context, who access.Principal, id int64, do func(ctx context.Context, tx ports.Repos, e *assessmentEdit) error) (Whole, error) {
	scope, sampling := who.Scope(false), a.maySample(ctx, who)
	return app.Write(ctx, a.Deps, who, access.Assessments.Edit, func(ctx context.Context, tx ports.Repos) (out Whole, err error) {
		before, err := lockWhole(ctx, tx, scope, id)
		if err != nil {
			return out, err
		}
		e := newAssessmentEdit(before)
		e.attached = func() ([]evidence.File, error) { return tx.Evidence.Of(ctx, scope, id) }
		if err := do(ctx, tx, e); err != nil {
			return out, err
		}
		if err := cmp.Or(e.failed, e.named(sampling)); err != nil {
			return out, err
		}
		return a.store(ctx, tx, who, e)
	})
}

// store writes an edit and returns the assessment as it is stored.
func (a *Assessments) store(ctx context.Context, tx ports.Repos, who access.Principal, e *assessmentEdit) (Whole, error) {
	scope := who.Scope(false)
	e.after.Meta = e.before.Meta
	e.after.UpdatedAt = e.before.NextVersion(a.Clock.Now())
	if err := claim(ctx, tx, scope, e); err != nil {
		return Whole{}, err
	}
	if e.after.Status == assessment.Submitted {
		var err error
		if e.after.HasUnsubmittedChanges, err = a.unsubmitted(ctx, tx, scope, e.after); err != nil {
			return Whole{}, err
		}
	}
	if err := tx.Assessments.Update(ctx, scope, &e.after.Assessment); err != nil {
		return Whole{}, err
	}
	if err := e.storeSections(ctx, tx, scope); err != nil {
		return Whole{}, err
	}
	stored, err := readWhole(ctx, tx, scope, e.after.ID)
	if err != nil {
		return Whole{}, err
	}
	if err := a.audit(ctx, tx, who, audit.Update, e.before, stored); err != nil {
		return Whole{}, err
	}
	a.startCompletion(ctx, tx, stored.Assessment)
	return stored, nil
}

// apply applies a draft to an edit, or returns all that is wrong with it.
func (a *Assessments) apply(ctx context.Context, tx ports.Repos, scope access.Scope, e *assessmentEdit, draft AssessmentDraft) error {
	return a.applyKnowing(e, draft, func(r *assessment.Assessment) (bool, error) {
		of, err := resourceOf(ctx, tx, scope, r)
		return of.live, err
	})
}

// applyKnowing is apply with live, which reports whether the farm or field is one of the company's.
func (a *Assessments) applyKnowing(e *assessmentEdit, draft AssessmentDraft, live func(r *assessment.Assessment) (bool, error)) error {
	errs := fault.Fields{}
	errs.Merge(draft.Errors)
	takeGeneral(&e.after.Assessment, draft.Record)
	errs.MergeNew(e.after.CheckGeneral())
	if err := checkResource(e, errs, live); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(draft.Sections)) {
		section, ok := a.Table.Section(key)
		if !ok {
			continue // a member of the general part
		}
		_, unknown := a.Table.Known(key, draft.Sections[key])
		errs.Nest(key, withNames(a.enter(e, section, draft.Sections[key], draft.Partial), unknown))
	}
	if draft.Declared {
		declarations, wrong := a.Table.CheckDeclarations(draft.Declarations, e.after.Sheet)
		errs.Nest("section_declarations", wrong)
		e.after.Declarations = declarations
	}
	return errs.Err()
}

// withNames returns the errors of a part, including those about unknown names.
func withNames(wrong, unknown fault.Fields) fault.Fields {
	all := fault.Fields{}
	all.Merge(wrong)
	all.Merge(unknown)
	return all
}

// enter replaces a section by what was sent, or returns what is wrong with it. A partial write of an object merges what
// was sent into the existing object; null empties the section, and a list is replaced either way.
func (a *Assessments) enter(e *assessmentEdit, section assessment.Section, sent any, partial bool) fault.Fields {
	have := e.before.Sheet[section.Key]
	if partial && section.Shape == assessment.Object && sent != nil {
		row, wrong := a.Table.Patch(section.Key, valuesOf(have), sent)
		if len(wrong) == 0 {
			wrong = e.cited(section, []assessment.Row{row})
		}
		if len(wrong) == 0 {
			e.replace(section, []assessment.Row{row})
		}
		return wrong
	}
	rows, wrong := a.Table.Check(section.Key, sent)
	if len(wrong) == 0 {
		wrong = foreignRows(rows, have)
	}
	if len(wrong) == 0 {
		wrong = e.cited(section, rows)
	}
	if len(wrong) == 0 {
		e.replace(section, recognised(rows, have))
	}
	return wrong
}

// recognised assigns to items that were sent without an id the id of the existing item that they equal. A client's own table
// knows no ids: when it is sent again unchanged, nothing changes.
func recognised(rows, have []assessment.Row) []assessment.Row {
	taken := map[int64]bool{}
	for _, row := range rows {
		taken[row.ID] = true
	}
	for i := range rows {
		if rows[i].ID != 0 {
			continue
		}
		at := slices.IndexFunc(have, func(r assessment.Row) bool { return !taken[r.ID] && reflect.DeepEqual(r.Values, rows[i].Values) })
		if at >= 0 {
			rows[i].ID = have[at].ID
			taken[rows[i].ID] = true
		}
	}
	return rows
}

// takeGeneral copies the members that a client may write.
func takeGeneral(onto *assessment.Assessment, sent assessment.Assessment) {
	onto.External = sent.External
	onto.ResourceType, onto.ResourceID, onto.Year = sent.ResourceType, sent.ResourceID, sent.Year
	onto.GrowingArea, onto.AverageTemperature = sent.GrowingArea, sent.AverageTemperature
	onto.ClimateRegion, onto.FarmCountry, onto.DataQuality = sent.ClimateRegion, sent.FarmCountry, sent.DataQuality
}

// checkResource checks that the farm or field is one of the company's. One that the assessment already has
// may have been deleted since: that keeps the assessment from being submitted, not from being corrected.
func checkResource(e *assessmentEdit, errs fault.Fields, live func(r *assessment.Assessment) (bool, error)) error {
	now, was := e.after.Assessment, e.before.Assessment
	same := now.ResourceType == was.ResourceType && now.ResourceID == was.ResourceID
	if same || errs["resource_type"] != nil || errs["resource_id"] != nil {
		return nil
	}
	known, err := live(&now)
	if err == nil && !known {
		errs.Addf("resource_id", "No %s of your company has the id %d.", now.ResourceType, now.ResourceID)
	}
	return err
}

// foreignRows refuses ids that belong to none of the section's items.
func foreignRows(rows, have []assessment.Row) fault.Fields {
	wrong := fault.Fields{}
	for i, row := range rows {
		if row.ID != 0 && !slices.ContainsFunc(have, func(r assessment.Row) bool { return r.ID == row.ID }) {
			f := fault.Fields{}
			f.Addf("id", "This section has no item %d; leave the id out for a new item.", row.ID)
			wrong.Nest(strconv.Itoa(i), f)
		}
	}
	return wrong
}
