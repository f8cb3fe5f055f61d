package farm

import (
	"time"

	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
)

// Judged is a feature of a file with what the import makes of it.
type Judged struct {
	Index      int64 // in the file, from 0
	Line       int64 // in the table, as a spreadsheet numbers it; 0: the file is none
	Verdict    batch.Outcome
	FieldID    int64       // the field made, changed or matched; 0: none
	Farm       Destination // zero where what the file says of it is refused, and of those that were kept
	Name       string
	ExternalID string
	Outline    geo.MultiPolygon // as the file has it, also where it is refused; of imports within the request alone
	AreaM2     int64            // 0 without a boundary
	Overlaps   Overlaps
	Field      *Field // the record as it would stand; nil where it failed
	Sown       Sown
	Applied    []Applied
	Errors     fault.Fields // why it is skipped or failed
}

// Sown is what an import found to grow on a field in a season. The zero value is nothing.
type Sown struct {
	CultivationID int64 // 0: it would be made
	Crop          record.Ref
	SeasonID      int64
	Made          bool
}

// Judgement implements batch.Judged.
func (j Judged) Judgement() (batch.Outcome, fault.Fields) { return j.Verdict, j.Errors }

// ImportOptions is the caller's request.
type ImportOptions struct {
	FarmID  int64
	Mapping Mapping // what is taken from the file; of a batch, with the defaults
	Preview bool    // judge, and store nothing
	Atomic  bool    // one bad feature refuses all

	MakesFarms bool // who asked may make the farms that the mapping names

	Operator bool  // who asked is an operator inside the company
	KeyID    int64 // the API key that was shown; 0: a token
}

// Mode implements batch.Options.
func (o ImportOptions) Mode() batch.Mode { return batch.Mode{Preview: o.Preview, Atomic: o.Atomic} }

// Import is an import of the features of a file.
type Import = batch.Batch[ImportOptions, Judged]

// NewImport returns an import of a file that waits for a worker.
func NewImport(options ImportOptions, by record.Ref, object, media string, total int64, now time.Time) Import {
	b := batch.New[ImportOptions, Judged](options, by, total, now)
	b.Object, b.Media = object, media
	return b
}
