// Package few holds the use cases of kinds of record of which a company has few, and which depend on no others: they
// are written one by one, under a lock. It knows no particular kind of record; writing several in one transaction is
// up to [app.Deps.Together].
package few

import (
	"context"

	"tilth/app"
	"tilth/app/external"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// Records holds the use cases of one kind of record. A *T is a record with the common members and an external id.
type Records[T any] struct {
	app.Deps
	Access       access.Resource
	Noun, Plural string // its names for people
	Repo         func(ports.Repos) ports.Records[T]
	// Check returns what is wrong with a record by itself.
	Check func(who access.Principal, r *T) fault.Fields
}

func metaOf[T any](r *T) *record.Meta { return any(r).(interface{ Base() *record.Meta }).Base() }

func originOf[T any](r *T) record.External { return *any(r).(record.Foreign).Origin() }

// List returns the records of the caller's company.
func (r Records[T]) List(ctx context.Context, who access.Principal, q ports.Query) (app.List[T], error) {
	return app.ListIn(ctx, r.Deps, app.Ask{Who: who, Need: r.Access.View}, q, r.Repo)
}

// Retrieve returns one record. Faults: NotFound.
func (r Records[T]) Retrieve(ctx context.Context, who access.Principal, id int64) (T, error) {
	return app.Read(ctx, r.Deps, who, r.Access.View, func(ctx context.Context, tx ports.Repos) (T, error) {
		return r.Repo(tx).Get(ctx, who.Scope(false), id)
	})
}

// Create stores a record, which begin completes once it has been checked. Faults: Invalid, Conflict
// (limit_reached, duplicate_external_id), and those of begin.
func (r Records[T]) Create(ctx context.Context, who access.Principal, in T, begin func(*T) error) (T, error) {
	if err := r.Gate.Require(ctx, who, r.Access.Create); err != nil {
		return in, err
	}
	if err := r.Check(who, &in).Err(); err != nil {
		return in, err
	}
	scope, now := who.Scope(false), r.Clock.Now()
	*metaOf(&in) = record.Meta{CreatedAt: now, UpdatedAt: now, CreatedBy: &record.Ref{ID: who.UserID, Name: who.Name}}
	if err := begin(&in); err != nil {
		return in, err
	}
	return app.In(ctx, r.Store.Write, func(ctx context.Context, tx ports.Repos) (T, error) {
		made := in
		if err := external.Take(ctx, r.Repo(tx), scope, external.Wish{Noun: r.Noun, Is: originOf(&made)}); err != nil {
			return made, err
		}
		if err := r.Repo(tx).Insert(ctx, scope, []*T{&made}); err != nil {
			return made, err
		}
		id := metaOf(&made).ID
		if err := tx.Audit.Add(ctx, audit.By(who, now).Of(audit.Create, r.Access.Name, id, audit.Diff(nil, &made))); err != nil {
			return made, err
		}
		return r.Repo(tx).Get(ctx, scope, id)
	})
}

// Update changes a record as edit does; put copies what edit may change, and does what follows from it.
// Faults: NotFound, Invalid, Conflict (duplicate_external_id), and those of edit.
func (r Records[T]) Update(ctx context.Context, who access.Principal, id int64, edit func(T) (T, error),
	put func(ctx context.Context, tx ports.Repos, onto *T, wanted T) error,
) (T, error) {
	return r.Change(ctx, who, id, audit.Update, func(ctx context.Context, tx ports.Repos, current *T) error {
		before := *current
		after, err := edit(before)
		if err != nil {
			return err
		}
		if err := r.Check(who, &after).Err(); err != nil {
			return err
		}
		wish := external.Wish{Noun: r.Noun, ID: id, Was: originOf(&before), Is: originOf(&after)}
		if err := external.Take(ctx, r.Repo(tx), who.Scope(false), wish); err != nil {
			return err
		}
		return put(ctx, tx, current, after)
	})
}

// Change writes a record under its lock; word is the action of the audit trail. Faults: NotFound, and those of do.
func (r Records[T]) Change(ctx context.Context, who access.Principal, id int64, word audit.Action,
	do func(ctx context.Context, tx ports.Repos, current *T) error,
) (T, error) {
	scope, now := who.Scope(false), r.Clock.Now()
	return app.Write(ctx, r.Deps, who, r.Access.Edit, func(ctx context.Context, tx ports.Repos) (out T, err error) {
		before, err := r.Repo(tx).GetForUpdate(ctx, scope, id)
		if err != nil {
			return out, err
		}
		after := before
		if err := do(ctx, tx, &after); err != nil {
			return out, err
		}
		metaOf(&after).UpdatedAt = record.NextVersion(metaOf(&before).UpdatedAt, now)
		if err := r.Repo(tx).Update(ctx, scope, &after); err != nil {
			return out, err
		}
		if err := tx.Audit.Add(ctx, audit.By(who, now).Of(word, r.Access.Name, id, audit.Diff(&before, &after))); err != nil {
			return out, err
		}
		return r.Repo(tx).Get(ctx, scope, id)
	})
}

// Delete removes a record for good; word is the action of the audit trail. end is given the record under its lock: it may refuse
// the deletion, ends what depends on the record, and clears its secrets. Faults: NotFound, and those of end.
func (r Records[T]) Delete(ctx context.Context, who access.Principal, id int64, word audit.Action,
	end func(ctx context.Context, tx ports.Repos, current *T) error,
) error {
	scope, now := who.Scope(false), r.Clock.Now()
	return app.Do(ctx, r.Deps, who, r.Access.Delete, func(ctx context.Context, tx ports.Repos) error {
		before, err := r.Repo(tx).GetForUpdate(ctx, scope, id)
		if err != nil {
			return err
		}
		bare := before
		if err := end(ctx, tx, &bare); err != nil {
			return err
		}
		if err := r.Repo(tx).Update(ctx, scope, &bare); err != nil {
			return err
		}
		if _, err := r.Repo(tx).SoftDelete(ctx, scope, []int64{id}, now); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, audit.By(who, now).Of(word, r.Access.Name, id, audit.Diff(&before, nil)))
	})
}

// Match finds the records that items with some external ids stand for; see [external.Kind].
func (r Records[T]) Match(ctx context.Context, who access.Principal, keys []string, change bool) ([]int64, []error, error) {
	kind := external.Kind{Noun: r.Noun, Plural: r.Plural, Access: r.Access, Repo: func(tx ports.Repos) ports.Keyed { return r.Repo(tx) }}
	return kind.Match(ctx, r.Deps, who, keys, change)
}
