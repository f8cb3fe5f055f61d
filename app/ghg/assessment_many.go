package ghg

import (
	"context"
	"slices"

	"tilth/app"
	"tilth/app/external"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/ports"
)

// Over returns what a client wants an existing assessment to be; it is given the current one, under its lock.
type Over = func(current Whole) (AssessmentDraft, error)

// WantedAssessment is what a client wants to exist: a new assessment, or the existing one with changes.
type WantedAssessment struct {
	New  AssessmentDraft
	Over Over
}

// CreateMany stores new drafts, all or none. Faults: Invalid, Conflict (duplicate_external_id).
func (a *Assessments) CreateMany(ctx context.Context, who access.Principal, drafts []AssessmentDraft) ([]Whole, error) {
	if err := a.Gate.Require(ctx, who, access.Assessments.Create); err != nil {
		return nil, err
	}
	changes := make([]AssessmentChange, len(drafts))
	for i, draft := range drafts {
		changes[i].Draft = draft
	}
	writer := a.Writer(ctx, who)
	return app.In(ctx, a.Store.Write, func(ctx context.Context, tx ports.Repos) ([]Whole, error) {
		written, err := a.settleAll(ctx, tx, writer, changes, make([]fault.Fields, len(changes)), true)
		return written.Records, err
	})
}

// Upsert creates assessments, or changes the live ones with the same external ids: all or none. Callers wait for one another, so that
// none is created twice. Faults: Invalid (external_id: it has none), and those of Create and Update.
func (a *Assessments) Upsert(ctx context.Context, who access.Principal, wanted []WantedAssessment, bulk bool) (farmapp.Written[Whole], error) {
	if err := a.Gate.Require(ctx, who, access.Assessments.Create, access.Assessments.Edit); err != nil {
		return farmapp.Written[Whole]{}, err
	}
	keys := make([]string, len(wanted))
	for i, one := range wanted {
		keys[i] = one.New.Record.ExternalID
	}
	writer := a.Writer(ctx, who)
	return app.In(ctx, a.Store.Write, func(ctx context.Context, tx ports.Repos) (out farmapp.Written[Whole], err error) {
		if err := tx.Assessments.HoldKeys(ctx, who.Scope(false)); err != nil {
			return out, err
		}
		ids, errs, err := external.Stand(ctx, tx.Assessments, who.Scope(false), "assessments", keys)
		if err != nil {
			return out, err
		}
		there := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return id == 0 })
		found, err := allOf(ctx, tx, who, there)
		if err != nil {
			return out, err
		}
		changes := make([]AssessmentChange, len(wanted))
		for i, one := range wanted {
			if changes[i].Draft = one.New; ids[i] == 0 {
				continue
			}
			before := found[ids[i]]
			if changes[i].Draft, err = one.Over(before); err != nil {
				return out, err
			}
			changes[i].Before = &before
		}
		return a.settleAll(ctx, tx, writer, changes, errs, bulk)
	})
}

// settleAll settles changes, all or none, given the errors known so far: a change that has some is refused, whatever else it contains.
func (a *Assessments) settleAll(ctx context.Context, tx ports.Repos, who Writer, changes []AssessmentChange, errs []fault.Fields, bulk bool) (out farmapp.Written[Whole], err error) {
	for i := range changes {
		draft := changes[i].Draft
		if errs[i] == nil || draft.Unread {
			errs[i] = fault.Fields{}
		}
		if len(errs[i]) > 0 || draft.Unread {
			errs[i].MergeNew(draft.Errors)
			changes[i] = AssessmentChange{Before: &Whole{}, Same: true}
		}
	}
	settled, err := a.Settle(ctx, tx, who, changes)
	if err != nil {
		return out, err
	}
	var made []int64
	for i, s := range settled {
		errs[i].MergeNew(s.Errors)
		out.Records, out.Outcomes = append(out.Records, s.Whole), append(out.Outcomes, outcomeOf(changes[i], s))
		if changes[i].Before == nil && len(errs[i]) == 0 {
			made = append(made, s.ID)
		}
	}
	if !bulk {
		err = errs[0].Err()
	} else {
		err = batch.Refuse(errs, "items")
	}
	if err != nil {
		return out, err
	}
	stored, err := allOf(ctx, tx, who.Principal, made) // read back with data from other records, such as the name of the company
	for i, record := range out.Records {
		if whole, ok := stored[record.ID]; ok {
			out.Records[i] = whole
		}
	}
	return out, err
}

// UpdateMany changes assessments, all or none: each item is applied over the one with its id. The ids are distinct; an id
// of 0 means that the item does not tell which assessment it means, so only its errors count. Faults: NotFound, with the
// ids in details; Invalid; Conflict (duplicate_external_id).
func (a *Assessments) UpdateMany(ctx context.Context, who access.Principal, ids []int64, wanted []Over) (out farmapp.Written[Whole], err error) {
	if err := a.Gate.Require(ctx, who, access.Assessments.Edit); err != nil {
		return out, err
	}
	writer := a.Writer(ctx, who)
	return app.In(ctx, a.Store.Write, func(ctx context.Context, tx ports.Repos) (out farmapp.Written[Whole], err error) {
		changes, err := a.changesOver(ctx, tx, who, ids, wanted)
		if err != nil {
			return out, err
		}
		settled, err := a.Settle(ctx, tx, writer, changes)
		if err != nil {
			return out, err
		}
		errs := make([]fault.Fields, len(settled))
		for i, s := range settled {
			if errs[i] = s.Errors; ids[i] == 0 {
				errs[i] = changes[i].Draft.Errors
			}
			out.Records, out.Outcomes = append(out.Records, s.Whole), append(out.Outcomes, outcomeOf(changes[i], s))
		}
		return out, batch.Refuse(errs, "items")
	})
}

// changesOver locks assessments and returns the wanted changes.
func (a *Assessments) changesOver(ctx context.Context, tx ports.Repos, who access.Principal, ids []int64, wanted []Over) ([]AssessmentChange, error) {
	found, err := allOf(ctx, tx, who, ids)
	if err != nil {
		return nil, err
	}
	out := make([]AssessmentChange, len(ids))
	for i, id := range ids {
		before := found[id]
		draft, err := wanted[i](before)
		if err != nil {
			return nil, err
		}
		out[i] = AssessmentChange{Before: &before, Draft: draft, Same: id == 0}
	}
	return out, nil
}

// allOf locks the assessments with some ids. Faults: NotFound, with the missing ids in details; an id of 0 is not looked
// for.
func allOf(ctx context.Context, tx ports.Repos, who access.Principal, ids []int64) (map[int64]Whole, error) {
	whole, err := tx.Assessments.Whole(ctx, who.Scope(false), ids)
	if err != nil {
		return nil, err
	}
	found, missing := make(map[int64]Whole, len(ids)), []int64{}
	for _, w := range whole {
		found[w.ID] = w
	}
	for _, id := range ids {
		if _, ok := found[id]; !ok && id != 0 {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return nil, fault.Missing(access.Assessments.Name).With("ids", missing)
	}
	return found, nil
}

func outcomeOf(c AssessmentChange, s SettledAssessment) farmapp.Outcome {
	switch {
	case c.Before == nil:
		return farmapp.Created
	case s.Unchanged:
		return farmapp.Unchanged
	}
	return farmapp.Updated
}

// claim refuses external ids that others have. Faults: Conflict (duplicate_external_id).
func claim(ctx context.Context, tx ports.Repos, scope access.Scope, edits ...*assessmentEdit) error {
	before, after := make([]*assessment.Assessment, len(edits)), make([]*assessment.Assessment, len(edits))
	for i, e := range edits {
		if after[i] = &e.after.Assessment; e.before.ID != 0 {
			before[i] = &e.before.Assessment
		}
	}
	return external.Claim(ctx, tx.Assessments, scope, access.Assessments.Name, before, after)
}
