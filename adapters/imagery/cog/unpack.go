package cog

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/image/tiff/lzw"

	"tilth/adapters/imagery/internal/inflate"
)

// maxWindow bounds the window of a ZSTD frame; the windows of block-sized frames are at most as large
// as the block.
const maxWindow = maxBlock

// spare is the number of bytes that any block may hold beyond its pixels.
const spare = 64 << 10

var errTooLong = errors.New("it holds more bytes than its pixels take")

// maxPacked bounds the packed bytes of a block of n raw bytes. Codes of LZW have at most 12 bits
// for 8; the other codecs expand by far less.
func maxPacked(n int64) int64 { return n + n/2 + 64<<10 }

// scratch pools buffers of packed and unpacked bytes, used while a block is decoded.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// sized returns n bytes of a buffer, which grows when it is too small. The bytes are not cleared.
func sized(buffer *[]byte, n int) []byte {
	*buffer = slices.Grow((*buffer)[:0], n)[:n]
	return *buffer
}

// inflaters pools readers, because a new one allocates some 30 KB of tables.
var inflaters = sync.Pool{New: func() any { return new(inflate.Reader) }}

// unpack returns the first size bytes of a block. Of DEFLATE and ZSTD it also reads the rest, which a padded
// strip may have, to the checksum at the end; a rest of more than size and spare bytes is an error.
func (c codec) unpack(packed []byte, size int) ([]byte, error) {
	switch c {
	case codecDeflate, codecDeflateOld:
		r := inflaters.Get().(*inflate.Reader)
		defer inflaters.Put(r)
		return r.Unpack(packed, size, size+spare)
	case codecZSTD:
		return unpackZSTD(packed, size)
	}
	var out io.Reader = bytes.NewReader(packed)
	switch c {
	case codecPackBits:
		out = &packBits{in: bytes.NewReader(packed)}
	case codecLZW:
		out = lzw.NewReader(out, lzw.MSB, 8)
	}
	raw := make([]byte, size)
	_, err := io.ReadFull(out, raw)
	return raw, err
}

func unpackZSTD(packed []byte, size int) ([]byte, error) {
	d, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	raw := make([]byte, size)
	if _, err := io.ReadFull(d, raw); err != nil {
		return nil, err
	}
	switch _, err := io.CopyN(io.Discard, d, int64(size)+spare); {
	case err == nil:
		return nil, errTooLong
	case errors.Is(err, io.EOF), errors.Is(err, zstd.ErrMagicMismatch): // the latter: bytes after the frame
		return raw, nil
	default:
		return nil, err
	}
}
