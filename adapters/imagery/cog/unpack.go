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
	// maxWindow bounds what a ZSTD frame may ask to keep; the windows of block-sized
	// frames are at most as large as the block.
	maxWindow = maxBlock

	// stateBytes is about what an unpacker holds beside its input: DEFLATE's tables, what it
	// looks back on and what it has ahead; the others are smaller.
	stateBytes = 144 << 10
)

// maxPacked is the most bytes that a block of n raw bytes may take when packed. Codes of
// LZW have at most 12 bits for 8; the other codecs expand by far less.
func maxPacked(n int64) int64 { return n + n/2 + 64<<10 }

// scratch keeps buffers of packed and of unpacked bytes, which live no longer than a
// block is decoded.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// sized returns n bytes of a buffer, which grows when it is too small. What they hold is
// left from before.
func sized(buffer *[]byte, n int) []byte {
	*buffer = slices.Grow((*buffer)[:0], n)[:n]
	return *buffer
}

// unpacker gives the raw bytes of a block from first to last, as far as it is asked.
type unpacker struct {
	out      io.Reader
	in       *bytes.Reader   // what is still packed, where there is no inflater
	inflater *inflate.Reader // out, where the codec is DEFLATE
	close    func()          // nil: nothing to give back
	kept     int             // packed bytes after detach
}

// inflaters are done with their block: making one anew takes stateBytes.
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

// next fills raw, and gives how many bytes it has got. Fewer are an error.
func (u *unpacker) next(raw []byte) (int, error) { return io.ReadFull(u.out, raw) }

// detach lets go of the bytes that the unpacker was made of, by copying those that are
// still packed.
func (u *unpacker) detach() {
	if u.inflater != nil {
		u.kept = u.inflater.Detach()
		return
	}
	rest := make([]byte, u.in.Len())
	u.kept, _ = u.in.Read(rest) // from memory: it gives what its length says
	u.in.Reset(rest)
}

// held is about what a detached unpacker takes in memory, in bytes.
func (u *unpacker) held() int64 { return int64(u.kept) + stateBytes }

// checksum takes one step beyond the last pixel, for decoders compare checksums only when
// they reach the end, and gives the error of one that does not hold. Bytes that come
// instead, and other errors, are let pass: the pixels are complete.
func (u *unpacker) checksum() error {
	var beyond [1]byte
	_, err := u.out.Read(beyond[:])
	if errors.Is(err, inflate.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch) {
		return err
	}
	return nil
}

// release returns back what can be used again. The unpacker must not be used after it.
func (u *unpacker) release() {
	if u.close != nil {
		u.close()
	}
}
