package prepared

import (
	"bytes"
	"database/sql/driver"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
)

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

// texts are the texts of statements that were lifted. There are few, so that each is kept once.
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

// room holds buffers for the texts of statements.
var room = sync.Pool{New: func() any { return new([]byte) }}

// spelling is how a database receives arguments.
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
