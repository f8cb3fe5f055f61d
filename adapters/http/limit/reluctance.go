package limit

import "time"

const (
	// refusedAtOnce and refusedOfAll are the rates of refusals that are answered at once, to one address and
	// in all, relative to the rate of an address.
	refusedAtOnce = 0.05
	refusedOfAll  = 2
	// reluctance is the time for which other refusals are held back.
	reluctance = time.Second
)

// Known reports whether the caller's credential was verified.
func (r *Request) Known() bool { return r.counted }

// Reluctance returns how long the refusal of a request is held back. If there are many refusals, this
// slows down unknown callers that wait for each answer, and they cost no more work than the answers
// that they receive. It is 0 for an address that is seldom refused, and while there are few refusals.
func (l *Limiter) Reluctance(r *Request) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.addresses.perSecond <= 0 {
		return 0
	}
	now := l.now()
	own, all := l.refused.of(r.address), l.refusals.of("")
	often, many := own.wait(now, 1) > 0, all.wait(now, 1) > 0
	own.take(now, 1)
	if many && often {
		return reluctance
	}
	all.take(now, 1)
	return 0
}
