package ghg

import (
	"context"

	"tilth/app/batches"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/batch"
	"tilth/ports"
)

// Kinds of the background jobs of batches.
const (
	ImportJob = "assessment_import"
	CopyJob   = "assessment_copy_forward"
	SubmitJob = "assessment_submit_many"
)

var batchJobKinds = map[batch.Kind]string{
	assessment.BatchImport: ImportJob, assessment.BatchCopy: CopyJob, assessment.BatchSubmit: SubmitJob,
}

// chunkSize is how many assessments are written in one transaction in the background. It
// holds, in SQLite, all other writers for a fraction of a second. submitChunk is how many
// are submitted between two notes of the progress.
const (
	chunkSize   = 250
	submitChunk = 20
)

// workOf returns the work of a batch, which continues where the batch stands.
func (b *Batches) workOf(who access.Principal, some assessment.Batch, file ports.Object, limit int) batches.Pieces[assessment.Judged] {
	s := batchSelection{bulk: b, who: who, options: some.Options, at: some.After, index: some.Done, limit: limit}
	switch some.Kind {
	case assessment.BatchCopy:
		return &batchCopy{batchSelection: s, seen: map[copyTarget]bool{}, resumed: some.Done > 0, since: some.CreatedAt}
	case assessment.BatchSubmit:
		return &batchSubmission{s}
	}
	return &batchImport{bulk: b, who: who, some: some, file: file, limit: limit, seen: map[string]int64{}}
}

// RunImport works through a queued import. It returns an error only when the job must be handed
// out again as it is.
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

func (b *Batches) run(ctx context.Context, job ports.Job, kind batch.Kind) error {
	return batches.Run(ctx, batches.Worker{Deps: b.deps.Deps, Objects: b.deps.Objects, Log: b.deps.Log}, batchKind{b, kind}, job)
}

// batchKind implements batches.Kind.
type batchKind struct {
	*Batches
	kind batch.Kind
}

func (k batchKind) Lock(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (assessment.Batch, error) {
	return tx.Batches.GetForUpdate(ctx, scope, k.kind, id)
}

func (batchKind) Update(ctx context.Context, tx ports.Repos, scope access.Scope, some assessment.Batch) error {
	return tx.Batches.Update(ctx, scope, some)
}

// Keep keeps what has problems, as far as there is room.
func (batchKind) Keep(ctx context.Context, tx ports.Repos, scope access.Scope, some assessment.Batch, judged []assessment.Judged) error {
	kept, err := tx.Batches.Notes(ctx, scope, some, MaxKeptNotes)
	if err != nil {
		return err
	}
	var notes []assessment.Judged
	for _, j := range judged {
		if len(j.Problems) > 0 && len(kept)+len(notes) < MaxKeptNotes {
			notes = append(notes, j)
		}
	}
	return tx.Batches.AddNotes(ctx, scope, some, notes)
}

// Resume restarts the pass: what a pass that stores nothing has seen is known to itself alone.
func (batchKind) Resume(ctx context.Context, run task.Run[ports.Repos], some *assessment.Batch) error {
	some.Restart(run.Now)
	if err := run.Tx.Batches.DropNotes(ctx, run.Scope, *some); err != nil {
		return err
	}
	return run.Tx.Batches.Update(ctx, run.Scope, *some)
}

func (k batchKind) Pieces(some assessment.Batch, file ports.Object) batches.Pieces[assessment.Judged] {
	who := access.Principal{UserID: some.CreatedBy.ID, Name: some.CreatedBy.Name, CompanyID: some.CompanyID, Operator: some.Options.Operator}
	limit := chunkSize
	if some.Kind == assessment.BatchSubmit {
		limit = submitChunk
	}
	return k.workOf(who, some, file, limit)
}
