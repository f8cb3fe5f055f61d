package farm

import (
	"time"

	"tilth/core/fault"
	"tilth/core/record"
)

// ImportStatus is the state of an import in the background.
type ImportStatus string

// The states of an import: queued, then running, then one of the last two.
const (
	ImportQueued    ImportStatus = "queued"
	ImportRunning   ImportStatus = "running"
	ImportCompleted ImportStatus = "completed"
	ImportFailed    ImportStatus = "failed" // aborted, or refused as a whole; Reason says why
)

// ImportStatuses are the states, in order.
var ImportStatuses = []ImportStatus{ImportQueued, ImportRunning, ImportCompleted, ImportFailed}

// Verdict is what an import does with a feature.
type Verdict string

// The verdicts.
const (
	VerdictCreate Verdict = "create"
	VerdictUpdate Verdict = "update"
	VerdictSkip   Verdict = "skip" // nothing to do: the field is the same already, or the feature has no outline
	VerdictFail   Verdict = "fail" // the feature is refused; its errors say why
)

// Verdicts are the verdicts, in order.
var Verdicts = []Verdict{VerdictCreate, VerdictUpdate, VerdictSkip, VerdictFail}

// Judged is a feature of a file with the import's verdict.
type Judged struct {
	Index      int64 // in the file, from 0
	Verdict    Verdict
	FieldID    int64 // the field created, changed or matched; 0: none
	Name       string
	ExternalID string
	AreaM2     int64 // 0 without a boundary
	Overlaps   []record.Ref
	Field      *Field       // the record as it would stand; nil where it failed
	Errors     fault.Fields // why it is skipped or failed
}

// Tally counts verdicts.
type Tally struct{ Created, Updated, Skipped, Failed int64 }

// Count adds a verdict.
func (t *Tally) Count(v Verdict) {
	switch v {
	case VerdictCreate:
		t.Created++
	case VerdictUpdate:
		t.Updated++
	case VerdictSkip:
		t.Skipped++
	default:
		t.Failed++
	}
}

// ImportOptions is the caller's request.
type ImportOptions struct {
	FarmID             int64
	NameProperty       string // default "name"
	ExternalIDProperty string // empty: every feature creates a field
	Preview            bool   // judge, and store nothing
	Atomic             bool   // one bad feature refuses all
}

// Import is an import that runs in the background. Its progress is stored together with the fields
// it creates, so that an interrupted import continues where it stopped.
type Import struct {
	ID        int64
	CompanyID int64
	CreatedBy record.Ref
	CreatedAt time.Time
	UpdatedAt time.Time
	ImportOptions
	Object string // where the file lies
	Media  string // its content type, as sent; may be empty
	Status ImportStatus
	Reason string // of a failure
	// Checking is the first of the two passes of an atomic import: every feature is judged before
	// the first is stored. A preview has only this pass.
	Checking bool
	Total    int64 // features in the file
	Done     int64 // features judged in this pass
	Tally
}

// NewImport returns a queued import of a file.
func NewImport(options ImportOptions, by record.Ref, object, media string, total int64, now time.Time) Import {
	return Import{
		CreatedBy: by, CreatedAt: now, UpdatedAt: now, ImportOptions: options, Object: object, Media: media,
		Status: ImportQueued, Checking: options.Preview || options.Atomic, Total: total,
	}
}

// Open reports whether there is still something to do.
func (i *Import) Open() bool { return i.Status == ImportQueued || i.Status == ImportRunning }

// Advance records a batch of judged features.
func (i *Import) Advance(judged []Judged, now time.Time) {
	i.Status, i.UpdatedAt = ImportRunning, now
	i.Done += int64(len(judged))
	for _, j := range judged {
		i.Count(j.Verdict)
	}
}

// EndPass follows the last feature of a pass: it starts the second pass of an atomic import whose
// features are all valid, and ends every other. again reports a second pass.
func (i *Import) EndPass(now time.Time) (again bool) {
	switch {
	case i.Checking && i.Atomic && !i.Preview && i.Failed > 0:
		i.Fail("Features are not valid, and the import was to take all or none: nothing was stored.", now)
	case i.Checking && !i.Preview:
		i.Checking, i.Done, i.Tally, i.UpdatedAt = false, 0, Tally{}, now
		return true
	default:
		i.Status, i.UpdatedAt = ImportCompleted, now
	}
	return false
}

// Fail ends the import. What it stored before stays.
func (i *Import) Fail(reason string, now time.Time) {
	i.Status, i.Reason, i.UpdatedAt = ImportFailed, reason, now
}
