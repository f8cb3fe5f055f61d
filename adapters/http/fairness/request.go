package fairness

import "context"

// Request is what one request holds of what all share: its turn, its place among the bodies that arrive, and its memory. It
// is not safe for concurrent use.
type Request struct {
	turns   *Turns
	memory  *Memory
	company int64
	leave   func() // ends the work, and the turn if it has one
	arrived func() // returns the place that is kept for its body
	taken   int64  // bytes of memory
}

// NewRequest returns a request of no company, which holds nothing.
func NewRequest(turns *Turns, memory *Memory) *Request {
	return &Request{turns: turns, memory: memory, leave: func() {}, arrived: func() {}}
}

// Of says whose the request is.
func (r *Request) Of(company int64) { r.company = company }

// Begin begins the work on the request, when its turn comes. Faults: Limit (too_many_bodies, rate_limited).
func (r *Request) Begin(ctx context.Context, large bool) error {
	return r.worked(r.turns.Enter(ctx, r.company, large))
}

// Again begins the work on the next piece of its answer, when its turn comes. It is not refused.
func (r *Request) Again(ctx context.Context) error {
	return r.worked(r.turns.Again(ctx, r.company))
}

func (r *Request) worked(leave func(), err error) error {
	if err == nil {
		r.leave = leave
	}
	return err
}

// Leave ends the work, and may be called at any time: to wait for a caller is no work that others wait for.
func (r *Request) Leave() { r.leave() }

// Announced refuses a large body before it is read, where the company has as many under way as it may. Faults: Limit
// (too_many_bodies).
func (r *Request) Announced(bytes int64) error {
	if bytes < Large {
		return nil
	}
	return r.turns.Crowded(r.company)
}

// Hold takes memory for a body that arrives, of so many bytes in all; up to [Large] it takes none. Faults: Limit
// (too_many_bodies).
func (r *Request) Hold(bytes int64) error {
	if bytes <= Large {
		return nil
	}
	if r.taken == 0 {
		arrived, err := r.turns.Expect(r.company)
		if err != nil {
			return err
		}
		r.arrived = arrived
	}
	if err := r.memory.Take(r.company, bytes-r.taken); err != nil {
		return err
	}
	r.taken = bytes
	return nil
}

// Arrived says that the body is there: it waits for its turn now, as others do.
func (r *Request) Arrived() { r.arrived() }

// End returns what the request holds.
func (r *Request) End() {
	r.leave()
	r.arrived()
	if r.taken > 0 {
		r.memory.Return(r.company, r.taken)
	}
}
