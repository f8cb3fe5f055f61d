package exchange

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"tilth/adapters/exchange/internal/delimited"
)

// sheet writes a table as CSV (RFC 4180): a comma between columns, a point before decimals.
type sheet struct{ csv *csv.Writer }

func newSheet(w io.Writer, columns []string) sheet {
	s := sheet{csv.NewWriter(w)}
	_ = s.csv.Write(columns) // end returns the first error
	return s
}

// line writes a value for each column, as [cell] does. Its error is only to stop early.
func (s sheet) line(values ...any) error {
	row := make([]string, len(values))
	for i, value := range values {
		row[i] = cell(value)
	}
	return s.csv.Write(row)
}

// end returns the first error of all that was written.
func (s sheet) end() error {
	s.csv.Flush()
	return s.csv.Error()
}

// figure is text that is written as it is: a number, or guarded already.
type figure string

// cell returns a value as text: nothing for nil, a time in UTC, a number in the shortest form
// that reads back the same, and a text guarded against formulas.
func cell(value any) string {
	switch v := value.(type) {
	case string:
		return delimited.Guarded(v)
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
