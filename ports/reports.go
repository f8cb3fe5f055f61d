package ports

import (
	"io"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/ghg"
)

// ImpactDocument is an impact report with what it is about.
type ImpactDocument struct {
	Report      ghg.Report
	Subject     assessment.Subject
	SubmittedBy *access.Named // of a version; nil where the user is gone
}

// ImpactSheets writes reports as tables.
type ImpactSheets interface {
	// ImpactSheet writes the totals, the lines and the trace of a report as CSV (RFC 4180),
	// safe to be opened in a spreadsheet.
	ImpactSheet(w io.Writer, doc ImpactDocument) error
}

// Documents prints for people to hand on.
type Documents interface {
	// PrintImpact writes a report as PDF. The same report gives the same bytes.
	PrintImpact(w io.Writer, doc ImpactDocument) error
}
