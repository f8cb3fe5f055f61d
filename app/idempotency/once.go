// Package idempotency lets a caller repeat a request without repeating its effect: a request
// under an idempotency key is carried out once, and its answer is replayed.
//
// A key is claimed in a transaction of its own, the request is carried out, and its
// answer is stored. [Guard] marks the claim executed inside the very transaction that
// holds the effect, so that after a crash at any point one of three holds:
//
//   - before the effect was committed: the claim's lease ends, and a repeat is carried out;
//   - between the effect and the stored answer: a repeat is refused as answer_lost, and
//     nothing happens twice;
//   - after the answer was stored: a repeat receives that answer.
//
// A request that outlives its lease and loses its key to a repeat cannot commit any more.
package idempotency

import (
	"context"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// Times of claims.
const (
	Kept  = 24 * time.Hour // how long an answer is given again
	lease = time.Minute    // how long a claim keeps others waiting
	wait  = 10 * time.Second
	every = 50 * time.Millisecond // how often a waiting request looks again
)

// retryAfter is how many seconds a caller waits whose earlier request is still under way.
const retryAfter = 5

// Once carries requests out once.
type Once struct {
	Store ports.Store
	Clock ports.Clock
	IDs   ports.IDs
}

// Do carries a request out under a key, or gives the answer that it had; replayed tells which. digest stands
// for the request: the same key with another is refused. do runs its use cases in the context that it gets,
// and says whether its answer is final: others, such as that of a part that is away, are not given again, and
// the request may be repeated, unless it had its effect. Faults: Mismatch (idempotency_key_reused),
// Unavailable (request_in_progress), Conflict (answer_lost).
func (o *Once) Do(ctx context.Context, who access.Principal, key, digest string,
	do func(ctx context.Context) (answer ports.Answer, final bool),
) (answer ports.Answer, replayed bool, err error) {
	scope := who.Scope(false)
	until := time.NewTimer(wait)
	defer until.Stop()
	for {
		token, stored, err := o.claim(ctx, scope, key, digest)
		switch {
		case err != nil:
			return ports.Answer{}, false, err
		case stored != nil:
			return *stored, true, nil
		case token != "":
			return o.carryOut(ctx, scope, key, token, do)
		}
		pause := time.NewTimer(every)
		select {
		case <-pause.C:
		case <-until.C:
			pause.Stop()
			return ports.Answer{}, false, fault.New(fault.Unavailable, "request_in_progress",
				"A request with this Idempotency-Key is still under way; repeat yours later.").With("retry_after", retryAfter)
		case <-ctx.Done():
			pause.Stop()
			return ports.Answer{}, false, ctx.Err()
		}
	}
}

// claim takes a key. It gives a token where the request is to be carried out, the
// answer where it was, and neither while another request is at it.
func (o *Once) claim(ctx context.Context, scope access.Scope, key, digest string) (token string, stored *ports.Answer, err error) {
	err = o.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		token, stored = "", nil
		now := o.Clock.Now()
		found, ok, err := tx.Replays.Get(ctx, scope, key)
		if err != nil {
			return err
		}
		if ok && now.Sub(found.ClaimedAt) < Kept {
			switch {
			case found.Digest != digest:
				return fault.New(fault.Mismatch, "idempotency_key_reused",
					"This Idempotency-Key was used for another request; take a new key for each request.")
			case found.Answer != nil:
				stored = found.Answer
				return nil
			case now.Before(found.LeaseUntil):
				return nil
			case found.Executed:
				return fault.New(fault.Conflict, "answer_lost",
					"The request of this Idempotency-Key was carried out, but its answer was lost; look at the records before you repeat it with a new key.")
			}
		}
		token = o.IDs.Secret()
		return tx.Replays.Claim(ctx, scope, ports.Replay{
			Key: key, Digest: digest, Token: token, ClaimedAt: now, LeaseUntil: now.Add(lease),
		}, found.Token)
	})
	if f, ok := fault.As(err); ok && f.Code == "claim_lost" {
		return "", nil, nil // another request was first: look again
	}
	if err != nil {
		token = ""
	}
	return token, stored, err
}

// carryOut runs a request under its claim and stores the answer. What is stored is
// stored although the caller has gone: it will ask again.
func (o *Once) carryOut(ctx context.Context, scope access.Scope, key, token string,
	do func(ctx context.Context) (ports.Answer, bool),
) (ports.Answer, bool, error) {
	lasting := context.WithoutCancel(ctx)
	settled := false
	defer func() {
		if !settled { // also on a panic
			_ = o.Store.Write(lasting, func(ctx context.Context, tx ports.Repos) error {
				return tx.Replays.Release(ctx, scope, key, token) // else the lease ends
			})
		}
	}()
	answer, final := do(context.WithValue(ctx, claimKey{}, claim{scope, key, token}))
	if !final {
		return answer, false, nil
	}
	err := o.Store.Write(lasting, func(ctx context.Context, tx ports.Repos) error {
		return tx.Replays.Answered(ctx, scope, key, token, answer, o.Clock.Now())
	})
	settled = err == nil
	// An answer that could not be stored is an answer all the same.
	return answer, false, nil
}

// Purge forgets the answers that are no longer given again, and gives how many.
func (o *Once) Purge(ctx context.Context) (n int64, err error) {
	return app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
		return tx.Replays.Purge(ctx, o.Clock.Now().Add(-Kept))
	})
}

// claim is the key that a request holds.
type claim struct {
	scope      access.Scope
	key, token string
}

type claimKey struct{}

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
