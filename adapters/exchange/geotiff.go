package exchange

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tilth/core/stratification/frame"
)

// noData stands in a raster where there is no value.
const noData = -9999

// rasterTile is the width of the tiles of a raster in pixels. Fields may lie far apart: all tiles without a cell
// share one.
const rasterTile = 256

// raster is bands of values on the cells of a frame.
type raster struct {
	frame *frame.Frame
	bands []string // what they are
	value func(band, cell int) float64
}

// The types of TIFF values.
const (
	tiffASCII  = 2
	tiffShort  = 3
	tiffLong   = 4
	tiffDouble = 12
)

type tiffEntry struct {
	tag, kind uint16
	count     int
	data      []byte
}

func tiffValues[T uint16 | uint32 | float64](tag, kind uint16, values ...T) tiffEntry {
	var data bytes.Buffer
	_ = binary.Write(&data, binary.LittleEndian, values) // writing to a buffer never fails
	return tiffEntry{tag, kind, len(values), data.Bytes()}
}

func tiffText(tag uint16, text string) tiffEntry {
	return tiffEntry{tag, tiffASCII, len(text) + 1, append([]byte(text), 0)}
}

// write writes the raster as a GeoTIFF (TIFF 6.0; OGC 19-008r4, GeoTIFF 1.1) of 32-bit numbers in deflated tiles,
// its bands one after the other, with GDAL's tags for the missing value and the bands' names.
func (r raster) write(to io.Writer) error {
	f := r.frame
	across, down := (f.Cols+rasterTile-1)/rasterTile, (f.Rows+rasterTile-1)/rasterTile
	tiles, err := r.tiles(across)
	if err != nil {
		return err
	}
	n := across * down * len(r.bands)
	entries := r.entries(n)
	size := 8 + 2 + 12*len(entries) + 4 // of header and directory
	for _, e := range entries {
		if len(e.data) > 4 {
			size += len(e.data) + len(e.data)%2
		}
	}
	var data bytes.Buffer
	offsets, lengths, empty := make([]uint32, n), make([]uint32, n), [2]uint32{}
	put := func(packed []byte) [2]uint32 {
		at := [2]uint32{uint32(size + data.Len()), uint32(len(packed))}
		data.Write(packed)
		return at
	}
	for i := range n {
		packed, ok := tiles.packed[i]
		if !ok && empty[1] == 0 {
			empty = put(tiles.empty)
		}
		at := empty
		if ok {
			at = put(packed)
		}
		offsets[i], lengths[i] = at[0], at[1]
	}
	for i, e := range entries {
		switch e.tag {
		case tagTileOffsets:
			entries[i] = tiffValues(e.tag, tiffLong, offsets...)
		case tagTileLengths:
			entries[i] = tiffValues(e.tag, tiffLong, lengths...)
		}
	}
	if _, err := to.Write(directory(entries)); err != nil {
		return err
	}
	_, err = to.Write(data.Bytes())
	return err
}

const tagTileOffsets, tagTileLengths = 324, 325

// entries returns the directory of a raster of n tiles, whose places are filled in later.
func (r raster) entries(n int) []tiffEntry {
	f, bands := r.frame, len(r.bands)
	each := func(tag, value uint16, n int) tiffEntry {
		return tiffValues(tag, tiffShort, slices.Repeat([]uint16{value}, n)...)
	}
	one := func(tag, value uint16) tiffEntry { return each(tag, value, 1) }
	var names strings.Builder
	names.WriteString("<GDALMetadata>")
	for i, name := range r.bands {
		var text strings.Builder
		_ = xml.EscapeText(&text, []byte(name)) // writing to a builder never fails
		fmt.Fprintf(&names, `<Item name="DESCRIPTION" sample="%d" role="description">%s</Item>`, i, &text)
	}
	names.WriteString("</GDALMetadata>")
	const float, deflate, separate = 3, 8, 2
	out := []tiffEntry{
		tiffValues(256, tiffLong, uint32(f.Cols)), tiffValues(257, tiffLong, uint32(f.Rows)), each(258, 32, bands), one(259, deflate), one(262, 1),
		one(277, uint16(bands)), one(284, separate), one(322, rasterTile), one(323, rasterTile),
		tiffValues(tagTileOffsets, tiffLong, make([]uint32, n)...), tiffValues(tagTileLengths, tiffLong, make([]uint32, n)...),
		each(338, 0, bands-1), each(339, float, bands),
		tiffValues(33550, tiffDouble, f.CellSize, f.CellSize, 0), tiffValues(33922, tiffDouble, 0, 0, 0, f.OriginX, f.OriginY, 0),
		// A projected system of that code, whose pixels are areas.
		tiffValues[uint16](34735, tiffShort, 1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, uint16(f.EPSG)),
		tiffText(42112, names.String()), tiffText(42113, fmt.Sprint(noData)),
	}
	return slices.DeleteFunc(out, func(e tiffEntry) bool { return e.count == 0 })
}

// directory returns header and directory with the values that do not fit into their entries.
func directory(entries []tiffEntry) []byte {
	le := binary.LittleEndian
	slices.SortFunc(entries, func(a, b tiffEntry) int { return cmp.Compare(a.tag, b.tag) })
	out := le.AppendUint16([]byte("II*\x00\x08\x00\x00\x00"), uint16(len(entries)))
	after := len(out) + 12*len(entries) + 4
	var values []byte
	for _, e := range entries {
		out = le.AppendUint32(le.AppendUint16(le.AppendUint16(out, e.tag), e.kind), uint32(e.count))
		if len(e.data) <= 4 {
			out = append(append(out, e.data...), make([]byte, 4-len(e.data))...)
			continue
		}
		out = le.AppendUint32(out, uint32(after+len(values)))
		values = append(append(values, e.data...), make([]byte, len(e.data)%2)...)
	}
	return append(le.AppendUint32(out, 0), values...)
}

// packedTiles are the deflated tiles that hold a cell, by their place band by band, and one without any.
type packedTiles struct {
	packed map[int][]byte
	empty  []byte
}

func (r raster) tiles(across int) (out packedTiles, err error) {
	down := (r.frame.Rows + rasterTile - 1) / rasterTile
	members := map[int][]int{}
	for i, c := range r.frame.Cells {
		tile := int(c.Row)/rasterTile*across + int(c.Col)/rasterTile
		members[tile] = append(members[tile], i)
	}
	out.packed = map[int][]byte{}
	if out.empty, err = r.pack(0, nil); err != nil {
		return out, err
	}
	for tile, cells := range members {
		for band := range r.bands {
			if out.packed[band*across*down+tile], err = r.pack(band, cells); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// pack deflates the tile that holds cells.
func (r raster) pack(band int, cells []int) ([]byte, error) {
	values := slices.Repeat([]float32{noData}, rasterTile*rasterTile)
	for _, i := range cells {
		c := r.frame.Cells[i]
		values[int(c.Row)%rasterTile*rasterTile+int(c.Col)%rasterTile] = float32(r.value(band, i))
	}
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, err := z.Write(raw)
	err = cmp.Or(err, z.Close()) // Close writes what is left
	return out.Bytes(), err
}
