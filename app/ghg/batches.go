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

// MaxAtOnce is how many rows or assessments are imported or copied within the request, and
// SubmittedAtOnce how many are submitted: more are worked through in the background.
const (
	MaxAtOnce          = 1_000
	MaxSubmittedAtOnce = 100
)

// MaxKeptNotes is how many of the refused and the passed over the report of a batch in the
// background tells of; it counts all of them.
const MaxKeptNotes = 1_000

// folder is where uploaded files wait.
const folder = "assessment-imports"

// BatchDeps is what the use cases need.
type BatchDeps struct {
	app.Deps
	Objects   ports.Objects
	Files     ports.AssessmentTables
	Assessing *Assessments
	Log       *slog.Logger
}

func (d BatchDeps) inbox() batches.Inbox {
	return batches.Inbox{Deps: d.Deps, Objects: d.Objects, Folder: folder}
}

// Batches is the use cases over many assessments.
type Batches struct{ deps BatchDeps }

// NewBatches makes the use cases.
func NewBatches(deps BatchDeps) *Batches { return &Batches{deps} }

// starting is what starting a batch of a kind requires; an import and an overwriting copy,
// which change assessments, require assessment.edit as well.
var starting = map[batch.Kind]access.Permission{
	assessment.BatchImport: access.Assessments.Create, assessment.BatchCopy: access.Assessments.Create, assessment.BatchSubmit: access.Assessments.Edit,
}

// BatchReport is a batch with what became of its rows or assessments.
type BatchReport = batch.Report[assessment.BatchOptions, assessment.Judged]

// Retrieve returns a batch in the background and what it tells of.
// Faults: Unauthenticated, Forbidden, NotFound.
func (b *Batches) Retrieve(ctx context.Context, who access.Principal, kind batch.Kind, id int64) (BatchReport, error) {
	return app.Read(ctx, b.deps.Deps, who, access.Assessments.View, func(ctx context.Context, tx ports.Repos) (out BatchReport, err error) {
		if out.Batch, err = tx.Batches.Get(ctx, who.Scope(false), kind, id); err != nil {
			return out, err
		}
		out.Judged, err = tx.Batches.Notes(ctx, who.Scope(false), out.Batch, MaxKeptNotes)
		return out, err
	})
}

// Copy makes drafts of another year from the assessments that a selection chooses.
// Faults: Unauthenticated, Forbidden, Invalid.
func (b *Batches) Copy(ctx context.Context, who access.Principal, options func() (assessment.BatchOptions, error)) (BatchReport, error) {
	return b.choose(ctx, who, assessment.BatchCopy, MaxAtOnce, func() (assessment.BatchOptions, error) {
		o, err := options()
		o.Selection.Year = &o.FromYear
		if err == nil && o.Overwrite {
			err = b.deps.Gate.Require(ctx, who, access.Assessments.Edit)
		}
		return o, err
	})
}

// Submit submits the assessments that a selection chooses, each for itself.
// Faults: Unauthenticated, Forbidden, Invalid.
func (b *Batches) Submit(ctx context.Context, who access.Principal, options func() (assessment.BatchOptions, error)) (BatchReport, error) {
	return b.choose(ctx, who, assessment.BatchSubmit, MaxSubmittedAtOnce, options)
}

// choose works through what a selection chooses, or hands it to the background.
func (b *Batches) choose(ctx context.Context, who access.Principal, kind batch.Kind, atOnce int64, read func() (assessment.BatchOptions, error)) (BatchReport, error) {
	if err := b.deps.Gate.Require(ctx, who, starting[kind]); err != nil {
		return BatchReport{}, err
	}
	options, err := read()
	if err != nil {
		return BatchReport{}, err
	}
	if err := options.Check(kind).Err(); err != nil {
		return BatchReport{}, err
	}
	total := int64(len(options.Selection.IDs))
	if options.Selection.IDs == nil {
		if total, err = app.In(ctx, b.deps.Store.Read, func(ctx context.Context, tx ports.Repos) (int64, error) {
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
	options.Operator = who.Operator
	out := assessment.NewBatch(kind, options, record.Ref{ID: who.UserID, Name: who.Name}, object, total, b.deps.Clock.Now())
	out.CompanyID = who.CompanyID
	return out
}

// queue hands a batch to the background.
func (b *Batches) queue(ctx context.Context, who access.Principal, some assessment.Batch) (BatchReport, error) {
	return app.In(ctx, b.deps.Store.Write, func(ctx context.Context, tx ports.Repos) (out BatchReport, err error) {
		out.Batch = some
		if err := tx.Batches.Insert(ctx, who.Scope(false), &out.Batch); err != nil {
			return out, err
		}
		return out, tx.Jobs.Enqueue(ctx, task.JobOn(batchJobKinds[some.Kind], who.CompanyID, out.ID, b.deps.Clock.Now()))
	})
}

// atOnce works a small batch through: an import or a copy in one transaction.
func (b *Batches) atOnce(ctx context.Context, some assessment.Batch, w batches.Pieces[assessment.Judged]) (BatchReport, error) {
	report, err := batches.AtOnce(ctx, b.deps.Deps, some, "rows", w)
	if some.Options.Preview {
		report.Judged = withoutTrace(report.Judged)
	}
	return report, err
}

// withoutTrace removes the ids of assessments that were taken back.
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
