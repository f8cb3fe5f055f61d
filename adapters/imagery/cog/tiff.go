package cog

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
)

// Bounds of a header. A Sentinel-2 tile in 64-pixel blocks has 29 584 of them.
const (
	headerChunk  = 16 << 10 // minimal size of a request
	maxHeader    = 24 << 20 // all header bytes of one file
	maxEntries   = 4096     // in one directory
	maxDirectory = 16       // directories read to find the main image
	maxBlocks    = 1 << 20
)

// headerReader reads header bytes by position, with as few requests as possible. It keeps its first
// error: what is read after it is zero.
type headerReader struct {
	ctx    context.Context // of the one read of the header
	source Source
	name   string
	pieces []piece // what was read, each byte once
	budget int64
	order  binary.ByteOrder
	big    bool
	fields directory // of the main image
	err    error
}

// piece is bytes of the file from start on.
type piece struct {
	start int64
	bytes []byte
}

func (p *piece) end() int64 { return p.start + int64(len(p.bytes)) }

// fail keeps an error, unless there is one already.
func (h *headerReader) fail(err error) {
	if h.err == nil {
		h.err = err
	}
}

// at returns n bytes at off, which must not be changed; nil after an error.
func (h *headerReader) at(off, n int64) []byte {
	size := h.source.Size()
	if off < 0 || n < 0 || off > math.MaxInt64-n || (size >= 0 && off+n > size) {
		h.fail(broken(h.name, "its header points beyond the end of the file"))
	}
	if h.err != nil {
		return nil
	}
	i := slices.IndexFunc(h.pieces, func(p piece) bool { return p.start <= off && off <= p.end() })
	if i < 0 {
		i = len(h.pieces)
		h.pieces = append(h.pieces, piece{start: off})
	}
	p := &h.pieces[i]
	h.extend(p, off+n)
	if h.err != nil {
		return nil
	}
	return p.bytes[off-p.start:][:n]
}

// extend reads on until a piece reaches to a position, by at least one chunk.
func (h *headerReader) extend(p *piece, to int64) {
	from, size := p.end(), h.source.Size()
	if to <= from {
		return
	}
	ask := max(to-from, headerChunk)
	if size >= 0 {
		ask = min(ask, size-from)
	}
	if ask > h.budget {
		h.fail(broken(h.name, "its header is larger than %d MiB", maxHeader>>20))
		return
	}
	h.budget -= ask
	more := make([]byte, ask)
	got, err := h.source.ReadAt(h.ctx, more, from)
	if err != nil && !errors.Is(err, io.EOF) {
		h.fail(err)
		return
	}
	if p.bytes = append(p.bytes, more[:got]...); p.end() < to {
		h.fail(broken(h.name, "it ends inside its header"))
	}
}

// open reads the signature and returns the position of the first directory.
func (h *headerReader) open() int64 {
	b := h.at(0, 16)
	if b == nil {
		return 0
	}
	if string(b[4:8]) == "jP  " || string(b[:4]) == "\xff\x4f\xff\x51" {
		h.fail(unsupported(h.name, "it is JPEG 2000, and only TIFF is read"))
	}
	h.order = binary.BigEndian
	if string(b[:2]) == "II" {
		h.order = binary.LittleEndian
	}
	version := h.order.Uint16(b[2:])
	switch h.big = version == 43; {
	case string(b[:2]) != "II" && string(b[:2]) != "MM", version != 42 && version != 43:
		h.fail(broken(h.name, "it is not a TIFF"))
	case h.big && (h.order.Uint16(b[4:]) != 8 || h.order.Uint16(b[6:]) != 0):
		h.fail(broken(h.name, "it is not a BigTIFF with 8-byte offsets"))
	case h.big:
		return h.word(b[8:], 8)
	}
	return h.word(b[4:], 4)
}

// The types of TIFF fields that matter here (TIFF 6.0, section 2; BigTIFF adds the last).
const (
	typeByte   = 1
	typeASCII  = 2
	typeShort  = 3
	typeLong   = 4
	typeDouble = 12
	typeLong8  = 16
)

var typeSizes = map[uint16]int64{typeByte: 1, typeASCII: 1, typeShort: 2, typeLong: 4, typeDouble: 8, typeLong8: 8}

// entry is one field of a directory, its value still in the file.
type entry struct {
	kind  uint16
	count int64
	at    int64 // position of the value in the file
}

// directory holds the fields of one image by tag.
type directory map[uint16]entry

// directory reads the fields at off and returns the position of the next directory, 0 for none.
func (h *headerReader) directory(off int64) (directory, int64) {
	countSize, entrySize, wordSize := int64(2), int64(12), int64(4)
	if h.big {
		countSize, entrySize, wordSize = 8, 20, 8
	}
	b := h.at(off, countSize)
	if b == nil {
		return nil, 0
	}
	n := h.word(b, countSize)
	if n < 1 || n > maxEntries {
		h.fail(broken(h.name, "a directory claims %d fields", n))
	}
	if b = h.at(off+countSize, n*entrySize+wordSize); b == nil {
		return nil, 0
	}
	fields := make(directory, n)
	for i := range n {
		e := b[i*entrySize:]
		field := entry{
			kind:  h.order.Uint16(e[2:]),
			count: h.word(e[4:], wordSize),
			at:    off + countSize + i*entrySize + 4 + wordSize,
		}
		size := typeSizes[field.kind]
		if size == 0 {
			continue // of a type that none of our tags has
		}
		if field.count < 0 || field.count > math.MaxInt64/8 {
			h.fail(broken(h.name, "a field of its header claims more values than any file can hold"))
			return nil, 0
		}
		if field.count*size > wordSize {
			field.at = h.word(e[4+wordSize:], wordSize)
		}
		tag := h.order.Uint16(e)
		if _, twice := fields[tag]; !twice {
			fields[tag] = field
		}
	}
	return fields, h.word(b[n*entrySize:], wordSize)
}

// word reads an unsigned number of 1, 2, 4 or 8 bytes; -1 stands for one beyond the signed range,
// which at refuses as a position.
func (h *headerReader) word(b []byte, size int64) int64 {
	switch size {
	case 1:
		return int64(b[0])
	case 2:
		return int64(h.order.Uint16(b))
	case 4:
		return int64(h.order.Uint32(b))
	}
	if v := h.order.Uint64(b); v <= math.MaxInt64 {
		return int64(v)
	}
	return -1
}

// raw returns the bytes of a field of at most upper values.
func (h *headerReader) raw(e entry, upper int64) []byte {
	if e.count > upper {
		h.fail(broken(h.name, "a field of its header claims %d values", e.count))
	}
	return h.at(e.at, e.count*typeSizes[e.kind])
}

// integers returns the values of a field of unsigned numbers; nil when the tag is absent. Numbers
// beyond the signed range are negative.
func (h *headerReader) integers(tag uint16, upper int64) []int64 {
	e, ok := h.fields[tag]
	if !ok {
		return nil
	}
	if e.kind == typeASCII || e.kind == typeDouble {
		h.fail(broken(h.name, "field %d does not hold whole numbers", tag))
	}
	b, size := h.raw(e, upper), typeSizes[e.kind]
	if b == nil {
		return nil
	}
	out := make([]int64, e.count)
	for i := range out {
		out[i] = h.word(b[int64(i)*size:], size)
	}
	return out
}

// integer returns the first value of a field, or a default when the tag is absent.
func (h *headerReader) integer(tag uint16, absent int64) int64 {
	if values := h.integers(tag, 64); len(values) > 0 {
		return values[0]
	}
	return absent
}

// overwrite replaces the defaults of tags with the values that the directory has.
func (h *headerReader) overwrite(defaults map[uint16]int64) {
	for tag, absent := range defaults {
		defaults[tag] = h.integer(tag, absent)
	}
}

// text returns a field of ASCII of at most upper bytes; "" when the tag is absent.
func (h *headerReader) text(tag uint16, upper int64) string {
	e := h.fields[tag]
	if e.kind != typeASCII {
		return ""
	}
	text, _, _ := strings.Cut(string(h.raw(e, upper)), "\x00")
	return strings.TrimSpace(text)
}

// doubles returns the values of a field of real numbers; nil when the tag is absent.
func (h *headerReader) doubles(tag uint16) []float64 {
	e, ok := h.fields[tag]
	if !ok {
		return nil
	}
	if e.kind != typeDouble {
		h.fail(broken(h.name, "field %d does not hold real numbers", tag))
	}
	b := h.raw(e, 6*1024)
	out := make([]float64, len(b)/8)
	for i := range out {
		out[i] = math.Float64frombits(h.order.Uint64(b[8*i:]))
	}
	return out
}
