package cog

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/image/tiff/lzw"
)

const (
	// maxWindow bounds what a ZSTD frame may ask to keep; the windows of block-sized
	// frames are at most as large as the block.
	maxWindow = maxBlock

	// stateBytes is about what an unpacker holds beside its input: the 32 KiB that DEFLATE
	// looks back on and its code tables; LZW's tables are smaller.
	stateBytes = 128 << 10
)

// mostPacked is the most bytes that a block of n raw bytes may take when packed. Codes of
// LZW have at most 12 bits for 8; the other codecs expand by far less.
func mostPacked(n int64) int64 { return n + n/2 + 64<<10 }

// scratch keeps buffers of packed and of unpacked bytes, which live no longer than a
// block is decoded.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// sized gives n bytes of a buffer, which grows when it is too small. What they hold is
// left from before.
func sized(buffer *[]byte, n int) []byte {
	*buffer = slices.Grow((*buffer)[:0], n)[:n]
	return *buffer
}

// unpacker gives the raw bytes of a block from first to last, as far as it is asked.
type unpacker struct {
	in     *bytes.Reader // what is still packed
	out    io.ReadCloser
	pooled bool // out is one of inflaters
}

// inflaters are readers of DEFLATE that are done with their block: making one anew takes
// tens of kilobytes.
var inflaters sync.Pool

func (c codec) unpacker(packed []byte) (*unpacker, error) {
	u := &unpacker{in: bytes.NewReader(packed)}
	var err error
	switch c {
	case codecNone:
		u.out = io.NopCloser(u.in)
	case codecLZW:
		u.out = lzw.NewReader(u.in, lzw.MSB, 8)
	case codecZSTD:
		var d *zstd.Decoder
		if d, err = zstd.NewReader(u.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)); err == nil {
			u.out = d.IOReadCloser()
		}
	default:
		u.pooled = true
		if used, ok := inflaters.Get().(io.ReadCloser); ok {
			u.out, err = used, used.(zlib.Resetter).Reset(u.in, nil)
		} else {
			u.out, err = zlib.NewReader(u.in)
		}
	}
	return u, err
}

// next fills raw, and gives how many bytes it has got. Fewer are an error.
func (u *unpacker) next(raw []byte) (int, error) { return io.ReadFull(u.out, raw) }

// detach lets go of the bytes that the unpacker was made of, by copying those that are
// still packed.
func (u *unpacker) detach() {
	rest := make([]byte, u.in.Len())
	_, _ = u.in.Read(rest) // from memory: it gives what its length says
	u.in.Reset(rest)
}

// held is about what a detached unpacker takes in memory, in bytes.
func (u *unpacker) held() int64 { return u.in.Size() + stateBytes }

// checksum takes one step beyond the last pixel, for decoders compare checksums only when
// they reach the end, and gives the error of one that does not hold. Bytes that come
// instead, and other errors, are let pass: the pixels are complete.
func (u *unpacker) checksum() error {
	var beyond [1]byte
	_, err := u.out.Read(beyond[:])
	if errors.Is(err, zlib.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch) {
		return err
	}
	return nil
}

// release gives back what can be used again.
func (u *unpacker) release() {
	_ = u.out.Close() // it reads from memory, and every error that matters was met on the way
	if u.pooled {
		inflaters.Put(u.out)
	}
}
