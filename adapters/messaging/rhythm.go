package messaging

import (
	"context"
	"time"
)

// Rhythm decides when a loop in the background looks for work: when it is woken, but no sooner than Gap after its
// last look, so that a busy process finds many items in one look and an idle one finds each item at once.
type Rhythm struct {
	Latest time.Duration   // after which it looks in any case
	Woken  <-chan struct{} // nil: it is never woken
	Gap    time.Duration
	Also   <-chan struct{} // wakes without regard to the gap; nil: never
}

// wake is why a loop looks again.
type wake int

const (
	over   wake = iota // it does not: the context ended
	idled              // the time has passed
	called             // somebody woke it
)

// Wait waits until the loop looks again, and returns false when the context ends. The moment of the last look is given by
// the process's own clock.
func (r Rhythm) Wait(ctx context.Context, looked time.Time) bool { return r.await(ctx, looked) != over }

// await waits until the loop looks again, and returns why it does.
func (r Rhythm) await(ctx context.Context, looked time.Time) wake {
	woken, why := r.Woken, idled
	timer := time.NewTimer(r.Latest)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return over
		case <-r.Also:
			return called
		case <-timer.C:
			return why
		case <-woken:
			woken, why = nil, called
			rest := r.Gap - time.Since(looked)
			if rest <= 0 {
				return called
			}
			timer.Reset(rest)
		}
	}
}
