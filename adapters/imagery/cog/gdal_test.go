package cog_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/core/vegetation"
)

// gdal runs gdal_translate (Debian's gdal-bin).
func gdal(t testing.TB, args ...string) {
	t.Helper()
	out, err := exec.Command("gdal_translate", append([]string{"-q"}, args...)...).CombinedOutput()
	require.NoError(t, err, "gdal_translate %s: %s", strings.Join(args, " "), out)
}

func pixelsOf(t testing.TB, path string) []uint16 {
	t.Helper()
	source, err := cog.FromFile(path)
	require.NoError(t, err)
	f, err := cog.NewReader(8<<20).Open(t.Context(), source, filepath.Base(path))
	require.NoError(t, err, path)
	// The corner that spec writes.
	require.Equal(t, vegetation.Grid{EPSG: 32630, OriginX: 399960, OriginY: 4700040, PixelX: 10, PixelY: 20, Width: f.Grid().Width, Height: f.Grid().Height}, f.Grid())
	got, err := f.Read(t.Context(), whole(f))
	require.NoError(t, err, path)
	return got.DN
}

// encodings lists GDAL's creation options over codec × predictor × blocks × byte order ×
// BigTIFF.
func encodings() (out [][]string) {
	options := func(groups ...string) (all []string) {
		for _, g := range groups {
			if g != "" {
				all = append(all, strings.Fields(g)...)
			}
		}
		return all
	}
	for _, codec := range []string{"COMPRESS=NONE", "COMPRESS=PACKBITS", "COMPRESS=LZW", "COMPRESS=DEFLATE", "COMPRESS=ZSTD"} {
		for _, predictor := range []string{"", "PREDICTOR=2"} {
			if (codec == "COMPRESS=NONE" || codec == "COMPRESS=PACKBITS") && predictor != "" {
				continue
			}
			for _, blocks := range []string{"TILED=YES BLOCKXSIZE=16 BLOCKYSIZE=32", "TILED=YES BLOCKXSIZE=128 BLOCKYSIZE=128", "TILED=NO BLOCKYSIZE=1", "TILED=NO BLOCKYSIZE=50"} {
				for _, order := range []string{"ENDIANNESS=LITTLE", "ENDIANNESS=BIG"} {
					for _, big := range []string{"BIGTIFF=NO", "BIGTIFF=YES"} {
						out = append(out, options(codec, predictor, blocks, order, big))
					}
				}
			}
		}
	}
	return out
}

// Every pixel equals the one that GDAL wrote and reads back itself.
func TestEveryPixelEqualsGDAL(t *testing.T) {
	if _, err := exec.LookPath("gdal_translate"); err != nil {
		t.Skip("LEFT OUT: no gdal_translate, so its pixels are compared from committed files only (install gdal-bin)")
	}
	t.Parallel()
	const width, height = 211, 137
	dir, compared := t.TempDir(), 0
	for _, bits := range []int{8, 16} {
		plain := filepath.Join(dir, fmt.Sprintf("plain%d.tif", bits))
		require.NoError(t, os.WriteFile(plain, spec{width: width, height: height, bits: bits}.encode(t, scenery(width, height, bits)), 0o644))
		for i, options := range encodings() {
			if !allOfGDAL && i%9 != 0 {
				continue
			}
			path := filepath.Join(dir, fmt.Sprintf("%d-%d.tif", bits, i))
			args := []string{"-of", "GTiff"}
			for _, o := range options {
				args = append(args, "-co", o)
			}
			gdal(t, append(args, plain, path)...)
			if i%16 == 0 { // GDAL's own reading of what it wrote
				require.Equal(t, rawOf(t, path, bits), pixelsOf(t, path), "%v", options)
			}
			require.Equal(t, scenery(width, height, bits), pixelsOf(t, path), "%d bits %v", bits, options)
			compared++
		}
	}
	t.Logf("%d encodings of GDAL's", compared)
}

// allOfGDAL is set by `make gdal`: a program is started for each encoding, so other runs only use a part of them.
var allOfGDAL = os.Getenv("TILTH_GDAL") != ""

// rawOf returns GDAL's own reading of a file, as raw samples.
func rawOf(t *testing.T, path string, bits int) (out []uint16) {
	t.Helper()
	gdal(t, "-of", "ENVI", path, path+".raw")
	raw, err := os.ReadFile(path + ".raw")
	require.NoError(t, err)
	for i := 0; i < len(raw); i += bits / 8 {
		if bits == 8 {
			out = append(out, uint16(raw[i]))
			continue
		}
		out = append(out, binary.LittleEndian.Uint16(raw[i:]))
	}
	return out
}

var fixtureName = regexp.MustCompile(`^(\d+)x(\d+)x(\d+)-`)

// The committed files were written once by GDAL 3.6.2; their names give width, height and
// bits, and their pixels are those of scenery.
func TestFilesThatGDALWrote(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "gdal", "*.tif"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(paths), 8)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			m := fixtureName.FindStringSubmatch(filepath.Base(path))
			require.NotNil(t, m)
			var n [3]int
			for i := range n {
				n[i], err = strconv.Atoi(m[i+1])
				require.NoError(t, err)
			}
			require.Equal(t, scenery(n[0], n[1], n[2]), pixelsOf(t, path))
		})
	}
}
