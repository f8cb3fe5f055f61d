// Package idempotency lets a caller repeat a request without repeating its effect: the effect of a
// request under an idempotency key and its answer are one transaction.
//
// The answer is made by the interface after the use case, so [Guard] keeps the transaction of the
// effect open until the answer is ready. The use case's Write returns when everything but the
// commit is done, and the interface renders the answer into memory (what it still reads, it reads
// in the same transaction). Then key, effect and answer are committed together. Only then is the
// answer sent. After a crash at any point either all of it is stored, and a repeat receives the
// answer byte for byte, or nothing is, and a repeat is carried out. No state lies between, so there
// is no lease to wait for, no clock to compare, and nothing to clean up.
//
// The alternative, to store what the use case returned and render it on a repeat, would need a
// stored form of the result of every use case, and would render it by the rules of a later release.
//
// A request has one effect, its last write. Earlier writes that are not the effect run in the
// context of [Apart]: they commit by themselves, and a repeat may find them done.
package idempotency

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// Kept is the minimum time for which a repeat receives the stored answer.
const Kept = 24 * time.Hour

// purgeRows is the number of answers that one transaction removes.
const purgeRows = 500

const (
	wait       = 10 * time.Second // the time that a request waits for an earlier one of its key
	retryAfter = 5                // seconds, for a caller whose earlier request takes longer than that
)

// Once carries requests out only once. It is safe for concurrent use.
type Once struct {
	Kept  time.Duration // the time for which a repeat receives the stored answer
	store ports.Store
	clock ports.Clock

	mu      sync.Mutex
	running map[identity]chan struct{} // closed when the request ends
}

// identity is shared by requests that must not have two effects.
type identity struct {
	company int64
	key     string
}

// New returns a Once over the store that the requests write to.
func New(store ports.Store, clock ports.Clock) *Once {
	return &Once{Kept: Kept, store: store, clock: clock, running: map[identity]chan struct{}{}}
}

// Do carries a request out under a key, or returns the answer that it had; replayed says which. digest stands
// for the request: the same key with another digest is refused. do runs its use cases in the context that it
// gets, and returns whether its answer is final. Any other answer, such as that of an unavailable part, rolls
// the effect back, and the request may be repeated. In one process requests of one key take turns; of two
// processes that carry one out together, one commits, and both return its answer. An error means that nothing
// was stored or, where the database was lost during the commit, that only a repeat can tell. Faults: Mismatch
// (idempotency_key_reused), Unavailable (request_in_progress, and those of the store).
func (o *Once) Do(ctx context.Context, who access.Principal, key, digest string,
	do func(ctx context.Context) (answer ports.Answer, final bool),
) (answer ports.Answer, replayed bool, err error) {
	end, err := o.turn(ctx, identity{who.CompanyID, key})
	if err != nil {
		return ports.Answer{}, false, err
	}
	defer end()
	r := &request{once: o, scope: who.Scope(false), replay: ports.Replay{Key: key, Digest: digest}}
	if answer, replayed, err = r.stored(ctx); replayed || err != nil {
		return answer, replayed, err
	}
	defer r.drop() // also on a panic
	answer, final := do(context.WithValue(ctx, requestKey{}, r))
	if !final {
		return answer, false, nil
	}
	err = r.settle(ctx, answer)
	if f, ok := fault.As(err); ok && f.Code == ports.CodeAnswered { // another process was first
		if other, ok, again := r.stored(ctx); ok || again != nil {
			return other, ok, again
		}
	}
	return answer, false, err
}

// turn waits until this process carries out no other request of an identity.
func (o *Once) turn(ctx context.Context, of identity) (end func(), err error) {
	until := time.NewTimer(wait)
	defer until.Stop()
	for {
		o.mu.Lock()
		earlier, busy := o.running[of]
		if !busy {
			ended := make(chan struct{})
			o.running[of] = ended
			o.mu.Unlock()
			return func() {
				o.mu.Lock()
				delete(o.running, of)
				o.mu.Unlock()
				close(ended)
			}, nil
		}
		o.mu.Unlock()
		select {
		case <-earlier:
		case <-until.C:
			return nil, fault.New(fault.Unavailable, "request_in_progress",
				"A request with this Idempotency-Key is still under way; repeat yours later.").With("retry_after", retryAfter)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Purge removes the answers that are no longer replayed, and returns how many.
func (o *Once) Purge(ctx context.Context) (n int64, err error) {
	return app.InPieces(ctx, o.store, purgeRows, func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
		return tx.Replays.Purge(ctx, o.clock.Now().Add(-o.Kept), purgeRows)
	})
}

// request is a request that is carried out under a key.
type request struct {
	once   *Once
	scope  access.Scope
	replay ports.Replay

	effect *ports.Repos               // the transaction of the effect while it is open
	yield  func(ports.Repos) bool     // hands the transaction over, and waits for the answer
	next   func() (ports.Repos, bool) // continues the transaction
	stop   func()                     // rolls the effect back
	err    error                      // the transaction's error
}

// stored returns the answer that the request had; ok is false where it had none.
func (r *request) stored(ctx context.Context) (answer ports.Answer, ok bool, err error) {
	err = r.once.store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		found, known, err := tx.Replays.Get(ctx, r.scope, r.replay.Key)
		if err != nil || !known || r.once.clock.Now().Sub(found.AnsweredAt) >= r.once.Kept {
			return err
		}
		if found.Digest != r.replay.Digest {
			return fault.New(fault.Mismatch, "idempotency_key_reused",
				"This Idempotency-Key was used for another request; use a new key for each request.")
		}
		answer, ok = found.Answer, true
		return nil
	})
	return answer, ok, err
}

// Errors of transactions of effects.
var (
	errDropped = errors.New("the request has no final answer")
	errTwice   = fault.New(fault.Internal, "two_effects", "A request under an Idempotency-Key wrote after its effect.")
)

// write runs the transaction of the effect up to its commit.
func (r *request) write(ctx context.Context, store ports.Store, do func(ctx context.Context, tx ports.Repos) error) error {
	r.next, r.stop = iter.Pull(func(yield func(ports.Repos) bool) {
		r.yield = yield
		r.err = store.Write(ctx, do)
		r.yield = nil
	})
	tx, open := r.next()
	if !open {
		r.stop = nil
		return r.err
	}
	r.effect = &tx
	return nil
}

// hold keeps the transaction of the effect open until the answer is ready, and stores the answer.
func (r *request) hold(ctx context.Context, tx ports.Repos) error {
	switch {
	case r.yield == nil:
		return nil // not the effect
	case r.effect != nil:
		// The commit lost a race, which takes more than the one row that is written after the
		// answer was made; the answer belongs to a transaction that is gone.
		return fault.New(fault.Unavailable, "database_busy", "The database is busy; try again.")
	case !r.yield(tx):
		return errDropped
	}
	return r.put(ctx, tx)
}

func (r *request) put(ctx context.Context, tx ports.Repos) error {
	return tx.Replays.Put(ctx, r.scope, r.replay, r.replay.AnsweredAt.Add(-r.once.Kept))
}

// settle commits the answer with the effect, or alone where there was none.
func (r *request) settle(ctx context.Context, answer ports.Answer) error {
	r.replay.Answer, r.replay.AnsweredAt = answer, r.once.clock.Now()
	if r.effect == nil {
		return r.once.store.Write(ctx, r.put)
	}
	r.next()
	r.stop = nil
	return r.err
}

// drop rolls the effect back, if it was not committed.
func (r *request) drop() {
	if r.stop != nil {
		r.stop()
	}
}

type (
	requestKey struct{}
	apartKey   struct{}
)

func requestOf(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	return r
}

// Apart returns the context for writes that are not the effect of the request, such as the record
// of a failure, or work that a repeat finds done. They must come before the effect.
func Apart(ctx context.Context) context.Context { return context.WithValue(ctx, apartKey{}, true) }

func apart(ctx context.Context) bool { return ctx.Value(apartKey{}) != nil }

// Guard returns the same store for the use cases that answer requests: it keeps the write of a
// request under an idempotency key open until its answer is ready. The store runs [BeforeCommit]. A
// context without such a request, as in background work, changes nothing.
func Guard(store ports.Store) ports.Store { return guarded{store} }

// BeforeCommit returns the last step of every write: settle and then, for the effect of a request
// under an idempotency key, the wait for its answer, when no further locks are taken.
func BeforeCommit(settle func(ctx context.Context, tx ports.Repos) error) func(ctx context.Context, tx ports.Repos) error {
	return func(ctx context.Context, tx ports.Repos) error {
		if err := settle(ctx, tx); err != nil {
			return err
		}
		if r := requestOf(ctx); r != nil && !apart(ctx) {
			return r.hold(ctx, tx)
		}
		return nil
	}
}

type guarded struct{ ports.Store }

// Write implements ports.Store.
func (g guarded) Write(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	r := requestOf(ctx)
	switch {
	case r != nil && r.effect != nil:
		return errTwice // on SQLite it would wait for itself
	case r == nil || apart(ctx):
		return g.Store.Write(ctx, do)
	}
	return r.write(ctx, g.Store, do)
}

// Read implements ports.Store. After the effect of a request it reads what the effect wrote.
func (g guarded) Read(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	if r := requestOf(ctx); r != nil && r.effect != nil {
		return do(ctx, *r.effect)
	}
	return g.Store.Read(ctx, do)
}

// Operate implements ports.Store. The effect of a request with a key belongs to a company, and is a Write.
func (g guarded) Operate(ctx context.Context, do func(ctx context.Context, tx ports.OperatorRepos) error) error {
	if r := requestOf(ctx); r != nil && (r.effect != nil || !apart(ctx)) {
		return errTwice
	}
	return g.Store.Operate(ctx, do)
}
