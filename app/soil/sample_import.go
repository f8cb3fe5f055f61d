package soil

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

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

// MaxSampleRows bounds the number of rows of an import.
const MaxSampleRows = 10_000

// The verdicts of rows.
const (
	SampleUpdate = "update"
	SampleSkip   = "skip" // the row contains nothing new
	SampleFail   = "fail"
)

// JudgedSample is the outcome for a row.
type JudgedSample struct {
	Index    int64
	Line     int64 // in the table, by a spreadsheet's numbering; 0: none
	Label    string
	Verdict  string
	SampleID int64 // 0: none
	Status   sample.Status
	Errors   fault.Fields
	Remarks  []string // what a rule made of the row
}

// Judgement implements batch.Judged.
func (j JudgedSample) Judgement() (batch.Outcome, fault.Fields) {
	return batch.Outcome(j.Verdict), j.Errors
}

// SampleImportOptions define how an import is done.
type SampleImportOptions struct {
	Preview     bool     // store nothing
	Sheet       string   // of a workbook; empty: the first
	Atomic      bool     // one row that fails refuses all rows
	Mean        bool     // take the mean of rows with the same label; otherwise they are refused if they differ
	SOCLimitPct *float64 // for results below a limit that the table does not state
	// Ignore receives the errors about unknown columns, which are then skipped; nil: the columns are refused.
	Ignore func(unknown fault.Fields)
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

// Background returns false: an import of samples ends within its request.
func (ImportedSamples) Background() bool { return false }

// Import changes samples by their labels. A preview is the import itself, rolled back. rows is called once it is clear
// that the caller may import. Faults: those of rows; Invalid for too many rows, and (bulk_validation_failed), with the
// errors by row index, for an atomic import with a row that fails, and if all fail.
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
	if unknown := labtable.Unknown(given.Columns); options.Ignore != nil {
		options.Ignore(unknown)
	} else if err := unknown.Err(); err != nil {
		return out, err
	}
	return s.take(ctx, who, options, given, func(context.Context, ports.Repos, []JudgedSample) error { return nil })
}

// take judges the rows of a table, and stores the sound ones; also does what else belongs to them, in the same transaction.
func (s *Samples) take(ctx context.Context, who access.Principal, options SampleImportOptions, given labtable.Table,
	also func(ctx context.Context, tx ports.Repos, judged []JudgedSample) error,
) (out ImportedSamples, err error) {
	if len(given.Rows) == 0 || len(given.Rows) > MaxSampleRows {
		return out, fault.Field("file", fmt.Sprintf("A file must have 1 to %d rows; this one has %d.", MaxSampleRows, len(given.Rows)))
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

// settle judges rows and stores the sound ones.
func (s *Samples) settle(ctx context.Context, tx ports.Repos, who access.Principal, rows []labtable.Row) ([]JudgedSample, error) {
	found, err := tx.SoilSamples.ByLabels(ctx, who.Scope(false), list.Map(rows, func(r labtable.Row) string { return r.Label }))
	if err != nil {
		return nil, err
	}
	pooled, err := tx.SoilSamples.ByComposites(ctx, who.Scope(false), list.Map(rows, func(r labtable.Row) string { return r.Label }))
	if err != nil {
		return nil, err
	}
	out := make([]JudgedSample, len(rows))
	var changes []farmapp.Change[sample.Sample]
	var of []int // the row of each change
	for i, r := range rows {
		current, ok := found[r.Label]
		members := []sample.Sample{current}
		if !ok && len(pooled[r.Label]) > 0 {
			members, ok = pooledInto(pooled[r.Label]), true
			current = members[0]
		}
		j := JudgedSample{
			Index: int64(i), Line: r.Line, Label: r.Label, Verdict: SampleFail, SampleID: current.ID, Status: current.Status,
			Errors: fault.Fields{}, Remarks: slices.Clone(r.Remarks), // cloned because the transaction may run again
		}
		j.Errors.Merge(r.Errors)
		if ok {
			j.Errors.Merge(r.Pooling(members))
		}
		switch {
		case !ok && r.Label != "":
			j.Errors.Addf("label", "No sample of your company has the label %q.", r.Label)
		case len(j.Errors) > 0:
		case r.Instead >= 0:
			j.Verdict = SampleSkip
		default:
			for _, change := range j.apply(r, members) {
				changes, of = append(changes, change), append(of, i)
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
		if j.Verdict == SampleFail {
			continue // as when another sample of the composite failed
		}
		if j.Status = change.Record.Status; len(change.Errors) > 0 {
			j.Verdict, j.Errors, j.Status = SampleFail, change.Errors, changes[i].Before.Status
		}
	}
	followFirst(rows, out)
	return out, nil
}

// pooledInto returns the samples whose soil is in a composite: those that were not missed, or else the first.
func pooledInto(samples []sample.Sample) []sample.Sample {
	taken := slices.DeleteFunc(slices.Clone(samples), func(s sample.Sample) bool { return s.Status == sample.StatusMissed })
	if len(taken) == 0 {
		return samples[:1]
	}
	return taken
}

// apply judges a readable row by the samples that it refers to, and returns their changes.
func (j *JudgedSample) apply(r labtable.Row, members []sample.Sample) []farmapp.Change[sample.Sample] {
	var changes []farmapp.Change[sample.Sample]
	if members[0].Label != r.Label {
		j.Remarks = append(j.Remarks, fmt.Sprintf("It is the composite of %d samples: %s.", len(members),
			strings.Join(list.Map(members, func(s sample.Sample) string { return s.Point }), ", ")))
	}
	for i, current := range members {
		after, remarks, wrong := r.Apply(current)
		if i == 0 {
			j.Remarks = append(j.Remarks, remarks...)
		}
		if len(wrong) > 0 {
			j.Errors = wrong
			return nil
		}
		after.Normalise()
		if c := after.Collected; c != nil && current.Collected != nil {
			c.Zone = current.Collected.Zone // determined anew if the sample changes
		}
		if !reflect.DeepEqual(current, after) {
			changes = append(changes, farmapp.Change[sample.Sample]{Before: &current, After: after})
		}
	}
	if j.Verdict = SampleUpdate; len(changes) == 0 {
		j.Verdict = SampleSkip
	}
	return changes
}

// followFirst assigns to rows that another row stands for the outcome of that row.
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
