package remote

import (
	"context"
	"errors"
	"io"
	"net/http/httptrace"
	"time"
)

// minProgress is the number of bytes of a body that count as progress: a source that drips is as good as silent.
const minProgress = 4 << 10

// errSilent is the cause of a try that made no progress, or took too long although it did.
var errSilent = errors.New("the source sent nothing, or next to nothing, for too long")

// watch ends a try that makes no progress. Progress is a connection, the beginning of the answer, and
// each minProgress bytes of its body.
type watch struct {
	silence time.Duration
	ctx     context.Context // of the one try
	cancel  context.CancelCauseFunc
	silent  *time.Timer // both run from begin on
	slow    *time.Timer
}

// newWatch returns a watch, and the context of its try.
func newWatch(ctx context.Context, silence time.Duration) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{silence: silence, ctx: ctx, cancel: cancel}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { w.progress() }}), w
}

// begin begins to watch.
func (w *watch) begin() {
	silent := func() { w.cancel(errSilent) }
	w.silent, w.slow = time.AfterFunc(w.silence, silent), time.AfterFunc(max(tryWithin, 2*w.silence), silent)
}

func (w *watch) progress() { w.silent.Reset(w.silence) }

// end ends the try.
func (w *watch) end() {
	if w.silent != nil {
		w.silent.Stop()
		w.slow.Stop()
	}
	w.cancel(nil)
}

// cause returns why a try failed: the silence that ended it, or else the error itself.
func (w *watch) cause(err error) error {
	if errors.Is(context.Cause(w.ctx), errSilent) {
		return errSilent
	}
	return err
}

// body returns a body whose bytes count as progress, as the beginning of the answer does, and are added to came.
func (w *watch) body(of io.ReadCloser, came *int64) io.ReadCloser {
	w.progress()
	return &watched{ReadCloser: of, watch: w, came: came}
}

type watched struct {
	io.ReadCloser
	watch   *watch
	unheard int // bytes since the last progress
	came    *int64
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	*b.came += int64(n)
	if b.unheard += n; b.unheard >= minProgress {
		b.unheard = 0
		b.watch.progress()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.watch.cause(err)
	}
	return n, err
}
