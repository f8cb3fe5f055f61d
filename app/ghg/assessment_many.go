package ghg

import (
	"context"

	"tilth/app"
	"tilth/app/external"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/ports"
)

// Over returns what a client wants of an assessment that is there, given as it stands under its lock.
type Over = func(current Whole) (AssessmentDraft, error)

// Upsert creates an assessment, or changes the live one with the same external id. It waits for others who do so, so that
// none is created twice. Faults: Invalid (external_id: it has none), and those of Create and Update.
func (a *Assessments) Upsert(ctx context.Context, who access.Principal, draft AssessmentDraft, over Over) (Whole, farmapp.Outcome, error) {
	key := draft.Record.ExternalID
	if err := a.Gate.Require(ctx, who, access.Assessments.Create, access.Assessments.Edit); err != nil {
		return Whole{}, "", err
	}
	if key == "" {
		return Whole{}, "", fault.Field(external.Member, "This is required: assessments are matched by it.")
	}
	writer := a.Writer(ctx, who)
	type written struct {
		Whole
		outcome farmapp.Outcome
	}
	out, err := app.In(ctx, a.Store.Write, func(ctx context.Context, tx ports.Repos) (out written, err error) {
		if err := tx.Assessments.HoldKeys(ctx, who.Scope(false)); err != nil {
			return out, err
		}
		held, err := tx.Assessments.ByExternalID(ctx, who.Scope(false), []string{key})
		if err != nil {
			return out, err
		}
		changes := []AssessmentChange{{Draft: draft}}
		if ids := held[key]; len(ids) > 0 {
			if changes, err = a.changesOver(ctx, tx, who, ids[:1], []Over{over}); err != nil {
				return out, err
			}
		}
		settled, err := a.Settle(ctx, tx, writer, changes)
		if err != nil {
			return out, err
		}
		out = written{settled[0].Whole, outcomeOf(changes[0], settled[0])}
		if err := settled[0].Errors.Err(); err != nil {
			return out, err
		}
		if out.outcome == farmapp.Created {
			out.Whole, err = readWhole(ctx, tx, who.Scope(false), out.ID) // with what others know of it, as the name of the company
		}
		return out, err
	})
	return out.Whole, out.outcome, err
}

// UpdateMany changes assessments, all or none: each item is over the one with its id. The ids are distinct; where one is 0
// there is no telling which is meant, and what is wanted of it is only wrong.
// Faults: NotFound, with the ids in details; Invalid; Conflict (duplicate_external_id).
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

// changesOver locks assessments and returns what is wanted of them.
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

// allOf locks the assessments with some ids. Faults: NotFound, with those that are not there in details; an id of 0 is not
// looked for.
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
