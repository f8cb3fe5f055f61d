//go:build !linux && !darwin

package pgtest

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
)

// startLocal is for Linux and macOS; elsewhere a container or a server from the
// environment is used.
func startLocal(context.Context) (*server, error) {
	return nil, fmt.Errorf("PostgreSQL's programs: %w", errNotHere)
}

// detach does nothing here: there are no sessions.
func detach(*exec.Cmd) {}

// Standby is for Linux and macOS.
type Standby struct{}

// Follow skips t.
func Follow(t testing.TB, _ string) *Standby {
	t.Skip("LEFT OUT: reads from a standby, which are tested on Linux and macOS.")
	return nil
}

// URL returns an empty string.
func (*Standby) URL(testing.TB, string) string { return "" }

// Stop does nothing.
func (*Standby) Stop() {}
