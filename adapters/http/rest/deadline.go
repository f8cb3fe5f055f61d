package rest

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"tilth/core/fault"
)

// errTookTooLong is why the context of a request ends whose answer does not begin in time.
var errTookTooLong = errors.New("the request took too long")

// deadline bounds the time from the last piece of a request's body to the first of its answer.
// Before, the body is bounded by its own pace; afterwards the answer is bounded by its reader's.
type deadline struct {
	timer   *time.Timer
	timeout time.Duration
	lifted  atomic.Bool
	late    bool // it had passed when it was lifted
}

// hurry returns the request with a context that ends when its answer does not begin in time;
// done ends it in any case.
func hurry(r *http.Request, timeout time.Duration) (hurried *http.Request, d *deadline, done func()) {
	if timeout <= 0 {
		return r, nil, func() {}
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	d = &deadline{timeout: timeout, timer: time.AfterFunc(timeout, func() { cancel(errTookTooLong) })}
	return r.WithContext(ctx), d, func() { d.timer.Stop(); cancel(nil) }
}

// extend starts the time anew: a piece of the body has arrived.
func (d *deadline) extend() {
	if d != nil && !d.lifted.Load() {
		d.timer.Reset(d.timeout)
	}
}

// lift ends the deadline, because the answer begins. Faults: Unavailable (timeout) where it has passed.
func (d *deadline) lift() error {
	if d == nil {
		return nil
	}
	if !d.lifted.Swap(true) {
		d.late = !d.timer.Stop()
	}
	if d.late {
		return tookTooLong()
	}
	return nil
}

// inTime returns the error of a request, or that it took too long where that is behind it.
func inTime(ctx context.Context, err error) error {
	if err == nil || !errors.Is(context.Cause(ctx), errTookTooLong) {
		return err
	}
	if f, decided := fault.As(err); decided && f.Kind != fault.Internal {
		return err
	}
	return tookTooLong()
}

func tookTooLong() *fault.Error {
	return fault.New(fault.Unavailable, "timeout", "The request took too long; try again.")
}
