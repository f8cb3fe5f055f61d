package exchange

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

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
func readGeoJSON(ctx context.Context, file ports.Object, limits geo.Limits, outlines bool, yield func(ports.Feature) bool) error {
	s := &splitter{in: bufio.NewReaderSize(whole(file), 64<<10)}
	seen := false
	err := s.collection(func(name string) error {
		switch {
		case name == "features" && seen:
			return refuse("The FeatureCollection has two lists of features.")
		case name == "features":
			seen = true
			return s.array(func(raw []byte, tooLarge bool) (bool, error) {
				if ctx.Err() != nil {
					return false, ctx.Err()
				}
				var f ports.Feature
				if outlines {
					f.Err = readFeature(&f, raw, tooLarge, limits)
				}
				return yield(f), nil
			})
		case name == "type":
			return s.expectCollection()
		case name == "crs":
			return s.expectWGS84()
		}
		_, err := s.value(nil, 0)
		return err
	})
	switch {
	case errors.Is(err, errEnough):
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return refuse("The GeoJSON ends in the middle, after byte %d.", s.at)
	case err == nil && !seen:
		return refuse("The file is no FeatureCollection: it has no list of features.")
	}
	return err
}

var errEnough = errors.New("the reader has enough")

func (s *splitter) expectCollection() error {
	raw, err := s.value([]byte{}, maxMemberBytes)
	if err != nil {
		return err
	}
	var word string
	if json.Unmarshal(raw, &word) != nil || word != "FeatureCollection" {
		return refuse("The file is a GeoJSON %.40s; the import takes a FeatureCollection.", raw)
	}
	return nil
}

// expectWGS84 refuses another coordinate reference system, which GeoJSON could name before
// RFC 7946 and many tools still do.
func (s *splitter) expectWGS84() error {
	raw, err := s.value([]byte{}, maxMemberBytes)
	if err != nil {
		return err
	}
	var crs *struct {
		Properties struct{ Name string }
	}
	if err := json.Unmarshal(raw, &crs); err != nil || crs == nil {
		return nil // malformed or null: nothing is claimed
	}
	name := strings.ToUpper(crs.Properties.Name)
	if name == "" || strings.HasSuffix(name, "CRS84") || strings.HasSuffix(name, ":4326") {
		return nil
	}
	return refuse("The coordinates are in %.80q; GeoJSON is longitude and latitude in degrees (WGS84).", crs.Properties.Name)
}

// feature is the part of a GeoJSON feature that matters here.
type feature struct {
	Type       string                     `json:"type"`
	ID         json.RawMessage            `json:"id"`
	Geometry   json.RawMessage            `json:"geometry"`
	Properties map[string]json.RawMessage `json:"properties"`
}

func readFeature(out *ports.Feature, raw []byte, tooLarge bool, limits geo.Limits) error {
	var f feature
	switch {
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
	out.Attributes = map[string]string{}
	if id := textOf(f.ID); id != "" {
		put(out.Attributes, "id", id)
	}
	for name, value := range f.Properties {
		if text := textOf(value); text != "" || name != "id" {
			put(out.Attributes, name, text)
		}
	}
	var g struct{ Type string }
	if len(f.Geometry) == 0 || json.Unmarshal(f.Geometry, &g) == nil && g.Type == "" && string(f.Geometry) == "null" {
		return nil
	}
	if out.Geometry = g.Type; g.Type == "Point" || g.Type == "MultiPoint" {
		return nil
	}
	boundary, err := geo.ParseGeoJSON(f.Geometry, limits)
	if err == nil {
		out.Boundary = &boundary
	}
	return err
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

// splitter takes a JSON object apart without holding it.
type splitter struct {
	in *bufio.Reader
	at int64 // bytes read
}

func (s *splitter) read() (byte, error) {
	b, err := s.in.ReadByte()
	if err == nil {
		s.at++
	}
	return b, err
}

func (s *splitter) unread() {
	_ = s.in.UnreadByte() // it follows a read
	s.at--
}

// next returns the first byte that is no white space.
func (s *splitter) next() (byte, error) {
	for {
		b, err := s.read()
		if err != nil || b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, err
		}
	}
}

func (s *splitter) malformed(want string, got byte) error {
	return refuse("The GeoJSON is malformed at byte %d: %q where %s should be.", s.at, string(rune(got)), want)
}

// expect reads one of two bytes.
func (s *splitter) expect(want string, one, other byte) (byte, error) {
	b, err := s.next()
	if err == nil && b != one && b != other {
		err = s.malformed(want, b)
	}
	return b, err
}

// collection reads the outer object and calls member before each value.
func (s *splitter) collection(member func(name string) error) error {
	if mark, err := s.in.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
		_, _ = s.in.Discard(len(byteOrderMark)) // it was just seen
	}
	if _, err := s.expect("the beginning of an object", '{', '{'); err != nil {
		return err
	}
	b, err := s.expect("a member", '"', '}')
	for err == nil && b != '}' {
		s.unread()
		var raw []byte
		if raw, err = s.value([]byte{}, maxMemberBytes); err != nil {
			return err
		}
		var name string
		if json.Unmarshal(raw, &name) != nil {
			return refuse("The GeoJSON is malformed at byte %d: the name of a member cannot be read.", s.at)
		}
		if _, err = s.expect("a colon", ':', ':'); err != nil {
			return err
		}
		if err = member(name); err != nil {
			return err
		}
		if b, err = s.expect("a comma or the end of the object", ',', '}'); err == nil && b == ',' {
			b, err = s.expect("a member", '"', '"')
		}
	}
	if err != nil {
		return err
	}
	if b, err := s.next(); err == nil {
		return s.malformed("the end of the file", b)
	}
	return nil
}

// array reads an array and calls item with each value, until it wants no more. The bytes
// are those of the next value after the call.
func (s *splitter) array(item func(raw []byte, tooLarge bool) (more bool, err error)) error {
	if _, err := s.expect("the list of features", '[', '['); err != nil {
		return err
	}
	b, err := s.next()
	if err != nil || b == ']' {
		return err
	}
	s.unread()
	var buffer []byte
	for {
		raw, err := s.value(buffer[:0:cap(buffer)], maxFeatureBytes)
		if err != nil && !errors.Is(err, errTooLarge) {
			return err
		}
		more, stop := item(raw, err != nil)
		if stop != nil {
			return stop
		}
		if !more {
			return errEnough
		}
		if buffer = raw; cap(buffer) > maxMemberBytes {
			buffer = nil // one large feature is not held for all that follow
		}
		b, err := s.expect("a comma or the end of the list", ',', ']')
		if err != nil || b == ']' {
			return err
		}
	}
}

var errTooLarge = errors.New("the value is larger than is held")

// value passes over one JSON value. Where keep is not nil it is appended to it, up to a
// size; beyond, the value is read to its end and errTooLarge is given. Only its extent is
// checked: what is kept is read by encoding/json.
func (s *splitter) value(keep []byte, upper int) ([]byte, error) {
	b, err := s.next()
	if err != nil {
		return nil, err
	}
	wanted, tooLarge := keep != nil || upper > 0, false
	depth, quoted, escaped := 0, false, false
	for {
		if wanted && !tooLarge {
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
			return nil, s.malformed("a value", b)
		}
		if depth < 0 {
			return nil, s.malformed("a value", b)
		}
		if depth == 0 && !quoted && (!literal(b) || !s.literalGoesOn()) {
			break
		}
		if b, err = s.read(); err != nil {
			return nil, err
		}
	}
	if tooLarge {
		return nil, errTooLarge
	}
	return keep, nil
}

// literal reports whether a byte can be part of a number, true, false or null.
func literal(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b == '-' || b == '+' || b == '.' || b == 'E'
}

func (s *splitter) literalGoesOn() bool {
	next, err := s.in.Peek(1)
	return err == nil && literal(next[0])
}
