package ghg

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"tilth/app"
	"tilth/app/external"
	"tilth/app/ghg/cropcheck"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// Delete soft-deletes assessments, all or none. Their sections and submitted versions stay, so that they can be restored as
// they were. agree is called with each first, and may refuse. Faults: NotFound, with the ids in details, and those of agree.
func (a *Assessments) Delete(ctx context.Context, who access.Principal, ids []int64, agree func(current Whole) error) error {
	now := a.Clock.Now()
	return app.Do(ctx, a.Deps, who, access.Assessments.Delete, func(ctx context.Context, tx ports.Repos) error {
		found, err := allOf(ctx, tx, who, ids)
		if err != nil {
			return err
		}
		by, entries := audit.By(who, now), make([]audit.Entry, len(ids))
		for i, id := range ids {
			if err := agree(found[id]); err != nil {
				return err
			}
			entries[i] = by.Of(audit.Delete, access.Assessments.Name, id, a.changesOf(found[id], Whole{}))
		}
		if _, err := tx.Assessments.SoftDelete(ctx, who.Scope(false), ids, now); err != nil {
			return err
		}
		return tx.Audit.AddCascade(ctx, entries...)
	})
}

// Deleted returns the caller's own assessments that [Assessments.Restore] can bring back; it takes the permission to delete.
func (a *Assessments) Deleted(ctx context.Context, who access.Principal, q ports.Query) (app.List[assessment.Assessment], error) {
	q.Deleted = a.Clock.Now().Add(-record.RestorePeriod)
	return app.ListIn(ctx, a.Deps, app.Ask{Who: who, Need: access.Assessments.Delete}, q, func(tx ports.Repos) ports.Assessments { return tx.Assessments })
}

// Restore brings back an own assessment that was deleted within [record.RestorePeriod], with its sections. Its farm
// or field may have been deleted meanwhile, as that of a live one may. Faults: NotFound, Invalid (not_deleted),
// Conflict (duplicate_external_id).
func (a *Assessments) Restore(ctx context.Context, who access.Principal, id int64) (Whole, error) {
	scope, now := who.Scope(false), a.Clock.Now()
	return app.Write(ctx, a.Deps, who, access.Assessments.Delete, func(ctx context.Context, tx ports.Repos) (out Whole, err error) {
		record, deletedAt, err := tx.Assessments.GetDeleted(ctx, scope, id, now.Add(-record.RestorePeriod))
		if fault.Is(err, fault.NotFound) {
			if _, live := tx.Assessments.Get(ctx, scope, id); live == nil {
				err = fault.New(fault.Invalid, "not_deleted", "This assessment is not deleted.")
			}
		}
		if err != nil {
			return out, err
		}
		if err := external.Claim(ctx, tx.Assessments, scope, access.Assessments.Name, []*assessment.Assessment{nil}, []*assessment.Assessment{&record}); err != nil {
			return out, err
		}
		if err := tx.Assessments.Undelete(ctx, scope, id, deletedAt, record.NextVersion(now)); err != nil {
			return out, err
		}
		if out, err = readWhole(ctx, tx, scope, id); err != nil {
			return out, err
		}
		a.startCompletion(ctx, tx, out.Assessment)
		if out.Status == assessment.Submitted { // a check ends when it finds its assessment deleted
			if err := cropcheck.Ask(ctx, tx, out.Assessment, out.UpdatedAt); err != nil {
				return out, err
			}
		}
		by := audit.By(who, now)
		return out, tx.Audit.AddCascade(ctx, by.Of(audit.Restore, access.Assessments.Name, id, a.changesOf(Whole{}, out)))
	})
}

// audit records a change of an assessment. An edit that changed nothing leaves no entry.
func (a *Assessments) audit(ctx context.Context, tx ports.Repos, who access.Principal, action audit.Action, before, after Whole) error {
	changes := a.changesOf(before, after)
	if action == audit.Update && len(changes) == 0 {
		return nil
	}
	return tx.Audit.Add(ctx, audit.By(who, a.Clock.Now()).Of(action, access.Assessments.Name, after.ID, changes))
}

// auditedMembers are the members of a record that people write, with their names in the interface.
// The others follow from them.
var auditedMembers = map[string]string{
	"resource_type": "resource_type", "resource_id": "resource_id", "year": "assessment_year",
	"growing_area": "growing_area", "average_temperature": "average_temperature", "climate_region": "climate_region",
	"external_id": "external_id", "source": "source", "farm_country": "farm_country", "data_quality": "submitted_data_quality", "declarations": "section_declarations",
}

// changesOf returns the differences between two states of an assessment: members of the record, the
// objects of sections, and items of lists, as "fertilizers[12]" by their id. An assessment that is
// not stored is an empty state.
func (a *Assessments) changesOf(before, after Whole) []audit.Change {
	var out []audit.Change
	for _, c := range audit.Diff(&before.Assessment, &after.Assessment) {
		if name, ok := auditedMembers[c.Member]; ok {
			out = append(out, audit.Change{Member: name, Before: c.Before, After: c.After})
		}
	}
	keys := assessment.Sheet{}
	maps.Copy(keys, before.Sheet)
	maps.Copy(keys, after.Sheet)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		section, _ := a.Table.Section(key)
		out = append(out, changedRows(key, section.Shape == assessment.List, before.Sheet[key], after.Sheet[key])...)
	}
	return out
}

func changedRows(key string, list bool, before, after []assessment.Row) []audit.Change {
	var out []audit.Change
	add := func(id int64, was, is any) {
		member := key
		if list {
			member += "[" + strconv.FormatInt(id, 10) + "]"
		}
		out = append(out, audit.Change{Member: member, Before: was, After: is})
	}
	had := make(map[int64]assessment.Values, len(before))
	for _, row := range before {
		had[row.ID] = row.Values
	}
	for _, row := range after {
		was, ok := had[row.ID]
		switch delete(had, row.ID); {
		case !ok:
			add(row.ID, nil, map[string]any(row.Values))
		case !reflect.DeepEqual(was, row.Values):
			add(row.ID, map[string]any(was), map[string]any(row.Values))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(had)) {
		add(id, map[string]any(had[id]), nil)
	}
	return out
}
