package cog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/image/tiff/lzw"
)

// codec is a value of TIFF's Compression tag.
type codec int64

const (
	codecNone       codec = 1
	codecLZW        codec = 5
	codecDeflate    codec = 8
	codecDeflateOld codec = 32946
	codecZSTD       codec = 50000
)

// codecNames are for people; those without a decoder are here because files have them.
var codecNames = map[codec]string{
	codecNone: "none", 2: "CCITT", 3: "CCITT Group 3", 4: "CCITT Group 4", codecLZW: "LZW", 6: "old JPEG", 7: "JPEG",
	codecDeflate: "DEFLATE", codecDeflateOld: "DEFLATE", 32773: "PackBits", 34712: "JPEG 2000", 34887: "LERC",
	34925: "LZMA", codecZSTD: "ZSTD", 50001: "WebP", 50002: "JPEG XL",
}

func (c codec) String() string {
	if name, ok := codecNames[c]; ok {
		return fmt.Sprintf("%d (%s)", int64(c), name)
	}
	return fmt.Sprint(int64(c))
}

func (c codec) known() bool {
	switch c {
	case codecNone, codecLZW, codecDeflate, codecDeflateOld, codecZSTD:
		return true
	default:
		return false
	}
}

const (
	predictorNone       = 1
	predictorHorizontal = 2

	// maxWindow bounds what a ZSTD frame may ask to keep; the windows of block-sized
	// frames are at most as large as the block.
	maxWindow = maxBlock
)

// mostPacked is the most bytes that a block of n raw bytes may take when packed. Codes of
// LZW have at most 12 bits for 8; the other codecs expand by far less.
func mostPacked(n int64) int64 { return 2*n + 64<<10 }

// scratch keeps buffers of packed and of unpacked bytes, which are as large as blocks and
// live no longer than one is decoded.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// sized gives n bytes of a buffer, which grows when it is too small. What they hold is
// left from before.
func sized(buffer *[]byte, n int) []byte {
	*buffer = slices.Grow((*buffer)[:0], n)[:n]
	return *buffer
}

// decode turns the stored bytes of a block into its pixels, blockW × rows(block) in row
// order.
func (h *header) decode(packed []byte, block int) ([]uint16, error) {
	rows := h.rows(block)
	buffer := scratch.Get().(*[]byte)
	defer scratch.Put(buffer)
	raw := sized(buffer, rows*h.rowBytes())
	if err := h.codec.unpack(raw, packed); err != nil {
		return nil, err
	}
	out := make([]uint16, rows*h.blockW)
	for row := range rows {
		h.samples(out[row*h.blockW:][:h.blockW], raw[row*h.rowBytes():])
	}
	return out, nil
}

// unpack fills raw. Bytes beyond it are of no interest; fewer are an error, and so is a
// checksum that does not hold.
func (c codec) unpack(raw, packed []byte) error {
	if c == codecNone {
		if copy(raw, packed) < len(raw) {
			return io.ErrUnexpectedEOF
		}
		return nil
	}
	reader, err := c.reader(packed)
	if err != nil {
		return err
	}
	defer reader.Close()
	if _, err := io.ReadFull(reader, raw); err != nil {
		return err
	}
	// One step further: decoders compare checksums only when they reach the end. Other
	// errors there are let pass, for the pixels are complete.
	var beyond [1]byte
	if _, err := reader.Read(beyond[:]); errors.Is(err, zlib.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch) {
		return err
	}
	return nil
}

func (c codec) reader(packed []byte) (io.ReadCloser, error) {
	in := bytes.NewReader(packed)
	switch c {
	case codecLZW:
		return lzw.NewReader(in, lzw.MSB, 8), nil
	case codecZSTD:
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	default:
		return zlib.NewReader(in)
	}
}

// samples turns a row of bytes into pixels and undoes the differencing of neighbours
// (TIFF 6.0, section 14), which works on samples, not on bytes.
func (h *header) samples(out []uint16, raw []byte) {
	switch h.bits {
	case 8:
		for i := range out {
			out[i] = uint16(raw[i])
		}
		if h.predictor == predictorHorizontal {
			for i := 1; i < len(out); i++ {
				out[i] = uint16(uint8(out[i] + out[i-1]))
			}
		}
	case 16:
		low, high := 0, 1 // places of a sample's bytes
		if h.order.Uint16([]byte{0, 1}) == 1 {
			low, high = 1, 0
		}
		previous, keep := uint16(0), uint16(0)
		if h.predictor == predictorHorizontal {
			keep = 0xffff
		}
		raw = raw[:2*len(out)]
		for i := range out {
			previous = previous&keep + (uint16(raw[2*i+low]) | uint16(raw[2*i+high])<<8)
			out[i] = previous
		}
	default:
		packedSamples(out, raw, h.bits)
	}
}

// packedSamples reads samples of any number of bits, packed without gaps from the high
// bit of each byte on (what GDAL writes for NBITS=15, for one).
func packedSamples(out []uint16, raw []byte, bits int) {
	var held uint32
	have, next := 0, 0
	for i := range out {
		for have < bits {
			held = held<<8 | uint32(raw[next])
			next++
			have += 8
		}
		have -= bits
		out[i] = uint16(held >> have & (1<<bits - 1))
	}
}
