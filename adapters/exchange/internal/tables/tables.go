// Package tables reads the tables that people have: files of comma-separated values, and sheets of workbooks.
package tables

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"tilth/adapters/exchange/internal/delimited"
	"tilth/adapters/exchange/internal/workbook"
	"tilth/core/fault"
	"tilth/ports"
)

// Reader reads the lines of a table below its heading.
type Reader struct {
	csv  *delimited.Reader // nil: of a sheet
	rows *workbook.Rows
}

// Open reads the heading of a table. Workbooks are distinguished from CSV by how they begin; sheet names one of their sheets,
// the first where it is empty.
//
// Faults: Invalid with "file", and with "sheet" where there is none of that name.
func Open(file ports.Object, sheet string) (*Reader, []string, error) {
	head := make([]byte, 8)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("PK")):
		rows, heading, err := workbook.Open(file, sheet)
		return &Reader{rows: rows}, heading, err
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0")):
		return nil, nil, fault.Field("file", "The workbook is of an older kind (.xls), or a password locks it. Fix: save it as .xlsx without a password.")
	case sheet != "":
		return nil, nil, fault.Field("sheet", "The file is not a workbook, and has no sheets. Fix: leave sheet out, or send a file that ends in .xlsx.")
	}
	lines, heading, err := delimited.Open(io.NewSectionReader(file, 0, file.Size()), "file")
	return &Reader{csv: lines}, heading, err
}

// Read returns the next line, which is valid until the one after it is read; [io.EOF] at the end. Rows of a sheet without any
// text are skipped.
func (r *Reader) Read() ([]string, error) {
	if r.csv != nil {
		return r.csv.Read()
	}
	return r.rows.Read()
}

// Each calls take with every further line, which is valid until the next one.
func (r *Reader) Each(take func(line []string) error) error { return delimited.Each(r.Read, take) }

// Place names a value of the line read last, to begin a sentence.
func (r *Reader) Place(column int) string {
	if r.csv != nil {
		return fmt.Sprintf("Line %d", r.csv.At(column))
	}
	return r.rows.Place(column)
}

// Line returns the number of the line read last as a spreadsheet shows it: the heading of a table is usually 1.
func (r *Reader) Line() int64 {
	if r.csv != nil {
		return int64(r.csv.At(0))
	}
	return int64(r.rows.Number())
}

// Guarded reports whether texts that look like formulas have an apostrophe before them: a workbook has text cells instead.
func (r *Reader) Guarded() bool { return r.csv != nil }

// Text returns a text as it was before it was guarded against spreadsheets.
func (r *Reader) Text(text string) string {
	if r.Guarded() {
		return delimited.Unguarded(text)
	}
	return text
}

// AnyWidth lets lines have more or fewer columns than the first; those of sheets always have as many.
func (r *Reader) AnyWidth() {
	if r.csv != nil {
		r.csv.AnyWidth()
	}
}

// CommaIsFree reports whether no comma separates the columns, so that one may separate decimals.
func (r *Reader) CommaIsFree() bool { return r.csv == nil || r.csv.CommaIsFree() }

// Close releases what the reading took.
func (r *Reader) Close() error {
	if r == nil || r.rows == nil {
		return nil
	}
	return r.rows.Close()
}
