package limit

import "time"

const (
	// refusedAtOnce and refusedOfAll are how many refusals a second are answered at once, to one address and
	// in all, as parts of what an address may ask.
	refusedAtOnce = 0.05
	refusedOfAll  = 2
	// reluctance is how long others are held back.
	reluctance = time.Second
)

// Known reports whether the request is one of a caller whose credential was verified.
func (r *Request) Known() bool { return r.counted }

// Reluctance returns how long the refusal of a request is held back. Callers who are not known and
// wait for each answer are slowed down by it, when there are many of them, and cost no more work
// than the answers that they receive. It is nothing for an address that is seldom refused, and
// where few are.
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
