package exchange

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/exchange/internal/delimited"
	"tilth/core/fault"
)

// row is one line of a table, by the names of its columns in lower case. It keeps the first error in
// reading it.
type row struct {
	cells map[string]string
	lines *delimited.Reader
	err   error
}

// readTable calls line for every line of a CSV file with a header. Its columns may be in any order,
// and the required ones must exist. A fault in a line names the line. Faults: Invalid.
func readTable(r io.Reader, required []string, line func(*row) error) error {
	lines, head, err := delimited.Open(r, "file")
	if err != nil {
		return err
	}
	for i, name := range head {
		head[i] = strings.ToLower(name)
	}
	for _, name := range required {
		if !slices.Contains(head, name) {
			return fault.Field("file", "The header has no column "+name+".")
		}
	}
	return lines.Each(func(values []string) error {
		got := &row{cells: map[string]string{}, lines: lines}
		for i, name := range head {
			got.cells[name] = delimited.Unguarded(strings.TrimSpace(values[i]))
		}
		err := line(got)
		if err = cmp.Or(got.err, err); err != nil {
			return fault.Field("file", fmt.Sprintf("Line %d: %v.", lines.At(0), err))
		}
		return nil
	})
}

// get returns the text of a column; empty where there is no such column.
func (r *row) get(column string) string { return r.cells[column] }

// text reads a text that may not be empty.
func (r *row) text(column string) string {
	if r.get(column) == "" {
		r.err = cmp.Or(r.err, fmt.Errorf("%s is empty", column))
	}
	return r.get(column)
}

// parsed reads a value; what names its kind.
func parsed[T any](r *row, column, what string, parse func(string) (T, error)) T {
	v, err := parse(r.get(column))
	if err != nil {
		r.err = cmp.Or(r.err, fmt.Errorf("%s is not a %s: %q", column, what, r.get(column)))
	}
	return v
}

func (r *row) number(column string) float64 { return parsed(r, column, "number", r.lines.Number) }

// optional reads a number that may be left empty, and then is 0.
func (r *row) optional(column string) float64 {
	if r.get(column) == "" {
		return 0
	}
	return r.number(column)
}

func (r *row) integer(column string) int { return parsed(r, column, "whole number", strconv.Atoi) }

func (r *row) date(column string) time.Time {
	return parsed(r, column, "date such as 2025-04-30", func(text string) (time.Time, error) { return time.Parse(time.DateOnly, text) })
}
