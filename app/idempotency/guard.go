package idempotency

import (
	"context"

	"tilth/core/access"
	"tilth/ports"
)

// claim is the key that a request holds.
type claim struct {
	scope      access.Scope
	key, token string
}

type claimKey struct{}

func withClaim(ctx context.Context, c claim) context.Context {
	return context.WithValue(ctx, claimKey{}, c)
}

// Apart returns the context for a write that is not the effect of the request, such as the
// note that it failed: under its Idempotency-Key the request may be repeated.
func Apart(ctx context.Context) context.Context { return context.WithValue(ctx, claimKey{}, nil) }

// Guard returns the same store, whose writing transactions mark the claim of their request,
// where it has one, executed. It is the store of the use cases that answer requests. A
// context without a claim, as of background work, changes nothing.
func Guard(store ports.Store, clock ports.Clock) ports.Store { return guarded{store, clock} }

type guarded struct {
	ports.Store
	clock ports.Clock
}

// Write implements ports.Store.
func (g guarded) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	return g.Store.Write(ctx, marking(ctx, g.clock, do, func(tx ports.Repos) ports.Replays { return tx.Replays }))
}

// Operate implements ports.Store.
func (g guarded) Operate(ctx context.Context, do func(ctx context.Context, tx ports.OperatorRepos) error) error {
	return g.Store.Operate(ctx, marking(ctx, g.clock, do, func(tx ports.OperatorRepos) ports.Replays { return tx.Replays }))
}

// marking returns a callback that also marks the claim of its request, where it has one, executed.
func marking[T any](ctx context.Context, clock ports.Clock, do func(ctx context.Context, tx T) error, in func(tx T) ports.Replays) func(ctx context.Context, tx T) error {
	held, ok := ctx.Value(claimKey{}).(claim)
	if !ok {
		return do
	}
	return func(ctx context.Context, tx T) error {
		if err := do(ctx, tx); err != nil {
			return err
		}
		return in(tx).Executed(ctx, held.scope, held.key, held.token, clock.Now())
	}
}
