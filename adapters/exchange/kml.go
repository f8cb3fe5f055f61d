package exchange

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/ports"
)

// Bounds of a KML file. Entities beyond those of XML itself are not expanded at all.
const (
	maxDepth     = 64
	maxTextBytes = 4 << 20 // between two tags: the coordinates of a ring
)

// readKML reads the Placemarks of a KML file (OGC 12-007r2), wherever they lie.
func readKML(ctx context.Context, file ports.Object, limits geo.Limits, outlines bool, yield func(ports.Feature) bool) error {
	in := &meter{in: whole(file)}
	k := &kmlReader{dec: xml.NewDecoder(in), in: in, limits: limits, budget: effort.Of(ctx, 0), outlines: outlines}
	k.dec.CharsetReader = charsetReader
	root := true
	for {
		token, err := k.token()
		if errors.Is(err, io.EOF) {
			if root {
				return refuse("The file is no KML: it has no elements.")
			}
			return nil
		}
		if err != nil {
			return k.explain(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if root && start.Name.Local != "kml" {
			return refuse("The file is no KML: its outermost element is %.40q.", start.Name.Local)
		}
		root = false
		if start.Name.Local != "Placemark" {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f, err := k.placemark()
		if err != nil {
			return k.explain(err)
		}
		if !yield(f) {
			return nil
		}
	}
}

// kmlReader reads elements with bounds on their nesting and on the text between two tags.
type kmlReader struct {
	dec      *xml.Decoder
	in       *meter
	limits   geo.Limits
	budget   *effort.Budget
	outlines bool
	depth    int
}

func charsetReader(charset string, input io.Reader) (io.Reader, error) {
	page, ok := codePages[normalCharset(charset)]
	if !ok {
		return nil, fmt.Errorf("the encoding %q is not known; write the file in UTF-8", charset)
	}
	return page.NewDecoder().Reader(input), nil
}

// codePages are the encodings with a byte a character that files come in.
var codePages = map[string]*charmap.Charmap{
	"iso88591": charmap.Windows1252, "88591": charmap.Windows1252, "latin1": charmap.Windows1252, // as browsers read it
	"windows1252": charmap.Windows1252, "cp1252": charmap.Windows1252, "1252": charmap.Windows1252, "ansi1252": charmap.Windows1252,
	"iso885915": charmap.ISO8859_15, "885915": charmap.ISO8859_15,
	"iso88592": charmap.ISO8859_2, "88592": charmap.ISO8859_2,
	"windows1250": charmap.Windows1250, "cp1250": charmap.Windows1250, "1250": charmap.Windows1250,
	"windows1251": charmap.Windows1251, "cp1251": charmap.Windows1251, "1251": charmap.Windows1251,
	"cp437": charmap.CodePage437, "437": charmap.CodePage437, "cp850": charmap.CodePage850, "850": charmap.CodePage850,
}

func normalCharset(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// meter ends a text without an end: the decoder would hold all of it.
type meter struct {
	in   io.Reader
	read int64 // since the last tag
}

var errTextTooLong = errors.New("a text is too long")

func (m *meter) Read(p []byte) (int, error) {
	if m.read > maxTextBytes {
		return 0, errTextTooLong
	}
	n, err := m.in.Read(p)
	m.read += int64(n)
	return n, err
}

var errTooDeep = errors.New("elements are nested too deeply")

func (k *kmlReader) token() (xml.Token, error) {
	k.in.read = 0
	token, err := k.dec.Token()
	if err != nil {
		return nil, err
	}
	switch token.(type) {
	case xml.StartElement:
		if k.depth++; k.depth > maxDepth {
			return nil, errTooDeep
		}
	case xml.EndElement:
		k.depth--
	}
	return token, nil
}

func (k *kmlReader) explain(err error) error {
	line, _ := k.dec.InputPos()
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, errTextTooLong):
		return refuse("The KML holds a text of more than %d MiB, near line %d.", maxTextBytes>>20, line)
	case errors.Is(err, errTooDeep):
		return refuse("The KML is nested more than %d elements deep, near line %d.", maxDepth, line)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return refuse("The KML ends in the middle, near line %d.", line)
	case errors.As(err, &syntax):
		return refuse("The KML is malformed at line %d: %s.", syntax.Line, syntax.Msg)
	}
	return refuse("The KML cannot be read, near line %d: %v.", line, err)
}

// each calls use with every token within the element whose start has been read, to its end.
func (k *kmlReader) each(use func(xml.Token) error) error {
	for until := k.depth - 1; ; {
		token, err := k.token()
		if err != nil || k.depth == until {
			return err
		}
		if err := use(token); err != nil {
			return err
		}
	}
}

// outline gathers the geometry of one Placemark.
type outline struct {
	parts     geo.MultiPolygon
	positions int
	other     string // a geometry that is no area
	err       error
}

// placemark reads one Placemark, whose start has been read.
func (k *kmlReader) placemark() (ports.Feature, error) {
	out := ports.Feature{Attributes: map[string]string{}}
	var shape outline
	child, data := k.depth+1, ""
	err := k.each(func(token xml.Token) (err error) {
		start, ok := token.(xml.StartElement)
		if !ok {
			return nil
		}
		text := ""
		switch name := start.Name.Local; name {
		case "name", "description":
			if k.depth == child { // not of something inside
				text, err = k.text()
				put(out.Attributes, name, text)
			}
		case "Data":
			data = attribute(start, "name")
		case "value", "SimpleData":
			if name == "SimpleData" {
				data = attribute(start, "name")
			}
			if text, err = k.text(); data != "" {
				put(out.Attributes, data, text)
			}
		case "Polygon":
			err = k.polygon(&shape)
		case "Point", "LineString", "LinearRing", "Model", "Track", "MultiTrack":
			shape.other = name
		}
		return err
	})
	if err == nil {
		k.settle(&shape, &out)
	}
	return out, err
}

func (k *kmlReader) settle(s *outline, out *ports.Feature) {
	switch {
	case s.err != nil:
		out.Err = s.err
	case len(s.parts) == 0 && s.other != "":
		if out.Geometry = s.other; s.other != "Point" {
			out.Err = refuseOutline("The Placemark holds a %s, which is no area; draw it as a Polygon.", s.other)
		}
	case len(s.parts) > 0:
		if out.Geometry = "Polygon"; len(s.parts) > 1 {
			out.Geometry = "MultiPolygon"
		}
		if !k.outlines {
			return
		}
		boundary, err := geo.NewBoundary(k.budget, s.parts, k.limits)
		if err != nil {
			out.Err = err
			return
		}
		out.Boundary = &boundary
	}
}

func attribute(start xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// text reads the text of an element to its end; elements in it are passed over.
func (k *kmlReader) text() (string, error) {
	var out strings.Builder
	err := k.each(func(token xml.Token) error {
		text, _ := token.(xml.CharData)
		if out.Len()+len(text) > maxTextBytes {
			return errTextTooLong
		}
		out.Write(text)
		return nil
	})
	return out.String(), err
}

// polygon reads a Polygon, whose start has been read, into a further part.
func (k *kmlReader) polygon(shape *outline) error {
	var outer geo.Ring
	var holes []geo.Ring
	inside := false
	err := k.each(func(token xml.Token) error {
		start, _ := token.(xml.StartElement)
		switch start.Name.Local {
		case "outerBoundaryIs":
			inside = false
		case "innerBoundaryIs":
			inside = true
		case "coordinates":
			text, err := k.text()
			if err != nil {
				return err
			}
			ring := shape.ring(text, k.limits)
			if inside {
				holes = append(holes, ring)
			} else {
				outer = ring
			}
		}
		return nil
	})
	if shape.err == nil {
		shape.parts = append(shape.parts, append(geo.Polygon{outer}, holes...))
	}
	return err
}

// ring reads coordinates: tuples of longitude, latitude and perhaps a height, apart by
// white space.
func (s *outline) ring(text string, limits geo.Limits) geo.Ring {
	if s.err != nil {
		return nil
	}
	var ring geo.Ring
	s.positions--
	for tuple := range strings.FieldsSeq(text) {
		if s.positions++; s.positions > limits.MaxVertices {
			s.err = refuseOutline("The boundary has more than %d vertices; simplify it.", limits.MaxVertices)
			return nil
		}
		lon, rest, ok := strings.Cut(tuple, ",")
		lat, _, _ := strings.Cut(rest, ",")
		x, errX := strconv.ParseFloat(lon, 64)
		y, errY := strconv.ParseFloat(lat, 64)
		if !ok || errX != nil || errY != nil {
			s.err = refuseOutline("%.40q is no position; write longitude,latitude with a comma and no space between.", tuple)
			return nil
		}
		ring = append(ring, geo.Position{X: x, Y: y})
	}
	return ring
}
