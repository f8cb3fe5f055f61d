// Package freeport finds ports of this machine that servers of tests keep, even while they are stopped for a while.
package freeport

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// A port that the kernel chose for a listener returns to the kernel's pool. The kernel may give it to a
// connection of any process before the server listens, or while it is down. Linux chooses from 32768, others from
// 49152 up, so lower ports are only used when requested by number.
const (
	lowest = 12000
	above  = 32000
	tries  = 100
)

// Find returns a port on which nobody listens at 127.0.0.1.
func Find(ctx context.Context) (int, error) {
	var err error
	for range tries {
		port := lowest + rand.IntN(above-lowest) //nolint:gosec // nothing secret
		var listener net.Listener
		if listener, err = new(net.ListenConfig).Listen(ctx, "tcp", Address(port)); err == nil {
			return port, listener.Close()
		}
	}
	return 0, fmt.Errorf("no free port after %d tries: %w", tries, err)
}

// Address returns the address of a port at 127.0.0.1.
func Address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
