package cog_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

// kindSide is the side in pixels of the files below, of 2 × 2 blocks.
const kindSide = 128

// kinds are files that are not one band of integers of at most 16 bits. They are encoded as images of
// whole numbers, whose tags are then changed.
func kinds(t testing.TB, codec uint16) map[string][]byte {
	t.Helper()
	const n = kindSide
	pairs := spec{width: 2 * n, height: n, tiled: true, blockW: n, blockH: n / 2, codec: codec}.plain()
	pairs.extra = map[uint16]field{
		256: pairs.shorts(n), 258: pairs.shorts(16, 16), 277: pairs.shorts(2), 322: pairs.shorts(n / 2), 339: pairs.shorts(1, 1),
	}
	apart := spec{width: n, height: 2 * n, tiled: true, blockW: n / 2, blockH: n / 2, codec: codec}.plain()
	apart.extra = map[uint16]field{257: apart.shorts(n), 258: apart.shorts(16, 16), 277: apart.shorts(2), 284: apart.shorts(2), 339: apart.shorts(1, 1)}
	strips := spec{width: n, height: 2 * n, blockH: n / 2, codec: codec}.plain()
	strips.extra = apart.extra
	floats := spec{width: 4 * n, height: n, bits: 8, tiled: true, blockW: 2 * n, blockH: n / 2, codec: codec}.plain()
	floats.extra = map[uint16]field{256: floats.shorts(n), 258: floats.shorts(32), 317: floats.shorts(3), 322: floats.shorts(n / 2), 339: floats.shorts(3)}
	return map[string][]byte{
		"two bands by pixel":          pairs.encode(t, scenery(2*n, n, 16)),
		"two bands by plane":          apart.encode(t, scenery(n, 2*n, 16)),
		"two bands by plane, strips":  strips.encode(t, scenery(n, 2*n, 16)),
		"floating point, predictor 3": floats.encode(t, differencedFloats(n, n/2)),
	}
}

// differencedFloats are rows of blocks of floating point numbers, as predictor 3 stores them.
func differencedFloats(side, block int) []uint16 {
	out := make([]uint16, 4*side*side)
	for row := range side {
		for left := 0; left < side; left += block {
			bytes := make([]byte, 4*block)
			for i := range block {
				var b [4]byte
				binary.BigEndian.PutUint32(b[:], math.Float32bits(floatAt(row, left+i)))
				for k := range b {
					bytes[k*block+i] = b[k]
				}
			}
			for i := range bytes {
				v := bytes[i]
				if i > 0 {
					v -= bytes[i-1]
				}
				out[row*4*side+4*left+i] = uint16(v)
			}
		}
	}
	return out
}

func floatAt(row, col int) float32 { return float32(row) + float32(col)/1000 }

// valueOf is the second pixel of a band in a row of a file of a kind.
func valueOf(name string, band, row int) float64 {
	const n, col = kindSide, 1
	switch name {
	case "two bands by pixel":
		return float64(scenery(2*n, n, 16)[row*2*n+2*col+band-1])
	case "floating point, predictor 3":
		return float64(floatAt(row, col))
	default:
		return float64(scenery(n, 2*n, 16)[(band-1)*n*n+row*n+col])
	}
}

// Blocks of every kind of file are fetched once, for all of its bands that lie in them, and have the same
// values when they are read again.
func TestBlocksOfEveryKindAreKept(t *testing.T) {
	for name, data := range kinds(t, 1) {
		t.Run(name, func(t *testing.T) {
			source := &memory{data: data, address: "x"}
			f, err := cog.NewReader(8<<20).Open(t.Context(), source, "x.tif")
			require.NoError(t, err)
			for band := 1; band <= f.Bands(); band++ {
				b, err := f.Band(band)
				require.NoError(t, err)
				source.reads = nil
				first, err := b.Read(t.Context(), whole(b))
				require.NoError(t, err)
				if band == 1 || name != "two bands by pixel" {
					require.NotEmpty(t, source.reads)
				} else {
					require.Empty(t, source.reads, "the block of both bands is kept")
				}
				for row := range kindSide {
					require.InDelta(t, valueOf(name, band, row), first.Values[row*kindSide+1], 0, "band %d, row %d", band, row)
				}
				source.reads = nil
				again, err := b.Read(t.Context(), whole(b))
				require.NoError(t, err)
				require.Empty(t, source.reads, "kept")
				require.Equal(t, first.Values, again.Values)
				part, err := b.Read(t.Context(), vegetation.Window{Col: -1, Row: 40, Width: 3, Height: kindSide})
				require.NoError(t, err)
				require.True(t, math.IsNaN(part.Values[0]))
				require.InDelta(t, first.Values[40*kindSide+1], part.Values[2], 0)
				require.True(t, math.IsNaN(part.Values[len(part.Values)-1]), "below the file")
			}
		})
	}
}

// The checksum after the last row of a block is read, however few of its rows are wanted.
func TestAFlippedBitOfEveryKindIsFound(t *testing.T) {
	for name, data := range kinds(t, 8) {
		t.Run(name, func(t *testing.T) {
			f, err := cog.NewReader(8<<20).Open(t.Context(), &memory{data: data, address: "x"}, "x.tif")
			require.NoError(t, err)
			top := vegetation.Window{Width: 1, Height: 1}
			_, err = f.Read(t.Context(), top)
			require.NoError(t, err)
			data[8+200] ^= 4 // in the first block, which begins after the signature
			f, err = cog.NewReader(8<<20).Open(t.Context(), &memory{data: data, address: "x"}, "x.tif")
			require.NoError(t, err)
			_, err = f.Read(t.Context(), top)
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
		})
	}
}
