package farm

import (
	"context"
	"slices"

	"tilth/app/external"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// Change is a record in its wanted state: a new one, or the next version of Before.
type Change[T any] struct {
	Before *T // nil: a new record
	After  T
}

// Settled is the outcome of a change: the record as it stands, or what was wrong.
type Settled[T any] struct {
	Record T
	Errors fault.Fields
}

// Settle checks changes against the same rules as Create and Update, and stores the sound ones even if others are not; what
// [Records.Foresee] returned ends it. It is for use cases that import many records: it runs in their transaction, and they
// have checked the permissions of both. Existing records were read under a lock. With enrich the read-only figures are
// filled in.
func (r *Records[T]) Settle(ctx context.Context, tx ports.Repos, who access.Principal, changes []Change[T], end Finish[T], enrich bool) ([]Settled[T], error) {
	scope := who.Scope(false)
	before, drafts := make([]*T, len(changes)), make([]Draft[T], len(changes))
	for i, c := range changes {
		before[i], drafts[i] = c.Before, Draft[T]{Record: c.After}
	}
	records, errs := r.drafted(who, before, drafts)
	if err := r.relate(ctx, tx, scope, records, errs); err != nil {
		return nil, err
	}
	if err := r.refuseTaken(ctx, tx, scope, before, records, errs); err != nil {
		return nil, err
	}
	var was, stored []*T
	var at []int
	for i := range records {
		if len(errs[i]) == 0 {
			was, stored, at = append(was, before[i]), append(stored, records[i]), append(at, i)
		}
	}
	refused, err := r.store(ctx, tx, who, was, stored)
	if err != nil {
		return nil, err
	}
	was, stored = was[:0], stored[:0]
	for i, wrong := range refused {
		if errs[at[i]].Merge(wrong); len(wrong) == 0 {
			was, stored = append(was, before[at[i]]), append(stored, records[at[i]])
		}
	}
	if err := end.run(ctx, tx, who, was, stored); err != nil {
		return nil, err
	}
	if enrich && len(stored) > 0 {
		fresh, err := r.reread(ctx, tx, scope, stored)
		if err != nil {
			return nil, err
		}
		for i, record := range stored {
			*record = fresh[i]
		}
	}
	out := make([]Settled[T], len(records))
	for i, record := range records {
		out[i] = Settled[T]{*record, errs[i]}
	}
	return out, nil
}

// Wrong returns what is wrong with changes by themselves and with the keys that they take, before what they belong to exists.
func (r *Records[T]) Wrong(ctx context.Context, tx ports.Repos, who access.Principal, changes []Change[T]) ([]fault.Fields, error) {
	before, drafts := make([]*T, len(changes)), make([]Draft[T], len(changes))
	for i, c := range changes {
		before[i], drafts[i] = c.Before, Draft[T]{Record: c.After}
	}
	records, errs := r.drafted(who, before, drafts)
	return errs, r.refuseTaken(ctx, tx, who.Scope(false), before, records, errs)
}

// refuseTaken adds to errs the external ids that records are about to take and others have.
func (r *Records[T]) refuseTaken(ctx context.Context, tx ports.Repos, scope access.Scope, before, after []*T, errs []fault.Fields) error {
	sound := slices.Clone(after)
	for i := range sound {
		if len(errs[i]) > 0 {
			sound[i] = nil
		}
	}
	taken, err := external.Find(ctx, r.rules.Repo(tx), scope, before, sound)
	for _, one := range taken {
		errs[one.At].Add(external.Member, one.Message(r.rules.Access.Name))
	}
	return err
}

// store stores sound records, new and changed ones, and returns what the rules refuse about each changed one.
func (r *Records[T]) store(ctx context.Context, tx ports.Repos, who access.Principal, before, after []*T) ([]fault.Fields, error) {
	refused := make([]fault.Fields, len(after))
	var made []*T
	for i, record := range after {
		if before[i] == nil {
			made = append(made, record)
			continue
		}
		var err error
		if refused[i], err = r.revise(ctx, tx, who, *before[i], record); err != nil {
			return nil, err
		}
	}
	if len(made) == 0 {
		return refused, nil
	}
	return refused, r.insert(ctx, tx, who, made)
}

// revise stores a change of one record; what its rules refuse is returned separately from failures.
func (r *Records[T]) revise(ctx context.Context, tx ports.Repos, who access.Principal, before T, after *T) (fault.Fields, error) {
	if r.rules.Change != nil {
		err := r.rules.Change(ctx, tx, who.Scope(false), &before, after)
		if f, ok := fault.As(err); ok && f.Kind == fault.Invalid && len(f.Fields) > 0 {
			return f.Fields, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, r.replace(ctx, tx, who, &before, after)
}
