// Package attachments stores the bytes of files that people attach to records, and clears away what crashes and removals
// leave behind.
//
// A file is recorded before its bytes are stored and attached afterwards, and stays recorded until its bytes are gone.
// Whenever a process is killed, no listed file lacks its bytes, and no bytes are left unrecorded.
package attachments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"tilth/app"
	"tilth/core/attachment"
	"tilth/core/fault"
	"tilth/ports"
)

// Bytes is the store of the bytes of files.
type Bytes struct{ Objects ports.Objects }

// Put stores the bytes of a file that was begun, and completes the file from what they contain. Faults: those of
// body and of [attachment.Reader.Identify]; Unavailable.
func (b Bytes) Put(ctx context.Context, file *attachment.File, body io.Reader, upper int64, takes ...string) (err error) {
	reader := attachment.NewReader(body)
	if _, err := b.Objects.Put(ctx, file.Object, reader); err != nil {
		return err
	}
	stored, err := b.Objects.Open(ctx, file.Object)
	if err != nil {
		return err
	}
	defer func() { _ = stored.Close() }() // it was only read
	return reader.Identify(file, stored, upper, takes...)
}

// Drop removes the bytes of a file that is not attached and never will be. They are removed even if the caller has left.
func (b Bytes) Drop(ctx context.Context, file attachment.File) error {
	return b.Objects.Remove(context.WithoutCancel(ctx), file.Object)
}

// Write writes the bytes of a file, and fails at the end if they are not those that were attached.
func (b Bytes) Write(ctx context.Context, file attachment.File, w io.Writer) error {
	stored, err := b.Objects.Open(ctx, file.Object)
	if err != nil {
		return fmt.Errorf("the bytes of the file %s: %w", file.Object, lost(err))
	}
	defer func() { _ = stored.Close() }() // it was only read
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w, sum), io.NewSectionReader(stored, 0, stored.Size())); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != file.SHA256 {
		return fmt.Errorf("the bytes of the file %s are not those that were attached", file.Object)
	}
	return nil
}

// lost turns missing bytes into a server failure: the file is recorded, so it is no 404.
func lost(err error) error {
	if fault.Is(err, fault.NotFound) {
		return errors.New("they are missing from the store of files; restore it from a backup")
	}
	return err
}

const (
	// keptFor is the time that an upload may take, and the time for which the bytes of a removed file stay: a backup
	// that began before the removal finds them.
	keptFor   = 24 * time.Hour
	sweepRows = 200
)

// Sweep ends uploads that a crash interrupted, and clears away removed files that nothing holds: their bytes first, then
// their records. It returns the number cleared away.
func (b Bytes) Sweep(ctx context.Context, store ports.Store, now time.Time, of func(ports.OperatorRepos) ports.AttachmentKeeper) (total int64, err error) {
	if _, err := app.InPieces(ctx, store, sweepRows, func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
		return of(tx).GiveUp(ctx, now.Add(-keptFor), now, sweepRows)
	}); err != nil {
		return 0, err
	}
	for {
		loose, err := app.In(ctx, store.Consult, func(ctx context.Context, tx ports.OperatorRepos) ([]attachment.File, error) {
			return of(tx).Loose(ctx, now.Add(-keptFor), sweepRows)
		})
		if err != nil || len(loose) == 0 {
			return total, err
		}
		ids := make([]int64, len(loose))
		for i, file := range loose {
			if err := b.Objects.Remove(ctx, file.Object); err != nil {
				return total, err
			}
			ids[i] = file.ID
		}
		if err := store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return of(tx).Forget(ctx, ids) }); err != nil {
			return total, err
		}
		total += int64(len(ids))
	}
}
