package access

import "time"

// Wrong passwords delay further attempts, for the account and for the network address.
const (
	FreeAttempts  = 5           // wrong passwords without a delay
	firstDelay    = time.Second // after the last free attempt; each further one doubles it
	maxDelay      = 15 * time.Minute
	AttemptMemory = time.Hour // after so long without a wrong password the count restarts
)

// Attempts counts the wrong passwords of one account, or from one address.
type Attempts struct {
	Key      string // a hash of the e-mail address or the network address
	Failures int
	LastAt   time.Time // of the last wrong password
	Until    time.Time // no attempt is allowed before
}

// Wait returns how long the next attempt must wait.
func (a Attempts) Wait(now time.Time) time.Duration {
	return max(0, a.Until.Sub(now))
}

// Failed returns the attempts with one more wrong password.
func (a Attempts) Failed(now time.Time) Attempts {
	if now.Sub(a.LastAt) > AttemptMemory {
		a.Failures = 0
	}
	a.Failures++
	a.LastAt, a.Until = now, now
	if over := a.Failures - FreeAttempts; over >= 0 {
		// The exponent is bounded so that the shift cannot overflow.
		a.Until = now.Add(min(maxDelay, firstDelay<<min(over, 20)))
	}
	return a
}
