package exchange

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/exchange/internal/delimited"
	"tilth/adapters/exchange/internal/workbook"
	"tilth/core/credit"
	"tilth/ports"
)

// table is written a line at a time, as CSV or as a sheet of a workbook.
type table interface {
	// line writes a value for each column. Its error only serves to stop early.
	line(values ...any) error
	// end returns the first error of all that was written.
	end() error
}

// newTable begins a table in a format; title names the sheet of a workbook. Faults: Limit, before anything is written.
func newTable(w io.Writer, format, title string, columns []string) (table, error) {
	if format == ports.XLSX {
		out, err := workbook.New(w, title, columns)
		return workbookTable{out}, err
	}
	return newSheet(w, columns), nil
}

// sheet writes a table as CSV (RFC 4180): a comma between columns, a point before decimals.
type sheet struct{ csv *csv.Writer }

func newSheet(w io.Writer, columns []string) sheet {
	s := sheet{csv.NewWriter(w)}
	_ = s.csv.Write(columns) // end returns the first error
	return s
}

// line writes values as [cell] does.
func (s sheet) line(values ...any) error {
	row := make([]string, len(values))
	for i, value := range values {
		row[i] = cell(value)
	}
	return s.csv.Write(row)
}

func (s sheet) end() error {
	s.csv.Flush()
	return s.csv.Error()
}

// day is a civil date of a table: 2025-04-30, and a date in workbooks.
type day = workbook.Day

// figure is a number as text, which is written as it is.
type figure string

// entered is a text that an import reads back to the letter.
type entered string

// workbookTable writes a table as a sheet of a workbook.
type workbookTable struct{ *workbook.Writer }

func (t workbookTable) line(values ...any) error {
	row := make([]any, len(values))
	for i, value := range values {
		row[i] = typed(value)
	}
	return t.Row(row...)
}

func (t workbookTable) end() error { return t.Close() }

// typed converts a value to one of the types that cells of workbooks have.
func typed(value any) any {
	switch v := value.(type) {
	case nil, string, bool, float64, int64, day, time.Time:
		return v
	case figure:
		return numeral(string(v))
	case entered:
		return enteredValue(string(v))
	case credit.Amount:
		return numeral(v.String())
	case *time.Time:
		if v != nil {
			return *v
		}
	case *float64:
		if v != nil {
			return *v
		}
	default:
		switch v := reflect.ValueOf(value); {
		case v.CanInt():
			return v.Int()
		case v.CanUint() && v.Uint() <= math.MaxInt64:
			return int64(v.Uint())
		case v.Kind() == reflect.Pointer && v.IsNil():
			return nil
		}
		return plain(value)
	}
	return nil
}

// numeral returns the number that a text spells, if it spells one, or else the text.
func numeral(text string) any {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v
	}
	return text
}

// maxDigits is the number of digits of a whole number that spreadsheets show; longer numbers are keys of other systems.
const maxDigits = 11

// enteredValue returns the number, day or time that a text spells, where that is read back as the same text to the letter; else the text.
func enteredValue(text string) any {
	if v, err := strconv.ParseFloat(text, 64); err == nil && number(v) == text && (len(text) <= maxDigits || strings.Contains(text, ".")) {
		return v
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return day(t)
	}
	if t, err := time.Parse("2006-01-02T15:04:05Z", text); err == nil && t.Second()+t.Minute()+t.Hour() > 0 {
		return t
	}
	return text
}

// cell returns a value as text: nothing for nil, a time in UTC, a number in the shortest form
// that reads back the same, and a text guarded against formulas.
func cell(value any) string {
	switch v := value.(type) {
	case string:
		return delimited.Guarded(v)
	case entered:
		return delimited.Reversible(string(v))
	case *float64:
		if v == nil {
			return ""
		}
		return number(*v)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case *time.Time:
		if v == nil {
			return ""
		}
		return cell(*v)
	}
	return plain(value)
}

// plain returns a value as text; nothing for nil.
func plain(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case float64:
		return number(v)
	default:
		return fmt.Sprint(v)
	}
}

// number writes a number in the shortest form that reads back the same.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
