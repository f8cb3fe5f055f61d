package app

import (
	"context"
	"errors"
	"iter"

	"tilth/core/access"
	"tilth/ports"
)

// List is a list: how many records match, and a page of them, read when it is ranged
// over. A range ends after its first error.
type List[T any] struct {
	Count int64
	Each  iter.Seq2[T, error]
}

var errEnough = errors.New("the reader has enough")

// Stream returns what each reads as a stream over a read transaction of its own; open is
// the store's Read or Consult.
func Stream[T, Repos any](ctx context.Context, open func(ctx context.Context, do func(context.Context, Repos) error) error,
	each func(ctx context.Context, tx Repos) iter.Seq2[T, error],
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := open(ctx, func(ctx context.Context, tx Repos) error {
			for record, err := range each(ctx, tx) {
				if err != nil {
					return err
				}
				if !yield(record, nil) {
					return errEnough
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			var none T
			yield(none, err)
		}
	}
}

// Ask is who asks for records: with the permission that it takes, for the caller's own or for shared ones.
type Ask struct {
	Who    access.Principal
	Need   access.Permission
	Shared bool
}

// ReadList counts records for a caller who holds the permission, and returns them as a stream over
// a read transaction of its own.
func ReadList[T any](ctx context.Context, d Deps, ask Ask,
	count func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error),
	each func(ctx context.Context, tx ports.Repos, scope access.Scope) iter.Seq2[T, error],
) (out List[T], err error) {
	scope := ask.Who.Scope(ask.Shared)
	out.Count, err = Read(ctx, d, ask.Who, ask.Need, func(ctx context.Context, tx ports.Repos) (int64, error) {
		return count(ctx, tx, scope)
	})
	out.Each = Stream(ctx, d.Store.Read, func(ctx context.Context, tx ports.Repos) iter.Seq2[T, error] { return each(ctx, tx, scope) })
	return out, err
}

// In returns what a callback returns in a transaction; open is a method of the store.
func In[T, Repos any](ctx context.Context, open func(ctx context.Context, do func(context.Context, Repos) error) error,
	do func(ctx context.Context, tx Repos) (T, error),
) (out T, err error) {
	err = open(ctx, func(ctx context.Context, tx Repos) (err error) {
		out, err = do(ctx, tx)
		return err
	})
	return out, err
}

// Read returns what a caller reads who holds a permission, in one transaction.
func Read[T any](ctx context.Context, d Deps, who access.Principal, need access.Permission,
	read func(ctx context.Context, tx ports.Repos) (T, error),
) (out T, err error) {
	if err := d.Gate.Require(ctx, who, need); err != nil {
		return out, err
	}
	return In(ctx, d.Store.Read, read)
}

// Write returns what a caller writes who holds a permission, in one transaction.
func Write[T any](ctx context.Context, d Deps, who access.Principal, need access.Permission,
	write func(ctx context.Context, tx ports.Repos) (T, error),
) (out T, err error) {
	if err := d.Gate.Require(ctx, who, need); err != nil {
		return out, err
	}
	return In(ctx, d.Store.Write, write)
}

// Do is Write of what returns nothing.
func Do(ctx context.Context, d Deps, who access.Principal, need access.Permission, do func(ctx context.Context, tx ports.Repos) error) error {
	if err := d.Gate.Require(ctx, who, need); err != nil {
		return err
	}
	return d.Store.Write(ctx, do)
}

// Lister is a repository whose records of a scope are listed.
type Lister[T, Q any] interface {
	Count(ctx context.Context, scope access.Scope, q Q) (int64, error)
	Each(ctx context.Context, scope access.Scope, q Q) iter.Seq2[T, error]
}

// ListIn lists the records of a repository to a caller who holds the permission.
func ListIn[L Lister[T, Q], T, Q any](ctx context.Context, d Deps, ask Ask, q Q, in func(tx ports.Repos) L) (List[T], error) {
	return ReadList(ctx, d, ask,
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			return in(tx).Count(ctx, scope, q)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope) iter.Seq2[T, error] {
			return in(tx).Each(ctx, scope, q)
		})
}
