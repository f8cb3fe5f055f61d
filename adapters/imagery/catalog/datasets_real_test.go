package catalog_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/catalog"
	"tilth/adapters/imagery/internal/cogwrite"
	"tilth/app/satellite"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/realdata"
)

// guise is a data set that the Spanish scenes are re-encoded as.
type guise struct {
	id, collection  string
	platform        string // may be empty
	red, nir, mask  string // keys of the assets
	scale, offset   float64
	signed          bool
	floats          bool // reflectances themselves
	maskBits        int
	bits            map[vegetation.Class]uint16 // of the mask, by the class of Sentinel-2
	perPixel        float64                     // how far a mean may lie from that of the original
	statesNoScaling bool
}

var guises = map[string]guise{
	"HLS S30": {
		id: "HLS.S30.T30TUM.%s.v2.0", collection: "HLSS30_2.0", red: "B04", nir: "B08", mask: "Fmask", scale: 0.0001, signed: true, maskBits: 8,
		bits: map[vegetation.Class]uint16{0: 255, 2: 1 << 3, 4: 0, 5: 1 << 6, 6: 1 << 5, 7: 0}, perPixel: 1e-12, statesNoScaling: true,
	},
	"HLS L30": {
		id: "HLS.L30.T30TUM.%s.v2.0", collection: "hls2-l30", red: "B04", nir: "B05", mask: "Fmask", scale: 0.0001, signed: true, maskBits: 8,
		bits: map[vegetation.Class]uint16{0: 255, 2: 1 << 1, 4: 0, 5: 0, 6: 1 << 5, 7: 0}, perPixel: 1e-12,
	},
	"Landsat": {
		id: "LC08_L2SP_202031_%s_02_T1", collection: "landsat-c2-l2", red: "red", nir: "nir08", mask: "qa_pixel", scale: 0.0000275, offset: -0.2, maskBits: 16,
		bits: map[vegetation.Class]uint16{0: 1, 2: 1<<4 | 21824, 4: 21824, 5: 21824, 6: 21952, 7: 21824}, perPixel: 1e-4, statesNoScaling: true,
	},
	"Sentinel-2 in floating point numbers": {
		id: "floats-%s", collection: "own", red: "red", nir: "nir", mask: "scl", scale: 1, floats: true, maskBits: 8,
		bits: map[vegetation.Class]uint16{0: 0, 2: 2, 4: 4, 5: 5, 6: 6, 7: 7}, perPixel: 1e-6, statesNoScaling: true,
	},
}

// encode returns a raster of reflectances in the guise.
func (g guise) encode(t *testing.T, r vegetation.Raster) []byte {
	t.Helper()
	img := cogwrite.Image{Grid: r.Grid, Bits: 16, Signed: g.signed}
	if g.floats {
		img.Bits = 32
	}
	for i := range r.Grid.Width * r.Grid.Height {
		dn, ok := r.At(i%r.Grid.Width, i/r.Grid.Width)
		reflectance := r.Reflectance(dn)
		stored := math.Round((reflectance - g.offset) / g.scale)
		switch {
		case g.floats && !ok:
			img.Metres = append(img.Metres, -9999)
		case g.floats:
			img.Metres = append(img.Metres, float32(reflectance))
		case !ok && g.signed:
			img.DN = append(img.DN, 0x10000-9999)
		case !ok:
			img.DN = append(img.DN, 0)
		default:
			img.DN = append(img.DN, uint16(stored))
		}
	}
	data, err := cogwrite.Encode(img)
	require.NoError(t, err)
	return data
}

// disguise writes the scenes of an archive as another data set, and returns the folder.
func (g guise) disguise(t *testing.T, imagery ports.Imagery, field geo.MultiPolygon) string {
	t.Helper()
	scenes, err := imagery.Search(t.Context(), field, day("2019-01-01"), day("2020-01-01"))
	require.NoError(t, err)
	dir := t.TempDir()
	write := func(name string, data []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	var links []object
	for i, s := range scenes {
		r := whole(t, imagery, s)
		mask := cogwrite.Image{Grid: r[vegetation.SCL].Grid, Bits: g.maskBits, NoData: fmt.Sprint(g.bits[vegetation.ClassNoData])}
		for _, class := range r[vegetation.SCL].DN {
			bits, ok := g.bits[vegetation.Class(class)]
			require.True(t, ok, "class %d", class)
			mask.DN = append(mask.DN, bits)
		}
		data, err := cogwrite.Encode(mask)
		require.NoError(t, err)
		write(fmt.Sprintf("%d-mask.tif", i), data)
		write(fmt.Sprintf("%d-red.tif", i), g.encode(t, r[vegetation.B04]))
		write(fmt.Sprintf("%d-nir.tif", i), g.encode(t, r[vegetation.B08]))
		asset := func(name string) object {
			a := object{"href": fmt.Sprintf("%d-%s.tif", i, name)}
			if !g.statesNoScaling && name != "mask" {
				a["raster:bands"] = []object{{"scale": g.scale, "offset": g.offset}}
			}
			return a
		}
		raw, err := json.Marshal(object{
			"type": "Feature", "id": fmt.Sprintf(g.id, s.SensedAt.Format("20060102")), "collection": g.collection, "bbox": []float64{-10, 35, 0, 45},
			"properties": object{"datetime": s.SensedAt, "platform": g.platform}, "assets": object{g.red: asset("red"), g.nir: asset("nir"), g.mask: asset("mask")},
		})
		require.NoError(t, err)
		write(fmt.Sprintf("%d.json", i), raw)
		links = append(links, object{"rel": "item", "href": fmt.Sprintf("./%d.json", i)})
	}
	raw, err := json.Marshal(object{"type": "Catalog", "id": "c", "links": links})
	require.NoError(t, err)
	write("catalog.json", raw)
	return dir
}

// whole reads the three bands of a scene.
func whole(t *testing.T, imagery ports.Imagery, s vegetation.Scene) map[vegetation.Band]vegetation.Raster {
	t.Helper()
	out := map[vegetation.Band]vegetation.Raster{}
	for _, b := range []vegetation.Band{vegetation.B04, vegetation.B08, vegetation.SCL} {
		g, err := imagery.Grid(t.Context(), s, b)
		require.NoError(t, err)
		out[b], err = imagery.Read(t.Context(), s, b, vegetation.Window{Width: g.Width, Height: g.Height})
		require.NoError(t, err)
	}
	return out
}

func spanishField(t *testing.T) geo.MultiPolygon {
	t.Helper()
	raw, err := os.ReadFile(realdata.Path(t, "satellite", "s2-spain-valladolid-2019", "field.geojson"))
	require.NoError(t, err)
	b, err := geo.ParseGeoJSON(nil, raw, geo.DefaultLimits())
	require.NoError(t, err)
	return b.Geometry()
}

// The Spanish series is the same, within the steps of the numbers, when its scenes are encoded as
// another data set: signed numbers, scale and offset, other nodata, other names, a mask of bits.
func TestTheSpanishSeriesAsOtherDatasets(t *testing.T) {
	field := spanishField(t)
	openFolder := func(dir string) *catalog.Catalog {
		c, err := catalog.Open(dir)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, c.Close()) })
		return c
	}
	ndvi, err := vegetation.ParseIndex("NDVI")
	require.NoError(t, err)
	original := openFolder(realdata.Path(t, "satellite", "s2-spain-valladolid-2019"))
	series := func(imagery ports.Imagery) vegetation.Series {
		s, err := (&satellite.Computer{Imagery: imagery}).Compute(t.Context(), satellite.SeriesRequest{Boundary: field, From: day("2019-01-01"), To: day("2019-12-31"), Index: ndvi})
		require.NoError(t, err)
		return s
	}
	want := series(original)
	require.Len(t, want.Observations, 31)
	for name, g := range guises {
		t.Run(name, func(t *testing.T) {
			dir := g.disguise(t, original, field)
			same := func() {
				got := series(openFolder(dir))
				require.Equal(t, []int{31, len(want.Rejected)}, []int{len(got.Observations), len(got.Rejected)})
				require.False(t, got.NoSCL)
				for i, o := range got.Observations {
					w := want.Observations[i]
					require.Equal(t, []any{w.Date, w.NValid, w.NPolygon, w.Coverage}, []any{o.Date, o.NValid, o.NPolygon, o.Coverage})
					require.InDelta(t, w.Value, o.Value, g.perPixel, "%s", w.Date)
					require.InDelta(t, g.offset, o.Offsets[0].Offset, 0)
				}
			}
			same()
			if name != "HLS S30" {
				return
			}
			if os.Getenv("TILTH_GDAL") == "" {
				t.Log("LEFT OUT: files written by GDAL (install gdal-bin, then run make gdal)")
				return
			}
			files, err := filepath.Glob(filepath.Join(dir, "*.tif"))
			require.NoError(t, err)
			for _, file := range files {
				out, err := exec.Command("gdal_translate", "-q", "-of", "GTiff", "-co", "COMPRESS=LZW", "-co", "PREDICTOR=2", "-co", "ENDIANNESS=BIG", file, file+".new").CombinedOutput()
				require.NoError(t, err, "%s", out)
				require.NoError(t, os.Rename(file+".new", file))
			}
			same()
		})
	}
}
