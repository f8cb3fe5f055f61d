// Package delimited reads files of comma-separated values that strangers send, one bounded line at a time. It also guards
// texts that are written, so that spreadsheets do not run them.
package delimited

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

	"tilth/core/fault"
)

// ByteOrderMark begins some files in UTF-8.
var ByteOrderMark = []byte("\xef\xbb\xbf")

// MaxLineBytes bounds one line, which an open quote would otherwise let grow to the whole file.
const MaxLineBytes = 4 << 20

// Reader reads the lines of a CSV file (RFC 4180), each bounded. A comma, a semicolon or a tab
// separates the columns.
type Reader struct {
	csv   *csv.Reader
	left  *lineBound
	field string // names the file in faults
}

// Open finds out what separates the columns (whichever the first line has most of outside
// quotes), skips a byte order mark, and reads the first line: the names of the columns, trimmed.
// Faults: Invalid with the field.
func Open(r io.Reader, field string) (lines *Reader, header []string, err error) {
	bound := &lineBound{in: r, left: MaxLineBytes}
	in := bufio.NewReaderSize(bound, 64<<10)
	head, _ := in.Peek(64 << 10) // an error of reading shows when the lines are read
	if bytes.HasPrefix(head, ByteOrderMark) {
		_, _ = in.Discard(len(ByteOrderMark))
		head = head[len(ByteOrderMark):]
	}
	if bytes.HasPrefix(head, []byte{0xFF, 0xFE}) || bytes.HasPrefix(head, []byte{0xFE, 0xFF}) {
		return nil, nil, fault.Field(field, "The file is in UTF-16; save it as CSV in UTF-8.")
	}
	lines = &Reader{csv.NewReader(in), bound, field}
	lines.csv.Comma, lines.csv.ReuseRecord = separator(head), true
	names, err := lines.Read()
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

// Read returns the next line, which is valid until the one after it is read; [io.EOF] at the end.
func (l *Reader) Read() ([]string, error) {
	l.left.left = MaxLineBytes
	line, err := l.csv.Read()
	var broken *csv.ParseError
	switch {
	case errors.Is(err, errLongLine):
		return nil, fault.Field(l.field, fmt.Sprintf("A line is longer than %d MiB; a quote may be missing before it ends.", MaxLineBytes>>20))
	case errors.As(err, &broken):
		return nil, fault.Field(l.field, fmt.Sprintf("Line %d cannot be read as CSV: %v.", broken.Line, broken.Err))
	}
	return line, err
}

// At returns the number of the line that holds a value of the line read last.
func (l *Reader) At(column int) int {
	line, _ := l.csv.FieldPos(column)
	return line
}

// Each calls take with every further line, which is valid until the next one.
func (l *Reader) Each(take func(line []string) error) error { return Each(l.Read, take) }

// Each calls take with every line that read returns until [io.EOF].
func Each(read func() ([]string, error), take func(line []string) error) error {
	for {
		line, err := read()
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

// AnyWidth lets lines have more or fewer columns than the first.
func (l *Reader) AnyWidth() { l.csv.FieldsPerRecord = -1 }

// CommaIsFree reports whether no comma separates the columns, so that one may separate decimals.
func (l *Reader) CommaIsFree() bool { return l.csv.Comma != ',' }

// Number reads a finite number. Where no comma separates the columns, one may separate the decimals.
func (l *Reader) Number(text string) (float64, error) {
	if l.csv.Comma != ',' && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(text, 64)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		err = strconv.ErrRange
	}
	return v, err
}

// lineBound is a reader that gives up where one line is too long.
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

// formulaSigns begin what a spreadsheet takes for a formula.
const formulaSigns = "=+-@\t\r"

// Guarded puts an apostrophe before a text that a spreadsheet would take for a formula and run, and before such a text
// that already begins with an apostrophe.
func Guarded(text string) string {
	if formula(text) {
		return "'" + text
	}
	return text
}

// Unguarded removes the apostrophe that [Guarded] puts before a text.
func Unguarded(text string) string {
	if strings.HasPrefix(text, "'") && formula(text) {
		return text[1:]
	}
	return text
}

// Reversible guards a text so that [ReadBack] returns it to the letter: an apostrophe is put before
// a leading apostrophe too. Numbers are left as they are, and line ends are those of the file's
// lines: a reader of CSV cannot tell them apart.
func Reversible(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.HasPrefix(text, "'") {
		return "'" + text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return Guarded(text)
}

// ReadBack returns the text that [Reversible] has written.
func ReadBack(text string) string {
	if strings.HasPrefix(text, "''") {
		return text[1:]
	}
	return Unguarded(text)
}

func formula(text string) bool {
	text = strings.TrimLeft(text, "'")
	return text != "" && strings.ContainsRune(formulaSigns, rune(text[0]))
}
