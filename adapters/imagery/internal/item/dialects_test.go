package item_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/internal/cogwrite"
	"tilth/adapters/imagery/internal/item"
	"tilth/core/vegetation"
)

// bytesOf is a file in memory.
type bytesOf struct {
	data    []byte
	address string
}

func (b bytesOf) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off >= int64(len(b.data)) {
		return 0, io.EOF
	}
	n := copy(p, b.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
func (b bytesOf) Size() int64     { return int64(len(b.data)) }
func (b bytesOf) Address() string { return b.address }

// readerOf reads the same file at every address, and records the addresses.
func readerOf(t *testing.T, img cogwrite.Image, asked map[string]bool) item.Reader {
	t.Helper()
	data, err := cogwrite.Encode(img)
	require.NoError(t, err)
	return item.Reader{Source: func(_ *item.Item, href string) (cog.Source, error) {
		asked[href] = true
		return bytesOf{data, fmt.Sprint(t.Name(), href, img.DN[0])}, nil
	}}
}

func flat(dn uint16) cogwrite.Image {
	img := cogwrite.Image{Bits: 16, Grid: vegetation.Grid{EPSG: 32633, OriginX: 500000, OriginY: 5100000, PixelX: 10, PixelY: 10, Width: 20, Height: 20}}
	for range 400 {
		img.DN = append(img.DN, dn)
	}
	return img
}

// dialect is one way in which catalogs describe a Sentinel-2 L2A scene, in an item as small as it
// can be: each member has the meaning that it has in that catalog.
type dialect struct {
	id         string
	collection string
	properties object
	assets     object

	href     string // of the red band, as it is opened; empty where it is JPEG 2000
	baseline string
	orbit    int
	offset   float64 // of the red band, whose pixels are bright and so refute nothing
	basis    vegetation.OffsetBasis
}

type object = map[string]any

// dialects is the catalogue: Earth Search in its three generations, Planetary Computer, Copernicus
// Data Space, Digital Earth Africa; STAC 1.0 and 1.1.
var dialects = map[string]dialect{
	"Earth Search v0": {
		id: "S2B_33TWM_20220810_0_L2A", collection: "sentinel-s2-l2a-cogs",
		properties: object{
			"datetime": "2022-08-10T10:07:32Z", "platform": "sentinel-2b", "sentinel:utm_zone": 33, "sentinel:latitude_band": "T", "sentinel:grid_square": "WM",
			"sentinel:product_id":          "S2B_MSIL2A_20220810T095559_N0400_R122_T33TWM_20220810T125422",
			"sentinel:boa_offset_applied":  true,
			"sentinel:processing_baseline": "04.00",
		},
		assets: object{
			"B04": object{"href": "https://example.org/B04.tif", "type": "image/tiff; application=geotiff; profile=cloud-optimized", "gsd": 10, "eo:bands": []object{{"name": "B04", "common_name": "red"}}},
			"B8A": object{"href": "https://example.org/B8A.tif", "eo:bands": []object{{"name": "B8A", "common_name": "nir08"}}},
			"SCL": object{"href": "https://example.org/SCL.tif"},
		},
		href: "https://example.org/B04.tif", baseline: "04.00", orbit: 122, offset: 0, basis: vegetation.OffsetByFlag,
	},
	"Earth Search v0, before the flag": {
		id: "S2B_33TWM_20200810_0_L2A", collection: "sentinel-s2-l2a-cogs",
		properties: object{
			"datetime": "2020-08-10T10:07:32Z", "platform": "sentinel-2b", "sentinel:utm_zone": 33, "sentinel:latitude_band": "T", "sentinel:grid_square": "WM",
			"sentinel:product_id": "S2B_MSIL2A_20200810T095559_N0214_R122_T33TWM_20200810T125422",
		},
		assets: object{"B04": object{"href": "https://example.org/B04.tif", "eo:bands": []object{{"name": "B04"}}}, "SCL": object{"href": "https://example.org/SCL.tif"}},
		href:   "https://example.org/B04.tif", baseline: "02.14", orbit: 122, offset: 0, basis: vegetation.OffsetByBaseline,
	},
	"Earth Search v1": {
		id: "S2B_33TWM_20230810_0_L2A", collection: "sentinel-2-l2a",
		properties: object{
			"datetime": "2023-08-10T10:07:32Z", "platform": "sentinel-2b", "mgrs:utm_zone": 33, "mgrs:latitude_band": "T", "mgrs:grid_square": "WM", "grid:code": "MGRS-33TWM",
			"s2:product_uri": "S2B_MSIL2A_20230810T095559_N0509_R122_T33TWM_20230810T125422.SAFE", "s2:processing_baseline": "05.09",
			"earthsearch:boa_offset_applied": true,
		},
		assets: object{
			"red": object{"href": "https://example.org/B04.tif", "eo:bands": []object{{"name": "red", "common_name": "red"}},
				"raster:bands": []object{{"nodata": 0, "data_type": "uint16", "spatial_resolution": 10, "scale": 0.0001, "offset": -0.1}}},
			"red-jp2": object{"href": "s3://example/B04.jp2", "type": "image/jp2", "eo:bands": []object{{"name": "red", "common_name": "red"}}},
			"scl":     object{"href": "https://example.org/SCL.tif"},
		},
		href: "https://example.org/B04.tif", baseline: "05.09", orbit: 122, offset: 0, basis: vegetation.OffsetByFlag,
	},
	"Earth Search c1": {
		id: "S2B_T33TWM_20230810T100031_L2A", collection: "sentinel-2-c1-l2a",
		properties: object{
			"datetime": "2023-08-10T10:07:32Z", "platform": "sentinel-2b", "grid:code": "MGRS-33TWM", "s2:processing_baseline": "05.10", "sat:relative_orbit": 122,
		},
		assets: object{
			"red": object{"href": "https://example.org/B04.tif", "eo:bands": []object{{"name": "B04", "common_name": "red"}}, "file:size": 12,
				"raster:bands": []object{{"nodata": 0, "scale": 0.0001, "offset": -0.1}}},
			"scl": object{"href": "https://example.org/SCL.tif", "raster:bands": []object{{"nodata": 0}}},
		},
		href: "https://example.org/B04.tif", baseline: "05.10", orbit: 122, offset: -0.1, basis: vegetation.OffsetByItem,
	},
	"Planetary Computer": {
		id: "S2B_MSIL2A_20230810T095559_R122_T33TWM_20230810T125422", collection: "sentinel-2-l2a",
		properties: object{
			"datetime": "2023-08-10T09:55:59.024Z", "platform": "Sentinel-2B", "s2:mgrs_tile": "33TWM", "s2:processing_baseline": "05.09", "sat:relative_orbit": 122,
			"s2:product_uri": "S2B_MSIL2A_20230810T095559_N0509_R122_T33TWM_20230810T125422.SAFE",
		},
		assets: object{
			"B04":     object{"href": "https://example.org/B04.tif", "gsd": 10, "eo:bands": []object{{"name": "B04", "common_name": "red"}}},
			"SCL":     object{"href": "https://example.org/SCL.tif", "gsd": 20},
			"preview": object{"href": "https://example.org/TCI.tif", "roles": []string{"thumbnail"}, "eo:bands": []object{{"name": "B04"}}},
		},
		href: "https://example.org/B04.tif", baseline: "05.09", orbit: 122, offset: -0.1, basis: vegetation.OffsetByBaseline,
	},
	"Digital Earth Africa": {
		id: "b0a1d5a6-4a5e-5f43-9d5e-3a3a5d0c5f10", collection: "s2_l2a",
		properties: object{
			"datetime": "2023-08-10T10:07:32Z", "platform": "sentinel-2b", "sentinel:utm_zone": 33, "sentinel:latitude_band": "T", "sentinel:grid_square": "WM",
			"sentinel:product_id":         "S2B_MSIL2A_20230810T095559_N0509_R122_T33TWM_20230810T125422",
			"sentinel:boa_offset_applied": true, "sentinel:processing_baseline": "05.09", "odc:product": "s2_l2a",
		},
		assets: object{
			"B04": object{"href": "s3://deafrica-sentinel-2/sentinel-s2-l2a-cogs/33/T/WM/B04.tif", "eo:bands": []object{{"name": "B04"}}},
			"SCL": object{"href": "s3://deafrica-sentinel-2/sentinel-s2-l2a-cogs/33/T/WM/SCL.tif", "eo:bands": []object{{"name": "SCL"}}},
		},
		href:     "https://deafrica-sentinel-2.s3.af-south-1.amazonaws.com/sentinel-s2-l2a-cogs/33/T/WM/B04.tif",
		baseline: "05.09", orbit: 122, offset: 0, basis: vegetation.OffsetByFlag,
	},
	"STAC 1.0 with asset members": {
		id: "one", properties: object{"datetime": "2023-08-10T10:07:32Z", "platform": "sentinel-2b", "grid:code": "MGRS-33TWM", "processing:version": "05.09", "sat:relative_orbit": 122},
		assets: object{
			"red": object{"href": "https://example.org/B04.tif", "eo:bands": []object{{"common_name": "red"}}, "raster:bands": []object{{"scale": 0.0001, "offset": 0}}},
			"scl": object{"href": "https://example.org/SCL.tif"},
		},
		href: "https://example.org/B04.tif", baseline: "05.09", orbit: 122, offset: 0, basis: vegetation.OffsetByItem,
	},
	"STAC 1.1": {
		id: "one", properties: object{"datetime": "2023-08-10T10:07:32Z", "platform": "sentinel-2b", "grid:code": "MGRS-33TWM", "processing:version": "05.11", "sat:relative_orbit": 122},
		assets: object{
			"image-1": object{"href": "https://example.org/B04.tif", "bands": []object{{"name": "B04", "eo:common_name": "red", "raster:scale": 0.0001, "raster:offset": -0.1, "nodata": 0}}},
			"image-2": object{"href": "https://example.org/SCL.tif", "bands": []object{{"name": "SCL"}}},
		},
		href: "https://example.org/B04.tif", baseline: "05.11", orbit: 122, offset: -0.1, basis: vegetation.OffsetByItem,
	},
	"Copernicus Data Space, STAC 1.1": {
		id: "S2B_MSIL2A_20230810T095559_N0509_R122_T33TWM_20230810T125422", collection: "sentinel-2-l2a",
		properties: object{"datetime": "2023-08-10T09:55:59.024Z", "platform": "sentinel-2b", "grid:code": "MGRS-33TWM", "processing:version": "05.09", "sat:relative_orbit": 122},
		assets: object{
			"B04_10m": object{"href": "s3://eodata/B04_10m.jp2", "type": "image/jp2", "bands": []object{{"name": "B04", "eo:common_name": "red"}}, "raster:scale": 0.0001, "raster:offset": -0.1},
			"SCL_20m": object{"href": "s3://eodata/SCL_20m.jp2", "type": "image/jp2"},
		},
		baseline: "05.09", orbit: 122,
	},
}

func TestTheCatalogueOfDialects(t *testing.T) {
	for name, d := range dialects {
		t.Run(name, func(t *testing.T) {
			it, err := document(t, func(doc, _ object) {
				doc["id"], doc["collection"], doc["properties"], doc["assets"] = d.id, d.collection, d.properties, d.assets
			})
			require.NoError(t, err)
			scene := it.Scene()
			require.Equal(t, []any{"sentinel-2b", "33TWM", d.orbit, d.baseline}, []any{scene.Platform, scene.Tile, scene.RelativeOrbit, scene.Baseline})
			require.Equal(t, 10, scene.SensedAt.In(time.FixedZone("", 900)).Hour())
			if d.href == "" {
				require.True(t, it.JPEG2000())
				require.Empty(t, scene.Bands)
				return
			}
			delete(scene.Bands, vegetation.B8A) // where the item has it
			require.Equal(t, map[vegetation.Band]bool{vegetation.B04: true, vegetation.SCL: true}, scene.Bands)
			asked := map[string]bool{}
			got, err := readerOf(t, flat(3000), asked).Read(t.Context(), scene, vegetation.B04, vegetation.Window{Width: 1, Height: 1})
			require.NoError(t, err)
			require.Equal(t, map[string]bool{d.href: true}, asked)
			require.Equal(t, []any{0.0001, d.offset, d.basis}, []any{got.Scale, got.Offset, got.OffsetBasis})
		})
	}
}

// In every dialect the pixels have a veto where the offset would be applied twice or forgotten.
func TestThePixelsHaveAVetoInEveryDialect(t *testing.T) {
	forest := func(dn uint16) cogwrite.Image {
		img := flat(dn)
		img.Grid.PixelX, img.Grid.PixelY = 300, 300
		return img
	}
	for name, d := range dialects {
		if d.href == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, tt := range []struct {
				dn     uint16
				offset float64
			}{{300, 0}, {1300, -0.1}} {
				it, err := document(t, func(doc, _ object) {
					doc["id"], doc["properties"], doc["assets"] = d.id, d.properties, d.assets
				})
				require.NoError(t, err)
				want := vegetation.AppliedOffset{Offset: tt.offset, Basis: vegetation.OffsetByPixels}
				if math.Abs(tt.offset-d.offset) < 1e-9 {
					want.Basis = d.basis
				}
				if d.baseline < "04" && tt.dn > 1000 {
					want = vegetation.AppliedOffset{Basis: d.basis} // nothing was ever added
				}
				reader := readerOf(t, forest(tt.dn), map[string]bool{})
				got, err := reader.Read(t.Context(), it.Scene(), vegetation.B04, vegetation.Window{Width: 1, Height: 1})
				require.NoError(t, err)
				require.Equal(t, want, got.Applied(""), "numbers of %d", tt.dn)
			}
		})
	}
}

// The files of Landsat are numbered by instrument: band 4 is red of OLI and near infrared of TM and ETM+.
func TestLandsatBandsByTheirNumbers(t *testing.T) {
	for id, want := range map[string]map[vegetation.Band]int{
		"LC09_L2SP_202031_20230705_20230707_02_T1": {vegetation.B02: 2, vegetation.B03: 3, vegetation.B04: 4, vegetation.B08: 5, vegetation.B11: 6, vegetation.B12: 7},
		"LT05_L2SP_202031_20070705_20200830_02_T1": {vegetation.B02: 1, vegetation.B03: 2, vegetation.B04: 3, vegetation.B08: 4, vegetation.B11: 5, vegetation.B12: 7},
	} {
		for _, key := range []string{"SR_B%d", "SR_B%d.TIF"} {
			it, err := document(t, func(doc, _ object) {
				assets := object{"QA_PIXEL" + key[len("SR_B%d"):]: object{"href": "https://example.org/QA_PIXEL.TIF"}}
				for n := 1; n <= 7; n++ {
					assets[fmt.Sprintf(key, n)] = object{"href": fmt.Sprintf("https://example.org/%d.TIF", n)}
				}
				doc["id"], doc["collection"], doc["assets"] = id, "landsat-c2l2-sr", assets
				doc["properties"] = object{"datetime": "2023-07-05T10:07:32Z"}
			})
			require.NoError(t, err)
			scene := it.Scene()
			require.True(t, scene.Bands[vegetation.SCL])
			for band, n := range want {
				asked := map[string]bool{}
				_, err := readerOf(t, flat(9000), asked).Read(t.Context(), scene, band, vegetation.Window{Width: 1, Height: 1})
				require.NoError(t, err)
				require.Equal(t, map[string]bool{fmt.Sprintf("https://example.org/%d.TIF", n): true}, asked, "%s of %s", band, id)
			}
		}
	}
}
