// Package batches works through batches: within the request, or in the background as jobs that
// continue where a killed worker left them. A product says what it does with a piece of a batch;
// the record and its passes are core/batch's.
package batches

import (
	"context"
	"errors"
	"io"
	"time"

	"tilth/app"
	"tilth/core/batch"
	"tilth/ports"
)

// Pieces reads what a batch is about, piece by piece, from where the batch stands.
type Pieces[J batch.Judged] interface {
	// Next reads the next piece; false at the end.
	Next(ctx context.Context) (bool, error)
	// Settle judges the piece and stores what is sound. It may be called again.
	Settle(ctx context.Context, tx ports.Repos) ([]J, error)
	// After returns the last record of the selection that the piece holds.
	After() int64
	// Alone reports whether Settle has transactions of its own, and gets none.
	Alone() bool
	Close()
}

// errPreview takes back what a preview has stored.
var errPreview = errors.New("this was a preview")

// Judge settles things in one transaction. A preview is the batch itself, taken back, so that it cannot say
// anything else; an atomic batch with failures is refused as a whole. The noun is what the things are: rows.
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

// judgePiece judges a piece, in one transaction or, where the work has its own, in these.
func judgePiece[J batch.Judged](ctx context.Context, store ports.Store, mode batch.Mode, noun string, pieces Pieces[J]) ([]J, error) {
	if pieces.Alone() {
		return pieces.Settle(ctx, ports.Repos{})
	}
	return Judge(ctx, store, mode, noun, pieces.Settle)
}

// AtOnce works through a small batch within the request; its transaction is both passes.
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

// keptFor is how long an uploaded file may lie that nothing has taken: what a kill left behind.
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
		// The caller may have left; the file goes all the same.
		err = errors.Join(err, in.Objects.Remove(context.WithoutCancel(ctx), name))
	}
	return report, err
}

// Sweep removes the files that no batch has taken.
func (in Inbox) Sweep(ctx context.Context) error {
	return in.Objects.RemoveOlder(ctx, in.Folder, in.Clock.Now().Add(-keptFor))
}
