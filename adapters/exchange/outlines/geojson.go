package outlines

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tilth/adapters/exchange/internal/delimited"
	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/ports"
)

// Bounds of what is held of a GeoJSON file at a time.
const (
	maxFeatureBytes = 8 << 20
	maxMemberBytes  = 64 << 10 // of a member of the collection that is looked at
)

// readGeoJSON reads a FeatureCollection (RFC 7946). The collection is taken apart byte by
// byte, and only one feature is held at a time.
func readGeoJSON(ctx context.Context, file ports.Object, scan *scan, yield func(ports.Feature) bool) error {
	s := &splitter{in: bufio.NewReaderSize(whole(file), 64<<10)}
	seen, budget := false, effort.Of(ctx, 0)
	s.collection(func(name string) {
		switch {
		case name == "features" && seen:
			s.fail(refuse("The FeatureCollection has two lists of features."))
		case name == "features":
			seen = true
			s.array(func(raw []byte, tooLarge bool) error {
				var f ports.Feature
				f.Err = readFeature(budget, &f, raw, tooLarge, scan)
				if err := ctx.Err(); err != nil {
					return err
				}
				if !yield(f) {
					return errEnough
				}
				return nil
			})
		case name == "type":
			s.expectCollection()
		case name == "crs":
			s.expectWGS84()
		default:
			s.value(nil, 0)
		}
	})
	switch {
	case errors.Is(s.err, errEnough):
		return nil
	case errors.Is(s.err, io.EOF), errors.Is(s.err, io.ErrUnexpectedEOF):
		return refuse("The GeoJSON ends in the middle, after byte %d.", s.at)
	case s.err == nil && !seen:
		return refuse("The file is no FeatureCollection: it has no list of features.")
	}
	return s.err
}

var errEnough = errors.New("the reader has enough")

func (s *splitter) expectCollection() {
	var word string
	if raw := s.member(); s.err == nil && (json.Unmarshal(raw, &word) != nil || word != "FeatureCollection") {
		s.fail(refuse("The file is a GeoJSON %.40s; the import takes a FeatureCollection.", raw))
	}
}

// expectWGS84 refuses another coordinate reference system, which GeoJSON could name before
// RFC 7946 and many tools still do.
func (s *splitter) expectWGS84() {
	var crs struct {
		Properties struct{ Name string }
	}
	if json.Unmarshal(s.member(), &crs) != nil {
		return // malformed: nothing is claimed
	}
	name := strings.ToUpper(crs.Properties.Name)
	if name != "" && !strings.HasSuffix(name, "CRS84") && !strings.HasSuffix(name, ":4326") {
		s.fail(refuse("The coordinates are in %.80q; GeoJSON is longitude and latitude in degrees (WGS84).", crs.Properties.Name))
	}
}

type feature struct {
	Type       string                     `json:"type"`
	ID         json.RawMessage            `json:"id"`
	Geometry   json.RawMessage            `json:"geometry"`
	Properties map[string]json.RawMessage `json:"properties"`
}

func readFeature(budget *effort.Budget, out *ports.Feature, raw []byte, tooLarge bool, scan *scan) error {
	var f feature
	switch {
	case !scan.outlines: // a survey, which has no use for what is wrong with a feature
		out.Attributes = surveyed(raw, tooLarge)
		return nil
	case tooLarge:
		return refuseOutline("The feature is larger than %d MiB.", maxFeatureBytes>>20)
	case !utf8.Valid(raw):
		return refuseOutline("The feature is not valid UTF-8 text.")
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return refuseOutline("The feature cannot be read: %v.", err)
	}
	if f.Type != "Feature" {
		return refuseOutline("This member of the list is no Feature; its type is %.40q.", f.Type)
	}
	out.Attributes = f.attributes()
	var g struct{ Type string }
	if len(f.Geometry) == 0 || json.Unmarshal(f.Geometry, &g) == nil && g.Type == "" && string(f.Geometry) == "null" {
		return nil
	}
	if out.Geometry = g.Type; g.Type == "Point" || g.Type == "MultiPoint" {
		return nil
	}
	boundary, err := geo.ParseGeoJSON(budget, f.Geometry, scan.limits)
	if err == nil {
		out.Boundary = &boundary
	}
	return err
}

func (f feature) attributes() map[string]string {
	out := map[string]string{}
	if id := textOf(f.ID); id != "" {
		put(out, "id", id)
	}
	for name, value := range f.Properties {
		if text := textOf(value); text != "" || name != "id" {
			put(out, name, text)
		}
	}
	return out
}

// surveyed returns the attributes of a feature, and passes over its geometry, which takes most of the time; none where it cannot be read.
func surveyed(raw []byte, tooLarge bool) map[string]string {
	if tooLarge || !utf8.Valid(raw) {
		return nil
	}
	var f feature
	in := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true))
	if start, err := in.ReadToken(); err != nil || start.Kind() != jsontext.KindBeginObject {
		return nil
	}
	for in.PeekKind() == jsontext.KindString {
		name, err := in.ReadToken()
		if err != nil {
			return nil
		}
		switch name.String() {
		case "id":
			id, _ := in.ReadValue()
			f.ID = slices.Clone([]byte(id))
		case "properties":
			properties, _ := in.ReadValue()
			if json.Unmarshal(properties, &f.Properties) != nil {
				return nil
			}
		default:
			err = in.SkipValue()
		}
		if err != nil {
			return nil
		}
	}
	return f.attributes()
}

// textOf returns a property as text: a whole number without the ".0" that some tools write,
// nothing for null and for what is no single value.
func textOf(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '"':
		var text string
		_ = json.Unmarshal(raw, &text) // it was read as JSON before
		return text
	case 'n', '{', '[':
		return ""
	case 't', 'f':
		return string(raw)
	}
	number, err := strconv.ParseFloat(string(raw), 64)
	if err == nil && number == math.Trunc(number) && math.Abs(number) < 1<<53 {
		return strconv.FormatInt(int64(number), 10)
	}
	return string(raw)
}

// splitter takes a JSON object apart without holding it. It keeps its first error: what is read after
// it is zero.
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
	_ = s.in.UnreadByte() // it follows a read
	s.at--
}

// next returns the first byte that is no white space.
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

// array reads an array and calls item with each value, whose bytes are those of the next value after
// the call.
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
			buffer = nil // one large feature is not held for all that follow
		}
		b = s.expect("a comma or the end of the list", ',', ']')
	}
}

// member reads a value of the collection that is looked at.
func (s *splitter) member() []byte {
	raw, tooLarge := s.value([]byte{}, maxMemberBytes)
	if tooLarge {
		s.fail(refuse("The GeoJSON has a member of more than %d KiB, before byte %d.", maxMemberBytes>>10, s.at))
	}
	return raw
}

// value passes over one JSON value. Up to a size it is appended to keep; a larger one is read to its
// end and not kept. Only its extent is checked: what is kept is read by encoding/json.
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
