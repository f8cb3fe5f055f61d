package rest

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"tilth/adapters/http/transfer"
	"tilth/core/fault"
)

// EventStreamMedia is the content type of server-sent events (WHATWG HTML, section 9.2).
const EventStreamMedia = "text/event-stream"

// lastEventID is the header in which a reader that reconnects names what it saw last.
const lastEventID = "Last-Event-ID"

type stopKey struct{}

// WithStop returns a context whose event streams end when stop is closed, though requests go on.
func WithStop(ctx context.Context, stop <-chan struct{}) context.Context {
	return context.WithValue(ctx, stopKey{}, stop)
}

// EventStream is an answer of server-sent events.
type EventStream struct {
	// Run writes the events until its context ends: the caller has left or may not listen any
	// more, or the server stops. beat is the pause after which it sends a sign of life.
	Run func(ctx context.Context, out *transfer.Events, beat time.Duration) error
	// Close releases what the stream holds; it is called once, also where nothing was written.
	Close func()
}

func (e EventStream) answer(c *Call) error {
	defer e.Close()
	c.SetHeader("Cache-Control", "no-store")
	c.SetHeader("X-Accel-Buffering", "no") // nginx would hold events back
	return Raw{ContentType: EventStreamMedia, Write: func(w io.Writer) error {
		if c.request.Method == http.MethodHead {
			return nil
		}
		ctx, cancel := context.WithCancel(c.request.Context())
		beat := c.api.config.StreamBeat
		var watch sync.WaitGroup
		watch.Go(func() { c.watch(ctx, cancel, beat) })
		defer func() { cancel(); watch.Wait() }()
		err := e.Run(ctx, &transfer.Events{To: w.(*transfer.Sink)}, beat)
		if ctx.Err() != nil {
			return nil // the end of a stream, whatever caused it
		}
		return err
	}}.answer(c)
}

// LastEventID returns the id that a reader of an event stream saw last; empty where it names none.
func (c *Call) LastEventID() string { return c.Header(lastEventID) }

// watch ends a stream when the server stops, or when its caller would be refused now.
func (c *Call) watch(ctx context.Context, end context.CancelFunc, every time.Duration) {
	defer end()
	stop, _ := ctx.Value(stopKey{}).(<-chan struct{})
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-stop:
			return
		case <-ticker.C:
		}
		// An unavailable part says nothing about the caller.
		_, _, err := c.api.admit(c.request, c.route)
		if fault.Is(err, fault.Unauthenticated) || fault.Is(err, fault.Forbidden) || fault.Is(err, fault.NotFound) {
			return
		}
	}
}
