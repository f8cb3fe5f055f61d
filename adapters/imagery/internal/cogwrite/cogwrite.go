// Package cogwrite writes Cloud-Optimized GeoTIFFs, little-endian, header first, with tiles packed by DEFLATE. It writes the kind
// that the demo archive needs ([Image]: 128-pixel tiles, 16-bit samples differenced, no overviews), and maps of indices ([Numbers]:
// floating point numbers with overviews). It shares no code with the reader, so that each tests the other.
package cogwrite

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/klauspost/compress/zlib"

	"tilth/core/vegetation"
)

const (
	tileSide = 128
	// level of DEFLATE: a longer search gains nothing on noise, and the default of 6 takes four
	// times as long.
	level = 4
)

// Image is the content of a file: Width × Height pixels in row order.
type Image struct {
	Grid   vegetation.Grid
	Bits   int       // 8, 16 or 32
	DN     []uint16  // digital numbers of 8 or 16 bits; 0 is nodata
	Signed bool      // DN are in two's complement; -9999 is nodata
	Metres []float32 // heights of 32 bits; -9999 is nodata
	NoData string    // instead of the above
	Tags   string    // GDAL's metadata, as XML; empty for none
}

// field is an encoded tag.
type field struct {
	tag, kind uint16
	count     int
	data      []byte
}

var le = binary.LittleEndian

// values encodes numbers: the types 3 (SHORT), 4 (LONG) and 12 (DOUBLE) of TIFF 6.0.
func values[T uint16 | uint32 | float64](tag uint16, values ...T) field {
	data, _ := binary.Append(nil, le, values) // numbers never fail
	kind := map[int]uint16{2: 3, 4: 4, 8: 12}[len(data)/len(values)]
	return field{tag: tag, kind: kind, count: len(values), data: data}
}

func ascii(tag uint16, text string) field {
	return field{tag: tag, kind: 2, count: len(text) + 1, data: append([]byte(text), 0)}
}

// system returns the GeoTIFF keys: projected model, pixel is area, the projected CRS by EPSG code.
func system(epsg int) field {
	return values(34735, 1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, uint16(epsg))
}

// Encode returns the bytes of the file. It fails for an image of another kind.
func Encode(img Image) ([]byte, error) {
	g, pixels := img.Grid, len(img.DN)
	if img.Bits == 32 {
		pixels = len(img.Metres)
	}
	if g.Width < 1 || g.Height < 1 || pixels != g.Width*g.Height || (img.Bits != 8 && img.Bits != 16 && img.Bits != 32) {
		return nil, fmt.Errorf("cannot write %d pixels of %d bits as %d × %d", pixels, img.Bits, g.Width, g.Height)
	}
	tiles, err := img.tiles()
	if err != nil {
		return nil, err
	}
	offsets, lengths := make([]uint32, len(tiles)), make([]uint32, len(tiles))
	at := len(single(img.fields(offsets, lengths))) // the same for any values of the offsets
	for i, tile := range tiles {
		offsets[i], lengths[i] = uint32(at), uint32(len(tile))
		at += len(tile)
	}
	return append(single(img.fields(offsets, lengths)), bytes.Join(tiles, nil)...), nil
}

func (img Image) fields(offsets, lengths []uint32) []field {
	g := img.Grid
	predictor, format, noData := uint16(1), uint16(1), "0"
	switch img.Bits {
	case 16:
		predictor = 2
		if img.Signed {
			format, noData = 2, "-9999"
		}
	case 32:
		format, noData = 3, "-9999" // floating point
	}
	if img.NoData != "" {
		noData = img.NoData
	}
	out := []field{
		values(256, uint32(g.Width)), values(257, uint32(g.Height)), values(258, uint16(img.Bits)),
		values[uint16](259, 8), values[uint16](262, 1), values[uint16](277, 1), values[uint16](284, 1), values(317, predictor),
		values[uint16](322, tileSide), values[uint16](323, tileSide), values(324, offsets...), values(325, lengths...),
		values(339, format), values(33550, g.PixelX, g.PixelY, 0), values(33922, 0, 0, 0, g.OriginX, g.OriginY, 0),
		system(g.EPSG),
	}
	if img.Tags != "" {
		out = append(out, ascii(42112, img.Tags))
	}
	return append(out, ascii(42113, noData))
}

// signature begins a file whose first directory follows.
var signature = []byte("II*\x00\x08\x00\x00\x00")

// single writes the file of one directory up to its first tile.
func single(fields []field) []byte { return directory(signature, fields, false) }

// directory appends a directory: fields, and the values that do not fit into them. Where more is true, the next directory begins right after it.
func directory(out []byte, fields []field, more bool) []byte {
	out = le.AppendUint16(out, uint16(len(fields)))
	var values []byte
	after := len(out) + 12*len(fields) + 4
	for _, f := range fields {
		out = le.AppendUint16(out, f.tag)
		out = le.AppendUint16(out, f.kind)
		out = le.AppendUint32(out, uint32(f.count))
		if len(f.data) <= 4 {
			out = append(out, f.data...)
			out = append(out, make([]byte, 4-len(f.data))...)
			continue
		}
		out = le.AppendUint32(out, uint32(after+len(values)))
		values = append(values, f.data...)
		if len(values)%2 == 1 {
			values = append(values, 0) // values begin on a word
		}
	}
	next := 0
	if more {
		next = after + len(values)
	}
	return append(le.AppendUint32(out, uint32(next)), values...)
}

func (img Image) tiles() ([][]byte, error) {
	p, err := newPacker()
	if err != nil {
		return nil, err
	}
	var tiles [][]byte
	for top := 0; top < img.Grid.Height; top += tileSide {
		for left := 0; left < img.Grid.Width; left += tileSide {
			packed, err := p.pack(img.rawTile(left, top))
			if err != nil {
				return nil, err
			}
			tiles = append(tiles, packed)
		}
	}
	return tiles, nil
}

// packer deflates the tiles of a file, one after the other.
type packer struct {
	to bytes.Buffer
	by *zlib.Writer
}

func newPacker() (*packer, error) {
	by, err := zlib.NewWriterLevel(nil, level)
	return &packer{by: by}, err
}

func (p *packer) pack(raw []byte) ([]byte, error) {
	p.to.Reset()
	p.by.Reset(&p.to)
	if _, err := p.by.Write(raw); err != nil {
		return nil, err
	}
	if err := p.by.Close(); err != nil {
		return nil, err
	}
	return bytes.Clone(p.to.Bytes()), nil
}

// rawTile returns the bytes of one tile, 0 beyond the image. Samples of 16 bits are differences to
// their left neighbour.
func (img Image) rawTile(left, top int) []byte {
	raw := make([]byte, 0, tileSide*tileSide*img.Bits/8)
	for row := top; row < top+tileSide; row++ {
		previous := uint16(0)
		for col := left; col < left+tileSide; col++ {
			dn, metres := uint16(0), float32(0)
			if i := row*img.Grid.Width + col; row < img.Grid.Height && col < img.Grid.Width {
				if img.Bits == 32 {
					metres = img.Metres[i]
				} else {
					dn = img.DN[i]
				}
			}
			switch img.Bits {
			case 8:
				raw = append(raw, byte(dn))
			case 16:
				raw = le.AppendUint16(raw, dn-previous)
			case 32:
				raw = le.AppendUint32(raw, math.Float32bits(metres))
			}
			previous = dn
		}
	}
	return raw
}
