package prepared

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"
)

// bun writes the arguments of a statement into its text, so that a database would parse and plan every one anew. The
// dialect here marks them in the text instead, and the connection takes them out again (lifting.go), so that statements
// of one shape have one text, which is prepared once. Numbers, which bun writes without asking its dialect, are taken
// out where they are compared with something; elsewhere [Arg] marks them.

// mark begins an argument in the text of a statement: a NUL (no text that PostgreSQL accepts holds one), the kind, the
// length in bytes, a colon, and the value.
const mark = 0

// Kinds of marked arguments.
const (
	aNull   = '0'
	aText   = 's'
	aBytes  = 'x'
	aNumber = 'n' // as SQL writes it, of a comparison
	aStored = 'c' // a number of a column of a row
	aTruth  = 'b' // TRUE or FALSE
	aList   = 'l' // many numbers, with commas between them, alone in parentheses after IN
	varied  = 'v' // no argument: the text that holds it is seldom the same twice
)

func markedAs[V string | []byte](b []byte, kind byte, value V) []byte {
	b = append(b, mark, kind)
	b = strconv.AppendInt(b, int64(len(value)), 10)
	return append(append(b, ':'), value...)
}

// markingDialect marks the arguments of statements.
type markingDialect struct {
	schema.Dialect
	tables *schema.Tables
}

// Dialect returns a dialect that marks the arguments of statements, for connections that [Connector] makes.
func Dialect(inner schema.Dialect) schema.Dialect {
	d := &markingDialect{Dialect: inner}
	d.tables = schema.NewTables(d)
	return d
}

// Tables implements schema.Dialect.
func (d *markingDialect) Tables() *schema.Tables { return d.tables }

// OnTable implements schema.Dialect. Columns of rows are arguments too, and so is a NULL among them, or every
// combination of missing values would be a text of its own.
func (d *markingDialect) OnTable(table *schema.Table) {
	d.Dialect.OnTable(table)
	for _, field := range table.FieldMap {
		write := field.Append
		if write == nil {
			continue
		}
		field.IsPtr = false
		field.Append = func(gen schema.QueryGen, b []byte, v reflect.Value) []byte {
			from := len(b)
			b = write(gen, b, v)
			if len(b) == from || b[from] == mark {
				return b
			}
			switch string(b[from:]) {
			case "NULL":
				return markedAs(b[:from], aNull, "")
			case "TRUE", "FALSE":
				return remarked(b, from, aTruth)
			}
			if isNumber(b[from:]) {
				return remarked(b, from, aStored)
			}
			return b
		}
	}
}

// remarked marks the literal that a text ends with.
func remarked(b []byte, from int, kind byte) []byte {
	var literal [32]byte
	return markedAs(b[:from], kind, append(literal[:0], b[from:]...))
}

func isNumber[V string | []byte](literal V) bool {
	digits := false
	for i := range len(literal) {
		switch c := literal[i]; {
		case c >= '0' && c <= '9':
			digits = true
		case c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-':
			return false
		}
	}
	return digits
}

// AppendString implements schema.Dialect. A NUL is refused, and bytes that are not UTF-8 are replaced, both as without
// marks.
func (d *markingDialect) AppendString(b []byte, s string) []byte {
	if strings.IndexByte(s, 0) >= 0 {
		return d.Dialect.AppendString(b, s)
	}
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	return markedAs(b, aText, s)
}

// AppendBytes implements schema.Dialect.
func (d *markingDialect) AppendBytes(b, bs []byte) []byte {
	if bs == nil {
		return markedAs(b, aNull, "")
	}
	return markedAs(b, aBytes, string(bs))
}

// AppendTime implements schema.Dialect.
func (d *markingDialect) AppendTime(b []byte, at time.Time) []byte {
	return markedAs(b, aText, unquoted(d.Dialect.AppendTime(nil, at)))
}

// AppendJSON implements schema.Dialect.
func (d *markingDialect) AppendJSON(b, raw []byte) []byte {
	return markedAs(b, aText, unquoted(d.Dialect.AppendJSON(nil, raw)))
}

// unquoted returns the text of a literal.
func unquoted(literal []byte) string {
	return strings.ReplaceAll(string(literal[1:len(literal)-1]), "''", "'")
}

// Arg marks a number as an argument where it does not follow a comparison.
type Arg int64

// AppendQuery implements schema.QueryAppender.
func (a Arg) AppendQuery(_ schema.QueryGen, b []byte) ([]byte, error) {
	return markedAs(b, aNumber, strconv.FormatInt(int64(a), 10)), nil
}

// Varied is a condition that always holds. A statement that has it is planned anew whenever it runs.
type Varied struct{}

// AppendQuery implements schema.QueryAppender.
func (Varied) AppendQuery(_ schema.QueryGen, b []byte) ([]byte, error) {
	return append(markedAs(b, varied, ""), "1 = 1"...), nil
}

// maxListed is the longest list whose values are one argument each; a longer list of ids is one argument where the database
// has lists, and any other longer list is written into its statement.
const maxListed = 64

// List returns the values of IN (?). Lists whose lengths round up to the same power of two share one text: the last value is repeated.
func List[V any](values []V) schema.QueryAppender { return list[V](values) }

type list[V any] []V

// AppendQuery implements schema.QueryAppender.
func (l list[V]) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	if len(l) == 0 {
		return dialect.AppendNull(b), nil
	}
	n := 1
	for n < len(l) {
		n *= 2
	}
	if ids, ok := any(l).(list[int64]); ok && n > maxListed {
		return ids.marked(b), nil
	}
	if n > maxListed {
		n, b = len(l), markedAs(b, varied, "")
	}
	for i := range n {
		if i > 0 {
			b = append(b, ", "...)
		}
		from := len(b)
		b = gen.Append(b, l[min(i, len(l)-1)])
		if isNumber(b[from:]) {
			b = remarked(b, from, aNumber)
		}
	}
	return b, nil
}

// marked writes a list of numbers as one argument.
func (l list[V]) marked(b []byte) []byte {
	var all []byte
	for i, v := range any(l).(list[int64]) {
		if i > 0 {
			all = append(all, ',')
		}
		all = strconv.AppendInt(all, v, 10)
	}
	return markedAs(b, aList, all)
}

// readMark reads the argument that begins at a place in a text.
func readMark(text string, at int) (kind byte, argument string, next int, err error) {
	length, _, found := strings.Cut(text[min(at+2, len(text)):], ":")
	size, err := strconv.Atoi(length)
	from := at + 3 + len(length)
	if err != nil || !found || size < 0 || from+size > len(text) {
		return 0, "", 0, errors.New("an argument of a statement cannot be read")
	}
	return text[at+1], text[from : from+size], from + size, nil
}
