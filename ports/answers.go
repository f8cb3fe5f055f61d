package ports

import (
	"context"
	"io"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/cropcheck"
	"tilth/core/vegetation"
)

// Derivations are the series of active orders for other indices than their own.
type Derivations interface {
	// Derivation returns that of an order for an index; ok is false where none was asked for.
	Derivation(ctx context.Context, scope access.Scope, orderID int64, index vegetation.IndexCode) (d vegetation.Derivation, ok bool, err error)
	// PutDerivation stores one. Faults: NotFound for an order that may not be written.
	PutDerivation(ctx context.Context, scope access.Scope, d vegetation.Derivation) error
}

// Statements are what a statement of a wallet is made of.
type Statements interface {
	// At returns the wallet as the transactions before a time left it; the zero time is the beginning.
	At(ctx context.Context, scope access.Scope, before time.Time) (credit.Wallet, error)
	// Between streams the transactions in [from, to), oldest first.
	Between(ctx context.Context, scope access.Scope, from, to time.Time) iter.Seq2[credit.Transaction, error]
}

// SeriesChart is a series as it is drawn.
type SeriesChart struct {
	Title    string // above the picture; empty: the index and the span of days
	Note     string // stands where the points would, if there are none
	Series   vegetation.Series
	From, To time.Time // the season: civil dates, both inclusive
}

// The formats of a drawn series.
const (
	SVG = "svg"
	PNG = "png"
)

// Charts draws.
type Charts interface {
	// DrawSeries draws a series as SVG or PNG.
	DrawSeries(w io.Writer, format string, chart SeriesChart) error
}

// Sheets writes tables as CSV (RFC 4180), safe to be opened in a spreadsheet.
type Sheets interface {
	// SeriesSheet writes a series, a line a date.
	SeriesSheet(w io.Writer, series vegetation.Series) error
	// StatementSheet writes a statement of a wallet: what it opens with, its lines, and what
	// it closes with.
	StatementSheet(w io.Writer, opening credit.Wallet, lines iter.Seq2[credit.StatementLine, error]) error
}

// OperatorEntry is a change of the installation as a whole, made on the operator's command
// line: of what belongs to no company.
type OperatorEntry struct {
	ID       int64
	At       time.Time
	Action   audit.Action
	Resource string // "price", "crop", "curves", "signing_key"
	Record   string // its name
	Changes  []audit.Change
}

// OperatorTrail is the trail of the operator. It is append-only.
type OperatorTrail interface {
	Add(ctx context.Context, entry OperatorEntry) error
	// Each streams the entries, newest first; at most limit where that is not 0.
	Each(ctx context.Context, limit int64) iter.Seq2[OperatorEntry, error]
}

// CurveSets are the imported versions of the reference curves. They are append-only.
type CurveSets interface {
	// Add stores a version. Faults: Conflict (curves_exist) when the region has it already.
	Add(ctx context.Context, edition cropcheck.Edition) error
	// Newest returns the newest version of each region that has any, in the order of regions.
	Newest(ctx context.Context) ([]cropcheck.Edition, error)
}

// BuiltInCurves are the reference curves that the program comes with.
type BuiltInCurves interface {
	BuiltIn() (cropcheck.Set, error)
}
