package cog_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

// kindOfNumber is a type of GDAL's with what it makes of a height of heights.
type kindOfNumber struct {
	name   string
	stored func(v float64) float64
}

var kindsOfNumber = []kindOfNumber{
	{"Byte", func(v float64) float64 { return math.Abs(math.Mod(math.Trunc(v), 250)) }},
	{"UInt16", func(v float64) float64 { return math.Abs(math.Trunc(v)) }},
	{"Int16", math.Trunc},
	{"Int32", func(v float64) float64 { return math.Trunc(v) * 40_000 }},
	{"UInt32", func(v float64) float64 { return math.Abs(math.Trunc(v)) * 80_000 }},
	{"Float32", func(v float64) float64 { return float64(float32(v)) }},
	{"Float64", func(v float64) float64 { return v }},
}

// heights are numbers of both signs with decimals, different in each band.
func heights(width, height, band int) []float64 {
	out := make([]float64, width*height)
	for i := range out {
		col, row := float64(i%width), float64(i/width)
		out[i] = 700*math.Sin(col/9+float64(band)) + 31.7*row - 400.25 + float64(band)
	}
	return out
}

// plainNumbers writes two bands for GDAL to read: doubles with an ENVI header.
func plainNumbers(t *testing.T, dir string, kind kindOfNumber, width, height int) string {
	t.Helper()
	path := filepath.Join(dir, kind.name+".dat")
	raw := []byte{}
	for band := range 2 {
		for _, v := range heights(width, height, band) {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(kind.stored(v)))
		}
	}
	require.NoError(t, os.WriteFile(path, raw, 0o644))
	header := fmt.Sprintf("ENVI\nsamples = %d\nlines = %d\nbands = 2\nheader offset = 0\ndata type = 5\ninterleave = bsq\nbyte order = 0\n", width, height)
	require.NoError(t, os.WriteFile(strings.TrimSuffix(path, ".dat")+".hdr", []byte(header), 0o644))
	return path
}

// encodingsOf returns creation options of GDAL's: the predictors that a type allows.
func encodingsOf(kind kindOfNumber) (out []string) {
	predictors := []string{"COMPRESS=NONE", "COMPRESS=PACKBITS", "COMPRESS=LZW", "COMPRESS=DEFLATE PREDICTOR=2", "COMPRESS=ZSTD PREDICTOR=2"}
	if strings.HasPrefix(kind.name, "Float") {
		predictors = append(predictors, "COMPRESS=DEFLATE PREDICTOR=3", "COMPRESS=LZW PREDICTOR=3")
	}
	for i, p := range predictors {
		layouts := []string{"TILED=YES BLOCKXSIZE=32 BLOCKYSIZE=16 INTERLEAVE=PIXEL", "TILED=NO BLOCKYSIZE=7 INTERLEAVE=BAND"}
		for j, layout := range layouts {
			order := []string{"LITTLE", "BIG"}[(i+j)%2]
			if strings.Contains(p, "PREDICTOR=3") {
				order = "LITTLE" // GDAL 3.6.2 does not read back what it writes in the other
			}
			out = append(out, p+" "+layout+" ENDIANNESS="+order)
		}
	}
	return out
}

func openNumbers(t testing.TB, path string, band int) *cog.Numbers {
	t.Helper()
	source, err := cog.FromFile(path)
	require.NoError(t, err)
	n, err := cog.OpenNumbers(t.Context(), source, filepath.Base(path), band)
	require.NoError(t, err, path)
	return n
}

func numbersOf(t testing.TB, path string, band int) cog.Field {
	t.Helper()
	n := openNumbers(t, path, band)
	got, err := n.Read(t.Context(), vegetation.Window{Width: n.Grid().Width, Height: n.Grid().Height})
	require.NoError(t, err, path)
	asImagery(t, path, band, got.Values)
	return got
}

// asImagery checks that a band of imagery has the same numbers, even in a window that reaches beyond it.
func asImagery(t testing.TB, path string, band int, want []float64) {
	t.Helper()
	source, err := cog.FromFile(path)
	require.NoError(t, err)
	f, err := cog.NewReader(8<<20).Open(t.Context(), source, filepath.Base(path))
	require.NoError(t, err, path)
	f, err = f.Band(band)
	require.NoError(t, err)
	g := f.Grid()
	got, err := f.Read(t.Context(), vegetation.Window{Col: -1, Row: -2, Width: g.Width + 3, Height: g.Height + 3})
	require.NoError(t, err)
	require.NoError(t, got.Check())
	for i := range want {
		v, ok := got.At(i%g.Width+1, i/g.Width+2)
		require.True(t, ok)
		require.Equal(t, want[i], v, "%s band %d", path, band)
	}
	_, ok := got.At(0, 0)
	require.False(t, ok, "outside")
}

// Every number equals the one that GDAL was given.
func TestEveryNumberEqualsGDAL(t *testing.T) {
	if _, err := exec.LookPath("gdal_translate"); err != nil {
		t.Skip("LEFT OUT: no gdal_translate, so its numbers are compared from committed files only (install gdal-bin)")
	}
	t.Parallel()
	const width, height = 71, 45
	dir, compared := t.TempDir(), 0
	for _, kind := range kindsOfNumber {
		plain := plainNumbers(t, dir, kind, width, height)
		for i, options := range encodingsOf(kind) {
			if !allOfGDAL && i%9 != 0 {
				continue
			}
			path := filepath.Join(dir, fmt.Sprintf("%s-%d.tif", kind.name, i))
			args := []string{"-of", "GTiff", "-ot", kind.name, "-a_srs", "EPSG:32630", "-a_ullr", "399960", "4700040", "400670", "4699140"}
			for _, o := range strings.Fields(options) {
				args = append(args, "-co", o)
			}
			gdal(t, append(args, plain, path)...)
			for band := range 2 {
				want := heights(width, height, band)
				for j := range want {
					want[j] = kind.stored(want[j])
				}
				got := numbersOf(t, path, band+1)
				require.Equal(t, want, got.Values, "%s %s band %d", kind.name, options, band+1)
				require.Equal(t, vegetation.Grid{EPSG: 32630, OriginX: 399960, OriginY: 4700040, PixelX: 10, PixelY: 20, Width: width, Height: height}, got.Grid)
			}
			compared++
		}
	}
	t.Logf("%d encodings of GDAL's, two bands each", compared)
}

var numberName = regexp.MustCompile(`^(\d+)x(\d+)-([A-Za-z0-9]+)-`)

// The committed files were written once by GDAL 3.6.2: two bands each, of the type in the name.
func TestNumbersThatGDALWrote(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "gdal-numbers", "*.tif"))
	require.NoError(t, err)
	require.Len(t, paths, 5)
	for _, path := range paths {
		m := numberName.FindStringSubmatch(filepath.Base(path))
		require.NotNil(t, m)
		for _, kind := range kindsOfNumber {
			if kind.name != m[3] {
				continue
			}
			for band := range 2 {
				got := numbersOf(t, path, band+1)
				want := heights(got.Grid.Width, got.Grid.Height, band)
				for j := range want {
					want[j] = kind.stored(want[j])
				}
				require.Equal(t, want, got.Values, path)
			}
		}
	}
}

// numbers32 is a raster of 32-bit numbers of one row, written by the tests' encoder as pairs of
// 16-bit samples.
func numbers32(t testing.TB, format int, noData, metadata string, values ...float32) []byte {
	t.Helper()
	s := spec{width: 2 * len(values), height: 1, blockH: 1, codec: 8, noData: noData}.plain()
	halves := []uint16{}
	for _, v := range values {
		bits := math.Float32bits(v)
		halves = append(halves, uint16(bits), uint16(bits>>16))
	}
	s.extra = map[uint16]field{256: s.shorts(len(values)), 258: s.shorts(32), 339: s.shorts(format)}
	if metadata != "" {
		s.extra[42112] = field{2, len(metadata) + 1, append([]byte(metadata), 0)}
	}
	return s.encode(t, halves)
}

func numbersIn(t testing.TB, data []byte) []float64 {
	t.Helper()
	n, err := cog.OpenNumbers(t.Context(), &memory{data: data, address: "n"}, "n.tif", 1)
	require.NoError(t, err)
	got, err := n.Read(t.Context(), vegetation.Window{Col: -3, Row: -3, Width: 40, Height: 40})
	require.NoError(t, err)
	return got.Values
}

func TestMissingAndScaledNumbers(t *testing.T) {
	lowest := float32(-3.4028234663852886e38)
	for name, tt := range map[string]struct {
		noData, metadata string
		want             []float64 // of -9999, the lowest, NaN, infinity, 12.5
	}{
		"nothing marked":     {"", "", []float64{-9999, float64(lowest), nan(), nan(), 12.5}},
		"a number":           {"-9999", "", []float64{nan(), float64(lowest), nan(), nan(), 12.5}},
		"the lowest":         {"-3.4028234663852886e+38", "", []float64{-9999, nan(), nan(), nan(), 12.5}},
		"NaN":                {"nan", "", []float64{-9999, float64(lowest), nan(), nan(), 12.5}},
		"NaN with a sign":    {"-nan", "", []float64{-9999, float64(lowest), nan(), nan(), 12.5}},
		"scale and offset":   {"-9999", `<GDALMetadata><Item name="OFFSET" sample="0" role="offset">1</Item><Item name="SCALE" sample="0" role="scale">0.5</Item></GDALMetadata>`, []float64{nan(), float64(lowest)*0.5 + 1, nan(), nan(), 7.25}},
		"of another band":    {"", `<GDALMetadata><Item sample="3" role="scale">0.5</Item></GDALMetadata>`, []float64{-9999, float64(lowest), nan(), nan(), 12.5}},
		"metadata of others": {"", `<x`, []float64{-9999, float64(lowest), nan(), nan(), 12.5}},
	} {
		got := numbersIn(t, numbers32(t, 3, tt.noData, tt.metadata, -9999, lowest, float32(nan()), float32(math.Inf(1)), 12.5))
		require.Len(t, got, len(tt.want), name)
		for i, want := range tt.want {
			require.True(t, got[i] == want || math.IsNaN(want) && math.IsNaN(got[i]), "%s: %d is %v", name, i, got[i])
		}
	}
}

func TestNumbersThatAreRefused(t *testing.T) {
	s := spec{width: 32, height: 32, tiled: true, blockW: 16, blockH: 16}.plain()
	for name, tt := range map[string]struct {
		extra map[uint16]field
		band  int
		says  string
	}{
		"complex":             {map[uint16]field{339: s.shorts(6)}, 1, "complex numbers of 16 bits"},
		"half floats":         {map[uint16]field{339: s.shorts(3)}, 1, "16 bits"},
		"64-bit integers":     {map[uint16]field{258: s.shorts(64)}, 1, "64 bits"},
		"no such band":        {nil, 2, "no band 2"},
		"many bands":          {map[uint16]field{277: s.shorts(65)}, 1, "65 bands"},
		"bands that differ":   {map[uint16]field{277: s.shorts(2), 258: s.shorts(16, 32)}, 1, "different kinds"},
		"a strange CRS":       {map[uint16]field{34735: s.shorts(1, 1, 0, 1, 3072, 0, 1, 2154)}, 1, "gdalwarp"},
		"no CRS":              {map[uint16]field{34735: s.shorts(1, 1, 0, 0)}, 1, "gdalwarp"},
		"a strange predictor": {map[uint16]field{317: s.shorts(4)}, 1, "predictor 4"},
		"predictor of floats": {map[uint16]field{317: s.shorts(3)}, 1, "predictor 3"},
	} {
		c := s
		c.extra = tt.extra
		_, err := cog.OpenNumbers(t.Context(), &memory{data: c.encode(t, scenery(32, 32, 16)), address: "x"}, "x.tif", tt.band)
		require.True(t, fault.Is(err, fault.Invalid), name)
		require.ErrorContains(t, err, tt.says, name)
		require.ErrorContains(t, err, "x.tif", name)
	}
}

// Rasters of numbers are read in every system that geo.NewPlane knows.
func TestSystemsOfNumbers(t *testing.T) {
	s := spec{width: 32, height: 32, tiled: true, blockW: 16, blockH: 16}.plain()
	for _, epsg := range []int{3857, 32633, 25832, 3035, 26915, 28355, 7855, 27700, 28992} {
		c := s
		c.epsg = epsg
		n, err := cog.OpenNumbers(t.Context(), &memory{data: c.encode(t, scenery(32, 32, 16)), address: "x"}, "x.tif", 1)
		require.NoError(t, err, epsg)
		require.Equal(t, epsg, n.Grid().EPSG)
	}
}

// FuzzNumbers is FuzzOpenRead for rasters of numbers.
func FuzzNumbers(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "gdal-numbers", "*.tif"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(numbers32(f, 3, "nan", `<GDALMetadata><Item sample="0" role="scale">0.5</Item></GDALMetadata>`, 1, 2, 3))
	for name, h := range hostile(f) {
		if name != largestStrip {
			f.Add(h)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := taken()
		readNumbers(t, data)
		if bytes := taken() - before; bytes > maxTaken {
			t.Fatalf("%d bytes of memory for a file of %d", bytes, len(data))
		}
	})
}

func readNumbers(t *testing.T, data []byte) {
	n, err := cog.OpenNumbers(context.Background(), &memory{data: data, address: "x"}, "x.tif", 1)
	if err != nil {
		mustBeInvalid(t, err)
		return
	}
	got, err := n.Read(context.Background(), vegetation.Window{Col: n.Grid().Width - 40, Row: n.Grid().Height - 40, Width: 80, Height: 80})
	if err != nil {
		mustBeInvalid(t, err)
		return
	}
	if len(got.Values) != got.Grid.Width*got.Grid.Height {
		t.Fatalf("%d values for %+v", len(got.Values), got.Grid)
	}
}
