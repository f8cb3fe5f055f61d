package outlines

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"tilth/adapters/exchange/internal/elements"
)

// maxColumns is the maximum number of columns of a table: dBASE allows 255, others more.
const maxColumns = 2_048

// table reads the rows of a dBASE table one by one.
type table struct {
	in      *bufio.Reader
	columns []column
	row     []byte
	left    uint32
	page    *charmap.Charmap // nil: UTF-8
}

type column struct {
	name   string
	kind   byte // C text, N and F number, D date, L logical
	length int
}

// openTable reads the head of a table. The encoding is that of the .cpg file; without one
// it is Windows-1252, which includes Latin-1.
func openTable(in io.Reader, charset string) (*table, error) {
	t := &table{in: bufio.NewReaderSize(in, 64<<10), page: charmap.Windows1252}
	switch plain := elements.NormalCharset(strings.Trim(charset, "\ufeff\x00 \r\n\t")); plain {
	case "":
	case "utf8", "65001":
		t.page = nil
	default:
		page, ok := elements.CodePages[plain]
		if !ok {
			return nil, refuse("The .cpg file names the encoding %.40q, which is not known; write the attributes in UTF-8.", charset)
		}
		t.page = page
	}
	var head [32]byte
	if _, err := io.ReadFull(t.in, head[:]); err != nil {
		return nil, endOf(".dbf", err)
	}
	t.left = binary.LittleEndian.Uint32(head[4:])
	headBytes, rowBytes := int(binary.LittleEndian.Uint16(head[8:])), int(binary.LittleEndian.Uint16(head[10:]))
	if headBytes < 33 || (headBytes-33)/32 > maxColumns || rowBytes < 1 {
		return nil, refuse("The .dbf file has an impossible header.")
	}
	rest := make([]byte, headBytes-32)
	if _, err := io.ReadFull(t.in, rest); err != nil {
		return nil, endOf(".dbf", err)
	}
	width := 1 // the mark of deleted rows
	for len(rest) >= 32 && rest[0] != '\r' {
		name, _, _ := strings.Cut(string(rest[:11]), "\x00")
		c := column{name: t.decode([]byte(name)), kind: rest[11], length: int(rest[16])}
		if c.kind == 'C' {
			c.length |= int(rest[17]) << 8 // longer texts than dBASE knew
		}
		width += c.length
		t.columns, rest = append(t.columns, c), rest[32:]
	}
	if width > rowBytes {
		return nil, refuse("The .dbf file has rows of %d bytes, and columns for %d.", rowBytes, width)
	}
	t.row = make([]byte, rowBytes)
	return t, nil
}

// widest is the maximum number of bytes of a text. A text that is within a letter of it may have been longer.
const widest = 254

// next reads the next row into attributes, with those that may be cut; none where the table has ended.
func (t *table) next() (out map[string]string, cut map[string]bool, err error) {
	out = map[string]string{}
	if t.left == 0 {
		return out, nil, nil
	}
	t.left--
	if _, err := io.ReadFull(t.in, t.row); err != nil {
		return nil, nil, endOf(".dbf", err)
	}
	at := 1
	for _, c := range t.columns {
		raw := t.row[at : at+c.length]
		at += c.length
		switch c.kind {
		case 'C', 'N', 'F', 'D', 'L':
			put(out, c.name, tidy(c.kind, t.decode(raw)))
		}
		if c.kind == 'C' && len(bytes.TrimRight(raw, " \x00")) > widest-utf8.UTFMax {
			if cut == nil {
				cut = map[string]bool{}
			}
			cut[c.name] = true
		}
	}
	return out, cut, nil
}

// tidy returns a value without its padding: a whole number without decimals, nothing for
// what was not filled in.
func tidy(kind byte, text string) string {
	text = strings.Trim(text, " \x00")
	switch kind {
	case 'N', 'F':
		if strings.HasPrefix(text, "*") {
			return ""
		}
		if whole, decimals, ok := strings.Cut(text, "."); ok && strings.Trim(decimals, "0") == "" {
			return whole
		}
	case 'L':
		if text == "?" {
			return ""
		}
	}
	return text
}

func (t *table) decode(raw []byte) string {
	if t.page == nil {
		for len(raw) > 0 && !utf8.Valid(raw) { // a text cut off within a letter
			if r, size := utf8.DecodeLastRune(raw); r != utf8.RuneError || size != 1 {
				break
			}
			raw = raw[:len(raw)-1]
		}
		return strings.ToValidUTF8(string(raw), "\ufffd")
	}
	text, err := t.page.NewDecoder().Bytes(raw)
	if err != nil {
		return strings.ToValidUTF8(string(raw), "\ufffd")
	}
	return string(text)
}

// endOf explains why a file of a shapefile cannot be read further.
func endOf(which string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refuse("The %s file ends in the middle.", which)
	}
	return err
}
