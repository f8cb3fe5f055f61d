// Package task holds the rules of background work that every product shares: when work whose source
// is unavailable is tried again. What a job does is up to the product; how jobs are leased, run and
// settled is up to app/task.
package task

import "time"

// Backoff states how often work is tried whose source is unavailable, and how long it waits between
// tries: the step doubles from First to Max.
type Backoff struct {
	First, Max time.Duration
	Tries      int // the work ends after this many failed tries
}

// Wait returns the pause after a failed try, counted from 1; again is false after the last.
// jitter in [0, 1] spreads the tries of many jobs: the pause is between half and the whole of
// the step.
func (b Backoff) Wait(try int, jitter float64) (pause time.Duration, again bool) {
	if try >= b.Tries {
		return 0, false
	}
	step := b.Max
	if shift := max(try, 1) - 1; shift < 16 {
		step = min(b.Max, b.First<<shift)
	}
	return step/2 + time.Duration(jitter*float64(step/2)), true
}
