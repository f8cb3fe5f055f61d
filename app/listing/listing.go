// Package listing streams lists out of the store: a count now, the records when they
// are written, so that no list is ever gathered in memory.
package listing

import (
	"context"
	"errors"
	"iter"

	"tilth/ports"
)

// Of is a list: how many records match, and a page of them, read when it is ranged
// over. A range ends after its first error.
type Of[T any] struct {
	Count int64
	Each  iter.Seq2[T, error]
}

var errEnough = errors.New("the reader has enough")

// Read counts, and gives the records as a stream over a read transaction of its own.
func Read[T any](ctx context.Context, store ports.Store,
	count func(ctx context.Context, tx ports.Repos) (int64, error),
	each func(ctx context.Context, tx ports.Repos) iter.Seq2[T, error],
) (Of[T], error) {
	out := Of[T]{Each: func(yield func(T, error) bool) {
		err := store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
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
	}}
	err := store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		out.Count, err = count(ctx, tx)
		return err
	})
	return out, err
}
