//go:build !unix

package processor

import "time"

var started = time.Now()

// Spent is the time by the clock where the system tells no other.
func Spent() time.Duration { return time.Since(started) }
