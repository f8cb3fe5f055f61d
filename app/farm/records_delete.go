package farm

import (
	"context"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/ports"
)

// Delete soft-deletes a record and what depends on it. agree, if given, is first called with the locked
// record, and may refuse. Faults: NotFound, Invalid (what forbids it), and those of agree.
func (r *Records[T]) Delete(ctx context.Context, who access.Principal, id int64, agree ...func(current T) error) error {
	return r.delete(ctx, who, id, func(_ context.Context, _ ports.Repos, record *T) error {
		for _, ask := range agree {
			if err := ask(*record); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeleteEmpty is Delete for a record that nothing depends on; whoever would add something waits. Faults: those of Delete; Conflict
// (it holds something).
func (r *Records[T]) DeleteEmpty(ctx context.Context, who access.Principal, id int64, agree func(current T) error) error {
	return r.delete(ctx, who, id, func(ctx context.Context, tx ports.Repos, record *T) error {
		if err := agree(*record); err != nil {
			return err
		}
		return r.rules.Empty(ctx, tx, who.Scope(false), record)
	})
}

func (r *Records[T]) delete(
	ctx context.Context, who access.Principal, id int64, agree func(ctx context.Context, tx ports.Repos, record *T) error,
) error {
	scope, now := who.Scope(false), r.deps.Clock.Now()
	return app.Do(ctx, r.deps, who, r.rules.Access.Delete, func(ctx context.Context, tx ports.Repos) error {
		record, err := r.rules.Repo(tx).GetForUpdate(ctx, scope, id)
		if err != nil {
			return err
		}
		if err := agree(ctx, tx, &record); err != nil {
			return err
		}
		return r.remove(ctx, tx, who, []*T{&record}, now)
	})
}

// DeleteMany soft-deletes records and what depends on them, all or none. The ids are distinct.
// Faults: NotFound, with the ids in details; Invalid (what forbids it).
func (r *Records[T]) DeleteMany(ctx context.Context, who access.Principal, ids []int64) error {
	now := r.deps.Clock.Now()
	return app.Do(ctx, r.deps, who, r.rules.Access.Delete, func(ctx context.Context, tx ports.Repos) error {
		found, err := r.rules.Repo(tx).GetManyForUpdate(ctx, who.Scope(false), ids)
		if err != nil {
			return err
		}
		records, missing := make([]*T, 0, len(ids)), []int64{}
		for _, id := range ids {
			record, ok := found[id]
			if !ok {
				missing = append(missing, id)
			}
			records = append(records, &record)
		}
		if len(missing) > 0 {
			return fault.Missing(r.rules.Access.Name).With("ids", missing)
		}
		return r.remove(ctx, tx, who, records, now)
	})
}

func (r *Records[T]) remove(ctx context.Context, tx ports.Repos, who access.Principal, records []*T, now time.Time) error {
	scope := who.Scope(false)
	if r.rules.Remove != nil {
		if err := r.rules.Remove(ctx, tx, scope, records, now); err != nil {
			return err
		}
	}
	ids := list.Map(records, func(record *T) int64 { return r.rules.Meta(record).ID })
	if _, err := r.rules.Repo(tx).SoftDelete(ctx, scope, ids, now); err != nil {
		return err
	}
	by := audit.By(who, now)
	return tx.Audit.AddCascade(ctx, list.Map(records, func(record *T) audit.Entry { return r.entry(by, audit.Delete, record, nil) })...)
}
