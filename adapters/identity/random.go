package identity

import (
	"crypto/rand"
	"encoding/base64"
	mathrand "math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// Random creates identifiers and secrets from the system's randomness.
type Random struct{}

// UUID returns a version 4 UUID.
func (Random) UUID() string { return uuid.NewString() }

// Secret returns 256 random bits as URL-safe text.
func (Random) Secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Jitter returns a number in [0, 1).
func (Random) Jitter() float64 {
	return mathrand.Float64()
}

// Clock is the system's time in UTC, truncated to microseconds, the precision of both databases.
type Clock struct{}

// ahead is how far the clock of this process is ahead of the system's.
var ahead atomic.Int64

// SetAhead sets the clock of this process ahead of the system's, or behind it: tests run machines whose clocks differ. Nothing else
// calls it.
func SetAhead(by time.Duration) { ahead.Store(int64(by)) }

// Now returns the time.
func (Clock) Now() time.Time {
	return time.Now().Add(time.Duration(ahead.Load())).UTC().Truncate(time.Microsecond)
}
