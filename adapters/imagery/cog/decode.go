package cog

import (
	"fmt"
	"slices"
)

// codec is a value of TIFF's Compression tag.
type codec int64

const (
	codecNone       codec = 1
	codecLZW        codec = 5
	codecDeflate    codec = 8
	codecDeflateOld codec = 32946
	codecPackBits   codec = 32773
	codecZSTD       codec = 50000
)

// codecNames are for messages; files also have codecs without a decoder here.
var codecNames = map[codec]string{
	codecNone: "none", 2: "CCITT", 3: "CCITT Group 3", 4: "CCITT Group 4", codecLZW: "LZW", 6: "old JPEG", 7: "JPEG",
	codecDeflate: "DEFLATE", codecDeflateOld: "DEFLATE", codecPackBits: "PackBits", 34712: "JPEG 2000", 34887: "LERC",
	34925: "LZMA", codecZSTD: "ZSTD", 50001: "WebP", 50002: "JPEG XL",
}

func (c codec) String() string {
	if name, ok := codecNames[c]; ok {
		return fmt.Sprintf("%d (%s)", int64(c), name)
	}
	return fmt.Sprint(int64(c))
}

func (c codec) known() bool {
	return slices.Contains([]codec{codecNone, codecLZW, codecDeflate, codecDeflateOld, codecPackBits, codecZSTD}, c)
}

const (
	predictorNone       = 1
	predictorHorizontal = 2
	predictorFloat      = 3
)

// samples turns a row of bytes into pixels and undoes the differencing of neighbours (TIFF 6.0,
// section 14), which works on samples, not on bytes.
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
		if h.format == formatSigned {
			for i := range out {
				out[i] = uint16(int8(out[i]))
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

// packedSamples reads samples of any number of bits, packed without gaps from the high bit of each
// byte on (as GDAL writes for NBITS=15, for example).
func packedSamples[T uint16 | uint64](out []T, raw []byte, bits int) {
	var held uint32
	have, next := 0, 0
	for i := range out {
		for have < bits {
			held = held<<8 | uint32(raw[next])
			next++
			have += 8
		}
		have -= bits
		out[i] = T(held >> have & (1<<bits - 1))
	}
}
