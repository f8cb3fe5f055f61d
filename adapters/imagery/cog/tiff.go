package cog

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
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

// headerReader reads header bytes by position, with as few requests as possible.
type headerReader struct {
	source Source
	name   string
	chunk  []byte // the bytes from start on that were read last
	start  int64
	first  []byte // the first chunk, to which directories often return
	budget int64
	order  binary.ByteOrder
	big    bool
}

// at returns n bytes at off. The slice is valid until the next call and must not be changed.
func (h *headerReader) at(ctx context.Context, off, n int64) ([]byte, error) {
	if size := h.source.Size(); off < 0 || n < 0 || off > math.MaxInt64-n || (size >= 0 && off+n > size) {
		return nil, broken(h.name, "its header points beyond the end of the file")
	}
	if off+n <= int64(len(h.first)) {
		return h.first[off : off+n], nil
	}
	if off >= h.start && off+n <= h.start+int64(len(h.chunk)) {
		return h.chunk[off-h.start:][:n], nil
	}
	ask := max(n, headerChunk)
	if size := h.source.Size(); size >= 0 {
		ask = min(ask, size-off)
	}
	if ask > h.budget {
		return nil, broken(h.name, "its header is larger than %d MiB", maxHeader>>20)
	}
	h.budget -= ask
	buf := make([]byte, ask)
	got, err := h.source.ReadAt(ctx, buf, off)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	h.chunk, h.start = buf[:got], off
	if off == 0 && h.first == nil {
		h.first = h.chunk
	}
	if int64(got) < n {
		return nil, broken(h.name, "it ends inside its header")
	}
	return h.chunk[:n], nil
}

// open reads the signature and returns the position of the first directory.
func (h *headerReader) open(ctx context.Context) (int64, error) {
	b, err := h.at(ctx, 0, 16)
	if err != nil {
		return 0, err
	}
	if string(b[4:8]) == "jP  " || string(b[:4]) == "\xff\x4f\xff\x51" {
		return 0, unsupported(h.name, "it is JPEG 2000, and only TIFF is read")
	}
	switch string(b[:2]) {
	case "II":
		h.order = binary.LittleEndian
	case "MM":
		h.order = binary.BigEndian
	default:
		return 0, broken(h.name, "it is not a TIFF")
	}
	switch h.order.Uint16(b[2:]) {
	case 42:
		return int64(h.order.Uint32(b[4:])), nil
	case 43:
		if h.order.Uint16(b[4:]) != 8 || h.order.Uint16(b[6:]) != 0 {
			return 0, broken(h.name, "it is not a BigTIFF with 8-byte offsets")
		}
		h.big = true
		return h.position(h.order.Uint64(b[8:])), nil
	default:
		return 0, broken(h.name, "it is not a TIFF")
	}
}

// position converts an unsigned number to a file position; at refuses those that do not fit.
func (h *headerReader) position(v uint64) int64 {
	if v > math.MaxInt64 {
		return -1
	}
	return int64(v)
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

func typeSize(t uint16) int64 {
	switch t {
	case typeByte, typeASCII:
		return 1
	case typeShort:
		return 2
	case typeLong:
		return 4
	case typeDouble, typeLong8:
		return 8
	default:
		return 0
	}
}

// entry is one field of a directory, its value still in the file.
type entry struct {
	kind  uint16
	count int64
	at    int64 // position of the value in the file
}

// directory holds the fields of one image by tag.
type directory map[uint16]entry

// directory reads the fields at off and returns the position of the next directory, 0 for none.
func (h *headerReader) directory(ctx context.Context, off int64) (directory, int64, error) {
	countSize, entrySize, wordSize := int64(2), int64(12), int64(4)
	if h.big {
		countSize, entrySize, wordSize = 8, 20, 8
	}
	b, err := h.at(ctx, off, countSize)
	if err != nil {
		return nil, 0, err
	}
	n := h.word(b, countSize)
	if n < 1 || n > maxEntries {
		return nil, 0, broken(h.name, "a directory claims %d fields", n)
	}
	b, err = h.at(ctx, off+countSize, n*entrySize+wordSize)
	if err != nil {
		return nil, 0, err
	}
	fields := make(directory, n)
	for i := range n {
		e := b[i*entrySize:]
		field := entry{
			kind:  h.order.Uint16(e[2:]),
			count: h.word(e[4:], wordSize),
			at:    off + countSize + i*entrySize + 4 + wordSize,
		}
		size := typeSize(field.kind)
		if size == 0 {
			continue // of a type that none of our tags has
		}
		if field.count < 0 || field.count > math.MaxInt64/8 {
			return nil, 0, broken(h.name, "a field of its header claims more values than any file can hold")
		}
		if field.count*size > wordSize {
			field.at = h.word(e[4+wordSize:], wordSize)
		}
		tag := h.order.Uint16(e)
		if _, twice := fields[tag]; !twice {
			fields[tag] = field
		}
	}
	return fields, h.word(b[n*entrySize:], wordSize), nil
}

// word reads an unsigned number of 2, 4 or 8 bytes.
func (h *headerReader) word(b []byte, size int64) int64 {
	switch size {
	case 2:
		return int64(h.order.Uint16(b))
	case 4:
		return int64(h.order.Uint32(b))
	default:
		return h.position(h.order.Uint64(b))
	}
}

// raw returns the bytes of a field of at most upper values.
func (h *headerReader) raw(ctx context.Context, e entry, upper int64) ([]byte, error) {
	if e.count > upper {
		return nil, broken(h.name, "a field of its header claims %d values", e.count)
	}
	return h.at(ctx, e.at, e.count*typeSize(e.kind))
}

// integers returns the values of a field of unsigned numbers; nil when the tag is absent.
// Numbers beyond the signed range come back negative.
func (h *headerReader) integers(ctx context.Context, d directory, tag uint16, upper int64) ([]int64, error) {
	e, ok := d[tag]
	if !ok {
		return nil, nil
	}
	size := typeSize(e.kind)
	if e.kind == typeASCII || e.kind == typeDouble {
		return nil, broken(h.name, "field %d does not hold whole numbers", tag)
	}
	b, err := h.raw(ctx, e, upper)
	if err != nil {
		return nil, err
	}
	out := make([]int64, e.count)
	for i := range out {
		if size == 1 {
			out[i] = int64(b[i])
			continue
		}
		out[i] = h.word(b[int64(i)*size:], size)
	}
	return out, nil
}

// integer returns the first value of a field, or a default when the tag is absent.
func (h *headerReader) integer(ctx context.Context, d directory, tag uint16, absent int64) (int64, error) {
	values, err := h.integers(ctx, d, tag, 64)
	if err != nil {
		return 0, err
	}
	if len(values) == 0 {
		return absent, nil
	}
	return values[0], nil
}

// overwrite replaces the defaults of tags by the values that the directory has.
func (h *headerReader) overwrite(ctx context.Context, d directory, defaults map[uint16]int64) error {
	for tag, absent := range defaults {
		value, err := h.integer(ctx, d, tag, absent)
		if err != nil {
			return err
		}
		defaults[tag] = value
	}
	return nil
}

// text returns a field of ASCII of at most upper bytes.
func (h *headerReader) text(ctx context.Context, e entry, upper int64) (string, error) {
	b, err := h.raw(ctx, e, upper)
	text, _, _ := strings.Cut(string(b), "\x00")
	return strings.TrimSpace(text), err
}

// doubles returns the values of a field of real numbers; nil when the tag is absent.
func (h *headerReader) doubles(ctx context.Context, d directory, tag uint16) ([]float64, error) {
	e, ok := d[tag]
	if !ok {
		return nil, nil
	}
	if e.kind != typeDouble {
		return nil, broken(h.name, "field %d does not hold real numbers", tag)
	}
	b, err := h.raw(ctx, e, 6*1024)
	if err != nil {
		return nil, err
	}
	out := make([]float64, e.count)
	for i := range out {
		out[i] = math.Float64frombits(h.order.Uint64(b[8*i:]))
	}
	return out, nil
}
