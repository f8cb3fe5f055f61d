package browser

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

// tileKind is the kind of the tiles of an archive, as PMTiles numbers it.
type tileKind byte

const (
	shapes  tileKind = 1
	picture tileKind = 2
)

// archiveOf returns an archive (PMTiles, version 3) that has the same tile everywhere at zoom 10.
func archiveOf(kind tileKind, tile []byte, about string) []byte {
	const zoom, head = 10, 127
	before := uint64((1<<(2*zoom) - 1) / 3) // tiles of the lower zooms
	var directory []byte
	for _, n := range []uint64{1, before, 1 << (2 * zoom), uint64(len(tile)), 1} { // one entry: its tile, how many are alike, length, offset + 1
		directory = binary.AppendUvarint(directory, n)
	}
	var out bytes.Buffer
	out.WriteString("PMTiles\x03")
	at := uint64(head)
	for _, length := range []int{len(directory), len(about), 0, len(tile)} { // the root, the metadata, no leaves, tiles
		_ = binary.Write(&out, binary.LittleEndian, []uint64{at, uint64(length)})
		at += uint64(length)
	}
	_ = binary.Write(&out, binary.LittleEndian, []uint64{1 << (2 * zoom), 1, 1})
	out.Write([]byte{1, 1, 1, byte(kind), zoom, zoom}) // ordered; nothing is compressed
	_ = binary.Write(&out, binary.LittleEndian, []int32{-180e7, -85e7, 180e7, 85e7})
	out.WriteByte(zoom)
	_ = binary.Write(&out, binary.LittleEndian, []int32{0, 0})
	out.Write(directory)
	out.WriteString(about)
	out.Write(tile)
	return out.Bytes()
}

// allWater is a vector tile with nothing but water.
func allWater() []byte {
	geometry := []byte{9, 0, 0, 26} // from the corner, three lines
	for _, step := range [][2]int64{{4096, 0}, {0, 4096}, {-4096, 0}} {
		geometry = binary.AppendVarint(binary.AppendVarint(geometry, step[0]), step[1])
	}
	geometry = append(geometry, 15) // closed
	feature := append([]byte{3 << 3, 3, 4<<3 | 2, byte(len(geometry))}, geometry...)
	layer := append([]byte{15 << 3, 2, 1<<3 | 2, 5}, "water"...)
	layer = append(append(layer, 2<<3|2, byte(len(feature))), feature...)
	layer = binary.AppendUvarint(append(layer, 5<<3), 4096)
	return append([]byte{3<<3 | 2, byte(len(layer))}, layer...)
}

// allOf is a tile that is a picture of one colour.
func allOf(t *testing.T, is color.RGBA) []byte {
	t.Helper()
	whole := image.NewRGBA(image.Rect(0, 0, 256, 256))
	for i := range whole.Pix {
		whole.Pix[i] = []byte{is.R, is.G, is.B, is.A}[i%4]
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, whole))
	return out.Bytes()
}

// A base map lies under the fields, made of shapes in the colours of the console or of pictures, even if another server holds it; the page
// requests it only from its own server, under the same policy. Where it cannot be read, the ground stays plain, and the page says so.
func TestConsoleOnABaseMap(t *testing.T) {
	further(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "land.pmtiles")
	const about = `{"attribution": "<a href=\"https://map.example\">&copy; Map of water</a>", "vector_layers": [{"id": "water", "fields": {}}]}`
	other := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(other.Close)
	server := serve(t, rig.Options{Demo: true, Config: func(c *cli.Config) { c.BasemapURL = other.URL + "/land.pmtiles" }})
	var p *Page
	for _, tt := range []struct {
		name   string
		tiles  []byte // nil: there is no archive
		width  int
		dark   bool
		ground color.RGBA
		credit string
	}{
		{"shapes", archiveOf(shapes, allWater(), about), 1280, false, color.RGBA{0xcf, 0xdd, 0xe0, 255}, "© Map of water"},
		{"pictures, on a phone in the dark", archiveOf(picture, allOf(t, color.RGBA{90, 90, 90, 255}), about), 375, true, color.RGBA{40, 40, 40, 255}, "© Map of water"},
		{"none", nil, 1280, false, color.RGBA{0xef, 0xec, 0xe2, 255}, "The base map cannot be read; the background stays plain."},
	} {
		_ = os.Remove(name)
		if tt.tiles != nil {
			require.NoError(t, os.WriteFile(name, tt.tiles, 0o600))
		}
		if p == nil {
			p = console(t, server.URL, "/", tt.width, tt.dark)
		} else {
			p.Screen(tt.width, 900, tt.width < 500, tt.dark)
			p.Goto(server.URL + "/")
		}
		p.Until(fmt.Sprintf(`document.querySelector(".credit")?.textContent === %q`, tt.credit))
		p.Until(drawn)
		accessible(p, tt.name)
		fits(p, server.URL, tt.width)
		var seen color.Color
		rig.Eventually(t, func() bool {
			shown, err := png.Decode(bytes.NewReader(p.Picture()))
			require.NoError(t, err)
			seen = shown.At(200, 60)
			r, g, b, _ := seen.RGBA()
			near := func(is uint32, want uint8) bool { return max(is>>8, uint32(want))-min(is>>8, uint32(want)) <= 2 }
			return near(r, tt.ground.R) && near(g, tt.ground.G) && near(b, tt.ground.B)
		}, patience, patience/200, tt.name)
		if tt.tiles != nil {
			require.Empty(t, p.Complaints())
		}
	}
}
