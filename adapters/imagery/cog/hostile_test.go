package cog_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

// zeros is a stream that unpacks to that many megabytes of zeros, and then breaks off.
func zeros(t testing.TB, codec uint16, megabytes int) []byte {
	t.Helper()
	switch codec {
	case 1:
		return make([]byte, megabytes<<20)
	case 8:
		// A megabyte, and a second that looks back on the first: that may go on for ever.
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		more := func() []byte {
			b.Reset()
			_, err := w.Write(make([]byte, 1<<20))
			require.NoError(t, err)
			require.NoError(t, w.Flush())
			return bytes.Clone(b.Bytes())
		}
		return append(more(), bytes.Repeat(more(), megabytes-1)...)
	case 50000:
		// RFC 8878: a frame with a window of 1 MiB (exponent 10), of blocks of type 1 that
		// each repeat a byte 2^17 times.
		head := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 10 << 3}
		const block = 1<<17<<3 | 1<<1
		return append(head, bytes.Repeat([]byte{block & 0xff, block >> 8 & 0xff, block >> 16, 0}, megabytes<<3)...)
	default:
		t.Fatalf("no zeros of codec %d", codec)
		return nil
	}
}

// strip is a file of one block that holds those packed bytes.
func strip(codec uint16, side int, packed []byte) []byte {
	s := spec{width: side, height: side, blockH: side, codec: codec, epsg: 32630}.plain()
	out := append([]byte("II*\x00\x00\x00\x00\x00"), packed...)
	start := len(out)
	out = s.directory(out, s.fields([]int{8}, []int{len(packed)}), 0)
	s.point(out, start)
	return out
}

const largestStrip = "the largest strip"

// hostile are files made to do harm, by what they try.
func hostile(t testing.TB) map[string][]byte {
	t.Helper()
	small := spec{width: 32, height: 32, tiled: true, blockW: 16, blockH: 16}.plain()
	pixels := scenery(32, 32, 16)
	with := func(s spec, extra map[uint16]field) []byte {
		s.extra = extra
		return s.encode(t, pixels)
	}
	big := small
	big.big = true
	claim := func(n int) field { return field{kind: 4, count: n, data: []byte{8, 0, 0, 0, 0, 0, 0, 0}} }
	million := small.longs(1 << 20)
	out := map[string][]byte{
		// 2^20 pixels a side in blocks of 16: 2^32 tiles, which the file also claims to list.
		"four billion tiles": with(big, map[uint16]field{256: million, 257: million, 324: claim(1 << 32), 325: claim(1 << 32)}),
		// As many as a 32-bit count can state.
		"counts near 2^32":      with(small, map[uint16]field{324: claim(1<<32 - 1), 325: claim(1<<32 - 1)}),
		"four billion pixels":   with(small, map[uint16]field{256: small.longs(1<<32 - 1), 257: small.longs(1<<32 - 1)}),
		"one tile of 2^32":      with(small, map[uint16]field{322: small.longs(1<<32 - 1), 323: small.longs(1<<32 - 1)}),
		"strips of infinity":    with(spec{width: 32, height: 32, blockH: 1}.plain(), map[uint16]field{278: small.longs(1<<32 - 1)}),
		"tiles upon each other": with(small, map[uint16]field{324: small.longs(8, 8, 8, 8)}),
		"tiles askew":           with(small, map[uint16]field{324: small.longs(8, 9, 300, 10)}),
		"tiles of the header":   with(small, map[uint16]field{324: small.longs(0, 0, 0, 0)}),
		"offsets of themselves": selfReferring(t),
		"directories in a ring": ring(),
		largestStrip:            with(spec{width: 32, height: 32, blockH: 32}.plain(), map[uint16]field{256: small.longs(5792), 257: small.longs(5792), 278: small.longs(5792)}),
	}
	return out
}

// selfReferring is a file whose lists of offsets and of lengths are one another, and lie in
// the first tile.
func selfReferring(t testing.TB) []byte {
	s := spec{width: 32, height: 32, tiled: true, blockW: 16, blockH: 16}.plain()
	s.extra = map[uint16]field{324: {kind: 4, count: 4, data: make([]byte, 16)}, 325: {kind: 4, count: 4, data: make([]byte, 16)}}
	data := s.encode(t, scenery(32, 32, 16))
	at := int(binary.LittleEndian.Uint32(data[4:])) // of the directory
	for i := range int(binary.LittleEndian.Uint16(data[at:])) {
		e := data[at+2+12*i:]
		if tag := binary.LittleEndian.Uint16(e); tag == 324 || tag == 325 {
			binary.LittleEndian.PutUint32(e[8:], uint32(at+2+12*i+8))
		}
	}
	return data
}

// ring is a file of two directories, each the successor of the other, both of them overviews.
func ring() []byte {
	le := binary.LittleEndian
	out := append([]byte("II*\x00"), 8, 0, 0, 0)
	for _, next := range []uint32{26, 8} {
		out = le.AppendUint16(out, 1) // one field: NewSubfileType, reduced image
		out = append(out, 254, 0, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0)
		out = le.AppendUint32(out, next)
	}
	return out
}

// TestHostileFiles checks that a file costs what it holds, not what it claims: no request asks for
// more than a header's or a block's bytes, and memory stays within bounds.
func TestHostileFiles(t *testing.T) {
	refusedAtOnce := map[string]bool{
		"four billion tiles": true, "counts near 2^32": true, "four billion pixels": true, "one tile of 2^32": true, "directories in a ring": true,
	}
	for name, data := range hostile(t) {
		t.Run(name, func(t *testing.T) {
			for _, hidden := range []bool{false, true} {
				source := &memory{data: data, address: "x", hidden: hidden}
				before := taken()
				if refusedAtOnce[name] {
					_, err := cog.NewReader(128<<20).Open(t.Context(), source, "x.tif")
					require.True(t, fault.Is(err, fault.Invalid), "%v", err)
					require.LessOrEqual(t, len(source.reads), 2, "the signature and the directory say enough")
					require.Less(t, taken()-before, uint64(256<<10))
					continue
				}
				openRead(t, source)
				require.Less(t, taken()-before, uint64(maxTaken))
				require.LessOrEqual(t, len(source.reads), 8)
			}
		})
	}
}

// A block that unpacks to gigabytes is refused, and not much more is unpacked than its pixels take; one too long to be
// sound is not even fetched.
func TestBombsAreNotUnpacked(t *testing.T) {
	const side = 1024
	for _, codec := range []uint16{8, 50000} {
		before := taken()
		f, err := cog.NewReader(128<<20).Open(t.Context(), &memory{data: strip(codec, side, zeros(t, codec, 2048)), address: "x"}, "x.tif")
		require.NoError(t, err)
		_, err = f.Read(t.Context(), vegetation.Window{Width: side, Height: side})
		require.True(t, fault.Is(err, fault.Invalid), "%v", err)
		require.Less(t, taken()-before, uint64(64<<20), "codec %d", codec)
	}
	source := &memory{data: strip(8, 64, zeros(t, 8, 2048)), address: "x"}
	f, err := cog.NewReader(128<<20).Open(t.Context(), source, "x.tif")
	require.NoError(t, err)
	source.reads = nil
	_, err = f.Read(t.Context(), vegetation.Window{Width: 1, Height: 1})
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	require.Empty(t, source.reads)
}

// The largest blocks that are read stay within the bound.
func TestTheLargestBlockStaysWithinBounds(t *testing.T) {
	const side = 5792 // 2 × 5792² bytes are just below 64 MiB
	for _, codec := range []uint16{1, 8, 50000} {
		data := strip(codec, side, pack(t, codec, make([]byte, 2*side*side)))
		before := taken()
		f, err := cog.NewReader(128<<20).Open(context.Background(), &memory{data: data, address: "x"}, "x.tif")
		require.NoError(t, err)
		_, err = f.Read(t.Context(), vegetation.Window{Col: side - 1, Row: side - 1, Width: 1, Height: 1})
		require.NoError(t, err)
		require.Less(t, taken()-before, uint64(maxTaken), "codec %d", codec)
	}
}
