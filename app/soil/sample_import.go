package soil

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"tilth/app/batches"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/stratification/labtable"
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
	Remarks  []string // what was made of the row by a rule
}

// Judgement implements batch.Judged.
func (j JudgedSample) Judgement() (batch.Outcome, fault.Fields) {
	return batch.Outcome(j.Verdict), j.Errors
}

// SampleImportOptions say how an import is to be done.
type SampleImportOptions struct {
	Preview     bool     // store nothing
	Atomic      bool     // one row that fails refuses all
	Mean        bool     // the mean of rows that have a label in common; otherwise they are refused where they differ
	SOCLimitPct *float64 // of results below a limit that the table does not state
}

func (o SampleImportOptions) check() error {
	f := fault.Fields{}
	f.AddIf(o.SOCLimitPct != nil && !(*o.SOCLimitPct > 0 && *o.SOCLimitPct <= 100), "soc_limit_pct", "A number over 0, at most 100, in %%.")
	return f.Err()
}

// ImportedSamples is an import with its report.
type ImportedSamples struct {
	Columns []labtable.Column
	Rows    []JudgedSample
}

// Background reports that an import of samples ends within its request.
func (ImportedSamples) Background() bool { return false }

// Import changes samples by their labels. A preview is the import itself, taken back. rows is called when the
// caller may import. Faults: those of rows; Invalid for too many rows, and (bulk_validation_failed), with the
// errors by the rows' index, for an atomic import with a row that fails, and where all fail.
func (s *Samples) Import(ctx context.Context, who access.Principal, options SampleImportOptions, rows func() (labtable.Table, error)) (ImportedSamples, error) {
	var out ImportedSamples
	if err := s.Gate.Require(ctx, who, access.ImportSamples); err != nil {
		return out, err
	}
	if err := options.check(); err != nil {
		return out, err
	}
	given, err := rows()
	if err != nil {
		return out, err
	}
	return s.take(ctx, who, options, given, func(context.Context, ports.Repos, []JudgedSample) error { return nil })
}

// take judges the rows of a table, and stores those that are sound; also does what else belongs to them, in the same transaction.
func (s *Samples) take(ctx context.Context, who access.Principal, options SampleImportOptions, given labtable.Table,
	also func(ctx context.Context, tx ports.Repos, judged []JudgedSample) error,
) (out ImportedSamples, err error) {
	if len(given.Rows) == 0 || len(given.Rows) > MaxSampleRows {
		return out, fault.Field("file", fmt.Sprintf("A file has 1 to %d rows; this has %d.", MaxSampleRows, len(given.Rows)))
	}
	labtable.Repeats(given.Rows, options.Mean)
	out.Columns = given.Columns
	mode := batch.Mode{Preview: options.Preview, Atomic: options.Atomic}
	out.Rows, err = batches.Judge(ctx, s.Store, mode, "rows", func(ctx context.Context, tx ports.Repos) ([]JudgedSample, error) {
		judged, err := s.settle(ctx, tx, who, given.Rows)
		if err == nil {
			err = also(ctx, tx, judged)
		}
		return judged, err
	})
	failed := func(j JudgedSample) bool { return j.Verdict == SampleFail }
	if err == nil && !options.Preview && !slices.ContainsFunc(out.Rows, func(j JudgedSample) bool { return !failed(j) }) {
		err = batch.Refusal(out.Rows, "rows")
	}
	return out, err
}

// settle judges rows and stores those that are sound.
func (s *Samples) settle(ctx context.Context, tx ports.Repos, who access.Principal, rows []labtable.Row) ([]JudgedSample, error) {
	found, err := tx.SoilSamples.ByLabels(ctx, who.Scope(false), list.Map(rows, func(r labtable.Row) string { return r.Label }))
	if err != nil {
		return nil, err
	}
	out := make([]JudgedSample, len(rows))
	var changes []farmapp.Change[sample.Sample]
	var of []int // the row of each change
	for i, r := range rows {
		current, ok := found[r.Label]
		j := JudgedSample{
			Index: int64(i), Label: r.Label, Verdict: SampleFail, SampleID: current.ID, Status: current.Status,
			Errors: fault.Fields{}, Remarks: slices.Clone(r.Remarks), // the transaction may run again
		}
		j.Errors.Merge(r.Errors)
		switch {
		case !ok && r.Label != "":
			j.Errors.Addf("label", "No sample of your company has the label %q.", r.Label)
		case len(j.Errors) > 0:
		case r.Instead >= 0:
			j.Verdict = SampleSkip
		default:
			after, remarks, wrong := r.Apply(current)
			j.Remarks, j.Errors = append(j.Remarks, remarks...), wrong
			after.Normalise()
			if c := after.Collected; c != nil && current.Collected != nil {
				c.Zone = current.Collected.Zone // found anew where the sample changes
			}
			switch {
			case len(wrong) > 0:
			case reflect.DeepEqual(current, after):
				j.Verdict = SampleSkip
			default:
				j.Verdict = SampleUpdate
				changes, of = append(changes, farmapp.Change[sample.Sample]{Before: &current, After: after}), append(of, i)
			}
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
	followFirst(rows, out)
	return out, nil
}

// followFirst has rows that another stands for fare as that one does.
func followFirst(rows []labtable.Row, judged []JudgedSample) {
	for i, r := range rows {
		j := &judged[i]
		if r.Instead < 0 || j.Verdict == SampleFail {
			continue
		}
		first := judged[r.Instead]
		if j.Status = first.Status; first.Verdict == SampleFail {
			j.Verdict, j.Errors = SampleFail, first.Errors
		}
	}
}
