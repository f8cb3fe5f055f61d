package farm

import (
	"context"
	"fmt"
	"slices"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/ports"
)

// Wanted is an item of a request that creates records or changes existing ones.
type Wanted[T any] struct {
	New  Draft[T]                          // as a new record
	Over func(current T) (Draft[T], error) // over an existing record, which keeps what the item leaves out
}

// Outcome states what was done with an item.
type Outcome string

// The outcomes of items.
const (
	Created   Outcome = "created"
	Updated   Outcome = "updated"
	Unchanged Outcome = "unchanged" // the record already was as wanted; nothing was written
)

// Written holds records as they are stored, with the outcome of each.
type Written[T any] struct {
	Records  []T
	Outcomes []Outcome
}

// Upsert creates records, and changes those that stand for live ones by the rule [Rules.Same]: all or none. Callers wait
// for one another, so that no record is created twice. Faults: Invalid, Conflict (duplicate_external_id).
func (r *Records[T]) Upsert(ctx context.Context, who access.Principal, wanted []Wanted[T], bulk bool) (Written[T], error) {
	if err := r.deps.Gate.Require(ctx, who, r.rules.Access.Create); err != nil {
		return Written[T]{}, err
	}
	return r.settleMany(ctx, who, &many[T]{wanted: wanted, bulk: bulk, hold: true, find: r.standFor})
}

// UpdateMany changes records, all or none: each item is applied over the record with its id. The ids are
// distinct. Faults: NotFound, with the ids in details; Invalid; Conflict (duplicate_external_id).
func (r *Records[T]) UpdateMany(ctx context.Context, who access.Principal, ids []int64, wanted []Wanted[T]) (Written[T], error) {
	return r.settleMany(ctx, who, &many[T]{wanted: wanted, bulk: true, find: func(context.Context, ports.Repos, access.Scope, []Wanted[T]) ([]int64, []fault.Fields, error) {
		return ids, make([]fault.Fields, len(ids)), nil
	}})
}

// many holds items that are settled together.
type many[T any] struct {
	wanted []Wanted[T]
	bulk   bool
	hold   bool // others who match records must wait
	// find returns the ids of the records that the items stand for, 0 for a new one, with what is wrong with each.
	find func(ctx context.Context, tx ports.Repos, scope access.Scope, wanted []Wanted[T]) ([]int64, []fault.Fields, error)

	before []*T
	drafts []Draft[T]
}

// standFor finds the records that items stand for.
func (r *Records[T]) standFor(ctx context.Context, tx ports.Repos, scope access.Scope, wanted []Wanted[T]) ([]int64, []fault.Fields, error) {
	same := r.rules.Same
	records := make([]*T, len(wanted))
	for i := range wanted {
		if !wanted[i].New.Unread {
			records[i] = &wanted[i].New.Record
		}
	}
	held, err := same.Find(ctx, tx, scope, records)
	ids, errs := make([]int64, len(wanted)), make([]fault.Fields, len(wanted))
	mine := map[string]bool{}
	for i, record := range records {
		if errs[i] = (fault.Fields{}); record == nil {
			continue
		}
		switch key := same.Key(record); {
		case key == "":
			errs[i].Addf(same.Member, "This is required: records are matched by it.")
		case mine[key]:
			errs[i].Addf(same.Member, "An earlier item refers to the same record.")
		case len(held[key]) > 1:
			errs[i].Addf(same.Member, "%d records match it: %s. Fix: change or delete all but one.", len(held[key]), idList(held[key]))
		case len(held[key]) == 1:
			ids[i], mine[key] = held[key][0], true
		default:
			mine[key] = true
		}
	}
	return ids, errs, err
}

func idList(ids []int64) string {
	const shown = 5
	text := fmt.Sprint(ids[0])
	for _, id := range ids[1:min(len(ids), shown)] {
		text += fmt.Sprintf(", %d", id)
	}
	if len(ids) > shown {
		text += " and others"
	}
	return text
}

// settleMany stores items, all or none. Whatever can be found out without blocking other writers is found out before.
func (r *Records[T]) settleMany(ctx context.Context, who access.Principal, m *many[T]) (Written[T], error) {
	if err := r.deps.Gate.Require(ctx, who, r.rules.Access.Edit); err != nil {
		return Written[T]{}, err
	}
	var after []*T
	err := r.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		after, err = r.judgeMany(ctx, tx, who, m, r.rules.Repo(tx).GetMany)
		return err
	})
	if err != nil {
		return Written[T]{}, err
	}
	end, err := r.foresee(ctx, who, m.before, after)
	if err != nil {
		return Written[T]{}, err
	}
	return app.In(ctx, r.deps.Store.Write, func(ctx context.Context, tx ports.Repos) (out Written[T], err error) {
		again := *m // the transaction may be run again
		if again.hold {
			if err := r.rules.Repo(tx).HoldKeys(ctx, who.Scope(false)); err != nil {
				return out, err
			}
		}
		after, err := r.judgeMany(ctx, tx, who, &again, r.rules.Repo(tx).GetManyForUpdate)
		if err != nil {
			return out, err
		}
		return r.storeMany(ctx, tx, who, &again, after, end)
	})
}

// judgeMany reads the records that items stand for and returns their wanted states; it refuses all if one is wrong. An
// item is not decoded again over a record that has not changed since it was decoded.
func (r *Records[T]) judgeMany(
	ctx context.Context, tx ports.Repos, who access.Principal, m *many[T], get func(context.Context, access.Scope, []int64) (map[int64]T, error),
) ([]*T, error) {
	scope := who.Scope(false)
	ids, wrong, err := m.find(ctx, tx, scope, m.wanted)
	if err != nil {
		return nil, err
	}
	found, err := get(ctx, scope, slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return id == 0 }))
	if err != nil {
		return nil, err
	}
	if err := r.allFound(ids, found); err != nil {
		return nil, err
	}
	before, drafts := make([]*T, len(ids)), make([]Draft[T], len(ids))
	for i, id := range ids {
		record, ok := found[id]
		switch {
		case !ok:
			drafts[i] = m.wanted[i].New
			continue
		case m.before != nil && m.before[i] != nil && r.sameVersion(m.before[i], &record):
			drafts[i] = m.drafts[i]
		default:
			if drafts[i], err = m.wanted[i].Over(record); err != nil {
				return nil, err
			}
		}
		before[i] = &record
	}
	m.before, m.drafts = before, drafts
	after, errs := r.drafted(who, before, drafts)
	for i := range errs {
		errs[i].MergeNew(wrong[i])
	}
	if err := r.relate(ctx, tx, scope, after, errs); err != nil {
		return nil, err
	}
	return after, m.refusal(errs)
}

func (m *many[T]) refusal(errs []fault.Fields) error {
	if m.bulk {
		return batch.Refuse(errs, "items")
	}
	return errs[0].Err()
}

func (r *Records[T]) sameVersion(a, b *T) bool {
	x, y := r.rules.Meta(a), r.rules.Meta(b)
	return x.ID == y.ID && x.UpdatedAt.Equal(y.UpdatedAt)
}

// allFound refuses ids that name no record. Faults: NotFound, with the ids in details.
func (r *Records[T]) allFound(ids []int64, found map[int64]T) error {
	missing := []int64{}
	for _, id := range ids {
		if _, ok := found[id]; !ok && id != 0 {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fault.Missing(r.rules.Access.Name).With("ids", missing)
}

// storeMany stores the wanted records, except those that already are as wanted.
func (r *Records[T]) storeMany(ctx context.Context, tx ports.Repos, who access.Principal, m *many[T], after []*T, end Finish[T]) (out Written[T], err error) {
	scope := who.Scope(false)
	var was, stored []*T
	var at []int
	for i, record := range after {
		switch before := m.before[i]; {
		case before == nil:
			out.Outcomes = append(out.Outcomes, Created)
		case len(audit.Diff(before, record)) == 0:
			*r.rules.Meta(record) = *r.rules.Meta(before)
			out.Outcomes = append(out.Outcomes, Unchanged)
			continue
		default:
			out.Outcomes = append(out.Outcomes, Updated)
		}
		was, stored, at = append(was, m.before[i]), append(stored, record), append(at, i)
	}
	if err := r.claim(ctx, tx, scope, was, stored); err != nil {
		return out, err
	}
	refused, err := r.store(ctx, tx, who, was, stored)
	if err != nil {
		return out, err
	}
	errs := make([]fault.Fields, len(after))
	for i, wrong := range refused {
		errs[at[i]] = wrong
	}
	if err := m.refusal(errs); err != nil {
		return out, err
	}
	if err := end.run(ctx, tx, who, was, stored); err != nil {
		return out, err
	}
	out.Records, err = r.reread(ctx, tx, scope, after)
	return out, err
}
