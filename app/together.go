package app

import (
	"context"

	"tilth/ports"
)

// joinedKey is the context key of the transaction that the writes below it join.
type joinedKey struct{}

// Joining returns the same store for use cases that [Deps.Together] runs: their transactions are parts of one. The writes
// of a use case that fails are rolled back, so that the failures of the others can be reported too.
func Joining(store ports.Store) ports.Store { return joining{store} }

type joining struct{ ports.Store }

// Write implements ports.Store.
func (j joining) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	return j.in(ctx, j.Store.Write, do, true)
}

// Read implements ports.Store.
func (j joining) Read(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	return j.in(ctx, j.Store.Read, do, false)
}

func (j joining) in(ctx context.Context, open func(context.Context, func(context.Context, ports.Repos) error) error,
	do func(ctx context.Context, tx ports.Repos) error, writes bool,
) error {
	tx, joined := ctx.Value(joinedKey{}).(*ports.Repos)
	switch {
	case !joined:
		return open(ctx, do)
	case writes:
		return tx.Nested(ctx, func(ctx context.Context) error { return do(ctx, *tx) })
	}
	return do(ctx, *tx)
}

// Together runs use cases of single records in one transaction: they write in the context that do is given. Everything they
// write is stored, or nothing where do returns an error. do may run twice. The store must be a [Joining] one.
func (d Deps) Together(ctx context.Context, do func(ctx context.Context) error) error {
	return d.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		return do(context.WithValue(ctx, joinedKey{}, &tx))
	})
}
