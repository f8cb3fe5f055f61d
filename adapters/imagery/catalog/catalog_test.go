package catalog_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/catalog"
	"tilth/adapters/imagery/internal/cogwrite"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
)

// folder is a catalog in the making: documents and files by path.
type folder map[string]any

func (f folder) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range f {
		var data []byte
		var err error
		switch c := content.(type) {
		case string:
			data = []byte(c)
		case cogwrite.Image:
			data, err = cogwrite.Encode(c)
		default:
			data, err = json.Marshal(c)
		}
		require.NoError(t, err)
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
	return dir
}

func open(t *testing.T, f folder) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(f.write(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func links(rel string, hrefs ...string) map[string]any {
	var list []map[string]string
	for _, href := range hrefs {
		list = append(list, map[string]string{"rel": rel, "href": href})
	}
	return map[string]any{"type": "Catalog", "id": "c", "links": list}
}

type object = map[string]any

func stacItem(id, at string, assets object, properties ...any) object {
	p := object{"datetime": at}
	for i := 0; i+1 < len(properties); i += 2 {
		p[properties[i].(string)] = properties[i+1]
	}
	return object{"type": "Feature", "id": id, "bbox": []float64{-5, 41, -4, 42}, "properties": p, "assets": assets}
}

// flat is a 20 × 10 pixel image of one number, except for the first dark pixels, which have another.
func flat(dn uint16, dark int, darkDN uint16) cogwrite.Image {
	img := cogwrite.Image{Bits: 16, Grid: vegetation.Grid{EPSG: 32630, OriginX: 400000, OriginY: 4600000, PixelX: 10, PixelY: 10, Width: 20, Height: 10}}
	for i := range 200 {
		if i < dark {
			img.DN = append(img.DN, darkDN)
			continue
		}
		img.DN = append(img.DN, dn)
	}
	return img
}

func at(x, y float64) geo.MultiPolygon {
	return geo.MultiPolygon{{{{X: x, Y: y}, {X: x + 0.01, Y: y}, {X: x + 0.01, Y: y + 0.01}, {X: x, Y: y}}}}
}

func day(s string) time.Time {
	v, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return v
}

func ids(t *testing.T, c *catalog.Catalog, boundary geo.MultiPolygon, from, to string) []string {
	t.Helper()
	scenes, err := c.Search(t.Context(), boundary, day(from), day(to))
	require.NoError(t, err)
	out := []string{}
	for _, s := range scenes {
		out = append(out, s.ID)
	}
	return out
}

func TestSearch(t *testing.T) {
	red := object{"red": object{"href": "B04.tif"}}
	c := open(t, folder{
		"catalog.json":      links("child", "./a/collection.json", "b/c.json", "a/collection.json"),
		"a/collection.json": links("item", "./x/one.json", "x/two%20a.json", "../catalog.json"),
		"b/c.json":          object{"type": "FeatureCollection", "features": []any{stacItem("four", "2025-05-01T00:00:00Z", object{"nir": object{"href": "../a/x/B04.tif"}})}},
		"a/x/one.json":      stacItem("one", "2025-05-03T00:00:00Z", red),
		"a/x/two a.json":    stacItem("two", "2025-05-01T00:00:00Z", red),
		"a/x/B04.tif":       flat(1, 0, 0),
	})
	require.Equal(t, []string{"four", "two", "one"}, ids(t, c, at(-4.5, 41.5), "2025-01-01", "2026-01-01"), "by time, then id")
	require.Equal(t, []string{"four", "two"}, ids(t, c, at(-4.5, 41.5), "2025-05-01", "2025-05-03"), "the end is not in it")
	require.Equal(t, []string{"one"}, ids(t, c, at(-4.5, 41.5), "2025-05-03", "2025-05-04"), "the start is")
	require.Empty(t, ids(t, c, at(-4.5, 43), "2025-01-01", "2026-01-01"))
	_, err := c.Search(t.Context(), nil, day("2025-01-01"), day("2026-01-01"))
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	require.Contains(t, c.Describe(), "3 scenes, 0 of them synthetic")
}

func TestOnlyFilesOfTheFolderAreBands(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "B08.tif")
	require.NoError(t, os.WriteFile(outside, []byte("II*"), 0o600))
	f := folder{
		"catalog.json": links("item", "one.json"),
		"one.json": stacItem("one", "2025-05-01T00:00:00Z", object{
			"red": object{"href": "B04.tif"}, "green": object{"href": "absent.tif"}, "blue": object{"href": "https://example.org/B02.tif"},
			"nir": object{"href": "B08.tif"}, "swir16": object{"href": "../B11.tif"}, "scl": object{"href": "/etc/SCL.tif"},
		}),
		"B04.tif": flat(1, 0, 0),
	}
	dir := f.write(t)
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "B08.tif")))
	c, err := catalog.Open(dir)
	require.NoError(t, err)
	defer c.Close()
	scenes, err := c.Search(t.Context(), at(-4.5, 41.5), day("2025-01-01"), day("2026-01-01"))
	require.NoError(t, err)
	require.Equal(t, map[vegetation.Band]bool{vegetation.B04: true}, scenes[0].Bands)
	_, err = c.Grid(t.Context(), scenes[0], vegetation.SCL)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	_, err = c.Read(t.Context(), vegetation.Scene{ID: "of another source"}, vegetation.B04, vegetation.Window{Width: 1, Height: 1})
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
}

func TestFoldersThatAreRefused(t *testing.T) {
	deep := folder{"catalog.json": links("child", "d/catalog.json")}
	for i := range 12 {
		deep["d/"+strings.Repeat("d/", i)+"catalog.json"] = links("child", "d/catalog.json")
	}
	for name, tt := range map[string]struct {
		f    folder
		kind fault.Kind
		says string
	}{
		"empty":           {folder{}, fault.NotFound, "catalog.json"},
		"link to nothing": {folder{"catalog.json": links("item", "gone.json")}, fault.NotFound, "gone.json"},
		"way out":         {folder{"catalog.json": links("child", "../catalog.json")}, fault.Invalid, "catalog.json"},
		"way out and in":  {folder{"catalog.json": links("child", "a/../../x.json")}, fault.Invalid, "catalog.json"},
		"absolute path":   {folder{"catalog.json": links("child", "/catalog.json")}, fault.Invalid, "catalog.json"},
		"another host":    {folder{"catalog.json": links("child", "https://example.org/catalog.json")}, fault.Invalid, "catalog.json"},
		"not JSON":        {folder{"catalog.json": "<html>"}, fault.Invalid, "catalog.json"},
		"broken item":     {folder{"catalog.json": links("item", "x.json"), "x.json": object{"type": "Feature"}}, fault.Invalid, "x.json"},
		"too deep":        {deep, fault.Invalid, "nested"},
		"too large":       {folder{"catalog.json": strings.Repeat(" ", 4<<20+1)}, fault.Invalid, "larger"},
		"JPEG 2000": {folder{"catalog.json": links("item", "x.json"), "x.json": stacItem("x", "2025-05-01T00:00:00Z", object{
			"red": object{"href": "B04.jp2", "type": "image/jp2"},
		})}, fault.Invalid, "JPEG 2000"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := catalog.Open(tt.f.write(t))
			require.True(t, fault.Is(err, tt.kind), "%v", err)
			require.ErrorContains(t, err, tt.says)
		})
	}
	_, err := catalog.Open(filepath.Join(t.TempDir(), "nowhere"))
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}

func TestABrokenFileIsNamed(t *testing.T) {
	c := open(t, folder{
		"catalog.json": links("item", "one.json"), "B04.tif": "no image",
		"one.json": stacItem("one", "2025-05-01T00:00:00Z", object{"red": object{"href": "B04.tif"}}),
	})
	scenes, err := c.Search(t.Context(), at(-4.5, 41.5), day("2025-01-01"), day("2026-01-01"))
	require.NoError(t, err)
	_, err = c.Grid(t.Context(), scenes[0], vegetation.B04)
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	require.ErrorContains(t, err, "one/B04.tif")
}

// forest is 36 km² of vegetation in summer under scattered clouds, which the red band shows as dn.
func forest(dn uint16) cogwrite.Image {
	img := cogwrite.Image{Bits: 16, Grid: vegetation.Grid{EPSG: 32630, OriginX: 400000, OriginY: 4600000, PixelX: 20, PixelY: 20, Width: 300, Height: 300}}
	for i := range 300 * 300 {
		v := dn + uint16(i*31%200)
		if i%5 == 0 {
			v = 4000 + uint16(i%3000)
		}
		img.DN = append(img.DN, v)
	}
	return img
}

// tagged states an offset in the file's own tags, as GDAL does.
func tagged(img cogwrite.Image, offset string) cogwrite.Image {
	img.Tags = `<GDALMetadata><Item name="OFFSET" sample="0" role="offset">` + offset + `</Item><Item name="SCALE" sample="0" role="scale">0.0001</Item></GDALMetadata>`
	return img
}

func TestWhichOffset(t *testing.T) {
	stated := func(offset float64) object {
		return object{"href": "B04.tif", "raster:bands": []object{{"scale": 0.0001, "offset": offset}}}
	}
	silent := object{"href": "B04.tif"}
	const flag = "earthsearch:boa_offset_applied"
	for name, tt := range map[string]struct {
		asset    object
		baseline string
		applied  any
		image    cogwrite.Image
		want     float64
	}{
		"as the asset says":                   {stated(-0.1), "05.11", nil, flat(3000, 0, 0), -0.1},
		"the asset says so, but all is dark":  {stated(-0.1), "05.11", nil, flat(200, 0, 0), 0},
		"a little noise refutes nothing":      {stated(-0.1), "05.11", nil, flat(3000, 4, 400), -0.1},
		"nor do reflectances just below zero": {stated(-0.1), "05.11", nil, flat(3000, 100, 800), -0.1},
		"an odd offset is not examined":       {stated(-0.05), "05.11", nil, flat(200, 0, 0), -0.05},
		"silent, new baseline, but dark":      {silent, "04.00", nil, flat(3000, 50, 400), 0},
		"none, but all ends above 1000":       {stated(0), "05.11", nil, forest(1200), -0.1},
		"silent, a late date, all above 1000": {silent, "", nil, forest(1200), -0.1},
		"applied, but all ends above 1000":    {stated(-0.1), "05.11", true, forest(1200), -0.1},
		"applied, and dark":                   {stated(-0.1), "05.11", true, forest(400), 0},
		"none, and of an old baseline":        {stated(0), "02.14", nil, forest(1200), 0},
		"file's tags":                         {silent, "05.11", nil, tagged(flat(3000, 0, 0), "0"), 0},
		"file's tags, and all is dark":        {silent, "02.14", nil, tagged(flat(200, 0, 0), "-0.1"), 0},
		"the item counts before the file":     {stated(0), "05.11", nil, tagged(flat(3000, 0, 0), "-0.1"), 0},
		"as the asset says: none":             {stated(0), "05.11", nil, flat(3000, 0, 0), 0},
		"silent, new baseline":                {silent, "04.00", nil, flat(3000, 0, 0), -0.1},
		"silent, old baseline":                {silent, "03.01", nil, flat(3000, 0, 0), 0},
		"silent, no baseline":                 {silent, "", nil, flat(3000, 0, 0), 0},
		"trap: applied, dark pixels":          {stated(-0.1), "05.09", true, flat(3000, 3, 400), 0},
		"trap: applied, bright: flag":         {stated(-0.1), "05.09", true, flat(3000, 0, 0), 0},
		"not applied, bright: flag":           {stated(-0.1), "05.09", false, flat(3000, 0, 0), -0.1},
		"not applied, but dark pixels":        {stated(-0.1), "05.09", false, flat(3000, 3, 999), 0},
		"not applied, 1 % of dark pixels":     {stated(-0.1), "05.09", false, flat(3000, 2, 999), -0.1},
		"not applied, 1000 is not dark":       {stated(-0.1), "05.09", false, flat(3000, 100, 1000), -0.1},
		"not applied, nodata is not dark":     {stated(-0.1), "05.09", false, flat(3000, 100, 0), -0.1},
		"not applied, dark among nodata":      {stated(-0.1), "05.09", false, flat(0, 1, 999), 0},
		"not applied, asset says none: flag":  {stated(0), "05.09", false, flat(3000, 0, 0), -0.1},
		"old baseline: flag does not matter":  {stated(0), "03.01", false, flat(3000, 0, 0), 0},
		"flag null is no flag":                {stated(-0.1), "05.09", nil, flat(3000, 0, 0), -0.1},
		"no pixels with data: flag":           {stated(-0.1), "05.09", false, flat(0, 0, 0), -0.1},
		"silent, not applied, bright: flag":   {silent, "05.09", false, flat(3000, 0, 0), -0.1},
		"silent, applied: none":               {silent, "05.09", true, flat(3000, 0, 0), 0},
		"silent, old baseline, with any flag": {silent, "02.14", true, flat(3000, 0, 0), 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, folder{
				"catalog.json": links("item", "one.json"), "B04.tif": tt.image,
				"one.json": stacItem("one", "2025-05-01T00:00:00Z", object{"red": tt.asset}, "s2:processing_baseline", tt.baseline, flag, tt.applied),
			})
			scenes, err := c.Search(t.Context(), at(-4.5, 41.5), day("2025-01-01"), day("2026-01-01"))
			require.NoError(t, err)
			for range 2 {
				got, err := c.Read(t.Context(), scenes[0], vegetation.B04, vegetation.Window{Width: 1, Height: 1})
				require.NoError(t, err)
				require.Equal(t, []float64{0.0001, tt.want}, []float64{got.Scale, got.Offset})
			}
		})
	}
}

// The dark pixels may be in another band than the one that is read; the darkest counts.
func TestTheDarkestVisibleBandDecides(t *testing.T) {
	minus := func(file string) object {
		return object{"href": file, "raster:bands": []object{{"scale": 0.0001, "offset": -0.1}}}
	}
	for dark, want := range map[string]float64{"B02.tif": 0, "B03.tif": 0, "B04.tif": 0, "B08.tif": -0.1} {
		f := folder{
			"catalog.json": links("item", "one.json"),
			"one.json": stacItem("one", "2025-05-01T00:00:00Z",
				object{"blue": minus("B02.tif"), "green": minus("B03.tif"), "red": minus("B04.tif"), "nir": minus("B08.tif")},
				"s2:processing_baseline", "05.09", "earthsearch:boa_offset_applied", false),
		}
		for _, file := range []string{"B02.tif", "B03.tif", "B04.tif", "B08.tif"} {
			f[file] = flat(3000, 0, 0)
		}
		f[dark] = flat(3000, 20, 300)
		c := open(t, f)
		scenes, err := c.Search(t.Context(), at(-4.5, 41.5), day("2025-01-01"), day("2026-01-01"))
		require.NoError(t, err)
		got, err := c.Read(t.Context(), scenes[0], vegetation.B08, vegetation.Window{Width: 1, Height: 1})
		require.NoError(t, err)
		require.Equal(t, want, got.Offset, dark)
	}
}

// A band of over four million pixels is judged by nine windows of it.
func TestLargeFilesAreSampled(t *testing.T) {
	large := cogwrite.Image{Bits: 16, Grid: vegetation.Grid{EPSG: 32630, PixelX: 10, PixelY: 10, Width: 2600, Height: 2100}}
	for i := range large.Grid.Width * large.Grid.Height {
		dn := uint16(3000)
		if i/large.Grid.Width < 400 && i%7 == 0 {
			dn = 500 // along the northern edge, seen by three of the windows
		}
		large.DN = append(large.DN, dn)
	}
	c := open(t, folder{
		"catalog.json": links("item", "one.json"), "B04.tif": large,
		"one.json": stacItem("one", "2025-05-01T00:00:00Z", object{"red": object{"href": "B04.tif"}},
			"s2:processing_baseline", "05.09", "earthsearch:boa_offset_applied", false),
	})
	scenes, err := c.Search(t.Context(), at(-4.5, 41.5), day("2025-01-01"), day("2026-01-01"))
	require.NoError(t, err)
	got, err := c.Read(t.Context(), scenes[0], vegetation.B04, vegetation.Window{Width: 1, Height: 1})
	require.NoError(t, err)
	require.Zero(t, got.Offset)
}
