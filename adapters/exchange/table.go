package exchange

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/core/fault"
)

// row is one line of a table, by the names of its columns in lower case.
type row struct {
	cells map[string]string
	lines *csvLines
}

// readTable calls line for every line of a CSV file with a header, its columns in any order,
// of which the required ones are there. It says which line is wrong. Faults: Invalid.
func readTable(r io.Reader, required []string, line func(row) error) error {
	lines, err := openLines(r, "file")
	if err != nil {
		return err
	}
	head, err := lines.header()
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
	for {
		values, err := lines.read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		got := row{map[string]string{}, lines}
		for i, name := range head {
			got.cells[name] = unguarded(strings.TrimSpace(values[i]))
		}
		if err := line(got); err != nil {
			return fault.Field("file", fmt.Sprintf("Line %d: %v.", lines.at(0), err))
		}
	}
}

// get returns the text of a column; empty where there is no such column.
func (r row) get(column string) string { return r.cells[column] }

func (r row) text(column string) (string, error) {
	if r.get(column) == "" {
		return "", fmt.Errorf("%s is empty", column)
	}
	return r.get(column), nil
}

func (r row) number(column string) (float64, error) {
	v, err := r.lines.number(r.get(column))
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s is no number: %q", column, r.get(column))
	}
	return v, nil
}

// optional reads a number that may be left empty, and then is 0.
func (r row) optional(column string) (float64, error) {
	if r.get(column) == "" {
		return 0, nil
	}
	return r.number(column)
}

func (r row) integer(column string) (int, error) {
	v, err := strconv.Atoi(r.get(column))
	if err != nil {
		return 0, fmt.Errorf("%s is no whole number: %q", column, r.get(column))
	}
	return v, nil
}

func (r row) date(column string) (time.Time, error) {
	d, err := time.Parse(time.DateOnly, r.get(column))
	if err != nil {
		return d, fmt.Errorf("%s is no date such as 2025-04-30: %q", column, r.get(column))
	}
	return d, nil
}
