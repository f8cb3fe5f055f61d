package outlines

import (
	"bufio"
	"bytes"
	"encoding/json"

	"tilth/adapters/exchange/internal/delimited"
)

// splitter splits a JSON object without holding it in memory. It keeps its first error: what is read
// after it is zero.
type splitter struct {
	in  *bufio.Reader
	at  int64 // bytes read
	err error
}

// fail keeps an error, unless there is one already.
func (s *splitter) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *splitter) read() byte {
	if s.err != nil {
		return 0
	}
	b, err := s.in.ReadByte()
	if s.err = err; err == nil {
		s.at++
	}
	return b
}

func (s *splitter) unread() {
	_ = s.in.UnreadByte() // never fails after a read
	s.at--
}

// next returns the first byte that is not white space.
func (s *splitter) next() byte {
	b := s.read()
	for b == ' ' || b == '\t' || b == '\r' || b == '\n' {
		b = s.read()
	}
	return b
}

func (s *splitter) malformed(want string, got byte) {
	s.fail(refuse("The GeoJSON is malformed at byte %d: %q where %s should be.", s.at, string(rune(got)), want))
}

func (s *splitter) expect(want string, one, other byte) byte {
	b := s.next()
	if b != one && b != other {
		s.malformed(want, b)
	}
	return b
}

// collection reads the outer object and calls member before each value.
func (s *splitter) collection(member func(name string)) {
	if mark, err := s.in.Peek(len(delimited.ByteOrderMark)); err == nil && bytes.Equal(mark, delimited.ByteOrderMark) {
		_, _ = s.in.Discard(len(delimited.ByteOrderMark)) // it was just seen
	}
	s.expect("the beginning of an object", '{', '{')
	b := s.expect("a member", '"', '}')
	for s.err == nil && b != '}' {
		s.unread()
		var name string
		if raw := s.member(); s.err == nil && json.Unmarshal(raw, &name) != nil {
			s.fail(refuse("The GeoJSON is malformed at byte %d: the name of a member cannot be read.", s.at))
		}
		if s.expect("a colon", ':', ':'); s.err == nil {
			member(name)
		}
		if b = s.expect("a comma or the end of the object", ',', '}'); b == ',' {
			b = s.expect("a member", '"', '"')
		}
	}
	if s.err != nil {
		return
	}
	if b := s.next(); s.err == nil {
		s.malformed("the end of the file", b)
	} else {
		s.err = nil
	}
}

// array reads an array and calls item with each value. The next value overwrites the bytes after the
// call.
func (s *splitter) array(item func(raw []byte, tooLarge bool) error) {
	s.expect("the list of features", '[', '[')
	b := s.next()
	if s.err == nil && b != ']' {
		s.unread()
	}
	var buffer []byte
	for s.err == nil && b != ']' {
		raw, tooLarge := s.value(buffer[:0:cap(buffer)], maxFeatureBytes)
		if s.err == nil {
			s.fail(item(raw, tooLarge))
		}
		if buffer = raw; cap(buffer) > maxMemberBytes {
			buffer = nil // the room of one large feature is not kept for all that follow
		}
		b = s.expect("a comma or the end of the list", ',', ']')
	}
}

// member reads a value of the collection that is used.
func (s *splitter) member() []byte {
	raw, tooLarge := s.value([]byte{}, maxMemberBytes)
	if tooLarge {
		s.fail(refuse("The GeoJSON has a member of more than %d KiB, before byte %d.", maxMemberBytes>>10, s.at))
	}
	return raw
}

// value skips one JSON value. Up to a size it is appended to keep; a larger one is read to its end
// and not kept. Only its extent is checked: what is kept is read by encoding/json.
func (s *splitter) value(keep []byte, upper int) (raw []byte, tooLarge bool) {
	depth, quoted, escaped := 0, false, false
	for b := s.next(); s.err == nil; b = s.read() {
		if upper > 0 && !tooLarge {
			if keep = append(keep, b); len(keep) > upper {
				keep, tooLarge = nil, true
			}
		}
		switch {
		case escaped:
			escaped = false
		case quoted && b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			depth--
		case depth == 0 && !literal(b):
			s.malformed("a value", b)
		}
		if depth < 0 {
			s.malformed("a value", b)
		}
		if depth == 0 && !quoted && (!literal(b) || !s.literalGoesOn()) {
			break
		}
	}
	return keep, tooLarge
}

// literal reports whether a byte can be part of a number, true, false or null.
func literal(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b == '-' || b == '+' || b == '.' || b == 'E'
}

func (s *splitter) literalGoesOn() bool {
	next, err := s.in.Peek(1)
	return err == nil && literal(next[0])
}
