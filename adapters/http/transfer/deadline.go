// Package transfer moves the bytes of one request: its body as it arrives, and its answer as it is made and sent. It bounds both, and
// the time between them, and works on them only when it is their company's turn. It knows no route, and does not interpret the bytes.
package transfer

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"tilth/core/fault"
)

// errTookTooLong is the cause with which the context of a request ends if its answer does not begin in time.
var errTookTooLong = errors.New("the request took too long")

// Deadline bounds the time from the last piece of a request's body to the first of its answer. Before that
// the body is bounded by its own pace; afterwards the answer is bounded by its reader's pace.
type Deadline struct {
	timer   *time.Timer
	timeout time.Duration
	lifted  atomic.Bool
	late    bool // it had passed when it was lifted
}

// Hurry returns the request with a context that ends if its answer does not begin in
// time; done ends it in any case.
func Hurry(r *http.Request, timeout time.Duration) (hurried *http.Request, d *Deadline, done func()) {
	if timeout <= 0 {
		return r, nil, func() {}
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	d = &Deadline{timeout: timeout, timer: time.AfterFunc(timeout, func() { cancel(errTookTooLong) })}
	return r.WithContext(ctx), d, func() { d.timer.Stop(); cancel(nil) }
}

// extend restarts the time, because a piece of the body has arrived.
func (d *Deadline) extend() {
	if d != nil && !d.lifted.Load() {
		d.timer.Reset(d.timeout)
	}
}

// lift ends the deadline, because the answer begins. Faults: Unavailable (timeout) if it has passed.
func (d *Deadline) lift() error {
	if d == nil {
		return nil
	}
	if !d.lifted.Swap(true) {
		d.late = !d.timer.Stop()
	}
	if d.late {
		return TookTooLong()
	}
	return nil
}

// InTime returns the error of a request, or that it took too long if that caused the error.
func InTime(ctx context.Context, err error) error {
	if err == nil || !errors.Is(context.Cause(ctx), errTookTooLong) {
		return err
	}
	if f, decided := fault.As(err); decided && f.Kind != fault.Internal {
		return err
	}
	return TookTooLong()
}

// TookTooLong is the fault of a request whose answer does not begin in time.
func TookTooLong() *fault.Error {
	return fault.New(fault.Unavailable, "timeout", "The request took too long; try again.")
}
