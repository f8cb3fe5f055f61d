package cog_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/imagery/cog"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

// tall is a file of one large block, and its pixels.
func tall(t testing.TB, codec uint16, height int) ([]byte, []uint16) {
	t.Helper()
	const width = 256
	dn := make([]uint16, width*height)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range dn {
		dn[i] = uint16(2000 + i%width + i/width + random.IntN(64))
	}
	return spec{width: width, height: height, blockH: height, codec: codec, predictor: 2}.encode(t, dn), dn
}

func rows(f *cog.File, from, to int) vegetation.Window {
	return vegetation.Window{Row: from, Width: f.Grid().Width, Height: to - from}
}

// However a block is requested, in whatever order, its pixels are right and come with one request.
func TestAnyPartOfABlockIsReadFromOneRequest(t *testing.T) {
	files, pixels := map[uint16][]byte{}, map[uint16][]uint16{}
	codecs := []uint16{1, 5, 8, 50000}
	for _, codec := range codecs {
		files[codec], pixels[codec] = tall(t, codec, 1536)
	}
	rapid.Check(t, func(r *rapid.T) {
		codec := rapid.SampledFrom(codecs).Draw(r, "codec")
		source := &memory{data: files[codec], address: "x"}
		f, err := cog.NewReader(8<<20).Open(t.Context(), source, "x.tif")
		require.NoError(r, err)
		source.reads = nil
		g := f.Grid()
		for range rapid.IntRange(1, 6).Draw(r, "reads") {
			from := rapid.IntRange(0, g.Height-1).Draw(r, "from")
			to := rapid.IntRange(from+1, g.Height).Draw(r, "to")
			left := rapid.IntRange(0, g.Width-1).Draw(r, "left")
			right := rapid.IntRange(left+1, g.Width).Draw(r, "right")
			got, err := f.Read(t.Context(), vegetation.Window{Col: left, Row: from, Width: right - left, Height: to - from})
			require.NoError(r, err)
			for row := range to - from {
				require.True(r, slices.Equal(pixels[codec][(from+row)*g.Width+left:][:right-left], got.DN[row*(right-left):][:right-left]))
			}
		}
		require.Len(r, source.reads, 1)
	})
}

func TestManyReadOneBlockAtOnce(t *testing.T) {
	data, dn := tall(t, 8, 1536)
	f, err := cog.NewReader(8<<20).Open(t.Context(), &memory{data: data, address: "x"}, "x.tif")
	require.NoError(t, err)
	_, err = f.Read(t.Context(), rows(f, 0, 1)) // the one fetch: the notes of memory are not safe for concurrent use
	require.NoError(t, err)
	width := f.Grid().Width
	var readers sync.WaitGroup
	for i := range 32 {
		readers.Go(func() {
			from := (i * 37 % 32) * 48
			got, err := f.Read(t.Context(), rows(f, from, from+48))
			if assertNoError(t, err) && !slices.Equal(got.DN, dn[from*width:(from+48)*width]) {
				t.Errorf("rows from %d", from)
			}
		})
	}
	readers.Wait()
}

// A bit that flipped anywhere in a block is found, wherever the field lies: the checksum follows the last row. The
// next read fetches the block again.
func TestAFlippedBitIsFound(t *testing.T) {
	for name, codec := range map[string]uint16{"DEFLATE": 8, "ZSTD": 50000} {
		t.Run(name, func(t *testing.T) {
			sound, dn := tall(t, codec, 384)
			packed := len(pack(t, codec, spec{width: 256, height: 384, blockW: 256, blockH: 384, predictor: 2, bits: 16}.plain().block(dn, 0, 0)))
			random := rand.New(rand.NewPCG(3, 4))
			for range 200 {
				source := &memory{data: bytes.Clone(sound), address: "x"}
				f, err := cog.NewReader(8<<20).Open(t.Context(), source, "x.tif")
				require.NoError(t, err)
				at, bit := 8+random.IntN(packed), byte(1)<<random.IntN(8)
				source.data[at] ^= bit
				got, err := f.Read(t.Context(), rows(f, 0, 10))
				if err == nil { // a bit that means nothing, such as padding or a reserved one
					require.True(t, slices.Equal(dn[:10*256], got.DN), "bit %08b of byte %d", bit, at)
					_, err = f.Read(t.Context(), whole(f))
					require.NoError(t, err)
					continue
				}
				require.True(t, fault.Is(err, fault.Invalid), "%v", err)
				source.data[at] ^= bit
				got, err = f.Read(t.Context(), whole(f))
				require.NoError(t, err, "a block that failed is not kept")
				require.True(t, slices.Equal(dn, got.DN))
			}
		})
	}
}

// Blocks that begin in what was read for the header are not fetched twice.
func TestTheBeginningOfAFileIsFetchedOnce(t *testing.T) {
	for name, s := range map[string]spec{
		"the header after the blocks": {width: 200, height: 200, tiled: true, blockW: 32, blockH: 32, codec: 8},
		"one large block":             {width: 256, height: 256, tiled: true, blockW: 256, blockH: 256, codec: 8},
		"a small file":                {width: 20, height: 20, tiled: true, blockW: 16, blockH: 16, codec: 8},
	} {
		t.Run(name, func(t *testing.T) {
			dn := scenery(s.width, s.height, 16)
			data := s.encode(t, dn)
			source := &memory{data: data, address: "x", hidden: true}
			f, err := cog.NewReader(8<<20).Open(t.Context(), source, "x.tif")
			require.NoError(t, err)
			got, err := f.Read(t.Context(), whole(f))
			require.NoError(t, err)
			require.Equal(t, dn, got.DN)
			slices.SortFunc(source.reads, func(a, b [2]int64) int { return int(a[0] - b[0]) })
			for i := 1; i < len(source.reads); i++ {
				before := source.reads[i-1]
				require.GreaterOrEqual(t, source.reads[i][0], min(before[0]+before[1], int64(len(data))), "%v", source.reads)
			}
		})
	}
}
