package access

import "time"

// Wrong passwords slow down the account and the address they are tried on and from.
const (
	FreeAttempts  = 5                // wrong passwords without a delay after the last of them
	firstDelay    = time.Second      // after the fifth; doubled by each further one
	longestDelay  = 15 * time.Minute // of one wait
	AttemptMemory = time.Hour        // after so long without a wrong password all are forgotten
)

// Attempts counts the wrong passwords of one account, or from one address.
type Attempts struct {
	Key      string // a hash of the e-mail address or the network address
	Failures int
	LastAt   time.Time // of the last wrong password
	Until    time.Time // nothing is tried before it
}

// Wait returns how long nothing may be tried yet; 0 where it may.
func (a Attempts) Wait(now time.Time) time.Duration {
	return max(0, a.Until.Sub(now))
}

// Failed counts a wrong password.
func (a Attempts) Failed(now time.Time) Attempts {
	if now.Sub(a.LastAt) > AttemptMemory {
		a.Failures = 0
	}
	a.Failures++
	a.LastAt, a.Until = now, now
	if over := a.Failures - FreeAttempts; over >= 0 {
		// The exponent is bounded so that the shift cannot overflow.
		a.Until = now.Add(min(longestDelay, firstDelay<<min(over, 20)))
	}
	return a
}
