package exchange

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"tilth/core/fault"
)

// maxLineBytes bounds one line, which an open quote would otherwise let grow to the whole file.
const maxLineBytes = 4 << 20

// csvLines reads the lines of a CSV file (RFC 4180), each bounded. A comma, a semicolon or a tab
// separates the columns.
type csvLines struct {
	csv   *csv.Reader
	left  *lineBound
	field string // names the file in faults
}

// openLines finds out what separates the columns (whichever the first line has most of outside
// quotes), passes over a byte order mark, and reads the first line: the names of the columns, trimmed.
// Faults: Invalid with the field.
func openLines(r io.Reader, field string) (lines *csvLines, header []string, err error) {
	bound := &lineBound{in: r, left: maxLineBytes}
	in := bufio.NewReaderSize(bound, 64<<10)
	head, _ := in.Peek(64 << 10) // an error of reading shows when the lines are read
	if bytes.HasPrefix(head, byteOrderMark) {
		_, _ = in.Discard(len(byteOrderMark))
		head = head[len(byteOrderMark):]
	}
	if bytes.HasPrefix(head, []byte{0xFF, 0xFE}) || bytes.HasPrefix(head, []byte{0xFE, 0xFF}) {
		return nil, nil, fault.Field(field, "The file is in UTF-16; save it as CSV in UTF-8.")
	}
	lines = &csvLines{csv.NewReader(in), bound, field}
	lines.csv.Comma, lines.csv.ReuseRecord = separator(head), true
	names, err := lines.read()
	if errors.Is(err, io.EOF) {
		err = fault.Field(field, "The file is empty; its first line is a header that names the columns.")
	}
	for _, name := range names {
		header = append(header, strings.TrimSpace(name))
	}
	return lines, header, err
}

func separator(head []byte) rune {
	counts := map[byte]int{}
	quoted := false
	for _, c := range head {
		if c == '\n' && !quoted {
			break
		}
		if c == '"' {
			quoted = !quoted
		}
		if !quoted {
			counts[c]++
		}
	}
	best := byte(',')
	for _, c := range []byte{';', '\t'} {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return rune(best)
}

// read returns the next line, which is valid until the one after it is read; [io.EOF] at the end.
func (l *csvLines) read() ([]string, error) {
	l.left.left = maxLineBytes
	line, err := l.csv.Read()
	var broken *csv.ParseError
	switch {
	case errors.Is(err, errLongLine):
		return nil, fault.Field(l.field, fmt.Sprintf("A line is longer than %d MiB; a quote may be missing before it ends.", maxLineBytes>>20))
	case errors.As(err, &broken):
		return nil, fault.Field(l.field, fmt.Sprintf("Line %d cannot be read as CSV: %v.", broken.Line, broken.Err))
	}
	return line, err
}

// at returns the number of the line that holds a value of the line read last.
func (l *csvLines) at(column int) int {
	line, _ := l.csv.FieldPos(column)
	return line
}

// each calls take with every further line, which is valid until the next one.
func (l *csvLines) each(take func(line []string) error) error {
	for {
		line, err := l.read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = take(line)
		}
		if err != nil {
			return err
		}
	}
}

// number reads a finite number. Where no comma separates the columns, one may separate the decimals.
func (l *csvLines) number(text string) (float64, error) {
	if l.csv.Comma != ',' && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(text, 64)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		err = strconv.ErrRange
	}
	return v, err
}

// lineBound is a reader that gives up where one line takes too much.
type lineBound struct {
	in   io.Reader
	left int
}

var errLongLine = errors.New("the line is too long")

func (b *lineBound) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLongLine
	}
	n, err := b.in.Read(p[:min(len(p), 64<<10)])
	b.left -= n
	return n, err
}

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
		return guarded(v)
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

// formulaSigns begin what a spreadsheet takes for a formula.
const formulaSigns = "=+-@\t\r"

// guarded puts an apostrophe before a text that a spreadsheet would take for a formula and run.
func guarded(text string) string {
	if text != "" && strings.ContainsRune(formulaSigns, rune(text[0])) {
		return "'" + text
	}
	return text
}

// unguarded takes off the apostrophe that [guarded] puts before a text.
func unguarded(text string) string {
	if len(text) > 1 && text[0] == '\'' && strings.ContainsRune(formulaSigns, rune(text[1])) {
		return text[1:]
	}
	return text
}
