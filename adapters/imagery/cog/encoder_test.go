package cog_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"io"
	"math"
	"sort"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// spec states how the small encoder of these tests writes an image. It follows TIFF 6.0 word by
// word and shares nothing with the reader.
type spec struct {
	width, height int
	bits          int // 8, 16 or any fewer than 16
	order         byteOrder
	big           bool
	tiled         bool
	blockW        int // tiles
	blockH        int // tiles: height; strips: rows
	codec         uint16
	predictor     int
	noData        string
	sparse        map[int]bool
	pointRaster   bool
	matrix        bool
	overview      bool // a reduced image comes first in the chain
	epsg          int
	extra         map[uint16]field // overrides
	drop          []uint16
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

type field struct {
	kind  uint16
	count int
	data  []byte
}

func (s spec) plain() spec {
	if s.order == nil {
		s.order = binary.LittleEndian
	}
	if s.codec == 0 {
		s.codec = 1
	}
	if s.predictor == 0 {
		s.predictor = 1
	}
	if s.bits == 0 {
		s.bits = 16
	}
	if s.epsg == 0 {
		s.epsg = 32630
	}
	if !s.tiled {
		s.blockW = s.width
	}
	if s.blockH == 0 {
		s.blockH = s.height
	}
	return s
}

func (s spec) shorts(v ...int) field {
	b := []byte{}
	for _, x := range v {
		b = s.order.AppendUint16(b, uint16(x))
	}
	return field{3, len(v), b}
}

func (s spec) longs(v ...int) field {
	b := []byte{}
	for _, x := range v {
		if s.big {
			b = s.order.AppendUint64(b, uint64(x))
		} else {
			b = s.order.AppendUint32(b, uint32(x))
		}
	}
	if s.big {
		return field{16, len(v), b}
	}
	return field{4, len(v), b}
}

func (s spec) reals(v ...float64) field {
	b := []byte{}
	for _, x := range v {
		b = s.order.AppendUint64(b, math.Float64bits(x))
	}
	return field{12, len(v), b}
}

// encode writes the image whose pixels are dn.
func (s spec) encode(t testing.TB, dn []uint16) []byte {
	t.Helper()
	s = s.plain()
	var blocks [][]byte
	across := (s.width + s.blockW - 1) / s.blockW
	down := (s.height + s.blockH - 1) / s.blockH
	for by := range down {
		for bx := range across {
			if s.sparse[len(blocks)] {
				blocks = append(blocks, nil)
				continue
			}
			blocks = append(blocks, pack(t, s.codec, s.block(dn, bx, by)))
		}
	}
	out := []byte("II")
	if s.order == binary.BigEndian {
		out = []byte("MM")
	}
	if s.big {
		out = s.order.AppendUint16(out, 43)
		out = s.order.AppendUint16(out, 8)
		out = s.order.AppendUint16(out, 0)
		out = s.order.AppendUint64(out, 0) // set below
	} else {
		out = s.order.AppendUint16(out, 42)
		out = s.order.AppendUint32(out, 0)
	}
	var offsets, counts []int
	for _, b := range blocks {
		if b == nil {
			offsets, counts = append(offsets, 0), append(counts, 0)
			continue
		}
		offsets, counts = append(offsets, len(out)), append(counts, len(b))
		out = append(out, b...)
	}
	main := s.fields(offsets, counts)
	if !s.overview {
		start := len(out)
		out = s.directory(out, main, 0)
		s.point(out, start)
		return out
	}
	first := len(out)
	out = s.directory(out, map[uint16]field{254: s.longs(1), 256: s.shorts(1), 257: s.shorts(1)}, 0)
	second := len(out)
	out = s.directory(out, main, 0)
	s.point(out, first)
	s.link(out, first, 3, second)
	return out
}

func (s spec) fields(offsets, counts []int) map[uint16]field {
	f := map[uint16]field{
		256: s.shorts(s.width), 257: s.shorts(s.height), 258: s.shorts(s.bits), 259: s.shorts(int(s.codec)),
		262: s.shorts(1), 277: s.shorts(1), 317: s.shorts(s.predictor), 339: s.shorts(1),
	}
	if s.tiled {
		f[322], f[323], f[324], f[325] = s.shorts(s.blockW), s.shorts(s.blockH), s.longs(offsets...), s.longs(counts...)
	} else {
		f[278], f[273], f[279] = s.shorts(s.blockH), s.longs(offsets...), s.longs(counts...)
	}
	raster := 1
	if s.pointRaster {
		raster = 2
	}
	f[34735] = s.shorts(1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, raster, 3072, 0, 1, s.epsg)
	if s.matrix {
		f[34264] = s.reals(10, 0, 0, 399960, 0, -20, 0, 4700040, 0, 0, 0, 0, 0, 0, 0, 1)
	} else {
		f[33550], f[33922] = s.reals(10, 20, 0), s.reals(2, 3, 0, 399980, 4699980, 0)
	}
	if s.noData != "" {
		f[42113] = field{2, len(s.noData) + 1, append([]byte(s.noData), 0)}
	}
	for tag, v := range s.extra {
		f[tag] = v
	}
	for _, tag := range s.drop {
		delete(f, tag)
	}
	return f
}

func (s spec) directory(out []byte, fields map[uint16]field, next int) []byte {
	tags := []int{}
	for tag := range fields {
		tags = append(tags, int(tag))
	}
	sort.Ints(tags)
	word := 4
	if s.big {
		word = 8
	}
	number := func(b []byte, v int) []byte {
		if s.big {
			return s.order.AppendUint64(b, uint64(v))
		}
		return s.order.AppendUint32(b, uint32(v))
	}
	head, tail := []byte{}, []byte{}
	if s.big {
		head = s.order.AppendUint64(head, uint64(len(tags)))
	} else {
		head = s.order.AppendUint16(head, uint16(len(tags)))
	}
	end := len(out) + len(head) + len(tags)*(4+2*word) + word
	for _, tag := range tags {
		f := fields[uint16(tag)]
		head = s.order.AppendUint16(head, uint16(tag))
		head = s.order.AppendUint16(head, f.kind)
		head = number(head, f.count)
		if len(f.data) <= word {
			head = append(head, append(bytes.Clone(f.data), make([]byte, word-len(f.data))...)...)
			continue
		}
		head = number(head, end+len(tail))
		tail = append(tail, f.data...)
	}
	head = number(head, next)
	return append(append(out, head...), tail...)
}

// point sets the position of the first directory.
func (s spec) point(out []byte, at int) {
	if s.big {
		s.order.PutUint64(out[8:], uint64(at))
	} else {
		s.order.PutUint32(out[4:], uint32(at))
	}
}

// link sets the successor of a directory with n fields.
func (s spec) link(out []byte, directory, n, next int) {
	if s.big {
		s.order.PutUint64(out[directory+8+20*n:], uint64(next))
	} else {
		s.order.PutUint32(out[directory+2+12*n:], uint32(next))
	}
}

// block returns the raw bytes of one block; beyond the image tiles repeat the last pixel,
// as libtiff does, so that a reader that mixes up rows is found out.
func (s spec) block(dn []uint16, bx, by int) []byte {
	out := []byte{}
	for y := range s.blockH {
		row := by*s.blockH + y
		if row >= s.height {
			if !s.tiled {
				break
			}
			row = s.height - 1
		}
		line := make([]uint16, s.blockW)
		for x := range line {
			line[x] = dn[row*s.width+min(bx*s.blockW+x, s.width-1)]
		}
		if s.predictor == 2 {
			for x := len(line) - 1; x > 0; x-- {
				line[x] -= line[x-1]
			}
		}
		out = append(out, s.line(line)...)
	}
	return out
}

func (s spec) line(line []uint16) []byte {
	out := []byte{}
	switch s.bits {
	case 16:
		for _, v := range line {
			out = s.order.AppendUint16(out, v)
		}
	case 8:
		for _, v := range line {
			out = append(out, byte(v))
		}
	default:
		out = make([]byte, (len(line)*s.bits+7)/8)
		for i, v := range line {
			for b := range s.bits {
				if v>>(s.bits-1-b)&1 == 1 {
					at := i*s.bits + b
					out[at/8] |= 0x80 >> (at % 8)
				}
			}
		}
	}
	return out
}

// packer is the one encoder of ZSTD: making one costs more than most of what it packs.
var (
	packer  = sync.OnceValues(func() (*zstd.Encoder, error) { return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)) })
	packing sync.Mutex
)

func pack(t testing.TB, codec uint16, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	switch codec {
	case 5:
		return packLZW(raw)
	case 8, 32946:
		w := zlib.NewWriter(&b)
		_, err := w.Write(raw)
		require.NoError(t, err)
		require.NoError(t, w.Close())
	case 50000:
		packing.Lock()
		defer packing.Unlock()
		w, err := packer()
		require.NoError(t, err)
		w.Reset(&b)
		_, err = w.Write(raw)
		require.NoError(t, err)
		require.NoError(t, w.Close())
	default:
		return raw
	}
	return b.Bytes()
}

// packLZW is the compressor of TIFF 6.0, section 13: codes from the high bit on, code
// length one entry early, table cleared when code 4094 has been assigned.
func packLZW(raw []byte) []byte {
	var out []byte
	var held uint64
	have, width, next := 0, 9, 258
	put := func(code int) {
		held, have = held<<width|uint64(code), have+width
		for have >= 8 {
			have -= 8
			out = append(out, byte(held>>have))
		}
	}
	table := map[string]int{}
	code := func(s []byte) int {
		if len(s) == 1 {
			return int(s[0])
		}
		return table[string(s)]
	}
	put(256)
	var prefix []byte
	for _, c := range raw {
		longer := append(bytes.Clone(prefix), c)
		if _, ok := table[string(longer)]; ok || len(longer) == 1 {
			prefix = longer
			continue
		}
		put(code(prefix))
		table[string(longer)] = next
		next++
		switch next {
		case 512:
			width = 10
		case 1024:
			width = 11
		case 2048:
			width = 12
		case 4095:
			put(256)
			table, next, width = map[string]int{}, 258, 9
		}
		prefix = []byte{c}
	}
	if len(prefix) > 0 {
		put(code(prefix))
		next++
		switch next {
		case 512:
			width = 10
		case 1024:
			width = 11
		case 2048:
			width = 12
		}
	}
	put(257)
	if have > 0 {
		out = append(out, byte(held<<(8-have)))
	}
	return out
}

// memory is a Source over bytes that counts and records what it is asked for.
type memory struct {
	data    []byte
	address string
	hidden  bool // does not tell its size
	fail    error
	mu      sync.Mutex // of reads, which are concurrent
	reads   [][2]int64
}

func (m *memory) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m.mu.Lock()
	m.reads = append(m.reads, [2]int64{off, int64(len(p))})
	m.mu.Unlock()
	if m.fail != nil {
		return 0, m.fail
	}
	if off >= int64(len(m.data)) {
		return 0, io.EOF
	}
	n := copy(p, m.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (m *memory) Size() int64 {
	if m.hidden {
		return -1
	}
	return int64(len(m.data))
}

func (m *memory) Address() string { return m.address }
