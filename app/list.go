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

// ReadList counts the records, and returns them as a stream over a read transaction of its own.
func ReadList[T any](ctx context.Context, store ports.Store,
	count func(ctx context.Context, tx ports.Repos) (int64, error),
	each func(ctx context.Context, tx ports.Repos) iter.Seq2[T, error],
) (List[T], error) {
	out := List[T]{Each: Stream(ctx, store.Read, each)}
	err := store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		out.Count, err = count(ctx, tx)
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
	err = d.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		out, err = read(ctx, tx)
		return err
	})
	return out, err
}

// Ask is who asks for records: with the permission that it takes, for the caller's own or for shared ones.
type Ask struct {
	Who    access.Principal
	Need   access.Permission
	Shared bool
}

// Lister is a repository whose records of a scope are listed.
type Lister[T, Q any] interface {
	Count(ctx context.Context, scope access.Scope, q Q) (int64, error)
	Each(ctx context.Context, scope access.Scope, q Q) iter.Seq2[T, error]
}

// ListIn lists the records of a repository to a caller who holds the permission.
func ListIn[T, Q any](ctx context.Context, d Deps, ask Ask, q Q, in func(tx ports.Repos) Lister[T, Q]) (List[T], error) {
	if err := d.Gate.Require(ctx, ask.Who, ask.Need); err != nil {
		return List[T]{}, err
	}
	scope := ask.Who.Scope(ask.Shared)
	return ReadList(ctx, d.Store,
		func(ctx context.Context, tx ports.Repos) (int64, error) { return in(tx).Count(ctx, scope, q) },
		func(ctx context.Context, tx ports.Repos) iter.Seq2[T, error] { return in(tx).Each(ctx, scope, q) })
}
