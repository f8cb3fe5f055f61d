package access

import "time"

// Wrong passwords delay further attempts: those from the same network address on the same account, those from that
// address on accounts that it never signed in to, and, much later, those on the account from addresses that never
// signed in to it. An account stays open to its owner at known addresses, whatever others try elsewhere.
const (
	FreeAttempts  = 5           // wrong passwords of one address without a delay
	FreeStrangers = 50          // wrong passwords for one account, from any address, without a delay
	firstDelay    = time.Second // after the last free attempt; each further one doubles it
	maxDelay      = 15 * time.Minute
	AttemptMemory = time.Hour // after this time without a wrong password the count restarts

	// PlaceMemory is the time for which an address stays known for an account after the right password.
	PlaceMemory = 180 * 24 * time.Hour
)

// Attempts counts the wrong passwords of one account, from one address, or of both together.
type Attempts struct {
	Key      string // a hash of the e-mail address, the network address, or both
	Failures int
	LastAt   time.Time // of the last wrong password
	Until    time.Time // no attempt is allowed before
}

// Wait returns how long the next attempt must wait.
func (a Attempts) Wait(now time.Time) time.Duration {
	return max(0, a.Until.Sub(now))
}

// Failed returns the attempts with one more wrong password; free is the number of those without a delay.
func (a Attempts) Failed(now time.Time, free int) Attempts {
	if now.Sub(a.LastAt) > AttemptMemory {
		a.Failures = 0
	}
	a.Failures++
	a.LastAt, a.Until = now, now
	if over := a.Failures - free; over >= 0 {
		// The exponent is bounded so that the shift cannot overflow.
		a.Until = now.Add(min(maxDelay, firstDelay<<min(over, 20)))
	}
	return a
}
