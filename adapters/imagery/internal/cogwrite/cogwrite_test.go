package cogwrite_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/tiff"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/internal/cogwrite"
	"tilth/core/vegetation"
)

// Both the reader of this project and the image library return what was written.
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

// GDAL finds the samples, the missing value and the system of what was written.
func TestGDALReadsWhatIsWritten(t *testing.T) {
	if _, err := exec.LookPath("gdal_translate"); err != nil {
		t.Skip("LEFT OUT: reading the demo's images with GDAL (Debian: apt-get install gdal-bin)")
	}
	grid := vegetation.Grid{EPSG: 32730, OriginX: 399960, OriginY: 4627000, PixelX: 10, PixelY: 20, Width: 150, Height: 131}
	random := rand.New(rand.NewPCG(3, 4))
	counts, metres := make([]uint16, grid.Width*grid.Height), make([]float32, grid.Width*grid.Height)
	for i := range counts {
		counts[i], metres[i] = uint16(random.Uint32N(256)), random.Float32()*900
	}
	for name, c := range map[string]struct {
		image   cogwrite.Image
		missing float64
		want    any // the samples as GDAL writes them down
	}{
		"counts":  {cogwrite.Image{Bits: 16, DN: counts}, 0, counts},
		"signed":  {cogwrite.Image{Bits: 16, DN: counts, Signed: true}, -9999, counts},
		"heights": {cogwrite.Image{Bits: 32, Metres: metres}, -9999, metres},
	} {
		c.image.Grid = grid
		data, err := cogwrite.Encode(c.image)
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), name+".tif")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		said, err := exec.Command("gdal_translate", "-q", "-of", "ENVI", path, path+".raw").CombinedOutput()
		require.NoError(t, err)
		require.Empty(t, string(said), "GDAL finds nothing to remark")
		got, err := os.ReadFile(path + ".raw")
		require.NoError(t, err)
		want, err := binary.Append(nil, binary.LittleEndian, c.want)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got), name)

		var info struct {
			GeoTransform     [6]float64
			CoordinateSystem struct{ WKT string }
			Bands            []struct{ NoDataValue float64 }
		}
		said, err = exec.Command("gdalinfo", "-json", path).Output()
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(said, &info))
		require.Equal(t, [6]float64{grid.OriginX, grid.PixelX, 0, grid.OriginY, 0, -grid.PixelY}, info.GeoTransform)
		require.Contains(t, info.CoordinateSystem.WKT, `ID["EPSG",32730]`)
		require.Len(t, info.Bands, 1)
		require.InDelta(t, c.missing, info.Bands[0].NoDataValue, 0, name)
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
