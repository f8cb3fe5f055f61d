package exchange

import (
	"encoding/csv"
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

// row is one line of a table, by the names of its columns.
type row map[string]string

// readTable calls line for every line of a CSV file with a header, its columns in any order,
// of which the required ones are there. It says which line is wrong. Faults: Invalid.
func readTable(r io.Reader, required []string, line func(row) error) error {
	lines := csv.NewReader(r)
	head, err := lines.Read()
	if err != nil {
		return fault.Field("file", "This is no CSV file with a header: "+err.Error())
	}
	for i, name := range head {
		head[i] = strings.TrimSpace(strings.TrimPrefix(name, "\uFEFF"))
	}
	for _, name := range required {
		if !slices.Contains(head, name) {
			return fault.Field("file", "The column "+name+" is missing.")
		}
	}
	for {
		values, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault.Field("file", err.Error())
		}
		got := row{}
		for i, name := range head {
			got[name] = strings.TrimSpace(values[i])
		}
		if err := line(got); err != nil {
			at, _ := lines.FieldPos(0)
			return fault.Field("file", fmt.Sprintf("Line %d: %v.", at, err))
		}
	}
}

func (r row) text(column string) (string, error) {
	if r[column] == "" {
		return "", fmt.Errorf("%s is empty", column)
	}
	return r[column], nil
}

func (r row) number(column string) (float64, error) {
	v, err := strconv.ParseFloat(r[column], 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s is no number: %q", column, r[column])
	}
	return v, nil
}

// optional reads a number that may be left empty, and then is 0.
func (r row) optional(column string) (float64, error) {
	if r[column] == "" {
		return 0, nil
	}
	return r.number(column)
}

func (r row) integer(column string) (int, error) {
	v, err := strconv.Atoi(r[column])
	if err != nil {
		return 0, fmt.Errorf("%s is no whole number: %q", column, r[column])
	}
	return v, nil
}

func (r row) date(column string) (time.Time, error) {
	d, err := time.Parse(time.DateOnly, r[column])
	if err != nil {
		return d, fmt.Errorf("%s is no date such as 2025-04-30: %q", column, r[column])
	}
	return d, nil
}
