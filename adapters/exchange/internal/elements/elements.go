// Package elements reads files of XML that strangers send: the nesting of elements and the text between two tags are bounded.
package elements

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"tilth/core/fault"
)

// Bounds of files of XML. Entities beyond those of XML itself are not expanded at all.
const (
	maxDepth     = 64
	maxTextBytes = 4 << 20 // between two tags: the coordinates of a ring
)

// Reader reads XML with bounds on the nesting of elements and on the text between two tags.
type Reader struct {
	format string // for faults
	dec    *xml.Decoder
	in     *meter
	depth  int
}

// Of reads a file; format names it in faults.
func Of(format string, from io.Reader) *Reader {
	in := &meter{in: from}
	e := &Reader{format: format, dec: xml.NewDecoder(in), in: in}
	e.dec.CharsetReader = charsetReader
	return e
}

func charsetReader(charset string, input io.Reader) (io.Reader, error) {
	page, ok := CodePages[NormalCharset(charset)]
	if !ok {
		return nil, fmt.Errorf("the encoding %q is not known; write the file in UTF-8", charset)
	}
	return page.NewDecoder().Reader(input), nil
}

// CodePages are the single-byte encodings that files come in.
var CodePages = map[string]*charmap.Charmap{
	"iso88591": charmap.Windows1252, "88591": charmap.Windows1252, "latin1": charmap.Windows1252, // as browsers read it
	"windows1252": charmap.Windows1252, "cp1252": charmap.Windows1252, "1252": charmap.Windows1252, "ansi1252": charmap.Windows1252,
	"iso885915": charmap.ISO8859_15, "885915": charmap.ISO8859_15,
	"iso88592": charmap.ISO8859_2, "88592": charmap.ISO8859_2,
	"windows1250": charmap.Windows1250, "cp1250": charmap.Windows1250, "1250": charmap.Windows1250,
	"windows1251": charmap.Windows1251, "cp1251": charmap.Windows1251, "1251": charmap.Windows1251,
	"cp437": charmap.CodePage437, "437": charmap.CodePage437, "cp850": charmap.CodePage850, "850": charmap.CodePage850,
}

// NormalCharset returns the name of an encoding in the form of the keys of CodePages.
func NormalCharset(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// meter stops a text that does not end: the decoder would hold all of it.
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

// Token returns the next tag or text.
func (e *Reader) Token() (xml.Token, error) {
	e.in.read = 0
	token, err := e.dec.Token()
	if err != nil {
		return nil, err
	}
	switch token.(type) {
	case xml.StartElement:
		if e.depth++; e.depth > maxDepth {
			return nil, errTooDeep
		}
	case xml.EndElement:
		e.depth--
	}
	return token, nil
}

// Explained returns a fault as it is, and explains other errors.
func (e *Reader) Explained(err error) error {
	if _, ok := fault.As(err); ok {
		return err
	}
	return e.Explain(err)
}

// Explain returns the fault of a file that cannot be read further. Faults: Invalid with "file".
func (e *Reader) Explain(err error) error {
	line, _ := e.dec.InputPos()
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, errTextTooLong):
		return refuse("The %s holds a text of more than %d MiB, near line %d.", e.format, maxTextBytes>>20, line)
	case errors.Is(err, errTooDeep):
		return refuse("The %s is nested more than %d elements deep, near line %d.", e.format, maxDepth, line)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return refuse("The %s ends in the middle, near line %d.", e.format, line)
	case errors.As(err, &syntax):
		return refuse("The %s is malformed at line %d: %s.", e.format, syntax.Line, syntax.Msg)
	}
	return refuse("The %s cannot be read, near line %d: %v.", e.format, line, err)
}

// Each calls use with every token within the element whose start has been read, to its end.
func (e *Reader) Each(use func(xml.Token) error) error {
	for until := e.depth - 1; ; {
		token, err := e.Token()
		if err != nil || e.depth == until {
			return err
		}
		if err := use(token); err != nil {
			return err
		}
	}
}

// Attribute returns an attribute of a tag; empty: it has none.
func Attribute(start xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// Text reads the text of an element to its end; elements in it are skipped.
func (e *Reader) Text() (string, error) {
	var out strings.Builder
	err := e.Each(func(token xml.Token) error {
		text, _ := token.(xml.CharData)
		if out.Len()+len(text) > maxTextBytes {
			return errTextTooLong
		}
		out.Write(text)
		return nil
	})
	return out.String(), err
}

func refuse(format string, args ...any) error {
	f := fault.Fields{}
	f.Addf("file", format, args...)
	return f.Err()
}

// Depth returns how many elements are open.
func (e *Reader) Depth() int { return e.depth }
