//go:build !unix

package processor

import "time"

var started = time.Now()

// Spent is the elapsed time, because this system reports no processor time.
func Spent() time.Duration { return time.Since(started) }
