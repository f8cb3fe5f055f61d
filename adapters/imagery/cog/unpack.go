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

const (
	// maxWindow bounds the window of a ZSTD frame; the windows of block-sized frames are at most as
	// large as the block.
	maxWindow = maxBlock

	// stateBytes is about the memory of an unpacker beside its input: DEFLATE's tables, window and
	// output; the others are smaller.
	stateBytes = 144 << 10
)

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

// unpacker returns the raw bytes of a block from first to last, as far as they are requested.
type unpacker struct {
	out      io.Reader
	in       *bytes.Reader   // the packed rest, where there is no inflater
	inflater *inflate.Reader // out, where the codec is DEFLATE
	close    func()          // nil: nothing to release
	kept     int             // packed bytes after detach
}

// inflaters pools readers, because a new one allocates stateBytes.
var inflaters = sync.Pool{New: func() any { return new(inflate.Reader) }}

func (c codec) unpacker(packed []byte) (*unpacker, error) {
	u := &unpacker{in: bytes.NewReader(packed)}
	switch c {
	case codecNone:
		u.out = u.in
	case codecLZW:
		u.out = lzw.NewReader(u.in, lzw.MSB, 8)
	case codecZSTD:
		d, err := zstd.NewReader(u.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		u.out, u.close = d, d.Close
	default:
		u.inflater = inflaters.Get().(*inflate.Reader)
		u.inflater.Reset(packed)
		u.out, u.close = u.inflater, func() { inflaters.Put(u.inflater) }
	}
	return u, nil
}

// next fills raw and returns the number of bytes; fewer are an error.
func (u *unpacker) next(raw []byte) (int, error) { return io.ReadFull(u.out, raw) }

// detach releases the bytes that the unpacker was created from, by copying the packed rest.
func (u *unpacker) detach() {
	if u.inflater != nil {
		u.kept = u.inflater.Detach()
		return
	}
	rest := make([]byte, u.in.Len())
	u.kept, _ = u.in.Read(rest) // from memory: never short
	u.in.Reset(rest)
}

// held is about the memory of a detached unpacker in bytes.
func (u *unpacker) held() int64 { return int64(u.kept) + stateBytes }

// checksum reads beyond the last pixel, because decoders compare checksums only at the end, and
// returns the error of a wrong one. Further bytes and other errors are ignored: the pixels are
// complete.
func (u *unpacker) checksum() error {
	var beyond [1]byte
	_, err := u.out.Read(beyond[:])
	if errors.Is(err, inflate.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch) {
		return err
	}
	return nil
}

// release returns pooled parts. The unpacker must not be used after it.
func (u *unpacker) release() {
	if u.close != nil {
		u.close()
	}
}
