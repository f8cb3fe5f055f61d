package soil

import (
	"context"
	"fmt"
	"reflect"

	"tilth/app/batches"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// MaxSampleRows bounds the rows of an import.
const MaxSampleRows = 10_000

// The verdicts of rows.
const (
	SampleUpdate = "update"
	SampleSkip   = "skip" // it says nothing new
	SampleFail   = "fail"
)

// JudgedSample is what became of a row.
type JudgedSample struct {
	Index    int64
	Label    string
	Verdict  string
	SampleID int64 // 0 where there is none
	Status   sample.Status
	Errors   fault.Fields
}

// Judgement implements batch.Judged.
func (j JudgedSample) Judgement() (batch.Outcome, fault.Fields) {
	return batch.Outcome(j.Verdict), j.Errors
}

// SampleImportOptions say how an import is to be done.
type SampleImportOptions struct {
	Preview bool // store nothing
	Atomic  bool // one row that fails refuses all
}

// Import changes samples by their labels. A preview is the import itself, taken back. rows is called when the
// caller may import. Faults: those of rows; Invalid for too many rows, and for an atomic import
// (bulk_validation_failed) with the errors by the rows' index.
func (s *Samples) Import(ctx context.Context, who access.Principal, options SampleImportOptions, rows func() ([]ports.SampleRow, error)) ([]JudgedSample, error) {
	if err := s.Gate.Require(ctx, who, access.ImportSamples); err != nil {
		return nil, err
	}
	given, err := rows()
	if err != nil {
		return nil, err
	}
	if len(given) == 0 || len(given) > MaxSampleRows {
		return nil, fault.Field("file", fmt.Sprintf("A file has 1 to %d rows; this has %d.", MaxSampleRows, len(given)))
	}
	mode := batch.Mode{Preview: options.Preview, Atomic: options.Atomic}
	return batches.Judge(ctx, s.Store, mode, "rows", func(ctx context.Context, tx ports.Repos) ([]JudgedSample, error) {
		return s.settle(ctx, tx, who, given)
	})
}

// settle judges rows and stores those that are sound.
func (s *Samples) settle(ctx context.Context, tx ports.Repos, who access.Principal, rows []ports.SampleRow) ([]JudgedSample, error) {
	asked, times := make([]string, len(rows)), map[string]int{}
	for i, r := range rows {
		asked[i] = r.Label
		times[r.Label]++
	}
	found, err := tx.SoilSamples.ByLabels(ctx, who.Scope(false), asked)
	if err != nil {
		return nil, err
	}
	out := make([]JudgedSample, len(rows))
	var changes []farmapp.Change[sample.Sample]
	var of []int // the row of each change
	for i, r := range rows {
		current, ok := found[r.Label]
		j := JudgedSample{Index: int64(i), Label: r.Label, Verdict: SampleFail, SampleID: current.ID, Status: current.Status, Errors: r.Errors}
		switch {
		case len(j.Errors) > 0:
		case !ok:
			j.Errors = fault.Fields{}
			j.Errors.Addf("label", "No sample of your company has the label %q.", r.Label)
		case times[r.Label] > 1:
			j.Errors = fault.Fields{}
			j.Errors.Addf("label", "%q stands in the file more than once.", r.Label)
		default:
			after := r.Apply(current)
			s.complete(who, current, &after)
			after.Normalise()
			if c := after.Collected; c != nil && current.Collected != nil {
				c.Zone = current.Collected.Zone // found anew where the sample changes
			}
			if j.Verdict = SampleUpdate; reflect.DeepEqual(current, after) {
				j.Verdict = SampleSkip
				break
			}
			changes, of = append(changes, farmapp.Change[sample.Sample]{Before: &current, After: after}), append(of, i)
		}
		out[i] = j
	}
	settled, err := s.Records.Settle(ctx, tx, who, changes, nil, false)
	if err != nil {
		return nil, err
	}
	for i, change := range settled {
		j := &out[of[i]]
		if j.Status = change.Record.Status; len(change.Errors) > 0 {
			j.Verdict, j.Errors, j.Status = SampleFail, change.Errors, changes[i].Before.Status
		}
	}
	return out, nil
}
