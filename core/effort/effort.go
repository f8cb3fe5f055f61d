// Package effort bounds work whose length a caller decides. A loop that can run for a long time
// counts its steps against a budget, which ends it when the caller has left or the steps are used
// up. Steps are counted, not timed: the same input ends at the same step on any machine.
package effort

import (
	"context"
	"errors"
)

// ErrSpent ends work that takes more steps than its budget has.
var ErrSpent = errors.New("the work takes more steps than allowed")

// A Budget is what one piece of work may take. The nil budget is unlimited. A budget serves one goroutine.
type Budget struct {
	ctx    context.Context
	max    int64
	spent  int64
	looked int64 // spent when the context was asked last
	err    error // why it ended
}

// Interval is the number of steps between two checks of whether the caller has left: for the
// cheapest steps, some ten microseconds.
const Interval = 1 << 12

// Of returns a budget of a number of steps that also ends with a context; 0 steps: no limit.
func Of(ctx context.Context, steps int64) *Budget {
	return &Budget{ctx: ctx, max: steps, looked: -Interval}
}

// Spend counts steps. It returns [ErrSpent] where they are used up, or the context's error, and
// from then on always returns that error.
func (b *Budget) Spend(steps int) error {
	if b == nil || b.err != nil {
		return b.Err()
	}
	b.spent += int64(steps)
	switch {
	case b.max > 0 && b.spent > b.max:
		b.err = ErrSpent
	case b.spent-b.looked >= Interval:
		b.looked = b.spent
		b.err = b.ctx.Err()
	}
	return b.err
}

// Err returns why the budget ended; nil where it has not. A loop that cannot return an error stops
// where Spend returns one, and its caller asks here.
func (b *Budget) Err() error {
	if b == nil {
		return nil
	}
	return b.err
}

// Context returns the context of the budget, for work that runs in parallel.
func (b *Budget) Context() context.Context {
	if b == nil {
		return context.Background()
	}
	return b.ctx
}

// Spent returns the steps counted so far.
func (b *Budget) Spent() int64 {
	if b == nil {
		return 0
	}
	return b.spent
}
