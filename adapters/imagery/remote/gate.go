package remote

import (
	"context"
	"sync"
)

// gates bound the concurrent requests to each host: over HTTP/2 the number of connections does not bound them.
type gates struct {
	room int
	mu   sync.Mutex
	of   map[string]chan struct{} // by host; they are few
}

// enter waits until a host may get another request. leave must be called after it.
func (g *gates) enter(ctx context.Context, host string) (leave func(), err error) {
	g.mu.Lock()
	gate := g.of[host]
	if gate == nil {
		gate = make(chan struct{}, g.room)
		g.of[host] = gate
	}
	g.mu.Unlock()
	select {
	case gate <- struct{}{}:
		return func() { <-gate }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
