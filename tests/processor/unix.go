//go:build unix

// Package processor says what processors have spent on a process, for comparisons.
package processor

import (
	"syscall"
	"time"
)

// Spent is what processors have spent on this process, collecting garbage
// included. Unlike time by the clock it says something on a busy machine too.
func Spent() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // it fails for arguments that are wrong, and these are not
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
