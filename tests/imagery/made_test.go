// Package imagery_test checks the path from imagery to points as a whole, through the
// use case that computes series: real archives against reference figures, and made-up
// ones whose right answer is known by construction, from folders and over HTTP.
package imagery_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/catalog"
	"tilth/app/satellite"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
)

type object = map[string]any

// surface returns the digital number at a point, in the CRS of the scene.
type surface func(x, y float64) uint16

func flat(dn uint16) surface { return func(float64, float64) uint16 { return dn } }

// made is a scene of a made-up archive: red and near infrared at 10 m, classes at 20 m.
type made struct {
	id, at        string
	tile          string
	orbit         int
	grid          vegetation.Grid // of 10 m; width and height even
	scl, red, nir surface
	clouds        surface                  // percent; may be nil
	bands         func() (red, nir []byte) // their files, if they are made already; nil: they are not
}

// item returns the STAC item, with relative addresses, and its files.
func (m made) item() (item object, files map[string][]byte) {
	coarse := m.grid
	coarse.PixelX, coarse.PixelY, coarse.Width, coarse.Height = 20, 20, m.grid.Width/2, m.grid.Height/2
	if m.bands == nil {
		m.bands = func() (red, nir []byte) { return geotiff(m.grid, 16, m.red), geotiff(m.grid, 16, m.nir) }
	}
	red, nir := m.bands()
	files = map[string][]byte{"B04.tif": red, "B08.tif": nir, "SCL.tif": geotiff(coarse, 8, m.scl)}
	asset := func(name string) object {
		return object{"href": name + ".tif", "type": "image/tiff", "eo:bands": []object{{"name": name}},
			"raster:bands": []object{{"scale": 0.0001, "offset": 0, "nodata": 0}}}
	}
	assets := object{"red": asset("B04"), "nir": asset("B08"), "scl": object{"href": "SCL.tif", "type": "image/tiff"}}
	if m.clouds != nil { // as in Earth Search
		files["CLD.tif"] = geotiff(coarse, 8, m.clouds)
		assets["cloud"] = object{"href": "CLD.tif", "title": "Cloud Probabilities", "roles": []string{"data", "cloud"}, "raster:bands": []object{{"nodata": 0}}}
	}
	return object{
		"type": "Feature", "id": m.id, "bbox": []float64{-180, -90, 180, 90},
		"properties": object{
			"datetime": m.at, "platform": "sentinel-2a", "grid:code": "MGRS-" + m.tile, "sat:relative_orbit": m.orbit, "s2:processing_baseline": "05.11",
		},
		"assets": assets,
	}, files
}

// folder writes scenes as a static catalog and opens it.
func folder(t testing.TB, scenes ...made) ports.Imagery {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, data, 0o644))
	}
	var links []object
	for _, m := range scenes {
		item, files := m.item()
		raw, err := json.Marshal(item)
		require.NoError(t, err)
		write(m.id+"/item.json", raw)
		for name, data := range files {
			write(m.id+"/"+name, data)
		}
		links = append(links, object{"rel": "item", "href": "./" + m.id + "/item.json"})
	}
	raw, err := json.Marshal(object{"type": "Catalog", "id": "made", "stac_version": "1.0.0", "description": "made", "links": links})
	require.NoError(t, err)
	write("catalog.json", raw)
	return openFolder(t, dir)
}

func openFolder(t testing.TB, dir string) ports.Imagery {
	t.Helper()
	c, err := catalog.Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

const (
	tileSide   = 128
	tileBytes  = tileSide * tileSide // of an 8-bit sample
	headerRead = 16 << 10            // what the reader asks for first
)

// geotiff writes an uncompressed GeoTIFF in tiles of 128 pixels, with its directory
// first (TIFF 6.0; GeoTIFF 1.1). It shares no code with the reader.
func geotiff(g vegetation.Grid, bits int, dn surface) []byte {
	le := binary.LittleEndian
	across, down := (g.Width+tileSide-1)/tileSide, (g.Height+tileSide-1)/tileSide
	tiles, size := across*down, tileBytes*bits/8
	var entries, values []byte
	const count = 14
	after := 8 + 2 + 12*count + 4
	entry := func(tag, kind uint16, n int, data []byte) {
		entries = le.AppendUint32(le.AppendUint16(le.AppendUint16(entries, tag), kind), uint32(n))
		if len(data) <= 4 {
			entries = append(append(entries, data...), make([]byte, 4-len(data))...)
			return
		}
		entries = le.AppendUint32(entries, uint32(after+len(values)))
		values = append(values, data...)
	}
	short := func(tag uint16, v ...uint16) {
		var data []byte
		for _, v := range v {
			data = le.AppendUint16(data, v)
		}
		entry(tag, 3, len(v), data)
	}
	double := func(tag uint16, v ...float64) {
		var data []byte
		for _, v := range v {
			data = le.AppendUint64(data, math.Float64bits(v))
		}
		entry(tag, 12, len(v), data)
	}
	start := after + 8*tiles + 8*3 + 8*6 + 2*16 // all values, then the tiles
	var offsets, lengths []byte
	for i := range tiles {
		offsets, lengths = le.AppendUint32(offsets, uint32(start+i*size)), le.AppendUint32(lengths, uint32(size))
	}
	short(256, uint16(g.Width))
	short(257, uint16(g.Height))
	short(258, uint16(bits))
	short(259, 1)
	short(262, 1)
	short(277, 1)
	short(322, tileSide)
	short(323, tileSide)
	entry(324, 4, tiles, offsets)
	entry(325, 4, tiles, lengths)
	short(339, 1)
	double(33550, g.PixelX, g.PixelY, 0)
	double(33922, 0, 0, 0, g.OriginX, g.OriginY, 0)
	short(34735, 1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, uint16(g.EPSG))
	out := append(make([]byte, 0, start+tiles*size), "II*\x00\x08\x00\x00\x00"...)
	out = append(out, count, 0)
	out = append(append(append(out, entries...), 0, 0, 0, 0), values...)
	out = append(out, make([]byte, start-len(out))...) // with a single tile, its offset is inside the entry
	for tile := range tiles {
		for i := range tileBytes {
			col, row := tile%across*tileSide+i%tileSide, tile/across*tileSide+i/tileSide
			v := uint16(0)
			if col < g.Width && row < g.Height {
				centre := g.Centre(col, row)
				v = dn(centre.X, centre.Y)
			}
			if bits == 8 {
				out = append(out, byte(v))
			} else {
				out = le.AppendUint16(out, v)
			}
		}
	}
	return out
}

// rectangle returns the field whose corners have those coordinates in a UTM zone.
func rectangle(t testing.TB, epsg int, minX, minY, maxX, maxY float64) geo.MultiPolygon {
	t.Helper()
	utm, err := geo.NewUTM(epsg)
	require.NoError(t, err)
	var ring geo.Ring
	for _, p := range []geo.Position{{X: minX, Y: minY}, {X: maxX, Y: minY}, {X: maxX, Y: maxY}, {X: minX, Y: maxY}, {X: minX, Y: minY}} {
		ring = append(ring, utm.Inverse(p))
	}
	return geo.MultiPolygon{{ring}}
}

func day(s string) time.Time {
	v, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return v
}

// compute returns the series of an index between two days, both inclusive.
func compute(t testing.TB, imagery ports.Imagery, boundary geo.MultiPolygon, index vegetation.IndexCode, from, to string, mask vegetation.Mask) vegetation.Series {
	t.Helper()
	x, err := vegetation.ParseIndex(string(index))
	require.NoError(t, err)
	s, err := (&satellite.Computer{Imagery: imagery}).Compute(t.Context(), satellite.SeriesRequest{
		Boundary: boundary, From: day(from), To: day(to), Index: x, Mask: mask,
	})
	require.NoError(t, err)
	return s
}
