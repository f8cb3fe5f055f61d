package rest

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// step is one part of the place of a value in a JSON text: a member's name, or an
// item's index where name is empty and item is true.
type step struct {
	name  string
	index int
	item  bool
}

func (s step) key() string {
	if s.item {
		return strconv.Itoa(s.index)
	}
	return s.name
}

// scanError says what is wrong with a JSON text. A located error is one of a text that
// would parse, such as a repeated member; it is reported under its path. The others are
// reported by line and column.
type scanError struct {
	message      string
	located      bool
	path         []step
	line, column int
}

func (e *scanError) Error() string {
	if e.located {
		return e.message
	}
	return fmt.Sprintf("%s (line %d, column %d)", e.message, e.line, e.column)
}

// scanner checks a JSON text in one pass, more strictly than encoding/json: no repeated
// members, no numbers beyond a float64, no half surrogates, bounded depth. It builds
// nothing, so that a hostile body costs no more memory than its own bytes and the names
// of the members of the objects it is inside of.
type scanner struct {
	text     []byte
	pos      int
	maxDepth int
	path     []step
}

// checkJSON checks that text is one JSON value and nothing else.
func checkJSON(text []byte, maxDepth int) *scanError {
	s := &scanner{text: text, maxDepth: maxDepth}
	if !utf8.Valid(text) {
		for s.pos < len(text) {
			r, n := utf8.DecodeRune(text[s.pos:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			s.pos += n
		}
		return s.fail("The body is not valid UTF-8.")
	}
	s.space()
	if err := s.value(); err != nil {
		return err
	}
	s.space()
	if s.pos < len(text) {
		return s.fail("The body goes on after the end of its JSON value; send one value only.")
	}
	return nil
}

func (s *scanner) fail(message string) *scanError {
	line, column := 1, 1
	for _, r := range string(s.text[:min(s.pos, len(s.text))]) {
		if r == '\n' {
			line, column = line+1, 1
		} else {
			column++
		}
	}
	return &scanError{message: message, line: line, column: column}
}

func (s *scanner) failHere(message string) *scanError {
	return &scanError{message: message, located: true, path: append([]step(nil), s.path...)}
}

func (s *scanner) unexpected(want string) *scanError {
	if s.pos >= len(s.text) {
		return s.fail("The JSON ends too early: " + want + " is missing.")
	}
	r, _ := utf8.DecodeRune(s.text[s.pos:])
	return s.fail(fmt.Sprintf("The body is not valid JSON: %s was expected, not %q.", want, r))
}

func (s *scanner) space() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *scanner) value() *scanError {
	switch c := s.peek(); {
	case c == '{':
		return s.nested(s.object)
	case c == '[':
		return s.nested(s.array)
	case c == '"':
		_, err := s.str()
		return err
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	default:
		for _, word := range []string{"true", "false", "null"} {
			if len(s.text)-s.pos >= len(word) && string(s.text[s.pos:s.pos+len(word)]) == word {
				s.pos += len(word)
				return nil
			}
		}
		return s.unexpected("a value")
	}
}

// nested runs object or array one level deeper.
func (s *scanner) nested(scan func() *scanError) *scanError {
	if len(s.path) >= s.maxDepth {
		return s.fail(fmt.Sprintf("The JSON is nested deeper than %d levels.", s.maxDepth))
	}
	s.pos++
	s.path = append(s.path, step{})
	err := scan()
	s.path = s.path[:len(s.path)-1]
	return err
}

func (s *scanner) object() *scanError {
	var seen map[string]struct{}
	s.space()
	if s.peek() == '}' {
		s.pos++
		return nil
	}
	for {
		s.space()
		if s.peek() != '"' {
			return s.unexpected("the name of a member")
		}
		name, err := s.str()
		if err != nil {
			return err
		}
		s.path[len(s.path)-1] = step{name: name}
		if _, twice := seen[name]; twice {
			return s.failHere("This member is given more than once.")
		}
		if seen == nil {
			seen = map[string]struct{}{}
		}
		seen[name] = struct{}{}
		if s.space(); s.peek() != ':' {
			return s.unexpected("a colon")
		}
		s.pos++
		s.space()
		if err := s.value(); err != nil {
			return err
		}
		done, err := s.more('}', "a comma or a closing brace")
		if done || err != nil {
			return err
		}
	}
}

func (s *scanner) array() *scanError {
	s.space()
	if s.peek() == ']' {
		s.pos++
		return nil
	}
	for i := 0; ; i++ {
		s.path[len(s.path)-1] = step{index: i, item: true}
		s.space()
		if err := s.value(); err != nil {
			return err
		}
		done, err := s.more(']', "a comma or a closing bracket")
		if done || err != nil {
			return err
		}
	}
}

// more reads what follows a member or an item: a comma, or the end.
func (s *scanner) more(end byte, want string) (done bool, err *scanError) {
	s.space()
	switch s.peek() {
	case end:
		s.pos++
		return true, nil
	case ',':
		s.pos++
		return false, nil
	}
	return false, s.unexpected(want)
}

// str reads a string and returns what it says.
func (s *scanner) str() (string, *scanError) {
	s.pos++
	start := s.pos
	var out []byte // made at the first escape; until then the text itself is the string
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.pos++
			if out == nil {
				return string(s.text[start : s.pos-1]), nil
			}
			return string(out), nil
		case c == '\\':
			if out == nil {
				out = append(make([]byte, 0, s.pos-start+16), s.text[start:s.pos]...)
			}
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		case c < 0x20:
			return "", s.fail("A string holds a control character; write it as an escape, for instance \\n.")
		default:
			if out != nil {
				out = append(out, c)
			}
			s.pos++
		}
	}
	return "", s.unexpected("a closing quotation mark")
}

var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (s *scanner) escape() (rune, *scanError) {
	s.pos++
	if s.peek() != 'u' {
		r, ok := escapes[s.peek()]
		if !ok {
			return 0, s.unexpected("an escape such as \\n or \\u00e9")
		}
		s.pos++
		return r, nil
	}
	r, ok := s.hex()
	if !ok {
		return 0, s.fail("An escape \\u needs four hexadecimal digits.")
	}
	if r == 0 {
		return 0, s.fail("A string holds the character U+0000, which cannot be stored.")
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if s.peek() == '\\' && s.pos+1 < len(s.text) && s.text[s.pos+1] == 'u' {
		s.pos++
		if low, ok := s.hex(); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, nil
			}
		}
	}
	return 0, s.fail("A string holds half of a surrogate pair, which is no character.")
}

// hex reads the u and four digits of an escape.
func (s *scanner) hex() (rune, bool) {
	if s.pos+5 > len(s.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s.text[s.pos+1:s.pos+5]), 16, 16)
	if err != nil {
		return 0, false
	}
	s.pos += 5
	return rune(n), true
}

func (s *scanner) digits() bool {
	start := s.pos
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.pos++
	}
	return s.pos > start
}

func (s *scanner) number() *scanError {
	start := s.pos
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
		if c := s.peek(); c >= '0' && c <= '9' {
			return s.fail("A number may not begin with a zero.")
		}
	} else if !s.digits() {
		return s.unexpected("a digit")
	}
	if s.peek() == '.' {
		s.pos++
		if !s.digits() {
			return s.unexpected("a digit")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return s.unexpected("a digit")
		}
	}
	if v, _ := strconv.ParseFloat(string(s.text[start:s.pos]), 64); math.IsInf(v, 0) {
		return s.failHere("The number is out of range.")
	}
	return nil
}
