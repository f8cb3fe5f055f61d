package cogwrite_test

import (
	"bytes"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/tiff"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/internal/cogwrite"
	"tilth/core/vegetation"
)

// Both the reader of this project and the image library give back what was written.
func TestWhatIsWrittenIsRead(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, bits := range []int{8, 16} {
		for _, size := range [][2]int{{1, 1}, {128, 128}, {129, 127}, {300, 260}} {
			img := cogwrite.Image{Bits: bits, Grid: vegetation.Grid{
				EPSG: 32630, OriginX: 399960, OriginY: 4627000, PixelX: 10, PixelY: 10, Width: size[0], Height: size[1],
			}}
			for range size[0] * size[1] {
				img.DN = append(img.DN, uint16(random.Uint32N(1<<bits)))
			}
			data, err := cogwrite.Encode(img)
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "x.tif")
			require.NoError(t, os.WriteFile(path, data, 0o600))
			source, err := cog.FromFile(path)
			require.NoError(t, err)
			f, err := cog.Open(t.Context(), source, "x.tif")
			require.NoError(t, err)
			got, err := f.Read(t.Context(), vegetation.Window{Width: size[0], Height: size[1]})
			require.NoError(t, err)
			require.Equal(t, vegetation.Raster{Grid: img.Grid, DN: img.DN, HasNoData: true}, got)

			other, err := tiff.Decode(bytes.NewReader(data))
			require.NoError(t, err)
			for i, dn := range img.DN {
				x, y := i%size[0], i/size[0]
				if bits == 8 {
					require.Equal(t, byte(dn), other.(*image.Gray).GrayAt(x, y).Y)
				} else {
					require.Equal(t, dn, other.(*image.Gray16).Gray16At(x, y).Y)
				}
			}
		}
	}
}

func TestSameImageSameBytes(t *testing.T) {
	img := cogwrite.Image{Bits: 16, Grid: vegetation.Grid{EPSG: 32630, PixelX: 10, PixelY: 10, Width: 2, Height: 1}, DN: []uint16{1, 2}}
	a, err := cogwrite.Encode(img)
	require.NoError(t, err)
	b, err := cogwrite.Encode(img)
	require.NoError(t, err)
	require.Equal(t, a, b)
}

func TestImagesThatAreNotWritten(t *testing.T) {
	grid := vegetation.Grid{Width: 2, Height: 1}
	for _, img := range []cogwrite.Image{{}, {Grid: grid, DN: []uint16{1}, Bits: 16}, {Grid: grid, DN: []uint16{1, 2}, Bits: 12}} {
		_, err := cogwrite.Encode(img)
		require.Error(t, err)
	}
}
