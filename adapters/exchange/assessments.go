package exchange

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"tilth/adapters/exchange/internal/delimited"
	"tilth/adapters/exchange/internal/tables"
	"tilth/core/fault"
	"tilth/ports"
)

// maxTableColumns bounds the columns of a table of assessments; 15 full sections have fewer.
const maxTableColumns = 50_000

// errStopped ends the reading when no more rows are wanted.
var errStopped = errors.New("no more rows are wanted")

// AssessmentTables implements ports.AssessmentTables.
type AssessmentTables struct{}

// Heading implements ports.AssessmentTables.
func (AssessmentTables) Heading(file ports.Object, sheet string) ([]string, error) {
	lines, names, err := openAssessments(file, sheet)
	return names, errors.Join(err, lines.Close())
}

// openAssessments reads the heading of a table; its rows follow.
func openAssessments(file ports.Object, sheet string) (*tables.Reader, []string, error) {
	lines, names, err := tables.Open(file, sheet)
	if err == nil {
		err = inUTF8(lines, names)
	}
	if err != nil {
		return nil, nil, errors.Join(err, lines.Close())
	}
	lines.AnyWidth() // spreadsheets leave blank cells on the right
	for len(names) > 0 && names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	if len(names) > maxTableColumns {
		err := fault.Field("file", fmt.Sprintf("The file has %d columns; at most %d are taken.", len(names), maxTableColumns))
		return nil, nil, errors.Join(err, lines.Close())
	}
	return lines, names, nil
}

// Rows implements ports.AssessmentTables.
func (AssessmentTables) Rows(file ports.Object, sheet string) iter.Seq2[ports.TableLine, error] {
	return func(yield func(ports.TableLine, error) bool) {
		lines, names, err := openAssessments(file, sheet)
		if err == nil {
			defer func() { _ = lines.Close() }()
			err = lines.Each(func(line []string) error {
				row, err := assessmentRow(lines, line, len(names))
				if row != nil && !yield(ports.TableLine{Number: lines.Line(), Texts: row}, nil) {
					return errStopped
				}
				return err
			})
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(ports.TableLine{}, err)
		}
	}
}

// assessmentRow returns the texts of the columns; nil for a line without any text.
func assessmentRow(l *tables.Reader, line []string, columns int) ([]string, error) {
	if err := inUTF8(l, line); err != nil {
		return nil, err
	}
	out, text := make([]string, columns), false
	for i, value := range line {
		switch blank := strings.TrimSpace(value) == ""; {
		case i < columns:
			out[i] = value
			if l.Guarded() {
				out[i] = delimited.ReadBack(value)
			}
			text = text || !blank
		case !blank:
			return nil, fault.Field("file", fmt.Sprintf("%s has a value in column %d, which has no name in the first line.", l.Place(i), i+1))
		}
	}
	if !text {
		return nil, nil
	}
	return out, nil
}

func inUTF8(l *tables.Reader, line []string) error {
	for i, value := range line {
		if !utf8.ValidString(value) {
			return fault.Field("file", fmt.Sprintf("%s is not in UTF-8; save the file as CSV in UTF-8.", l.Place(i)))
		}
	}
	return nil
}

// Write implements ports.AssessmentTables.
func (AssessmentTables) Write(w io.Writer, format string, heading []string, rows iter.Seq2[[]string, error]) error {
	out, err := newTable(w, format, "Assessments", heading)
	if err != nil {
		return err
	}
	line := make([]any, len(heading))
	for row, err := range rows {
		if err != nil {
			return err
		}
		for i, text := range row {
			line[i] = entered(text)
		}
		if err := out.line(line...); err != nil {
			return err
		}
	}
	return out.end()
}
