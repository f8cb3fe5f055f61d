package exchange

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"tilth/core/fault"
	"tilth/ports"
)

// Bounds of a table of assessments: of one line, which an open quote would otherwise let
// grow to the whole file, and of the columns, of which 15 full sections have fewer.
const (
	maxLineBytes    = 4 << 20
	maxTableColumns = 50_000
)

// AssessmentTables implements ports.AssessmentTables.
type AssessmentTables struct{}

// Heading implements ports.AssessmentTables.
func (AssessmentTables) Heading(file ports.Object) ([]string, error) {
	lines, err := openLines(file)
	if err != nil {
		return nil, err
	}
	names, err := lines.read()
	if errors.Is(err, io.EOF) {
		return nil, fault.Field("file", "The file is empty; its first line names the columns.")
	}
	if err != nil {
		return nil, err
	}
	for len(names) > 0 && strings.TrimSpace(names[len(names)-1]) == "" {
		names = names[:len(names)-1] // what spreadsheets leave behind on the right
	}
	if len(names) > maxTableColumns {
		return nil, fault.Field("file", fmt.Sprintf("The file has %d columns; at most %d are taken.", len(names), maxTableColumns))
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = strings.TrimSpace(name)
	}
	return out, nil
}

// Rows implements ports.AssessmentTables.
func (t AssessmentTables) Rows(file ports.Object) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		names, err := t.Heading(file)
		var lines *csvLines
		if err == nil {
			lines, err = openLines(file)
		}
		if err == nil {
			_, err = lines.read()
		}
		for err == nil {
			var line, row []string
			if line, err = lines.read(); errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				row, err = lines.row(line, len(names))
			}
			if err == nil && row != nil && !yield(row, nil) {
				return
			}
		}
		yield(nil, err)
	}
}

// row returns the texts of the columns; nil for a line without any text.
func (l *csvLines) row(line []string, columns int) ([]string, error) {
	out, text := make([]string, columns), false
	for i, value := range line {
		switch blank := strings.TrimSpace(value) == ""; {
		case i < columns:
			out[i] = unguarded(value)
			text = text || !blank
		case !blank:
			at, _ := l.csv.FieldPos(i)
			return nil, fault.Field("file", fmt.Sprintf("Line %d has a value in column %d, which has no name in the first line.", at, i+1))
		}
	}
	if !text {
		return nil, nil
	}
	return out, nil
}

// csvLines reads the lines of a CSV file, each bounded.
type csvLines struct {
	csv  *csv.Reader
	left *lineBound
}

// openLines finds out what separates the columns (a comma, a semicolon or a tab, whichever
// the first line has most of outside quotes) and passes over a byte order mark.
func openLines(file ports.Object) (*csvLines, error) {
	bound := &lineBound{in: io.NewSectionReader(file, 0, file.Size()), left: maxLineBytes}
	in := bufio.NewReaderSize(bound, 64<<10)
	head, _ := in.Peek(64 << 10) // what is wrong with reading shows when it is read
	if mark := []byte("\uFEFF"); bytes.HasPrefix(head, mark) {
		_, _ = in.Discard(len(mark))
		head = head[len(mark):]
	}
	if bytes.HasPrefix(head, []byte{0xFF, 0xFE}) || bytes.HasPrefix(head, []byte{0xFE, 0xFF}) {
		return nil, fault.Field("file", "The file is in UTF-16; save it as CSV in UTF-8.")
	}
	lines := csv.NewReader(in)
	lines.Comma, lines.FieldsPerRecord, lines.ReuseRecord = separator(head), -1, true
	return &csvLines{lines, bound}, nil
}

func separator(head []byte) rune {
	counts := map[byte]int{}
	quoted := false
	for _, c := range head {
		if c == '"' {
			quoted = !quoted
		}
		if c == '\n' && !quoted {
			break
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

func (l *csvLines) read() ([]string, error) {
	l.left.left = maxLineBytes
	line, err := l.csv.Read()
	var broken *csv.ParseError
	switch {
	case err == nil:
	case errors.Is(err, errLongLine):
		return nil, fault.Field("file", fmt.Sprintf("A line is longer than %d MiB; a quote may be missing before it ends.", maxLineBytes>>20))
	case errors.As(err, &broken):
		return nil, fault.Field("file", fmt.Sprintf("Line %d is no CSV: %v.", broken.Line, broken.Err))
	default:
		return nil, err
	}
	for i, value := range line {
		if !utf8.ValidString(value) {
			at, _ := l.csv.FieldPos(i)
			return nil, fault.Field("file", fmt.Sprintf("Line %d is not in UTF-8; save the file as CSV in UTF-8.", at))
		}
	}
	return line, nil
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

// Write implements ports.AssessmentTables.
func (AssessmentTables) Write(w io.Writer, heading []string, rows iter.Seq2[[]string, error]) error {
	out := csv.NewWriter(w)
	_ = out.Write(heading) // the first error stays, and Error gives it
	guardedRow := make([]string, len(heading))
	for row, err := range rows {
		if err != nil {
			return err
		}
		for i, text := range row {
			guardedRow[i] = guarded(text)
		}
		if err := out.Write(guardedRow); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// formulaSigns begin what a spreadsheet takes for a formula.
const formulaSigns = "=+-@\t\r"

// guarded writes a text so that no spreadsheet takes it for a formula, and so that
// [unguarded] gives it back: an apostrophe goes before a sign of formulas, and before an
// apostrophe. Numbers are left as they are, and line ends are those of the file's lines:
// a reader of CSV cannot tell them apart.
func guarded(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if text == "" || !strings.ContainsRune(formulaSigns+"'", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}

func unguarded(text string) string {
	if len(text) > 1 && text[0] == '\'' && strings.ContainsRune(formulaSigns+"'", rune(text[1])) {
		return text[1:]
	}
	return text
}
