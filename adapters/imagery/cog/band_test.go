package cog_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/core/vegetation"
)

// testdata/gdal-overview.tif is what GDAL 3.6.2 writes with -of COG: 300 × 260 pixels of 20 m with
// overviews of 150 × 130 and 75 × 65, each the nearest pixel, and scale and offset among its tags.
// Four by four pixels have one number, 1000 + (7·column + 13·row) mod 500 of the last overview.
func TestTheCoarsestOverview(t *testing.T) {
	data, err := os.ReadFile("testdata/gdal-overview.tif")
	require.NoError(t, err)
	source := &memory{data: data, address: "overview"}
	f, err := cog.NewReader(1<<20).Open(t.Context(), source, "overview.tif")
	require.NoError(t, err)
	all, err := f.Read(t.Context(), whole(f))
	require.NoError(t, err)
	coarse, ok := f.Coarse()
	require.True(t, ok)
	require.Equal(t, vegetation.Grid{EPSG: 32630, OriginX: 400000, OriginY: 4600000, PixelX: 80, PixelY: 80, Width: 75, Height: 65}, coarse.Grid())
	got, err := coarse.Read(t.Context(), whole(coarse))
	require.NoError(t, err)
	for row := range 65 {
		for col := range 75 {
			require.Equal(t, uint16(1000+(7*col+13*row)%500), got.DN[row*75+col])
		}
	}
	again, err := f.Read(t.Context(), whole(f))
	require.NoError(t, err)
	require.Equal(t, all, again, "the blocks of both are kept apart")
	scale, offset := f.Scaling()
	require.Equal(t, []float64{0.0001, -0.1}, []float64{*scale, *offset})
}

// Signed numbers keep their sign, and their nodata is compared as they are stored.
func TestSignedNumbers(t *testing.T) {
	for _, bits := range []int{8, 16} {
		for _, predictor := range []int{1, 2} {
			s := spec{width: 32, height: 32, tiled: true, blockW: 16, blockH: 16, bits: bits, predictor: predictor, noData: "-100"}.plain()
			s.extra = map[uint16]field{339: s.shorts(2)}
			dn := scenery(32, 32, bits)
			dn[5] = uint16(0x10000 - 100) // as 16 bits; its low byte is that of 8
			f, err := cog.NewReader(1<<20).Open(t.Context(), &memory{data: s.encode(t, dn), address: "x"}, "x.tif")
			require.NoError(t, err)
			got, err := f.Read(t.Context(), whole(f))
			require.NoError(t, err)
			for i, stored := range dn {
				want := float64(int16(stored))
				if bits == 8 {
					want = float64(int8(stored))
				}
				v, ok := got.At(i%32, i/32)
				require.Equal(t, want, v)
				require.Equal(t, want != -100, ok)
			}
		}
	}
}

func TestAFileWithoutOverview(t *testing.T) {
	s := spec{width: 32, height: 32, tiled: true, blockW: 16, blockH: 16}.plain()
	for _, before := range []bool{false, true} { // one that comes first in the chain is not looked for
		s.overview = before
		f, err := cog.NewReader(1<<20).Open(t.Context(), &memory{data: s.encode(t, scenery(32, 32, 16)), address: "x"}, "x.tif")
		require.NoError(t, err)
		_, ok := f.Coarse()
		require.False(t, ok)
		scale, offset := f.Scaling()
		require.Nil(t, scale)
		require.Nil(t, offset)
	}
}
