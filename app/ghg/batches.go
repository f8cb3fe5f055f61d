package ghg

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
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

// folder is where uploaded files wait, and keptFor how long one may lie there that
// nothing has taken: what a kill left behind.
const (
	folder  = "assessment-imports"
	keptFor = 7 * 24 * time.Hour
)

// BatchDeps is what the use cases need.
type BatchDeps struct {
	app.Deps
	Objects   ports.Objects
	Files     ports.AssessmentTables
	Assessing *Assessments
}

// Batches is the use cases over many assessments.
type Batches struct{ deps BatchDeps }

// NewBatches makes the use cases.
func NewBatches(deps BatchDeps) *Batches { return &Batches{deps} }

// starting is what starting a batch of a kind requires; an import and an overwriting copy,
// which change assessments, require assessment.edit as well.
var starting = map[assessment.BatchKind]access.Permission{
	assessment.BatchImport: access.Assessments.Create, assessment.BatchCopy: access.Assessments.Create, assessment.BatchSubmit: access.Assessments.Edit,
}

// BatchReport is a batch with what it tells of: everything for one within a request, the
// refused and the passed over for one in the background.
type BatchReport struct {
	assessment.Batch
	Judged []assessment.Judged
}

// Background reports whether the batch goes on after the answer.
func (r BatchReport) Background() bool { return r.ID != 0 }

// Retrieve returns a batch in the background and what it tells of.
// Faults: Unauthenticated, Forbidden, NotFound.
func (b *Batches) Retrieve(ctx context.Context, who access.Principal, kind assessment.BatchKind, id int64) (BatchReport, error) {
	var out BatchReport
	if err := b.deps.Gate.Require(ctx, who, access.Assessments.View); err != nil {
		return out, err
	}
	err := b.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		if out.Batch, err = tx.Batches.Get(ctx, who.Scope(false), kind, id); err != nil {
			return err
		}
		out.Judged, err = tx.Batches.Notes(ctx, who.Scope(false), out.Batch, MaxKeptNotes)
		return err
	})
	return out, err
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
func (b *Batches) choose(ctx context.Context, who access.Principal, kind assessment.BatchKind, atOnce int64, read func() (assessment.BatchOptions, error)) (BatchReport, error) {
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
		if err := b.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
			total, err = tx.Assessments.Count(ctx, who.Scope(false), queryOf(options.Selection))
			return err
		}); err != nil {
			return BatchReport{}, err
		}
	}
	batch := b.newBatch(who, kind, options, "", total)
	if total > atOnce {
		return b.queue(ctx, who, batch)
	}
	return b.atOnce(ctx, who, batch, b.workOf(who, &batch, nil, int(atOnce)))
}

func (b *Batches) newBatch(who access.Principal, kind assessment.BatchKind, options assessment.BatchOptions, object string, total int64) assessment.Batch {
	options.Operator = who.Operator
	batch := assessment.NewBatch(kind, options, record.Ref{ID: who.UserID, Name: who.Name}, object, total, b.deps.Clock.Now())
	batch.CompanyID = who.CompanyID
	return batch
}

// queue hands a batch to the background.
func (b *Batches) queue(ctx context.Context, who access.Principal, batch assessment.Batch) (BatchReport, error) {
	var out BatchReport
	err := b.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		inserted := batch
		if err := tx.Batches.Insert(ctx, who.Scope(false), &inserted); err != nil {
			return err
		}
		out = BatchReport{Batch: inserted}
		return tx.Jobs.Enqueue(ctx, ports.Job{
			Kind: batchJobKinds[batch.Kind], Key: strconv.FormatInt(inserted.ID, 10), CompanyID: who.CompanyID, Subject: inserted.ID, RunAt: b.deps.Clock.Now(),
		})
	})
	return out, err
}

// atOnce works a small batch through: an import or a copy in one transaction, where a
// preview is the batch itself, taken back, so that it cannot say anything else.
func (b *Batches) atOnce(ctx context.Context, who access.Principal, batch assessment.Batch, w batchWork) (BatchReport, error) {
	defer w.close()
	var judged []assessment.Judged
	for {
		more, err := w.fetch(ctx)
		if err != nil {
			return BatchReport{}, err
		}
		if !more {
			break
		}
		piece, err := b.judge(ctx, w, batch.Options, batch.Options.Preview)
		if err != nil {
			return BatchReport{}, err
		}
		judged = append(judged, piece...)
	}
	batch.Advance(judged, 0, b.deps.Clock.Now())
	batch.Checking = false // one transaction was both passes
	batch.EndPass(b.deps.Clock.Now())
	return BatchReport{batch, judged}, nil
}

// errPreview takes back what a preview has stored.
var errPreview = errors.New("this was a preview")

// judge settles a piece, in one transaction or, where the work has its own, in these.
func (b *Batches) judge(ctx context.Context, w batchWork, options assessment.BatchOptions, dry bool) (judged []assessment.Judged, err error) {
	if w.alone() {
		return w.settle(ctx, ports.Repos{})
	}
	err = b.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		if judged, err = w.settle(ctx, tx); err != nil {
			return err
		}
		if dry {
			return errPreview
		}
		if options.Atomic {
			return batchRefusal(judged)
		}
		return nil
	})
	if errors.Is(err, errPreview) {
		return withoutTrace(judged), nil
	}
	return judged, err
}

// batchRefusal returns the errors of all rows that fail, keyed by their index; nil where none does.
func batchRefusal(judged []assessment.Judged) error {
	byIndex := fault.Fields{}
	for _, j := range judged {
		if j.Outcome == assessment.OutcomeFail {
			byIndex.Nest(strconv.FormatInt(j.Index, 10), assessment.ProblemFields(j.Problems))
		}
	}
	if len(byIndex) == 0 {
		return nil
	}
	refused := fault.Newf(fault.Invalid, "bulk_validation_failed", "%d of %d rows are not valid; nothing was stored.", len(byIndex), len(judged))
	refused.Fields = byIndex
	return refused
}

// withoutTrace removes the ids of assessments that were taken back.
func withoutTrace(judged []assessment.Judged) []assessment.Judged {
	for i := range judged {
		if judged[i].Outcome == assessment.OutcomeCreate {
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
