package ports

import (
	"context"
	"io"
	"iter"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/batch"
)

// EnteredAssessment is an assessment with what is entered in its sections.
type EnteredAssessment struct {
	assessment.Assessment
	Sheet assessment.Sheet
}

// Resource is a farm or field, seen from an assessment of it.
type Resource struct {
	ID         int64
	Name       string
	ExternalID string
}

// ResourceKey is how a farm or field is named.
type ResourceKey string

// The keys of farms and fields. A name is compared whatever its case.
const (
	ByID         ResourceKey = "id" // in decimal
	ByExternalID ResourceKey = "external_id"
	ByName       ResourceKey = "name"
)

// Batches are the batches of a company that run in the background.
type Batches interface {
	// Insert stores a batch and fills in its id.
	Insert(ctx context.Context, scope access.Scope, batch *assessment.Batch) error
	// Get returns a batch of a kind. Faults: NotFound.
	Get(ctx context.Context, scope access.Scope, kind batch.Kind, id int64) (assessment.Batch, error)
	// GetForUpdate returns a batch and locks it until the transaction ends. Faults: NotFound.
	GetForUpdate(ctx context.Context, scope access.Scope, kind batch.Kind, id int64) (assessment.Batch, error)
	// Update stores a batch read by GetForUpdate.
	Update(ctx context.Context, scope access.Scope, batch assessment.Batch) error
	// AddNotes keeps notes to be reported about a batch; those that are kept already stay.
	AddNotes(ctx context.Context, scope access.Scope, batch assessment.Batch, notes []assessment.Judged) error
	// DropNotes forgets the notes of a pass that begins again.
	DropNotes(ctx context.Context, scope access.Scope, batch assessment.Batch) error
	// Notes returns the kept notes, in order.
	Notes(ctx context.Context, scope access.Scope, batch assessment.Batch, limit int64) ([]assessment.Judged, error)
}

// TableLine is a line of a table below its heading.
type TableLine struct {
	Number int64 // as a spreadsheet shows it
	Texts  []string
}

// AssessmentTables reads and writes the tables of assessments that people edit in a spreadsheet: CSV (RFC 4180), or a
// workbook; sheet is the name of one of its sheets, empty for the first. In CSV a text that a spreadsheet would take
// for a formula is written with a leading apostrophe, which is removed again when it is read.
type AssessmentTables interface {
	// Heading returns the first line of a file. Faults: Invalid with "file", and "sheet" where there is none of that name.
	Heading(file Object, sheet string) ([]string, error)
	// Rows returns the other lines that are not blank, a text for every column. Faults: Invalid with "file" and the line.
	Rows(file Object, sheet string) iter.Seq2[TableLine, error]
	// Write writes a line for each row, the heading first.
	Write(w io.Writer, format string, heading []string, rows iter.Seq2[[]string, error]) error
}
