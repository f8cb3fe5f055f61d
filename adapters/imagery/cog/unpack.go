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

// spare is how many bytes any block may hold beyond its pixels.
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

// unpacker returns the raw bytes of a block from first to last.
type unpacker struct {
	out     io.Reader
	checked bool   // its codec has a checksum
	close   func() // nil: nothing to release
}

// inflaters pools readers, because a new one allocates some 130 KB.
var inflaters = sync.Pool{New: func() any { return new(inflate.Reader) }}

func (c codec) unpacker(packed []byte) (*unpacker, error) {
	in, u := bytes.NewReader(packed), &unpacker{}
	switch c {
	case codecNone:
		u.out = in
	case codecPackBits:
		u.out = &packBits{in: in}
	case codecLZW:
		u.out = lzw.NewReader(in, lzw.MSB, 8)
	case codecZSTD:
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		u.out, u.close, u.checked = d, d.Close, true
	default:
		inflater := inflaters.Get().(*inflate.Reader)
		inflater.Reset(packed)
		u.out, u.close, u.checked = inflater, func() { inflaters.Put(inflater) }, true
	}
	return u, nil
}

// all fills raw with the first bytes of a block, and reads the rest, which a padded strip may have, to the end,
// where the checksum is. A rest longer than the bytes themselves is an error.
func (u *unpacker) all(raw []byte) error {
	if _, err := io.ReadFull(u.out, raw); err != nil || !u.checked {
		return err
	}
	switch _, err := io.CopyN(io.Discard, u.out, int64(len(raw))+spare); {
	case err == nil:
		return errTooLong
	case errors.Is(err, io.EOF), errors.Is(err, zstd.ErrMagicMismatch): // the latter: bytes behind the frame
		return nil
	default:
		return err
	}
}

// release returns pooled parts. The unpacker must not be used after it.
func (u *unpacker) release() {
	if u.close != nil {
		u.close()
	}
}
