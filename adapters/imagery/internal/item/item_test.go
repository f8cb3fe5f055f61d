package item_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/internal/item"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/tests/realdata"
)

func features(t *testing.T, file string) []json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile(realdata.Path(t, "satellite", "stac-samples", file))
	require.NoError(t, err)
	var collection struct{ Features []json.RawMessage }
	require.NoError(t, json.Unmarshal(raw, &collection))
	if len(collection.Features) == 0 {
		return []json.RawMessage{raw}
	}
	return collection.Features
}

var reflectance = []vegetation.Band{
	vegetation.B02, vegetation.B03, vegetation.B04, vegetation.B05, vegetation.B06, vegetation.B07, vegetation.B08, vegetation.B11, vegetation.B12,
}

func TestEveryDialect(t *testing.T) {
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339Nano, s)
		require.NoError(t, err)
		return v
	}
	for file, want := range map[string]vegetation.Scene{
		"earth-search-v1_sentinel-2-c1-l2a_itemcollection.json": {
			ID: "S2A_T13TDE_20240422T174753_L2A", Platform: "sentinel-2a", Tile: "13TDE", RelativeOrbit: 98, Baseline: "05.10",
			SensedAt: at("2024-04-22T17:53:02.036Z"), Updated: at("2024-04-23T03:23:58.819Z"),
			Datastrip: "S2A_OPER_MSI_L2A_DS_2APS_20240423T004950_S20240422T174753_N05.10",
		},
		"planetary-computer_sentinel-2-l2a_two-items.json": {
			ID: "S2B_MSIL2A_20240825T173909_R098_T13TDE_20240825T215747", Platform: "sentinel-2b", Tile: "13TDE", RelativeOrbit: 98, Baseline: "05.11",
			SensedAt: at("2024-08-25T17:39:09.024Z"), Updated: at("2024-08-25T21:57:47Z"),
			Datastrip: "S2B_OPER_MSI_L2A_DS_2BPS_20240825T215747_S20240825T174804_N05.11",
		},
		"planetary-computer_sentinel-2-l2a_item_N0212.json": {
			ID: "S2B_MSIL2A_20190629T212529_R043_T06VVN_20201006T080531", Platform: "sentinel-2b", Tile: "06VVN", RelativeOrbit: 43, Baseline: "02.12",
			SensedAt:  at("2019-06-29T21:25:29.024Z"),
			Datastrip: "S2B_OPER_MSI_L2A_DS_ESRI_20201006T080533_S20190629T212530_N02.12",
		},
		"earth-search-v0_sentinel-s2-l2a-cogs_item.json": {
			ID: "S2A_28QCH_20200714_0_L2A", Platform: "sentinel-2a", Tile: "28QCH", RelativeOrbit: 123, Baseline: "02.14",
			SensedAt: at("2020-07-14T11:55:52Z"),
		},
		"earth-search-v1_sentinel-2-l2a_item_boa-offset-applied.json": {
			ID: "S2B_33TWM_20230820_0_L2A", Platform: "sentinel-2b", Tile: "33TWM", RelativeOrbit: 79, Baseline: "05.09",
			SensedAt: at("2023-08-20T09:57:56.646Z"), Updated: at("2023-08-20T18:06:06.221Z"),
			Datastrip: "S2B_OPER_MSI_L2A_DS_2BPS_20230820T124817_S20230820T094908_N05.09",
		},
	} {
		t.Run(file, func(t *testing.T) {
			it, err := item.Parse(features(t, file)[0], file)
			require.NoError(t, err)
			got := it.Scene()
			for _, band := range append(slices.Clone(reflectance), vegetation.SCL) {
				require.True(t, got.Bands[band], "%s", band)
				require.Contains(t, it.Assets[band].Href, ".tif")
			}
			maps.DeleteFunc(got.Bands, func(b vegetation.Band, _ bool) bool { return b.Auxiliary() })
			require.Len(t, got.Bands, len(reflectance)+1)
			if want.Updated.IsZero() || file[0] == 'p' {
				want.Updated = got.Updated // generation time, not checked here
			}
			require.NotEmpty(t, got.Revision)
			require.Equal(t, vegetation.SentinelL2A, got.Dataset)
			got.Bands, got.Source, got.Revision, got.Auxiliary, got.Dataset = nil, nil, "", "", ""
			require.Equal(t, want, got)
			require.False(t, it.JPEG2000())
		})
	}
}

func TestEveryBandHasItsOwnFile(t *testing.T) {
	it, err := item.Parse(features(t, "earth-search-v1_sentinel-2-l2a_item_boa-offset-applied.json")[0], "x")
	require.NoError(t, err)
	for _, band := range append(slices.Clone(reflectance), vegetation.SCL) {
		require.Regexp(t, string(band)+`\.tif$`, it.Assets[band].Href)
	}
}

func TestJPEG2000IsKnownForWhatItIs(t *testing.T) {
	it, err := item.Parse(features(t, "cdse-v1_sentinel-2-l2a_search_2026.json")[0], "x")
	require.NoError(t, err)
	require.True(t, it.JPEG2000())
	require.Empty(t, it.Assets)
	require.Equal(t, "sentinel-2c", it.Scene().Platform)
	require.Equal(t, "55WFR", it.Scene().Tile)
	require.Equal(t, 17, it.Scene().RelativeOrbit)
	require.Equal(t, "05.12", it.Scene().Baseline)
}

// document is a small item; change edits it before it is parsed.
func document(t *testing.T, change func(d, properties map[string]any)) (*item.Item, error) {
	t.Helper()
	properties := map[string]any{"datetime": "2025-05-01T10:00:00+02:00"}
	d := map[string]any{"type": "Feature", "id": "one", "bbox": []float64{0, 0, 1, 1}, "properties": properties, "assets": map[string]any{}}
	change(d, properties)
	raw, err := json.Marshal(d)
	require.NoError(t, err)
	return item.Parse(raw, "one.json")
}

func TestFactsFromElsewhere(t *testing.T) {
	it, err := document(t, func(d, p map[string]any) {
		d["id"] = "S2C_MSIL2A_20250501T105631_N0511_R094_T05VXJ_20250501T140000"
		p["s2:product_uri"] = "S2C_MSIL2A_20250501T105631_N0511_R094_T05VXJ_20250501T140000.SAFE"
		p["mgrs:utm_zone"], p["mgrs:latitude_band"], p["mgrs:grid_square"] = 5, "V", "XJ"
		p["synthetic"], p["created"] = true, "2025-05-02T00:00:00Z"
	})
	require.NoError(t, err)
	got := it.Scene()
	require.Equal(t, "sentinel-2c", got.Platform)
	require.Equal(t, "05VXJ", got.Tile)
	require.Equal(t, 94, got.RelativeOrbit)
	require.Equal(t, "05.11", got.Baseline)
	require.True(t, got.Synthetic)
	require.Equal(t, time.Date(2025, 5, 1, 8, 0, 0, 0, time.UTC), got.SensedAt)
	require.Equal(t, time.Date(2025, 5, 2, 0, 0, 0, 0, time.UTC), got.Updated)
}

func TestAnItemThatSaysLittle(t *testing.T) {
	it, err := document(t, func(map[string]any, map[string]any) {})
	require.NoError(t, err)
	got := it.Scene()
	require.Equal(t, "sentinel-2", got.Platform, "never empty")
	require.Zero(t, got.RelativeOrbit)
	require.Empty(t, got.Tile)
	require.False(t, got.Synthetic)
	require.Empty(t, got.Bands)
	require.False(t, it.JPEG2000())
}

func TestItemsThatAreRefused(t *testing.T) {
	for name, change := range map[string]func(d, p map[string]any){
		"no id":         func(d, _ map[string]any) { delete(d, "id") },
		"no time":       func(_, p map[string]any) { p["datetime"] = nil },
		"no place":      func(d, _ map[string]any) { delete(d, "bbox") },
		"odd box":       func(d, _ map[string]any) { d["bbox"] = []float64{1, 2, 3} },
		"odd geometry":  func(d, _ map[string]any) { d["geometry"] = "here" },
		"id is no text": func(d, _ map[string]any) { d["id"] = 7 },
	} {
		_, err := document(t, change)
		require.True(t, fault.Is(err, fault.Invalid), "%s: %v", name, err)
		require.ErrorContains(t, err, "one.json")
	}
	_, err := item.Parse([]byte("<html>"), "one.json")
	require.True(t, fault.Is(err, fault.Invalid))
}

func TestWhichAssetHoldsWhichBand(t *testing.T) {
	one := func(key string, asset map[string]any) map[vegetation.Band]item.Asset {
		if asset["href"] == nil {
			asset["href"] = "x.tif"
		}
		it, err := document(t, func(d, _ map[string]any) { d["assets"] = map[string]any{key: asset} })
		require.NoError(t, err)
		return it.Assets
	}
	eo := func(bands ...any) map[string]any { return map[string]any{"eo:bands": bands} }
	band := func(name, common string) map[string]any { return map[string]any{"name": name, "common_name": common} }
	for name, tt := range map[string]struct {
		key   string
		asset map[string]any
		want  vegetation.Band
	}{
		"name":                    {"x", eo(band("B04", "")), vegetation.B04},
		"name of Earth Search":    {"x", eo(band("rededge2", "rededge")), vegetation.B06},
		"key, vague common name":  {"rededge3", eo(band("", "rededge")), vegetation.B07},
		"only a vague name":       {"x", eo(band("", "rededge")), ""},
		"common name":             {"x", eo(band("", "nir")), vegetation.B08},
		"key":                     {"scl", map[string]any{}, vegetation.SCL},
		"key in capitals":         {"SCL", map[string]any{}, vegetation.SCL},
		"key with resolution":     {"SCL_20m", map[string]any{}, vegetation.SCL},
		"STAC 1.1":                {"x", map[string]any{"bands": []any{map[string]any{"name": "B03", "eo:common_name": "green"}}}, vegetation.B03},
		"narrow near infrared":    {"B8A", eo(band("B8A", "nir")), vegetation.B8A},
		"coastal":                 {"coastal", eo(band("coastal", "coastal")), ""},
		"picture of three bands":  {"red", eo(band("B04", "red"), band("B03", "green"), band("B02", "blue")), ""},
		"thumbnail":               {"red", map[string]any{"roles": []string{"thumbnail"}}, ""},
		"no address":              {"red", map[string]any{"href": ""}, ""},
		"JPEG 2000":               {"red", map[string]any{"type": "image/jp2"}, ""},
		"JPEG 2000 by its ending": {"red", map[string]any{"href": "B04.JP2"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := one(tt.key, tt.asset)
			if tt.want == "" {
				require.Empty(t, got)
				return
			}
			require.Len(t, got, 1)
			require.Contains(t, got, tt.want)
		})
	}
}

func TestOfTwoFilesOfABandTheFinerIsKept(t *testing.T) {
	it, err := document(t, func(d, _ map[string]any) {
		d["assets"] = map[string]any{
			"B02_60m": map[string]any{"href": "60.tif", "gsd": 60}, "B02_10m": map[string]any{"href": "10.tif", "gsd": 10},
			"B02_20m": map[string]any{"href": "20.tif", "gsd": 20},
		}
	})
	require.NoError(t, err)
	require.Equal(t, "10.tif", it.Assets[vegetation.B02].Href)
}

// A file may hold several bands, each with its own scaling; a picture of them does not count, and a
// band with a file of its own is read from that.
func TestSeveralBandsInOneFile(t *testing.T) {
	names := func(names ...string) (out []object) {
		for _, name := range names {
			out = append(out, object{"name": name})
		}
		return out
	}
	it, err := document(t, func(d, _ map[string]any) {
		d["assets"] = object{
			"stack": object{"href": "stack.tif", "eo:bands": names("B02", "B8A", "B04", "B08"),
				"raster:bands": []object{{"scale": 1}, {"scale": 2}, {"scale": 3, "nodata": -1}, {"scale": 4}}},
			"red":     object{"href": "red.tif"},
			"visual":  object{"href": "visual.tif", "eo:bands": names("B04", "B03", "B02")},
			"falsely": object{"href": "false.tif", "eo:bands": names("B08", "B04", "B03"), "raster:bands": []object{{"data_type": "uint8"}}},
		}
	})
	require.NoError(t, err)
	got := map[vegetation.Band][]any{}
	for band, a := range it.Assets {
		got[band] = []any{a.Href, a.Band}
	}
	require.Equal(t, map[vegetation.Band][]any{
		vegetation.B02: {"stack.tif", 1}, vegetation.B04: {"red.tif", 1}, vegetation.B08: {"stack.tif", 4}, vegetation.B8A: {"stack.tif", 2},
	}, got)
	require.Equal(t, 4.0, it.Assets[vegetation.B08].Scale)
}

func TestScaleOffsetAndNoData(t *testing.T) {
	it, err := document(t, func(d, _ map[string]any) {
		raster := func(v map[string]any) []any { return []any{v} }
		d["assets"] = map[string]any{
			"red":   map[string]any{"href": "r.tif", "raster:bands": raster(map[string]any{"scale": 0.001, "offset": -0.2, "nodata": 65535})},
			"nir":   map[string]any{"href": "n.tif"},
			"blue":  map[string]any{"href": "b.tif", "raster:bands": raster(map[string]any{"scale": 0, "offset": 0, "nodata": "nan"})},
			"green": map[string]any{"href": "g.tif", "raster:scale": 0.002, "raster:offset": -0.3},
			"scl":   map[string]any{"href": "s.tif", "raster:bands": raster(map[string]any{"scale": 5, "offset": 5})},
		}
	})
	require.NoError(t, err)
	a := it.Assets
	require.Equal(t, []float64{0.001, -0.2}, []float64{a[vegetation.B04].Scale, a[vegetation.B04].Offset})
	require.Equal(t, 65535.0, a[vegetation.B04].NoData)
	require.True(t, math.IsNaN(a[vegetation.B08].Scale), "not stated")
	require.True(t, math.IsNaN(a[vegetation.B08].Offset), "not stated")
	require.True(t, math.IsNaN(a[vegetation.B02].Scale), "not usable")
	require.Zero(t, a[vegetation.B02].Offset)
	require.Equal(t, []float64{0.002, -0.3}, []float64{a[vegetation.B03].Scale, a[vegetation.B03].Offset})
	require.Equal(t, []float64{1, 0}, []float64{a[vegetation.SCL].Scale, a[vegetation.SCL].Offset})
}

func TestFootprint(t *testing.T) {
	square := func(x, y, side float64) geo.MultiPolygon {
		return geo.MultiPolygon{{{{X: x, Y: y}, {X: x + side, Y: y}, {X: x + side, Y: y + side}, {X: x, Y: y + side}, {X: x, Y: y}}}}
	}
	triangle := json.RawMessage(`{"type":"Polygon","coordinates":[[[0,0,5],[10,0,5],[0,10,5],[0,0,5]]]}`)
	bowtie := json.RawMessage(`{"type":"Polygon","coordinates":[[[0,0],[10,10],[10,0],[0,10],[0,0]]]}`)
	for name, tt := range map[string]struct {
		geometry any
		bbox     []float64
		at       geo.MultiPolygon
		want     bool
	}{
		"inside":                   {triangle, nil, square(1, 1, 1), true},
		"around":                   {triangle, nil, square(-1, -1, 20), true},
		"touches":                  {triangle, nil, square(10, 0, 1), true},
		"in the box only":          {triangle, nil, square(8, 8, 1), false},
		"outside the box":          {triangle, nil, square(20, 20, 1), false},
		"box":                      {nil, []float64{0, 0, 10, 10}, square(8, 8, 1), true},
		"box with heights":         {nil, []float64{0, 0, -5, 10, 10, 500}, square(8, 8, 1), true},
		"box with heights, beyond": {nil, []float64{0, 0, -5, 10, 10, 500}, square(11, 11, 1), false},
		"crosses itself":           {bowtie, nil, square(4.9, 8, 0.1), true},
		"empty geometry":           {json.RawMessage(`{"type":"Polygon","coordinates":[]}`), []float64{0, 0, 10, 10}, square(8, 8, 1), true},
	} {
		t.Run(name, func(t *testing.T) {
			it, err := document(t, func(d, _ map[string]any) { d["geometry"], d["bbox"] = tt.geometry, tt.bbox })
			require.NoError(t, err)
			area, err := item.NewArea(tt.at)
			require.NoError(t, err)
			require.Equal(t, tt.want, it.Meets(area))
		})
	}
	for _, nothing := range []geo.MultiPolygon{nil, {}} {
		_, err := item.NewArea(nothing)
		require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	}
}

func TestOrder(t *testing.T) {
	var items []*item.Item
	for i, at := range []string{"2025-05-02T00:00:00Z", "2025-05-01T00:00:00Z", "2025-05-01T00:00:00Z"} {
		it, err := document(t, func(d, p map[string]any) { d["id"], p["datetime"] = fmt.Sprint(9-i), at })
		require.NoError(t, err)
		items = append(items, it)
	}
	slices.SortFunc(items, item.Compare)
	require.Equal(t, []string{"7", "8", "9"}, []string{items[0].ID, items[1].ID, items[2].ID})
}
