package wire

import (
	"context"
	"errors"
	"net/http"
)

// A server need not serve a listener: a simulation hands it requests, and decides when its
// background work goes on.

// Handler answers the requests of the server.
func (r *Running) Handler() http.Handler { return r.http.Handler() }

// Step does background work that is due, in the goroutine of its caller: a batch of events, then
// a job of each pool. It returns whether there was any.
func (r *Running) Step(ctx context.Context) (bool, error) {
	moved, err := r.bus.Step(ctx)
	worked := r.pool.Step(ctx)
	sent := r.hooks.Step(ctx)
	return moved || worked || sent, err
}

// Close ends a server that does not serve.
func (r *Running) Close() error {
	r.sender.Close()
	return errors.Join(r.bus.Transport.Close(), r.close())
}
