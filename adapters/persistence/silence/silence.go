// Package silence gives up connections to a server that is silent. It knows nothing of what they carry.
package silence

import (
	"context"
	"net"
	"sync"
	"time"
)

// Grace is how much longer than the time of a statement a server may be silent: its own
// statement_timeout ends the statement first, unless the server hangs.
const Grace = 5 * time.Second

// Bound wraps a dialer so that its connections give up on a server that is silent for a time.
// A context without an end would wait for as long as the server hangs.
func Bound(dial func(ctx context.Context, network, address string) (net.Conn, error), patience time.Duration) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &boundConn{Conn: conn, patience: patience}, nil
	}
}

// boundConn sets a deadline for every read and write, unless its user has set one.
type boundConn struct {
	net.Conn
	patience time.Duration

	mu    sync.Mutex
	bound bool // its user has set a deadline
}

// SetDeadline implements net.Conn.
func (c *boundConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bound = !t.IsZero()
	return c.Conn.SetDeadline(t)
}

// Read implements net.Conn.
func (c *boundConn) Read(b []byte) (int, error) {
	if err := c.start(c.Conn.SetReadDeadline); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

// Write implements net.Conn.
func (c *boundConn) Write(b []byte) (int, error) {
	if err := c.start(c.Conn.SetWriteDeadline); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

func (c *boundConn) start(set func(time.Time) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bound {
		return nil
	}
	return set(time.Now().Add(c.patience))
}
