package cog_test

import (
	"bytes"
	"fmt"
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

// tall is a file of one block that is large enough to be left before its end, and its
// pixels.
func tall(t testing.TB, codec uint16) ([]byte, []uint16) {
	t.Helper()
	const width, height = 256, 1536
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

// However a block is asked for, in whatever order, its pixels are right and come with one
// request.
func TestABlockIsTakenUpWhereItWasLeft(t *testing.T) {
	files, pixels := map[uint16][]byte{}, map[uint16][]uint16{}
	codecs := []uint16{1, 5, 8, 50000}
	for _, codec := range codecs {
		files[codec], pixels[codec] = tall(t, codec)
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
			got, err := f.Read(t.Context(), rows(f, from, to))
			require.NoError(r, err)
			require.True(r, slices.Equal(pixels[codec][from*g.Width:to*g.Width], got.DN), "rows %d to %d", from, to)
		}
		require.Len(r, source.reads, 1)
	})
}

func TestManyTakeUpOneBlockAtOnce(t *testing.T) {
	data, dn := tall(t, 8)
	f, err := cog.NewReader(8<<20).Open(t.Context(), &memory{data: data, address: "x"}, "x.tif")
	require.NoError(t, err)
	_, err = f.Read(t.Context(), rows(f, 0, 1)) // the one fetch: the memory's notes are not for many at once
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

// A damaged block costs those who need its damaged rows, and no others, whoever came first.
func TestTheSoundRowsOfADamagedBlockAreRead(t *testing.T) {
	sound, dn := tall(t, 8)
	stream := bytes.Clone(sound)
	for i := range 64 {
		stream[len(sound)*3/4+i] = 0xff
	}
	sum := bytes.Clone(sound)
	packed := len(pack(t, 8, spec{width: 256, height: 1536, blockW: 256, blockH: 1536, predictor: 2, bits: 16}.plain().block(dn, 0, 0)))
	sum[8+packed-1] ^= 1 // the last byte of the Adler-32 sum, which is the end of the stream
	for name, data := range map[string][]byte{"stream": stream, "checksum": sum} {
		for _, first := range []string{"top", "all"} {
			t.Run(name+"/"+first, func(t *testing.T) {
				source := &memory{data: data, address: "x"}
				f, err := cog.NewReader(8<<20).Open(t.Context(), source, "x.tif")
				require.NoError(t, err)
				top := func() {
					got, err := f.Read(t.Context(), rows(f, 0, 100))
					require.NoError(t, err)
					require.Equal(t, dn[:100*256], got.DN)
				}
				if first == "top" {
					top()
				}
				for range 2 {
					_, err = f.Read(t.Context(), whole(f))
					require.True(t, fault.Is(err, fault.Invalid), "%v", err)
				}
				source.reads = nil
				top()
				require.Len(t, source.reads, 1, "a block that failed is not kept")
			})
		}
	}
}

// What a block grows to counts for the bound of the cache.
func TestTheCacheCountsWhatABlockGrowsTo(t *testing.T) {
	const side = 1024
	reader := cog.NewReader(3 << 20) // one whole block of 2 MiB, or several beginnings
	var sources []*memory
	var files []*cog.File
	for i := range 2 {
		sources = append(sources, &memory{data: zeroed(t, 8, side, 2), address: fmt.Sprint(i)})
		f, err := reader.Open(t.Context(), sources[i], "x.tif")
		require.NoError(t, err)
		files = append(files, f)
	}
	asked := func(i, from int) int {
		sources[i].reads = nil
		_, err := files[i].Read(t.Context(), rows(files[i], from, from+1))
		require.NoError(t, err)
		return len(sources[i].reads)
	}
	require.Equal(t, []int{1, 1, 0, 0}, []int{asked(0, 9), asked(1, 9), asked(0, 9), asked(1, 9)}, "two beginnings fit")
	require.Equal(t, []int{0, 0}, []int{asked(0, side-1), asked(1, side-1)}, "they grow from what was fetched")
	require.Equal(t, []int{0, 1}, []int{asked(1, 9), asked(0, 9)}, "and the one not used for longest had to go")
}
