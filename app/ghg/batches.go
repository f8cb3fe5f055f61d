package ghg

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"tilth/app"
	"tilth/app/batches"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/batch"
	"tilth/core/record"
	"tilth/ports"
)

// MaxAtOnce is the number of rows or assessments that are imported or copied within the request,
// and MaxSubmittedAtOnce the number that are submitted: more are worked through in the background.
const (
	MaxAtOnce          = 1_000
	MaxSubmittedAtOnce = 100
)

// MaxKeptNotes is the number of refused and skipped items that the report of a background batch
// lists; it counts all of them.
const MaxKeptNotes = 1_000

// folder is where uploaded files wait.
const folder = "assessment-imports"

// Batches holds the use cases over many assessments.
type Batches struct {
	app.Deps
	Objects   ports.Objects
	Files     ports.AssessmentTables
	Assessing *Assessments
	Log       *slog.Logger
	Sizes     batches.Sizes `wire:"-"`
}

func (b *Batches) inbox() batches.Inbox {
	return batches.Inbox{Deps: b.Deps, Objects: b.Objects, Folder: folder}
}

// starting is the permission required to start a batch of a kind; an import and an overwriting
// copy, which change assessments, also require assessment.edit.
var starting = map[batch.Kind]access.Permission{
	assessment.BatchImport: access.Assessments.Create, assessment.BatchCopy: access.Assessments.Create, assessment.BatchSubmit: access.Assessments.Edit,
}

// BatchReport is a batch with the outcome for its rows or assessments.
type BatchReport = batch.Report[assessment.BatchOptions, assessment.Judged]

// Retrieve returns a background batch and its notes. Faults: NotFound.
func (b *Batches) Retrieve(ctx context.Context, who access.Principal, kind batch.Kind, id int64) (BatchReport, error) {
	return app.Read(ctx, b.Deps, who, access.Assessments.View, func(ctx context.Context, tx ports.Repos) (out BatchReport, err error) {
		if out.Batch, err = tx.Batches.Get(ctx, who.Scope(false), kind, id); err != nil {
			return out, err
		}
		out.Judged, err = tx.Batches.Notes(ctx, who.Scope(false), out.Batch, MaxKeptNotes)
		return out, err
	})
}

// Copy makes drafts for another year from the assessments that a selection chooses. Faults: Invalid.
func (b *Batches) Copy(ctx context.Context, who access.Principal, options func() (assessment.BatchOptions, error)) (BatchReport, error) {
	return b.choose(ctx, who, assessment.BatchCopy, b.maxAtOnce(), func() (assessment.BatchOptions, error) {
		o, err := options()
		o.Selection.Year = &o.FromYear
		if err == nil && o.Overwrite {
			err = b.Gate.Require(ctx, who, access.Assessments.Edit)
		}
		return o, err
	})
}

func (b *Batches) maxAtOnce() int64 { return cmp.Or(b.Sizes.AtOnce, MaxAtOnce) }

// Submit submits the assessments that a selection chooses, each by itself. Faults: Invalid.
func (b *Batches) Submit(ctx context.Context, who access.Principal, options func() (assessment.BatchOptions, error)) (BatchReport, error) {
	return b.choose(ctx, who, assessment.BatchSubmit, min(b.maxAtOnce(), MaxSubmittedAtOnce), options)
}

// choose works through the chosen assessments, or hands them to the background.
func (b *Batches) choose(ctx context.Context, who access.Principal, kind batch.Kind, atOnce int64, read func() (assessment.BatchOptions, error)) (BatchReport, error) {
	if err := b.Gate.Require(ctx, who, starting[kind]); err != nil {
		return BatchReport{}, err
	}
	options, err := read()
	if err != nil {
		return BatchReport{}, err
	}
	if err := options.Check(kind).Err(); err != nil {
		return BatchReport{}, err
	}
	total := options.Selection.Total()
	if options.Selection.IDs == nil {
		if total, err = app.In(ctx, b.Store.Read, func(ctx context.Context, tx ports.Repos) (int64, error) {
			return tx.Assessments.Count(ctx, who.Scope(false), queryOf(options.Selection))
		}); err != nil {
			return BatchReport{}, err
		}
	}
	some := b.newBatch(who, kind, options, "", total)
	if total > atOnce {
		return b.queue(ctx, who, some)
	}
	return b.atOnce(ctx, some, b.workOf(who, some, nil, int(atOnce)))
}

func (b *Batches) newBatch(who access.Principal, kind batch.Kind, options assessment.BatchOptions, object string, total int64) assessment.Batch {
	options.Operator, options.KeyID = who.Operator, who.KeyID
	out := assessment.NewBatch(kind, options, record.Ref{ID: who.UserID, Name: who.Name}, object, total, b.Clock.Now())
	out.CompanyID = who.CompanyID
	return out
}

// queue hands a batch to the background.
func (b *Batches) queue(ctx context.Context, who access.Principal, some assessment.Batch) (BatchReport, error) {
	return app.In(ctx, b.Store.Write, func(ctx context.Context, tx ports.Repos) (out BatchReport, err error) {
		out.Batch = some
		if err := tx.Batches.Insert(ctx, who.Scope(false), &out.Batch); err != nil {
			return out, err
		}
		return out, tx.Jobs.Enqueue(ctx, task.JobOn(batchJobKinds[some.Kind], who.CompanyID, out.ID, b.Clock.Now()))
	})
}

// atOnce works through a small batch: an import or a copy in one transaction.
func (b *Batches) atOnce(ctx context.Context, some assessment.Batch, w batches.Pieces[assessment.Judged]) (BatchReport, error) {
	report, err := batches.AtOnce(ctx, b.Deps, some, "rows", w)
	if some.Options.Preview {
		report.Judged = withoutTrace(report.Judged)
	}
	return report, err
}

// withoutTrace removes the ids of assessments that were rolled back.
func withoutTrace(judged []assessment.Judged) []assessment.Judged {
	for i := range judged {
		if judged[i].Outcome == batch.Create {
			judged[i].AssessmentID = 0
		}
	}
	return judged
}

// queryOf returns the query of a selection; ids are not part of it.
func queryOf(s assessment.Selection) ports.Query {
	var q ports.Query
	add := func(name string, value any) { q.Filters = append(q.Filters, ports.Filter{Name: name, Value: value}) }
	if s.Year != nil {
		add("assessment_year", int64(*s.Year))
	}
	if s.ResourceID != 0 {
		add("resource_id", s.ResourceID)
	}
	if s.Ready != nil {
		add("is_ready_for_submission", *s.Ready)
	}
	for name, word := range map[string]string{
		"resource_type": string(s.ResourceType), "climate_region": s.ClimateRegion, "farm_country": s.FarmCountry, "status": string(s.Status),
	} {
		if word != "" {
			add(name, word)
		}
	}
	slices.SortFunc(q.Filters, func(a, b ports.Filter) int { return cmp.Compare(a.Name, b.Name) })
	return q
}

// Kinds of the background jobs of batches.
const (
	ImportJob = "assessment_import"
	CopyJob   = "assessment_copy_forward"
	SubmitJob = "assessment_submit_many"
)

var batchJobKinds = map[batch.Kind]string{
	assessment.BatchImport: ImportJob, assessment.BatchCopy: CopyJob, assessment.BatchSubmit: SubmitJob,
}

// chunkSize is the number of assessments written in one transaction in the background. In SQLite it
// blocks all other writers for a fraction of a second. submitChunk is the number submitted between
// two records of the progress.
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

// Run works through a queued batch. It returns an error only when the job must be handed out again as it is.
func (b *Batches) Run(ctx context.Context, job ports.Job) error {
	var kind batch.Kind
	for of, jobs := range batchJobKinds {
		if jobs == job.Kind {
			kind = of
		}
	}
	return batches.Run(ctx, batches.Worker{Deps: b.Deps, Objects: b.Objects, Log: b.Log}, batchKind{b, kind}, job)
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

// Keep stores the items that have problems, as far as there is room.
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

// Resume restarts the pass: what a pass that stores nothing has seen is known only to that run.
func (batchKind) Resume(ctx context.Context, run task.Run[ports.Repos], some *assessment.Batch) error {
	some.Restart(run.Now)
	if err := run.Tx.Batches.DropNotes(ctx, run.Scope, *some); err != nil {
		return err
	}
	return run.Tx.Batches.Update(ctx, run.Scope, *some)
}

func (k batchKind) Pieces(some assessment.Batch, file ports.Object) batches.Pieces[assessment.Judged] {
	who := access.Principal{UserID: some.CreatedBy.ID, Name: some.CreatedBy.Name, CompanyID: some.CompanyID, Operator: some.Options.Operator, KeyID: some.Options.KeyID}
	limit := cmp.Or(k.Sizes.Piece, chunkSize)
	if some.Kind == assessment.BatchSubmit {
		limit = submitChunk
	}
	return k.workOf(who, some, file, limit)
}
