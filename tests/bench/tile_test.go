package bench

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/vegetation"
)

// fullTile is the grid of a full-size tile of Sentinel-2 at 10 m, 30TUM.
var fullTile = vegetation.Grid{EPSG: 32630, OriginX: 399960, OriginY: 4700040, PixelX: 10, PixelY: 10, Width: 10980, Height: 10980}

const (
	tileBlock = 1024 // pixels along a side of a block
	held      = 4    // index of the block, from 0 in both directions, that the files hold
	tileDates = 36
)

// season is a STAC API and the store of its files: clear dates of a full-size tile, of which the files hold one block
// of the bands and the block of the classes around it. All dates have the same pixels, under different addresses.
type season struct {
	*httptest.Server
	files map[string][]byte // by the last part of the address
	delay time.Duration     // before every response
	sent  atomic.Int64      // bytes of files
	asked atomic.Int64
}

type object = map[string]any

func newSeason(b *testing.B, delay time.Duration) *season {
	random := rand.New(rand.NewPCG(1, 2))
	noise := func(low, high float64) []byte {
		out := make([]byte, 0, 2*tileBlock*tileBlock)
		for row := range tileBlock {
			before := uint16(0)
			for col := range tileBlock {
				dn := uint16(low + (high-low)*float64(row+col)/(2*tileBlock) + 40*random.NormFloat64())
				out = binary.LittleEndian.AppendUint16(out, dn-before) // differenced: predictor 2
				before = dn
			}
		}
		return out
	}
	coarse := fullTile
	coarse.PixelX, coarse.PixelY, coarse.Width, coarse.Height = 20, 20, fullTile.Width/2, fullTile.Height/2
	s := &season{delay: delay, files: map[string][]byte{
		"B04.tif": sparseTIFF(b, fullTile, 16, held, noise(400, 900)), "B08.tif": sparseTIFF(b, fullTile, 16, held, noise(2500, 4000)),
		"SCL.tif": sparseTIFF(b, coarse, 8, held/2, bytes.Repeat([]byte{4}, tileBlock*tileBlock)),
	}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	b.Cleanup(s.Close)
	return s
}

func (s *season) serve(w http.ResponseWriter, r *http.Request) {
	time.Sleep(s.delay)
	data, ok := s.files[path.Base(r.URL.Path)]
	if !ok {
		_ = json.NewEncoder(w).Encode(object{"type": "FeatureCollection", "features": s.items(), "links": []object{}})
		return
	}
	s.asked.Add(1)
	w.Header().Set("ETag", `"1"`)
	answer := &counted{ResponseWriter: w}
	http.ServeContent(answer, r, "x.tif", time.Time{}, bytes.NewReader(data))
	s.sent.Add(answer.bytes)
}

type counted struct {
	http.ResponseWriter
	bytes int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.bytes += int64(n)
	return n, err
}

func (s *season) items() (items []object) {
	for i := range tileDates {
		asset := func(name string) object {
			return object{"href": fmt.Sprintf("%s/files/%02d/%s.tif", s.URL, i, name), "type": "image/tiff", "eo:bands": []object{{"name": name}},
				"raster:bands": []object{{"scale": 0.0001, "offset": 0, "nodata": 0}}}
		}
		items = append(items, object{
			"type": "Feature", "id": fmt.Sprintf("date-%02d", i), "bbox": []float64{-180, -90, 180, 90},
			"properties": object{"datetime": time.Date(2025, 1, 1+10*i, 11, 0, 0, 0, time.UTC), "platform": "sentinel-2a", "grid:code": "MGRS-30TUM"},
			"assets":     object{"red": asset("B04"), "nir": asset("B08"), "scl": asset("SCL")},
		})
	}
	return items
}

// square returns a square field at a place of the block, in metres from its upper left corner.
func (s *season) square(b *testing.B, x, y, side float64) geo.MultiPolygon {
	utm, err := geo.NewUTM(fullTile.EPSG)
	require.NoError(b, err)
	x, y = fullTile.OriginX+held*tileBlock*10+x, fullTile.OriginY-held*tileBlock*10-y
	var ring geo.Ring
	for _, p := range []geo.Position{{X: x, Y: y}, {X: x, Y: y - side}, {X: x + side, Y: y - side}, {X: x + side, Y: y}, {X: x, Y: y}} {
		ring = append(ring, utm.Inverse(p))
	}
	return geo.MultiPolygon{{ring}}
}

// sparseTIFF writes a GeoTIFF of DEFLATE blocks, only one of which has data, with its directory first (TIFF 6.0; GeoTIFF 1.1).
func sparseTIFF(b *testing.B, g vegetation.Grid, bits, place int, raw []byte) []byte {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := z.Write(raw)
	require.NoError(b, err)
	require.NoError(b, z.Close())
	across := (g.Width + tileBlock - 1) / tileBlock
	offsets, lengths := make([]uint32, across*across), make([]uint32, across*across)
	const start = 64 << 10 // after the overviews that a file of this kind has
	offsets[place*across+place], lengths[place*across+place] = start, uint32(packed.Len())
	type entry struct {
		tag, kind uint16
		values    any
	}
	predictor := uint16(1 + bits/16)
	entries := []entry{
		{256, 3, []uint16{uint16(g.Width)}}, {257, 3, []uint16{uint16(g.Height)}}, {258, 3, []uint16{uint16(bits)}}, {259, 3, []uint16{8}},
		{262, 3, []uint16{1}}, {277, 3, []uint16{1}}, {317, 3, []uint16{predictor}}, {322, 3, []uint16{tileBlock}}, {323, 3, []uint16{tileBlock}},
		{324, 4, offsets}, {325, 4, lengths}, {339, 3, []uint16{1}},
		{33550, 12, []float64{g.PixelX, g.PixelY, 0}}, {33922, 12, []float64{0, 0, 0, g.OriginX, g.OriginY, 0}},
		{34735, 3, []uint16{1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, uint16(g.EPSG)}},
	}
	le := binary.LittleEndian
	out := le.AppendUint16([]byte("II*\x00\x08\x00\x00\x00"), uint16(len(entries)))
	var values []byte
	after := 8 + 2 + 12*len(entries) + 4
	for _, e := range entries {
		data, err := binary.Append(nil, le, e.values)
		require.NoError(b, err)
		out = le.AppendUint16(le.AppendUint16(out, e.tag), e.kind)
		out = le.AppendUint32(out, uint32(len(data)/map[uint16]int{3: 2, 4: 4, 12: 8}[e.kind]))
		if len(data) <= 4 {
			out = append(out, append(data, make([]byte, 4-len(data))...)...)
			continue
		}
		out = le.AppendUint32(out, uint32(after+len(values)))
		values = append(values, data...)
	}
	out = append(append(out, 0, 0, 0, 0), values...)
	return append(append(out, make([]byte, start-len(out))...), packed.Bytes()...)
}

// catalog returns the documents of a folder that leads to the files of the season, and to a field.
func (s *season) catalog(b *testing.B, field geo.MultiPolygon) map[string][]byte {
	out := map[string][]byte{}
	put := func(name string, document any) {
		raw, err := json.Marshal(document)
		require.NoError(b, err)
		out[name] = raw
	}
	var links []object
	for _, item := range s.items() {
		name := strings.ToLower(item["id"].(string)) + ".json"
		put(name, item)
		links = append(links, object{"rel": "item", "href": name})
	}
	put("catalog.json", object{"type": "Catalog", "id": "season", "stac_version": "1.0.0", "description": "season", "links": links})
	put("field.geojson", field)
	return out
}
