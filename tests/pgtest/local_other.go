//go:build !linux && !darwin

package pgtest

import (
	"context"
	"fmt"
)

// startLocal is for Linux and macOS; elsewhere a container or a server from the
// environment is used.
func startLocal(context.Context) (*server, error) {
	return nil, fmt.Errorf("PostgreSQL's programs: %w", errNotHere)
}

// watchAsSelf does nothing here: there is no shell to leave behind, and the
// container library's reaper cleans up.
func watchAsSelf(string, ...string) error { return nil }
