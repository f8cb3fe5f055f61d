package item_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/internal/item"
	"tilth/core/vegetation"
)

// The revision changes with whatever changes how the pixels are read, and with nothing else.
func TestRevision(t *testing.T) {
	revision := func(change func(d, p, red map[string]any)) string {
		it, err := document(t, func(d, p map[string]any) {
			red := map[string]any{"href": "https://x.example/B04.tif?sig=1", "type": "image/tiff", "eo:bands": []map[string]any{{"name": "B04"}}}
			d["collection"], d["assets"] = "c", map[string]any{"red": red, "nir": map[string]any{"href": "B08.tif"}}
			change(d, p, red)
		})
		require.NoError(t, err)
		return it.Scene().Revision
	}
	type object = map[string]any
	plain := revision(func(_, _, _ object) {})
	for name, change := range map[string]func(d, p, red object){
		"a later signature": func(_, _, red object) { red["href"] = "https://x.example/B04.tif?sig=2" },
		"a picture":         func(d, _, _ object) { d["assets"].(object)["thumbnail"] = object{"href": "t.png"} },
		"a title":           func(_, _, red object) { red["title"] = "Red" },
		"the default":       func(_, _, red object) { red["raster:bands"] = []object{{"nodata": 0}} },
	} {
		require.Equal(t, plain, revision(change), name)
	}
	seen := map[string]string{plain: "plain"}
	for name, change := range map[string]func(d, p, red object){
		"another file":       func(_, _, red object) { red["href"] = "https://x.example/v2/B04.tif" },
		"another band":       func(d, _, _ object) { d["assets"].(object)["swir16"] = object{"href": "B11.tif"} },
		"scale":              func(_, _, red object) { red["raster:bands"] = []object{{"scale": 0.0002}} },
		"offset":             func(_, _, red object) { red["raster:bands"] = []object{{"offset": -0.1}} },
		"offset 0 is stated": func(_, _, red object) { red["raster:bands"] = []object{{"offset": 0}} },
		"nodata":             func(_, _, red object) { red["raster:bands"] = []object{{"nodata": 65535}} },
		"size":               func(_, _, red object) { red["file:size"] = 17 },
		"checksum":           func(_, _, red object) { red["file:checksum"] = "1220ab" },
		"the offset's flag":  func(_, p, _ object) { p["earthsearch:boa_offset_applied"] = true },
		"the flag's value":   func(_, p, _ object) { p["sentinel:boa_offset_applied"] = false },
		"the collection":     func(d, _, _ object) { d["collection"] = "other" },
	} {
		got := revision(change)
		require.Empty(t, seen[got], "%s changes nothing", name)
		seen[got] = name
	}
}

func TestSalvagePlaced(t *testing.T) {
	for name, tt := range map[string]struct {
		document string
		ok       bool
	}{
		"assets are no assets":     {`{"id":"a","bbox":[0,0,1,1],"properties":{"datetime":"2025-05-01T00:00:00Z"},"assets":7}`, true},
		"time from the name":       {`{"id":"S2B_MSIL2A_20240825T173909_R098","bbox":[0,0,1,1],"properties":{}}`, true},
		"box beside a bad outline": {`{"id":"a","bbox":[0,0,1,1],"geometry":"here","properties":{"datetime":"2025-05-01T00:00:00Z"}}`, true},
		"no place":                 {`{"id":"a","geometry":"here","properties":{"datetime":"2025-05-01T00:00:00Z"}}`, false},
		"no time":                  {`{"id":"a","bbox":[0,0,1,1],"properties":{}}`, false},
		"no id":                    {`{"bbox":[0,0,1,1],"properties":{"datetime":"2025-05-01T00:00:00Z"}}`, false},
		"not JSON":                 {`{"id":"a","bbox":[0,0`, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, name == "not JSON" || json.Valid([]byte(tt.document)))
			_, cause := item.Parse([]byte(tt.document), "a.json")
			require.Error(t, cause)
			it, ok := item.SalvagePlaced([]byte(tt.document), cause)
			require.Equal(t, tt.ok, ok)
			if ok {
				require.Contains(t, it.Scene().Broken, "a.json")
				require.False(t, it.SensedAt().IsZero())
			}
		})
	}
}

// A cloud probability that is added to an archive does not change the revision of the other bands.
func TestAuxiliaryFilesHaveARevisionOfTheirOwn(t *testing.T) {
	revisions := func(change func(assets map[string]any)) (string, string) {
		it := withAssets(t, change)
		s := it.Scene()
		return s.Revision, s.Auxiliary
	}
	plain, none := revisions(func(map[string]any) {})
	for key, scale := range map[string]float64{"cloud": 1, "CLD_20m": 1, "cld": 1, "CLP": 100.0 / 255, "MSK_CLDPRB_20m": 1} {
		add := func(assets map[string]any) {
			assets[key] = map[string]any{"href": "https://example.org/CLD_20m.tif", "raster:bands": []any{map[string]any{"nodata": 0}}}
		}
		revision, auxiliary := revisions(add)
		require.Equal(t, plain, revision, key)
		require.NotEqual(t, none, auxiliary, key)
		it := withAssets(t, add)
		require.True(t, it.Scene().Bands[vegetation.CLP], key)
		require.InDelta(t, scale, it.Assets[vegetation.CLP].Scale, 0, key)
	}
	only := withAssets(t, func(assets map[string]any) {
		delete(assets, "red")
		assets["cloud"] = map[string]any{"href": "https://example.org/CLD_20m.tif"}
	})
	require.False(t, only.ShowsGround())
}

// withAssets returns an item with a red band, of changed assets.
func withAssets(t *testing.T, change func(assets map[string]any)) *item.Item {
	t.Helper()
	it, err := document(t, func(d, _ map[string]any) {
		assets := map[string]any{"red": map[string]any{"href": "https://example.org/B04.tif"}}
		change(assets)
		d["assets"] = assets
	})
	require.NoError(t, err)
	return it
}
