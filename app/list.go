package app

import (
	"context"
	"errors"
	"iter"

	"tilth/core/access"
	"tilth/ports"
)

var errEnough = errors.New("the reader has enough")

// Stream returns the results of each as a stream over a read transaction of its own; open is the
// store's Read or Consult.
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

// Read returns what a caller who holds a permission reads, in one transaction.
func Read[T any](ctx context.Context, d Deps, who access.Principal, need access.Permission,
	read func(ctx context.Context, tx ports.Repos) (T, error),
) (out T, err error) {
	if err := d.Gate.Require(ctx, who, need); err != nil {
		return out, err
	}
	return In(ctx, d.Store.Read, read)
}

// Write returns what a caller who holds a permission writes, in one transaction.
func Write[T any](ctx context.Context, d Deps, who access.Principal, need access.Permission,
	write func(ctx context.Context, tx ports.Repos) (T, error),
) (out T, err error) {
	if err := d.Gate.Require(ctx, who, need); err != nil {
		return out, err
	}
	return In(ctx, d.Store.Write, write)
}

// Do is Write for a callback that returns no value.
func Do(ctx context.Context, d Deps, who access.Principal, need access.Permission, do func(ctx context.Context, tx ports.Repos) error) error {
	if err := d.Gate.Require(ctx, who, need); err != nil {
		return err
	}
	return d.Store.Write(ctx, do)
}
