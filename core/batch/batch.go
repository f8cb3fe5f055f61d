// Package batch holds the state of processing many things of a company at once, within a request or
// in the background: the features of a file, the rows of a table, the assessments of a selection.
// What is done with each is up to its product.
package batch

import (
	"fmt"
	"maps"
	"time"

	"tilth/core/fault"
	"tilth/core/record"
)

// Kind names what a batch does, in the terms of its product.
type Kind string

// Status is the progress of a batch.
type Status string

// The states of a batch: queued, then running, then one of the last two.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed" // aborted, or refused as a whole; Reason says why
)

// Outcome is what a batch does with one of its items.
type Outcome string

// The outcomes of imports and copies, and those of submissions.
const (
	Create Outcome = "create"
	Update Outcome = "update"
	Skip   Outcome = "skip" // nothing to do
	Fail   Outcome = "fail"

	Submitted Outcome = "submitted"
	Unchanged Outcome = "unchanged" // the same was submitted before
	Refused   Outcome = "refused"
)

// Judged is one item of a batch, with its outcome.
type Judged interface {
	// Judgement returns the outcome, and the errors where it failed.
	Judgement() (Outcome, fault.Fields)
}

// Mode is how a batch is processed.
type Mode struct {
	Preview bool // judge, and store nothing
	Atomic  bool // one failure refuses all
}

// Options is what a caller asks of a batch.
type Options interface{ Mode() Mode }

// Batch is the processing of many items at once. Its progress is stored together with what it
// writes, so that an interrupted batch continues where it stopped.
type Batch[O Options, J Judged] struct {
	ID        int64
	CompanyID int64
	CreatedBy record.Ref
	CreatedAt time.Time
	UpdatedAt time.Time
	Kind      Kind
	Options   O
	Object    string // where the file of an import is stored
	Media     string // its content type, as it was sent; may be empty
	Status    Status
	Reason    string // of a failure
	// Checking is the first of the two passes of an atomic batch, and the only one of a
	// preview: everything is judged and nothing stored.
	Checking bool
	Total    int64
	Done     int64 // judged in this pass
	After    int64 // the last record of a selection that was judged
	Tally    map[Outcome]int64
}

// New returns a batch that waits to be processed.
func New[O Options, J Judged](options O, by record.Ref, total int64, now time.Time) Batch[O, J] {
	mode := options.Mode()
	return Batch[O, J]{
		CreatedBy: by, CreatedAt: now, UpdatedAt: now, Options: options, Status: Queued,
		Checking: mode.Preview || mode.Atomic, Total: total, Tally: map[Outcome]int64{},
	}
}

// Open reports whether there is still something to do.
func (b *Batch[O, J]) Open() bool { return b.Status == Queued || b.Status == Running }

// Failures counts what was refused.
func (b *Batch[O, J]) Failures() int64 { return b.Tally[Fail] + b.Tally[Refused] }

// Advance records a judged piece; after is the last record of the selection in it.
func (b *Batch[O, J]) Advance(judged []J, after int64, now time.Time) {
	b.Status, b.UpdatedAt, b.After = Running, now, after
	b.Done += int64(len(judged))
	b.Tally = maps.Clone(b.Tally) // a transaction may be run again
	if b.Tally == nil {
		b.Tally = map[Outcome]int64{}
	}
	for _, j := range judged {
		outcome, _ := j.Judgement()
		b.Tally[outcome]++
	}
}

// EndPass is called when everything is judged: it starts the second pass of an atomic batch without
// failures, and otherwise ends the batch.
func (b *Batch[O, J]) EndPass(now time.Time) {
	switch mode := b.Options.Mode(); {
	case b.Checking && mode.Atomic && !mode.Preview && b.Failures() > 0:
		b.Fail(fmt.Sprintf("%d of %d are not valid, and the import was to store all or none: nothing was stored.", b.Failures(), b.Total), now)
	case b.Checking && !mode.Preview:
		b.Checking = false
		b.Restart(now)
	default:
		b.Status, b.UpdatedAt = Completed, now
	}
}

// Restart begins the pass again.
func (b *Batch[O, J]) Restart(now time.Time) {
	b.Done, b.After, b.Tally, b.UpdatedAt = 0, 0, map[Outcome]int64{}, now
}

// Fail aborts the batch. What was stored before stays.
func (b *Batch[O, J]) Fail(reason string, now time.Time) {
	b.Status, b.Reason, b.UpdatedAt = Failed, reason, now
}

// Report is a batch with the outcomes of its items: of all of them for a batch within a request, of
// those with problems for one in the background.
type Report[O Options, J Judged] struct {
	Batch[O, J]
	Judged []J
}

// Background reports whether the batch continues after the answer.
func (r Report[O, J]) Background() bool { return r.ID != 0 }

// Refusal returns the errors of all items that fail, by their position; nil where none does. The
// noun names the items: rows.
func Refusal[J Judged](judged []J, noun string) error {
	errs := make([]fault.Fields, len(judged))
	for i, j := range judged {
		if outcome, wrong := j.Judgement(); outcome == Fail {
			errs[i] = wrong
		}
	}
	return Refuse(errs, noun)
}

// Refuse is Refusal for items whose errors are given; sound items have none.
func Refuse(errs []fault.Fields, noun string) error {
	byPlace := fault.Fields{}
	for i, wrong := range errs {
		byPlace.Nest(fmt.Sprint(i), wrong)
	}
	if len(byPlace) == 0 {
		return nil
	}
	refused := fault.Newf(fault.Invalid, "bulk_validation_failed", "%d of %d %s are not valid; nothing was stored.", len(byPlace), len(errs), noun)
	refused.Fields = byPlace
	return refused.Naming()
}
