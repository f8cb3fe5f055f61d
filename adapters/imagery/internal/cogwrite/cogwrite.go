// Package cogwrite writes the one kind of Cloud-Optimized GeoTIFF that the demo archive needs:
// little-endian, header first, 128-pixel tiles packed by DEFLATE, 16-bit samples differenced, nodata
// 0, a WGS84 UTM zone, no overviews. It shares no code with the reader, so that each tests the other.
package cogwrite

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"tilth/core/vegetation"
)

const (
	tileSide = 128
	// level of DEFLATE: a longer search gains nothing on noise, and the default of 6 takes four
	// times as long.
	level = 4
)

// Image is the content of a file: Width × Height digital numbers in row order.
type Image struct {
	Grid vegetation.Grid
	DN   []uint16
	Bits int // 8 or 16
}

// field is an encoded tag.
type field struct {
	tag, kind uint16
	count     uint32
	data      []byte
}

var le = binary.LittleEndian

func shorts(tag uint16, values ...uint16) field {
	f := field{tag: tag, kind: 3, count: uint32(len(values))}
	for _, v := range values {
		f.data = le.AppendUint16(f.data, v)
	}
	return f
}

func longs(tag uint16, values []uint32) field {
	f := field{tag: tag, kind: 4, count: uint32(len(values))}
	for _, v := range values {
		f.data = le.AppendUint32(f.data, v)
	}
	return f
}

func reals(tag uint16, values ...float64) field {
	f := field{tag: tag, kind: 12, count: uint32(len(values))}
	for _, v := range values {
		f.data = le.AppendUint64(f.data, math.Float64bits(v))
	}
	return f
}

func ascii(tag uint16, text string) field {
	return field{tag: tag, kind: 2, count: uint32(len(text) + 1), data: append([]byte(text), 0)}
}

// Encode returns the bytes of the file. It fails for an image of another kind.
func Encode(img Image) ([]byte, error) {
	g := img.Grid
	if g.Width < 1 || g.Height < 1 || len(img.DN) != g.Width*g.Height || (img.Bits != 8 && img.Bits != 16) {
		return nil, fmt.Errorf("cannot write %d pixels of %d bits as %d × %d", len(img.DN), img.Bits, g.Width, g.Height)
	}
	tiles, err := packTiles(g, func(left, top int) []byte { return rawTile(img, left, top) })
	if err != nil {
		return nil, err
	}
	return assemble(fieldsOf(img, len(tiles)), tiles), nil
}

// assemble joins fields and tiles to a file.
func assemble(fields []field, tiles [][]byte) []byte {
	// The length of the header does not depend on the values of the offsets.
	at := uint32(len(directory(fields)))
	var offsets, lengths []uint32
	for _, tile := range tiles {
		offsets, lengths = append(offsets, at), append(lengths, uint32(len(tile)))
		at += uint32(len(tile))
	}
	for i, f := range fields {
		switch f.tag {
		case 324:
			fields[i] = longs(324, offsets)
		case 325:
			fields[i] = longs(325, lengths)
		}
	}
	return append(directory(fields), bytes.Join(tiles, nil)...)
}

func fieldsOf(img Image, tiles int) []field {
	g := img.Grid
	predictor := uint16(1)
	if img.Bits == 16 {
		predictor = 2
	}
	return []field{
		longs(256, []uint32{uint32(g.Width)}), longs(257, []uint32{uint32(g.Height)}), shorts(258, uint16(img.Bits)),
		shorts(259, 8), shorts(262, 1), shorts(277, 1), shorts(284, 1), shorts(317, predictor),
		shorts(322, tileSide), shorts(323, tileSide), longs(324, make([]uint32, tiles)), longs(325, make([]uint32, tiles)),
		shorts(339, 1), reals(33550, g.PixelX, g.PixelY, 0), reals(33922, 0, 0, 0, g.OriginX, g.OriginY, 0),
		// GeoTIFF keys: projected model, pixel is area, the projected CRS by EPSG code.
		shorts(34735, 1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, uint16(g.EPSG)),
		ascii(42113, "0"),
	}
}

// directory writes the file up to its first tile: signature, fields, and the values that do not fit
// into them.
func directory(fields []field) []byte {
	slices.SortFunc(fields, func(a, b field) int { return cmp.Compare(a.tag, b.tag) })
	out := append([]byte("II*\x00"), 8, 0, 0, 0)
	out = le.AppendUint16(out, uint16(len(fields)))
	var values []byte
	after := uint32(len(out) + 12*len(fields) + 4)
	for _, f := range fields {
		out = le.AppendUint16(out, f.tag)
		out = le.AppendUint16(out, f.kind)
		out = le.AppendUint32(out, f.count)
		if len(f.data) <= 4 {
			out = append(out, f.data...)
			out = append(out, make([]byte, 4-len(f.data))...)
			continue
		}
		out = le.AppendUint32(out, after+uint32(len(values)))
		values = append(values, f.data...)
		if len(values)%2 == 1 {
			values = append(values, 0) // values begin on a word
		}
	}
	out = append(out, 0, 0, 0, 0) // no further directory
	return append(out, values...)
}

// packTiles packs the tiles of a grid.
func packTiles(g vegetation.Grid, raw func(left, top int) []byte) ([][]byte, error) {
	var tiles [][]byte
	for top := 0; top < g.Height; top += tileSide {
		for left := 0; left < g.Width; left += tileSide {
			var b bytes.Buffer
			w, err := zlib.NewWriterLevel(&b, level)
			if err != nil {
				return nil, err
			}
			if _, err := w.Write(raw(left, top)); err != nil {
				return nil, err
			}
			if err := w.Close(); err != nil {
				return nil, err
			}
			tiles = append(tiles, b.Bytes())
		}
	}
	return tiles, nil
}

// rawTile returns the bytes of one tile, 0 beyond the image. Samples of 16 bits are differences to
// their left neighbour.
func rawTile(img Image, left, top int) []byte {
	raw := make([]byte, 0, tileSide*tileSide*img.Bits/8)
	for row := top; row < top+tileSide; row++ {
		previous := uint16(0)
		for col := left; col < left+tileSide; col++ {
			dn := uint16(0)
			if row < img.Grid.Height && col < img.Grid.Width {
				dn = img.DN[row*img.Grid.Width+col]
			}
			if img.Bits == 8 {
				raw = append(raw, byte(dn))
				continue
			}
			raw = le.AppendUint16(raw, dn-previous)
			previous = dn
		}
	}
	return raw
}
