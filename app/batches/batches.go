// Package batches works through batches: within the request, or in the background as jobs that
// continue where a killed worker left them. A product defines what it does with a piece of a batch;
// the record and its passes belong to core/batch.
package batches

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/ports"
)

// Pieces reads the items of a batch, piece by piece, from where the batch stands.
type Pieces[J batch.Judged] interface {
	// Next reads the next piece; it returns false at the end.
	Next(ctx context.Context) (bool, error)
	// Settle judges the piece and stores the sound items. It may be called again.
	Settle(ctx context.Context, tx ports.Repos) ([]J, error)
	// After returns the last record of the selection in the piece.
	After() int64
	// Alone reports whether Settle opens its own transactions, and is given none.
	Alone() bool
	Close()
}

// errPreview rolls back what a preview has stored.
var errPreview = errors.New("this was a preview")

// Judge settles things in one transaction. A preview is the batch itself, rolled back, so that the two cannot differ;
// an atomic batch with failures is refused as a whole. The noun names the things, such as rows.
func Judge[J batch.Judged](ctx context.Context, store ports.Store, mode batch.Mode, noun string,
	settle func(ctx context.Context, tx ports.Repos) ([]J, error),
) (judged []J, err error) {
	err = store.Write(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		judged, err = settle(ctx, tx)
		switch {
		case err != nil:
			return err
		case mode.Preview:
			return errPreview
		case mode.Atomic:
			return batch.Refusal(judged, noun)
		}
		return nil
	})
	if errors.Is(err, errPreview) {
		err = nil
	}
	return judged, err
}

// judgePiece judges a piece in one transaction or, where the work has its own, in those.
func judgePiece[J batch.Judged](ctx context.Context, store ports.Store, mode batch.Mode, noun string, pieces Pieces[J]) ([]J, error) {
	if pieces.Alone() {
		return pieces.Settle(ctx, ports.Repos{})
	}
	return Judge(ctx, store, mode, noun, pieces.Settle)
}

// Sizes override how many rows are worked through at a time; zero leaves a size as it is.
type Sizes struct {
	AtOnce int64 // the maximum within the request
	Piece  int   // in one transaction in the background
}

// AtOnce works through a small batch within the request; its transaction serves as both passes.
func AtOnce[O batch.Options, J batch.Judged](ctx context.Context, deps app.Deps, b batch.Batch[O, J], noun string, pieces Pieces[J]) (batch.Report[O, J], error) {
	defer pieces.Close()
	var judged []J
	for {
		more, err := pieces.Next(ctx)
		if err != nil {
			return batch.Report[O, J]{}, err
		}
		if !more {
			break
		}
		piece, err := judgePiece(ctx, deps.Store, b.Options.Mode(), noun, pieces)
		if err != nil {
			return batch.Report[O, J]{}, err
		}
		judged = append(judged, piece...)
	}
	now := deps.Clock.Now()
	b.Advance(judged, 0, now)
	b.Checking = false
	b.EndPass(now)
	return batch.Report[O, J]{Batch: b, Judged: judged}, nil
}

// keptFor is the time for which an uploaded file may lie unclaimed, such as one left behind by a crash.
const keptFor = 7 * 24 * time.Hour

// Inbox is where uploaded files wait for their batches.
type Inbox struct {
	app.Deps
	Objects ports.Objects
	Folder  string
}

// Take stores a file and hands it to use. The file stays where a batch in the background needs it.
func Take[R interface{ Background() bool }](ctx context.Context, in Inbox, body io.Reader, use func(name string, file ports.Object) (R, error)) (report R, err error) {
	name := in.Folder + "/" + in.IDs.UUID()
	if _, err := in.Objects.Put(ctx, name, body); err != nil {
		return report, err
	}
	file, err := in.Objects.Open(ctx, name)
	if err == nil {
		report, err = use(name, file)
		_ = file.Close() // it was only read
	}
	if err != nil || !report.Background() {
		// The file is removed even if the caller has left.
		err = errors.Join(err, in.Objects.Remove(context.WithoutCancel(ctx), name))
	}
	return report, err
}

// Sweep removes the files that no batch has taken.
func (in Inbox) Sweep(ctx context.Context) error {
	return in.Objects.RemoveOlder(ctx, in.Folder, in.Clock.Now().Add(-keptFor))
}

// lasting are the kinds of faults that a retry does not fix.
var lasting = []fault.Kind{fault.Invalid, fault.NotFound, fault.Forbidden, fault.Unauthenticated}

// claimLimit ends a batch that kills its worker every time.
const claimLimit = 25

// Kind defines where the batches of a kind are stored, and what is done with a piece.
type Kind[O batch.Options, J batch.Judged] interface {
	// Lock returns a batch under its lock. Faults: NotFound.
	Lock(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (batch.Batch[O, J], error)
	Update(ctx context.Context, tx ports.Repos, scope access.Scope, b batch.Batch[O, J]) error
	// Keep stores what the report shows for a piece, before the batch advances.
	Keep(ctx context.Context, tx ports.Repos, scope access.Scope, b batch.Batch[O, J], judged []J) error
	// Resume is called where a worker was interrupted in a pass that stores nothing. It restarts
	// the pass if what the earlier pieces showed is lost.
	Resume(ctx context.Context, run task.Run[ports.Repos], b *batch.Batch[O, J]) error
	// Pieces reads the batch from where it stands; the file is nil where it has none.
	Pieces(b batch.Batch[O, J], file ports.Object) Pieces[J]
}

// Worker works through queued batches.
type Worker struct {
	app.Deps
	Objects ports.Objects
	Log     *slog.Logger
}

// Run does one job. It may be killed at any moment: a piece is stored together with the progress of
// the batch. A batch that has ended removes its file.
func Run[O batch.Options, J batch.Judged](ctx context.Context, w Worker, kind Kind[O, J], job ports.Job) error {
	work := &work[O, J]{Worker: w, kind: kind}
	runner := task.ForCompany(w.Store, w.Clock, w.IDs, w.Log)
	err := task.Do(ctx, runner, task.Limits{Claims: claimLimit}, work, job)
	if f, ok := fault.As(err); ok && slices.Contains(lasting, f.Kind) && ctx.Err() == nil {
		// A piece cannot be stored; its transaction was rolled back.
		work.failure = f
		err = task.Do(ctx, runner, task.Limits{}, work, job)
	}
	if err != nil || work.last.Open() || work.last.Object == "" {
		return err
	}
	// A file that cannot be removed now is removed by Sweep.
	return w.Objects.Remove(context.WithoutCancel(ctx), work.last.Object)
}

// work is one run of one batch.
type work[O batch.Options, J batch.Judged] struct {
	Worker
	kind    Kind[O, J]
	file    ports.Object
	pieces  Pieces[J]         // of the current pass
	last    batch.Batch[O, J] // as of the last step
	failure error             // of the previous run
}

// piece is the outcome of a piece.
type piece[J batch.Judged] struct {
	judged  []J
	settled bool // otherwise it is settled in the transaction that records the progress
	after   int64
	end     bool // of the pass
}

func (w *work[O, J]) Lock(ctx context.Context, run task.Run[ports.Repos]) (batch.Batch[O, J], task.Next, error) {
	b, err := w.kind.Lock(ctx, run.Tx, run.Scope, run.Job.Subject)
	w.last = b
	if fault.Is(err, fault.NotFound) || err == nil && !b.Open() {
		return b, task.Finish(), nil
	}
	return b, task.Continue(), err
}

func (w *work[O, J]) Begin(ctx context.Context, run task.Run[ports.Repos], b *batch.Batch[O, J]) (task.Next, error) {
	if w.pieces != nil || !b.Checking || b.Done == 0 {
		return task.Continue(), nil
	}
	return task.Continue(), w.kind.Resume(ctx, run, b)
}

func (w *work[O, J]) Do(ctx context.Context, b batch.Batch[O, J]) (piece[J], error) {
	out, err := w.next(ctx, b)
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, "gone", "The file, or what the batch refers to, no longer exists.")
	}
	return out, err
}

func (w *work[O, J]) next(ctx context.Context, b batch.Batch[O, J]) (out piece[J], err error) {
	if w.failure != nil {
		return out, w.failure
	}
	if w.pieces == nil {
		if b.Object != "" && w.file == nil {
			if w.file, err = w.Objects.Open(ctx, b.Object); err != nil {
				return out, err
			}
		}
		w.pieces = w.kind.Pieces(b, w.file)
	}
	more, err := w.pieces.Next(ctx)
	if err != nil {
		return out, err
	}
	if !more {
		w.pieces.Close()
		w.pieces = nil
		return piece[J]{end: true}, nil
	}
	out.after, out.settled = w.pieces.After(), b.Checking || w.pieces.Alone()
	if out.settled {
		out.judged, err = judgePiece(ctx, w.Store, batch.Mode{Preview: b.Checking}, "", w.pieces)
	}
	return out, err
}

// Same is false where another worker has taken the batch.
func (w *work[O, J]) Same(began, current batch.Batch[O, J]) bool {
	return current.Done == began.Done && current.Checking == began.Checking
}

func (w *work[O, J]) Complete(ctx context.Context, run task.Run[ports.Repos], b *batch.Batch[O, J], p piece[J]) (task.Next, error) {
	if p.end {
		b.EndPass(run.Now)
	} else {
		judged := p.judged
		if !p.settled {
			var err error
			if judged, err = w.pieces.Settle(ctx, run.Tx); err != nil {
				return task.Next{}, err
			}
		}
		if err := w.kind.Keep(ctx, run.Tx, run.Scope, *b, judged); err != nil {
			return task.Next{}, err
		}
		b.Advance(judged, p.after, run.Now)
	}
	w.last = *b
	next := task.Continue()
	if !b.Open() {
		next = task.Finish()
	}
	return next, w.kind.Update(ctx, run.Tx, run.Scope, *b)
}

// Unavailable leaves the batch as it is: the job is handed out again.
func (w *work[O, J]) Unavailable(_ context.Context, _ task.Run[ports.Repos], _ batch.Batch[O, J], cause error) (task.Next, error) {
	return task.Next{}, cause
}

// Fail ends the batch as failed, with a reason that its owner can read.
func (w *work[O, J]) Fail(ctx context.Context, run task.Run[ports.Repos], b batch.Batch[O, J], reason string) error {
	b.Fail(fmt.Sprintf("%s %d of %d were done.", reason, b.Done, b.Total), run.Now)
	w.last = b
	return w.kind.Update(ctx, run.Tx, run.Scope, b)
}

// Close closes the file.
func (w *work[O, J]) Close() {
	if w.pieces != nil {
		w.pieces.Close()
		w.pieces = nil
	}
	if w.file != nil {
		_ = w.file.Close() // it was only read
		w.file = nil
	}
}
