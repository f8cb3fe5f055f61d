package flatgeobuf

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"tilth/core/geo"
)

// Bounds of a file.
const (
	maxHeader  = 4 << 20
	maxFeature = 8 << 20
	maxColumns = 2_000
	nodeBytes  = 40 // of the index: a box and an offset
)

// Errors of files and features that cannot be read.
var (
	ErrHeader   = errors.New("its header cannot be read")
	ErrEnd      = errors.New("it ends in the middle")
	ErrVertices = errors.New("it has too many vertices")
	errTooLarge = fmt.Errorf("it is larger than %d MiB", maxFeature>>20)
)

// Reader reads a file feature by feature.
type Reader struct {
	Org  string // who numbers the reference system; empty: EPSG
	Code int    // its number; 0: not stated
	WKT  string // its definition

	in      *bufio.Reader
	kind    byte
	columns []Column
	left    uint64 // features; 0: unknown, or none left
	counted bool
	buffer  []byte
}

// NewReader reads the header of a file. Errors: ErrHeader, ErrEnd.
func NewReader(from io.Reader) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(from, 64<<10)}
	head := make([]byte, len(Magic)+1)
	if _, err := io.ReadFull(r.in, head); err != nil || string(head[:len(Magic)]) != Magic {
		return nil, ErrHeader
	}
	raw, err := r.sized(maxHeader)
	if errors.Is(err, errTooLarge) {
		return nil, ErrHeader
	}
	if err != nil {
		return nil, err
	}
	b := &buffer{bytes: raw}
	header := b.root()
	r.kind = header.byte(headerType)
	if r.columns, err = columnsOf(header, headerColumns); err != nil {
		return nil, ErrHeader
	}
	if place := header.member(headerCount); place != 0 {
		r.left = binary.LittleEndian.Uint64(b.at(place, 8))
		r.counted = r.left > 0
	}
	if place := header.member(headerCRS); place != 0 {
		crs := table{b, b.follow(place)}
		r.Org, r.WKT = crs.text(crsOrg), crs.text(crsWKT)
		if place := crs.member(crsCode); place != 0 {
			r.Code = int(int32(b.u32(place)))
		}
	}
	nodeSize := 16
	if place := header.member(headerNodeSize); place != 0 {
		nodeSize = b.u16(place)
	}
	if b.broken {
		return nil, ErrHeader
	}
	return r, r.passIndex(nodeSize)
}

// columnsOf reads the columns that a table has.
func columnsOf(t table, number int) ([]Column, error) {
	place, n := t.vector(number, 4)
	if n > maxColumns || t.broken {
		return nil, ErrHeader
	}
	out := make([]Column, n)
	for i := range out {
		c := table{t.buffer, t.follow(place + 4*i)}
		out[i] = Column{c.text(columnName), Type(c.byte(columnType))}
	}
	if t.broken {
		return nil, ErrHeader
	}
	return out, nil
}

// passIndex skips the index before the features.
func (r *Reader) passIndex(nodeSize int) error {
	if nodeSize < 2 || !r.counted {
		return nil
	}
	const maxNodes = math.MaxInt64 / nodeBytes / 2
	nodes, level := r.left, r.left
	for level > 1 && nodes < maxNodes {
		level = (level + uint64(nodeSize) - 1) / uint64(nodeSize)
		nodes += level
	}
	if r.left == 1 {
		nodes = 2 // a leaf and its root
	}
	if nodes >= maxNodes {
		return ErrHeader
	}
	if _, err := io.CopyN(io.Discard, r.in, int64(nodes)*nodeBytes); err != nil {
		return ended(err)
	}
	return nil
}

func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrEnd
	}
	return err
}

// sized reads bytes that follow their size, and skips them where they are more than the bound. Errors: errTooLarge, io.EOF at the end, ErrEnd.
func (r *Reader) sized(bound int64) ([]byte, error) {
	var head [4]byte
	if n, err := io.ReadFull(r.in, head[:]); err != nil {
		if n > 0 {
			return nil, ended(err)
		}
		return nil, err
	}
	size := int64(binary.LittleEndian.Uint32(head[:]))
	if size > bound {
		if _, err := io.CopyN(io.Discard, r.in, size); err != nil {
			return nil, ended(err)
		}
		return nil, errTooLarge
	}
	// Memory is only taken as the announced bytes arrive.
	var err error
	if r.buffer, err = readUpTo(r.in, r.buffer[:0], int(size)); err != nil {
		return nil, ended(err)
	}
	return r.buffer, nil
}

func readUpTo(in io.Reader, buffer []byte, size int) ([]byte, error) {
	const piece = 64 << 10
	for len(buffer) < size {
		begin := len(buffer)
		n := min(piece, size-begin)
		if cap(buffer) < begin+n {
			buffer = append(make([]byte, 0, min(size, 2*cap(buffer)+n)), buffer...)
		}
		buffer = buffer[:begin+n]
		if _, err := io.ReadFull(in, buffer[begin:]); err != nil {
			return buffer, err
		}
	}
	return buffer, nil
}

// Feature is a feature in the coordinates of the file.
type Feature struct {
	Word       string           // the type of its geometry; empty: it has none
	Area       geo.MultiPolygon // nil where it is not an area
	Attributes map[string]string
	Err        error // why its geometry cannot be read
}

// Next returns the next feature. Errors: io.EOF at the end, ErrEnd.
func (r *Reader) Next(maxVertices int) (out Feature, err error) {
	if r.counted && r.left == 0 {
		return out, io.EOF
	}
	raw, err := r.sized(maxFeature)
	if r.counted {
		if r.left--; errors.Is(err, io.EOF) {
			return out, ErrEnd
		}
	}
	if errors.Is(err, errTooLarge) {
		return Feature{Err: err}, nil
	}
	if err != nil {
		return out, err
	}
	b := &buffer{bytes: raw}
	feature := b.root()
	out.Attributes = r.attributes(feature)
	if place := feature.member(featureGeometry); place != 0 {
		s := shape{left: maxVertices + maxVertices/2}
		out.Area, out.Err = s.read(table{b, b.follow(place)}, r.kind)
		out.Word = s.word
	}
	if b.broken {
		out.Area, out.Err = nil, errBroken
	}
	return out, nil
}

// shape reads a geometry.
type shape struct {
	word string
	left int // positions that may still come
}

func (s *shape) read(t table, kind byte) (geo.MultiPolygon, error) {
	if own := t.byte(geometryType); own != unknown {
		kind = own
	}
	if int(kind) < len(words) {
		s.word = words[kind]
	}
	switch kind {
	case polygon:
		p, err := s.polygon(t)
		if p == nil || err != nil {
			return nil, err
		}
		return geo.MultiPolygon{p}, nil
	case multiPolygon:
		var out geo.MultiPolygon
		place, n := t.vector(geometryParts, 4)
		for i := range n {
			p, err := s.polygon(table{t.buffer, t.follow(place + 4*i)})
			if err != nil {
				return nil, err
			}
			if p != nil {
				out = append(out, p)
			}
			if s.left -= 3; s.left < 0 { // parts that repeat one another count as positions too
				return nil, ErrVertices
			}
		}
		return out, nil
	}
	return nil, nil
}

// polygon reads rings that follow one another; nil: there are none.
func (s *shape) polygon(t table) (out geo.Polygon, err error) {
	xy, n := t.vector(geometryXY, 8)
	if s.left -= n / 2; s.left < 0 {
		return nil, ErrVertices
	}
	ends, rings := t.vector(geometryEnds, 4)
	begin := 0
	for i := range max(rings, 1) {
		end := n / 2
		if rings > 0 {
			end = t.u32(ends + 4*i)
		}
		if end < begin || end > n/2 {
			return nil, errors.New("its rings do not follow one another")
		}
		if end == begin {
			continue
		}
		ring := make(geo.Ring, end-begin)
		for j := range ring {
			at := xy + 16*(begin+j)
			ring[j] = geo.Position{X: t.float(at), Y: t.float(at + 8)}
		}
		out, begin = append(out, ring), end
	}
	return out, nil
}

// attributes reads the properties of a feature: each the number of its column, and its value.
func (r *Reader) attributes(feature table) map[string]string {
	columns := r.columns
	if own, err := columnsOf(feature, featureColumns); err == nil && len(own) > 0 {
		columns = own
	}
	out := make(map[string]string, len(columns))
	for _, c := range columns {
		if c.Type != Binary {
			out[c.Name] = ""
		}
	}
	place, n := feature.vector(featureProperties, 1)
	rest := feature.at(place, n)
	for len(rest) >= 2 && !feature.broken {
		number := int(binary.LittleEndian.Uint16(rest))
		if rest = rest[2:]; number >= len(columns) {
			break
		}
		text, size := valueOf(columns[number].Type, rest)
		if size > len(rest) {
			break
		}
		if rest = rest[size:]; columns[number].Type != Binary {
			out[columns[number].Name] = text
		}
	}
	return out
}

// sizes are the numbers of bytes of values; values of the later types state their own.
var sizes = []int{1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8}

// valueOf returns a value as text, and how many bytes it takes: more than raw has where it is cut off.
func valueOf(kind Type, raw []byte) (text string, size int) {
	if int(kind) >= len(sizes) {
		if len(raw) < 4 {
			return "", 4
		}
		n := int(binary.LittleEndian.Uint32(raw))
		if n > len(raw)-4 {
			return "", len(raw) + 1
		}
		return string(raw[4 : 4+n]), 4 + n
	}
	if size = sizes[kind]; size > len(raw) {
		return "", size
	}
	le := binary.LittleEndian
	switch kind {
	case Byte:
		return strconv.Itoa(int(int8(raw[0]))), size
	case UByte:
		return strconv.Itoa(int(raw[0])), size
	case Bool:
		return strconv.FormatBool(raw[0] != 0), size
	case Short:
		return strconv.Itoa(int(int16(le.Uint16(raw)))), size
	case UShort:
		return strconv.Itoa(int(le.Uint16(raw))), size
	case Int:
		return strconv.Itoa(int(int32(le.Uint32(raw)))), size
	case UInt:
		return strconv.FormatUint(uint64(le.Uint32(raw)), 10), size
	case Long:
		return strconv.FormatInt(int64(le.Uint64(raw)), 10), size
	case ULong:
		return strconv.FormatUint(le.Uint64(raw), 10), size
	case Float:
		return strconv.FormatFloat(float64(math.Float32frombits(le.Uint32(raw))), 'f', -1, 32), size
	default:
		return strconv.FormatFloat(math.Float64frombits(le.Uint64(raw)), 'f', -1, 64), size
	}
}
