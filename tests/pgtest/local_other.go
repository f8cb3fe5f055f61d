//go:build !linux && !darwin

package pgtest

import (
	"context"
	"fmt"
	"os/exec"
)

// startLocal is for Linux and macOS; elsewhere a container or a server from the
// environment is used.
func startLocal(context.Context) (*server, error) {
	return nil, fmt.Errorf("PostgreSQL's programs: %w", errNotHere)
}

// detach does nothing here: there are no sessions.
func detach(*exec.Cmd) {}
