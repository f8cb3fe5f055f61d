package mapfile_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/mapfile"
	"tilth/core/fault"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
)

func layerOf(cols, rows int) indexmap.Layer {
	random := rand.New(rand.NewPCG(uint64(cols), uint64(rows)))
	l := indexmap.Layer{
		Day: time.Date(2025, 5, 12, 0, 0, 0, 0, time.UTC), Index: vegetation.NDRE, Cols: cols, Rows: rows, Synthetic: true,
		Grid:   vegetation.Grid{EPSG: 32633, OriginX: 399960, OriginY: 5100000, PixelX: 10, PixelY: 10, Width: cols, Height: rows},
		Scenes: []string{"S2A_33TWM_20250512_0_L2A", "S2A_33TWN_20250512_0_<&>"},
	}
	for i := range cols * rows {
		v := math.Sin(float64(i%cols)/40)*0.4 + 0.05*random.Float64()
		if random.IntN(9) == 0 {
			v = math.NaN()
		}
		l.Values, l.Inside = append(l.Values, v), append(l.Inside, random.IntN(3) > 0)
	}
	return l
}

// same checks that two layers are equal, to the precision of their files.
func same(t *testing.T, want, got indexmap.Layer, precision float64) {
	t.Helper()
	require.Len(t, got.Values, len(want.Values))
	for i, v := range want.Values {
		if math.IsNaN(v) != math.IsNaN(got.Values[i]) || math.Abs(v-got.Values[i]) > precision {
			t.Fatalf("pixel %d is %g, and not %g", i, got.Values[i], v)
		}
	}
	want.Values, got.Values = nil, nil
	require.Equal(t, want, got)
}

func TestLayersAreReadAsTheyWereWritten(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {16, 17}, {40, 23}, {300, 257}, {700, 530}} {
		l := layerOf(size[0], size[1])
		if size[0] == 16 {
			l.Weights = make([]float64, len(l.Values))
			for i, inside := range l.Inside {
				if inside {
					l.Weights[i] = 1 / float64(i+1)
				}
			}
		}
		var kept, again, given bytes.Buffer
		require.NoError(t, mapfile.Files{}.WriteLayer(&kept, l))
		require.NoError(t, mapfile.Files{}.WriteLayer(&again, l))
		require.True(t, bytes.Equal(kept.Bytes(), again.Bytes()), "the same layer has the same bytes")
		got, err := mapfile.Files{}.ReadLayer(t.Context(), bytes.NewReader(kept.Bytes()), int64(kept.Len()))
		require.NoError(t, err)
		same(t, l, got, 0)

		require.NoError(t, mapfile.Files{}.WriteGeoTIFF(&given, l))
		got, err = mapfile.Files{}.ReadLayer(t.Context(), bytes.NewReader(given.Bytes()), int64(given.Len()))
		require.NoError(t, err)
		if l.Weights != nil { // rounded too
			got.Weights = l.Weights
		}
		same(t, l, got, 1e-7)

		var field bytes.Buffer
		require.NoError(t, mapfile.Files{}.WriteFieldGeoTIFF(&field, l))
		source := cog.FromStored(bytes.NewReader(field.Bytes()), int64(field.Len()), "field", "field")
		open, err := cog.OpenNumbers(t.Context(), source, "field", 1)
		require.NoError(t, err)
		read, err := open.Read(t.Context(), vegetation.Window{Width: l.Cols, Height: l.Rows})
		require.NoError(t, err)
		for i, v := range read.Values {
			if want := l.Values[i]; !l.Inside[i] && !math.IsNaN(v) || l.Inside[i] && math.IsNaN(want) != math.IsNaN(v) || math.Abs(v-want) > 1e-7 {
				t.Fatalf("pixel %d of the field is %g, and not %g", i, v, want)
			}
		}
		_, err = cog.OpenNumbers(t.Context(), source, "field", 2)
		require.Error(t, err, "one band")
	}
}

func TestFilesThatAreNoLayer(t *testing.T) {
	var file bytes.Buffer
	l := layerOf(20, 20)
	require.NoError(t, mapfile.Files{}.WriteLayer(&file, l))
	nameless := bytes.Replace(file.Bytes(), []byte("2025-05-12</Item>"), []byte("2025-13-12</Item>"), 1)
	other := bytes.Replace(file.Bytes(), []byte(">NDRE</Item>"), []byte(">NDXE</Item>"), 1)
	for _, data := range [][]byte{nil, []byte("II*\x00"), nameless, other, file.Bytes()[:file.Len()-9]} {
		_, err := mapfile.Files{}.ReadLayer(t.Context(), bytes.NewReader(data), int64(len(data)))
		require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	}
}

// GDAL reads what is written: every number, the missing ones, the place, the notes and the overviews; and its own check of
// Cloud-Optimized GeoTIFFs finds nothing.
func TestGDALReadsLayers(t *testing.T) {
	if _, err := exec.LookPath("gdalinfo"); err != nil {
		t.Skip("LEFT OUT: reading the files of maps with GDAL (Debian: apt-get install gdal-bin)")
	}
	for _, size := range [][2]int{{40, 23}, {700, 530}} {
		l := layerOf(size[0], size[1])
		l.Method = "by hand"
		path := filepath.Join(t.TempDir(), "map.tif")
		file, err := os.Create(path)
		require.NoError(t, err)
		require.NoError(t, mapfile.Files{}.WriteGeoTIFF(file, l))
		require.NoError(t, file.Close())

		said, err := exec.Command("gdal_translate", "-q", "-b", "1", "-of", "ENVI", path, path+".raw").CombinedOutput()
		require.NoError(t, err, "%s", said)
		require.Empty(t, string(said), "GDAL finds nothing to remark")
		raw, err := os.ReadFile(path + ".raw")
		require.NoError(t, err)
		numbers := make([]float32, len(l.Values))
		_, err = binary.Decode(raw, binary.LittleEndian, numbers)
		require.NoError(t, err)
		for i, v := range l.Values {
			if float32(v) != numbers[i] && !(math.IsNaN(v) && math.IsNaN(float64(numbers[i]))) {
				t.Fatalf("pixel %d is %v, and not %v", i, numbers[i], v)
			}
		}

		said, err = exec.Command("gdalinfo", "-json", path).Output()
		require.NoError(t, err)
		var info struct {
			GeoTransform     [6]float64
			CoordinateSystem struct{ WKT string }
			Metadata         map[string]map[string]string
			Bands            []struct {
				Type, Description string
				Block             [2]int
				NoDataValue       any
				Overviews         []struct{ Size [2]int }
			}
		}
		require.NoError(t, json.Unmarshal(said, &info))
		require.Equal(t, [6]float64{399960, 10, 0, 5100000, 0, -10}, info.GeoTransform)
		require.Contains(t, info.CoordinateSystem.WKT, `ID["EPSG",32633]`)
		require.Equal(t, map[string]string{
			"index": "NDRE", "date": "2025-05-12", "scenes": l.Scenes[0] + " " + l.Scenes[1], "synthetic": "true", "method": "by hand", "AREA_OR_POINT": "Area",
			"TIFFTAG_IMAGEDESCRIPTION": "NDRE of 2025-05-12, SYNTHETIC: made up for demonstration, not measured",
		}, info.Metadata[""])
		require.Len(t, info.Bands, 2)
		for _, band := range info.Bands {
			require.Equal(t, "Float32", band.Type)
			require.Equal(t, "NaN", band.NoDataValue)
		}
		require.Equal(t, "NDRE", info.Bands[0].Description)
		if size[0] == 700 {
			require.Equal(t, [2]int{256, 256}, info.Bands[0].Block)
			require.Equal(t, []struct{ Size [2]int }{{[2]int{350, 265}}, {[2]int{175, 133}}}, info.Bands[0].Overviews)
			first := overviewOf(t, path, 350, 265)
			require.InDelta(t, meanOfFour(l, 100, 60), float64(first[60*350+100]), 1e-6)
			require.InDelta(t, meanOfFour(l, 349, 264), float64(first[264*350+349]), 1e-6)
		}
		validate(t, path)
	}
}

// overviewOf returns the first overview as GDAL reads it.
func overviewOf(t *testing.T, path string, cols, rows int) []float32 {
	t.Helper()
	said, err := exec.Command("gdal_translate", "-q", "-b", "1", "-oo", "OVERVIEW_LEVEL=0", "-of", "ENVI", path, path+".half").CombinedOutput()
	require.NoError(t, err, "%s", said)
	raw, err := os.ReadFile(path + ".half")
	require.NoError(t, err)
	out := make([]float32, cols*rows)
	_, err = binary.Decode(raw, binary.LittleEndian, out)
	require.NoError(t, err)
	return out
}

func meanOfFour(l indexmap.Layer, col, row int) float64 {
	sum, n := 0.0, 0
	for k := range 4 {
		if v := l.Values[(2*row+k/2)*l.Cols+2*col+k%2]; !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / float64(n)
}

// validate runs GDAL's check of Cloud-Optimized GeoTIFFs where its Python modules are installed.
func validate(t *testing.T, path string) {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} { // the modules of Debian are those of its own Python
		if exec.Command(python, "-c", "import osgeo_utils.samples.validate_cloud_optimized_geotiff").Run() != nil {
			continue
		}
		said, err := exec.Command(python, "-m", "osgeo_utils.samples.validate_cloud_optimized_geotiff", "--full-check=yes", path).CombinedOutput()
		require.NoError(t, err, "%s", said)
		require.Contains(t, string(said), "is a valid cloud optimized GeoTIFF")
		require.NotContains(t, string(said), "warning")
		return
	}
	t.Log("LEFT OUT: GDAL's check of Cloud-Optimized GeoTIFFs (Debian: apt-get install python3-gdal)")
}

// FuzzReadLayer checks that no bytes make the reader panic, and that it refuses what it does not read as Invalid.
func FuzzReadLayer(f *testing.F) {
	for _, size := range [][2]int{{5, 3}, {300, 20}} {
		var file bytes.Buffer
		require.NoError(f, mapfile.Files{}.WriteLayer(&file, layerOf(size[0], size[1])))
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := mapfile.Files{}.ReadLayer(t.Context(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			return
		}
		require.Len(t, l.Values, l.Cols*l.Rows)
		require.Len(t, l.Inside, l.Cols*l.Rows)
		l.Describe()
	})
}
