package farm

import (
	"time"

	"tilth/core/batch"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
)

// Judged is a feature of a file with the import's verdict on it.
type Judged struct {
	Index      int64 // in the file, from 0
	Line       int64 // in the table, as a spreadsheet numbers it; 0: the file is not a table
	Verdict    batch.Outcome
	FieldID    int64       // the field created, changed or matched; 0: none
	Farm       Destination // zero where what the file says about it is refused, and in failures read from storage
	Name       string
	ExternalID string
	Outline    geo.MultiPolygon // as in the file, even where it is refused; only of imports within the request
	AreaM2     int64            // 0 without a boundary
	Overlaps   Overlaps
	Field      *Field // the record as it would stand; nil where it failed
	Sown       Sown
	Applied    []Applied
	Errors     fault.Fields // why it is skipped or failed
}

// Sown is what an import found growing on a field in a season. The zero value is nothing.
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
	Mapping Mapping // what is taken from the file; in a batch, with the defaults filled in
	Preview bool    // judge, and store nothing
	Atomic  bool    // one bad feature refuses all

	MakesFarms bool // the caller may create the farms that the mapping names

	Operator bool  // the caller is an operator acting inside the company
	KeyID    int64 // the API key that was presented; 0: a token
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
