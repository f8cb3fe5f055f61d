package rig

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Cable is the network connection from one program to a server, which can be cut.
type Cable struct {
	listener net.Listener
	to       string

	mu   sync.Mutex
	cut  bool
	open map[net.Conn]bool
}

// NewCable lays a cable to an address; it is removed when the test ends.
func NewCable(t testing.TB, to string) *Cable {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &Cable{listener: listener, to: to, open: map[net.Conn]bool{}}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { c.carry(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		c.Set(true)
		running.Wait()
	})
	return c
}

// Address returns the address at which the cable begins.
func (c *Cable) Address() string { return c.listener.Addr().String() }

// Set cuts the cable, which closes its connections, or mends it.
func (c *Cable) Set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = cut
	if cut {
		for conn := range c.open {
			_ = conn.Close()
		}
	}
}

// holds registers a connection, and reports whether the cable is whole.
func (c *Cable) holds(conn net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.cut {
		c.open[conn] = true
	}
	return !c.cut
}

func (c *Cable) carry(near net.Conn) {
	defer c.drop(near)
	if !c.holds(near) {
		return
	}
	far, err := net.Dial("tcp", c.to) //nolint:noctx // it ends with the cable
	if err != nil {
		return
	}
	defer c.drop(far)
	if !c.holds(far) {
		return
	}
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1])
			_, _ = way[0].Close(), way[1].Close()
		})
	}
	both.Wait()
}

func (c *Cable) drop(conn net.Conn) {
	_ = conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, conn)
}
