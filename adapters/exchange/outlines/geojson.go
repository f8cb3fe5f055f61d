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

	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/ports"
)

// Bounds of what is held in memory of a GeoJSON file at a time.
const (
	maxFeatureBytes = 8 << 20
	maxMemberBytes  = 64 << 10 // of a member of the collection that is looked at
)

// readGeoJSON reads a FeatureCollection (RFC 7946). The collection is parsed byte by byte, and only
// one feature is held at a time.
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
		return refuse("The file is not a FeatureCollection: it has no list of features.")
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
		return // malformed: it names no system
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
	case !scan.outlines: // a survey, which does not report the faults of features
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
		return refuseOutline("This member of the list is not a Feature; its type is %.40q.", f.Type)
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

// surveyed returns the attributes of a feature, and skips its geometry, which takes most of the time; none where the feature cannot be read.
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
// nothing for null, objects and lists.
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
