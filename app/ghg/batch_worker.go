package ghg

import (
	"context"
	"fmt"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
	"tilth/ports"
)

// Kinds of the background jobs of batches.
const (
	ImportJob = "assessment_import"
	CopyJob   = "assessment_copy_forward"
	SubmitJob = "assessment_submit_many"
)

var batchJobKinds = map[assessment.BatchKind]string{
	assessment.BatchImport: ImportJob, assessment.BatchCopy: CopyJob, assessment.BatchSubmit: SubmitJob,
}

// chunkSize is how many assessments are written in one transaction in the background. It
// holds, in SQLite, all other writers for a fraction of a second. submitChunk is how many
// are submitted between two notes of the progress.
const (
	chunkSize   = 250
	submitChunk = 20
)

// batchClaimLimit ends a batch that kills its worker every time.
const batchClaimLimit = 25

// batchWork is what a kind of batch does with its rows or assessments, piece by piece.
type batchWork interface {
	// fetch gets the next piece; false at the end.
	fetch(ctx context.Context) (bool, error)
	// settle judges the piece and stores what is sound. It may be called again.
	settle(ctx context.Context, tx ports.Repos) ([]assessment.Judged, error)
	// after is the last assessment of the selection that the piece holds.
	after() int64
	// alone tells that settle has transactions of its own, and gets none.
	alone() bool
	close()
}

// workOf makes the work of a batch, which goes on where the batch stands.
func (b *Batches) workOf(who access.Principal, batch *assessment.Batch, file ports.Object, limit int) batchWork {
	s := batchSelection{bulk: b, who: who, options: batch.Options, at: batch.After, index: batch.Done, limit: limit}
	switch batch.Kind {
	case assessment.BatchCopy:
		return &batchCopy{batchSelection: s, seen: map[copyTarget]bool{}, resumed: batch.Done > 0, since: batch.CreatedAt}
	case assessment.BatchSubmit:
		return &batchSubmission{s}
	}
	return newBatchImport(b, who, batch, file, limit)
}

// RunImport works through a queued import. It may be killed at any
// moment: a piece is stored together with how far the batch is, and who comes next goes
// on from there. It returns an error only when the job must be given back as it is.
func (b *Batches) RunImport(ctx context.Context, job ports.Job) error {
	return b.run(ctx, job, assessment.BatchImport)
}

// RunCopy works through a queued copy, as RunImport does.
func (b *Batches) RunCopy(ctx context.Context, job ports.Job) error {
	return b.run(ctx, job, assessment.BatchCopy)
}

// RunSubmit works through a queued submission of many, as RunImport does.
func (b *Batches) RunSubmit(ctx context.Context, job ports.Job) error {
	return b.run(ctx, job, assessment.BatchSubmit)
}

func (b *Batches) run(ctx context.Context, job ports.Job, kind assessment.BatchKind) error {
	var batch assessment.Batch
	err := b.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		batch, err = tx.Batches.Get(ctx, access.Own(job.CompanyID), kind, job.Subject)
		return err
	})
	if err != nil {
		return err
	}
	switch err := b.workThrough(ctx, job, &batch); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case fault.Is(err, fault.NotFound):
		return b.giveUp(ctx, job, batch, "The file is gone.")
	case fault.Is(err, fault.Invalid), fault.Is(err, fault.Forbidden), fault.Is(err, fault.Unauthenticated):
		known, _ := fault.As(err)
		return b.giveUp(ctx, job, batch, known.Error())
	default:
		return err
	}
}

// workThrough runs the passes that a batch has left.
func (b *Batches) workThrough(ctx context.Context, job ports.Job, batch *assessment.Batch) error {
	if job.Attempt > batchClaimLimit {
		return b.giveUp(ctx, job, *batch, "The batch was broken off too often.")
	}
	var file ports.Object
	if batch.Object != "" && batch.Open() {
		var err error
		if file, err = b.deps.Objects.Open(ctx, batch.Object); err != nil {
			return err
		}
		defer file.Close()
	}
	if batch.Checking && batch.Done > 0 {
		// What a pass that stores nothing has seen is known to itself alone.
		if err := b.change(ctx, batch, func(ctx context.Context, tx ports.Repos, current *assessment.Batch) error {
			current.Restart(b.deps.Clock.Now())
			return tx.Batches.DropNotes(ctx, access.Own(current.CompanyID), *current)
		}); err != nil {
			return err
		}
	}
	for batch.Open() {
		if err := b.pass(ctx, batch, file); err != nil {
			return err
		}
		if err := b.change(ctx, batch, func(_ context.Context, _ ports.Repos, current *assessment.Batch) error {
			current.EndPass(b.deps.Clock.Now())
			return nil
		}); err != nil {
			return err
		}
	}
	return b.finish(ctx, job, *batch)
}

// pass judges what is left of a pass, piece by piece.
func (b *Batches) pass(ctx context.Context, batch *assessment.Batch, file ports.Object) error {
	who := access.Principal{UserID: batch.CreatedBy.ID, Name: batch.CreatedBy.Name, CompanyID: batch.CompanyID, Operator: batch.Options.Operator}
	limit := chunkSize
	if batch.Kind == assessment.BatchSubmit {
		limit = submitChunk
	}
	w := b.workOf(who, batch, file, limit)
	defer w.close()
	for {
		if more, err := w.fetch(ctx); err != nil || !more {
			return err
		}
		if err := b.piece(ctx, batch, w); err != nil {
			return err
		}
	}
}

// piece judges one piece and notes it, in one transaction where it stores. A dry one is
// judged in a transaction that is taken back, and then noted.
func (b *Batches) piece(ctx context.Context, batch *assessment.Batch, w batchWork) error {
	var judged []assessment.Judged
	apart := batch.Checking || w.alone()
	if apart {
		var err error
		if judged, err = b.judge(ctx, w, batch.Options, batch.Checking); err != nil {
			return err
		}
	}
	return b.change(ctx, batch, func(ctx context.Context, tx ports.Repos, current *assessment.Batch) (err error) {
		if !apart {
			if judged, err = w.settle(ctx, tx); err != nil {
				return err
			}
		}
		scope := access.Own(current.CompanyID)
		kept, err := tx.Batches.Notes(ctx, scope, *current, MaxKeptNotes)
		if err != nil {
			return err
		}
		current.Advance(judged, w.after(), b.deps.Clock.Now())
		return tx.Batches.AddNotes(ctx, scope, *current, notable(judged, MaxKeptNotes-len(kept)))
	})
}

// notable returns what is to be told of a piece, as far as there is room.
func notable(judged []assessment.Judged, room int) []assessment.Judged {
	var out []assessment.Judged
	for _, j := range judged {
		if len(j.Problems) > 0 && len(out) < room {
			out = append(out, j)
		}
	}
	return out
}

// change changes a batch under its lock. Where it has moved since it was read, another
// worker has the job: this one must store nothing.
func (b *Batches) change(ctx context.Context, batch *assessment.Batch, do func(ctx context.Context, tx ports.Repos, current *assessment.Batch) error) error {
	var changed assessment.Batch
	scope := access.Own(batch.CompanyID)
	err := b.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		current, err := tx.Batches.GetForUpdate(ctx, scope, batch.Kind, batch.ID)
		if err != nil {
			return err
		}
		if current.Done != batch.Done || current.Checking != batch.Checking || !current.Open() {
			return fault.New(fault.Conflict, "lease_lost", "Another worker has this batch.")
		}
		if err := do(ctx, tx, &current); err != nil {
			return err
		}
		changed = current
		return tx.Batches.Update(ctx, scope, current)
	})
	if err == nil {
		*batch = changed
	}
	return err
}

// finish ends the job of a batch that has ended; then its file goes.
func (b *Batches) finish(ctx context.Context, job ports.Job, batch assessment.Batch) error {
	if err := b.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error { return tx.Jobs.Finish(ctx, job) }); err != nil {
		return err
	}
	if batch.Object == "" {
		return nil
	}
	// One that cannot be removed now goes with those that have lain too long.
	return b.deps.Objects.Remove(context.WithoutCancel(ctx), batch.Object)
}

// giveUp breaks a batch off, for a reason that its owner can read.
func (b *Batches) giveUp(ctx context.Context, job ports.Job, batch assessment.Batch, reason string) error {
	scope := access.Own(batch.CompanyID)
	err := b.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		current, err := tx.Batches.GetForUpdate(ctx, scope, batch.Kind, batch.ID)
		if err != nil || !current.Open() {
			return err
		}
		current.Fail(fmt.Sprintf("%s %d of %d were done.", reason, current.Done, current.Total), b.deps.Clock.Now())
		return tx.Batches.Update(ctx, scope, current)
	})
	if err != nil {
		return err
	}
	return b.finish(ctx, job, batch)
}
