//go:build unix

// Package processor reports the processor time of a process, for comparisons.
package processor

import (
	"syscall"
	"time"
)

// Spent is the processor time of this process, including garbage collection.
// Unlike elapsed time it is also meaningful on a busy machine.
func Spent() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // it fails only for wrong arguments, and these are right
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
