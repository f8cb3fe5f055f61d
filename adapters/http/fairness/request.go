package fairness

import "context"

// Request holds the part of the shared resources that one request uses: its turn, its place among the arriving bodies, and
// its memory. It is not safe for concurrent use.
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

// Of sets the company of the request.
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

// Leave ends the work, and may be called at any time: waiting for a caller is not work that should block others.
func (r *Request) Leave() { r.leave() }

// Announced refuses a large body before it is read, if its company already has as many waiting as it may.
// Faults: Limit (too_many_bodies).
func (r *Request) Announced(bytes int64) error {
	if bytes < Large {
		return nil
	}
	return r.turns.Crowded(r.company)
}

// Hold takes memory for an arriving body that needs a number of bytes in all; up to [Large] it takes none.
// Faults: Limit (too_many_bodies).
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

// Arrived marks the body as arrived: it now waits for its turn, as others do.
func (r *Request) Arrived() { r.arrived() }

// End releases what the request holds.
func (r *Request) End() {
	r.leave()
	r.arrived()
	if r.taken > 0 {
		r.memory.Return(r.company, r.taken)
	}
}
