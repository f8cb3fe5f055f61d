package prepared

import (
	"bytes"
	"database/sql/driver"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"
)

// bun writes the arguments of a statement into its text, so that a database would parse and plan every one anew. The
// dialect here marks them in the text instead, and the connection (connection.go) takes them out again, so that statements
// of one shape have one text, which is prepared once. What bun writes without asking its dialect, numbers, is taken out
// where it is compared with something; elsewhere [Arg] marks it.

// mark begins an argument in the text of a statement: a NUL, which no text that PostgreSQL takes holds, the kind, the
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
	aList   = 'l' // many numbers, with commas between them, alone in parentheses behind IN
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

// AppendString implements schema.Dialect. A NUL is refused as it is without marks; bytes that are no UTF-8 are replaced
// as there.
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

// Arg marks a number as an argument where it does not stand behind a comparison.
type Arg int64

// AppendQuery implements schema.QueryAppender.
func (a Arg) AppendQuery(_ schema.QueryGen, b []byte) ([]byte, error) {
	return markedAs(b, aNumber, strconv.FormatInt(int64(a), 10)), nil
}

// Varied is a condition that holds, of a statement that is planned anew whenever it runs.
type Varied struct{}

// AppendQuery implements schema.QueryAppender.
func (Varied) AppendQuery(_ schema.QueryGen, b []byte) ([]byte, error) {
	return append(markedAs(b, varied, ""), "1 = 1"...), nil
}

// maxListed bounds the values of a list that are arguments each; a longer one of ids is one argument where the database has
// lists, and any other is written into its statement.
const maxListed = 64

// List is the values of IN (?). Lists of up to a power of two values have one text: the last value is repeated.
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

// lifted is a statement without its arguments.
type lifted struct {
	text   string
	args   []driver.NamedValue
	varied bool // the text is seldom the same twice, so that it is not worth preparing
}

// give adds an argument and returns its number, from 1.
func (l *lifted) give(value any) int {
	l.args = append(l.args, driver.NamedValue{Ordinal: len(l.args) + 1, Value: value})
	return len(l.args)
}

// maxArgs bounds the arguments of a statement that is prepared: each costs memory in every connection.
const maxArgs = 4096

// texts are the texts of statements that were lifted, of which there are few, so that each is there once.
var texts = struct {
	sync.RWMutex
	known map[string]string
}{known: map[string]string{}}

// maxTexts bounds the texts that are kept; the program has some hundreds.
const maxTexts = 4096

// known returns the text that bytes hold.
func known(b []byte) string {
	texts.RLock()
	text, ok := texts.known[string(b)]
	texts.RUnlock()
	if ok {
		return text
	}
	text = string(b)
	texts.Lock()
	defer texts.Unlock()
	if len(texts.known) < maxTexts {
		texts.known[text] = text
	}
	return text
}

// room is buffers for the texts of statements.
var room = sync.Pool{New: func() any { return new([]byte) }}

// spelling is how a database gets arguments.
type spelling struct {
	lists       bool                                                 // it takes a list as one argument
	placeholder func(b []byte, n int, kind byte, text string) []byte // of the nth, from 1
	value       func(kind byte, text string) any                     // for the driver
}

// lift takes the arguments out of a statement.
func lift(text string, by spelling) (lifted, error) {
	out := lifted{varied: !prepares(text), args: make([]driver.NamedValue, 0, strings.Count(text, "\x00")+spareArgs)}
	buffer := room.Get().(*[]byte)
	b := (*buffer)[:0]
	defer func() {
		*buffer = b
		room.Put(buffer)
	}()
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == mark:
			kind, argument, next, err := readMark(text, i)
			if err != nil {
				return out, err
			}
			i = next
			switch {
			case kind == varied, kind == aList && !by.lists:
				out.varied = true
			case kind == aList:
				b = append(amongAll(b), '$')
				b = strconv.AppendInt(b, int64(out.give("{"+argument+"}")), 10)
				b = append(b, "::int8[]"...)
			default:
				b = by.placeholder(b, out.give(by.value(kind, argument)), kind, argument)
			}
		case c == '\'' || c == '"':
			end := i + 1 + strings.IndexByte(text[i+1:], c)
			if end == i {
				return out, errors.New("a quote of a statement does not end")
			}
			b, i = append(b, text[i:end+1]...), end+1
		case c == ';':
			b, i, out.varied = append(b, c), i+1, true
		case (c >= '0' && c <= '9' || c == '-') && compared(b):
			end := i + 1
			for end < len(text) && strings.IndexByte("0123456789.eE", text[end]) >= 0 {
				end++
			}
			if !isNumber(text[i:end]) {
				b, i = append(b, c), i+1
				continue
			}
			b = by.placeholder(b, out.give(by.value(aNumber, text[i:end])), aNumber, text[i:end])
			i = end
		default:
			end := i + 1
			for end < len(text) && !noted[text[end]] {
				end++
			}
			b, i = append(b, text[i:end]...), end
		}
	}
	if out.varied = out.varied || len(out.args) > maxArgs || bytes.Contains(b, []byte(" OFFSET ")); !out.varied {
		out.text = known(b)
	}
	return out, nil
}

// noted are the bytes of a statement that lift looks at one by one.
var noted = func() (out [256]bool) {
	for _, c := range []byte("\x00'\";-0123456789") {
		out[c] = true
	}
	return out
}()

// spareArgs is about how many numbers of a statement are compared without a mark.
const spareArgs = 4

// amongAll turns the IN ( that a text ends with into the comparison with a list that is one argument.
func amongAll(b []byte) []byte {
	if before, ok := bytes.CutSuffix(b, []byte(" NOT IN (")); ok {
		return append(before, " <> ALL ("...)
	}
	if before, ok := bytes.CutSuffix(b, []byte(" IN (")); ok {
		return append(before, " = ANY ("...)
	}
	return b // the database says what is wrong with it
}

// prepares reports whether a statement is of a kind that databases prepare.
func prepares(text string) bool {
	for _, word := range []string{"SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH ", "EXPLAIN ", "(SELECT "} {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return false
}

// compared reports whether what was written ends with a comparison.
func compared(b []byte) bool {
	before := bytes.TrimRight(b, " ")
	if len(before) == 0 || strings.IndexByte("=<>", before[len(before)-1]) < 0 {
		return false
	}
	operator := string(before[len(bytes.TrimRight(before, "=<>!-+*/|&#@~")):])
	return slices.Contains([]string{"=", "<", ">", "<=", ">=", "<>"}, operator)
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
