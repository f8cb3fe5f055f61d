package cogwrite

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"

	"tilth/core/vegetation"
)

const (
	// blockSide is the side of the tiles of numbers, in pixels; smaller images have one of their own size.
	blockSide = 256
	// maxBytes bounds a file by what its offsets can address.
	maxBytes = math.MaxUint32
)

// Band is one band of numbers by row; NaN where there is none.
type Band struct {
	Name   string
	Values []float64
}

// Note is an item of GDAL's metadata.
type Note struct{ Name, Text string }

// Numbers are the content of a file of floating point numbers, in bands of the same pixels. The bands lie side by side, and the bytes of
// the numbers are sorted and differenced (predictor 3). Overviews halve the image until a tile holds it.
type Numbers struct {
	Grid  vegetation.Grid
	Bits  int // 32 or 64
	Bands []Band
	Names bool   // the numbers of the first band stand for names, which have no mean: overviews take one of them
	About string // for people
	Notes []Note
}

// levelOf is a level of detail: the image, or an overview of it.
type levelOf struct {
	cols, rows int
	bands      [][]float64
	offsets    []uint32
	lengths    []uint32
	packed     [][]byte
}

// EncodeNumbers returns the bytes of the file. It fails for an image of another kind, or one that is too large.
func EncodeNumbers(n Numbers) ([]byte, error) {
	levels, err := n.levels()
	if err != nil {
		return nil, err
	}
	at := len(n.header(levels))             // the same for any values of the offsets
	for k := len(levels) - 1; k >= 0; k-- { // the coarsest first, as Cloud-Optimized GeoTIFFs require
		for i, tile := range levels[k].packed {
			levels[k].offsets[i], levels[k].lengths[i] = uint32(at), uint32(len(tile))
			if at += len(tile); at > maxBytes {
				return nil, fmt.Errorf("an image of %d × %d pixels makes too large a file", n.Grid.Width, n.Grid.Height)
			}
		}
	}
	out := n.header(levels)
	for k := len(levels) - 1; k >= 0; k-- {
		for _, tile := range levels[k].packed {
			out = append(out, tile...)
		}
	}
	return out, nil
}

// levels packs the image and its overviews.
func (n Numbers) levels() ([]levelOf, error) {
	if n.Grid.Width < 1 || n.Grid.Height < 1 || len(n.Bands) == 0 || (n.Bits != 32 && n.Bits != 64) {
		return nil, fmt.Errorf("cannot write %d bands of %d bits as %d × %d", len(n.Bands), n.Bits, n.Grid.Width, n.Grid.Height)
	}
	whole := levelOf{cols: n.Grid.Width, rows: n.Grid.Height}
	for _, b := range n.Bands {
		if len(b.Values) != whole.cols*whole.rows {
			return nil, fmt.Errorf("cannot write %d numbers as %d × %d", len(b.Values), whole.cols, whole.rows)
		}
		whole.bands = append(whole.bands, b.Values)
	}
	out := []levelOf{whole}
	for l := whole; l.cols > blockSide || l.rows > blockSide; out = append(out, l) {
		l = l.halved(n.Names)
	}
	p, err := newPacker()
	if err != nil {
		return nil, err
	}
	for k := range out {
		if err := out[k].pack(p, n.side(), n.Bits); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// side returns the side of the tiles: a multiple of 16, as TIFF requires.
func (n Numbers) side() int { return min(blockSide, (max(n.Grid.Width, n.Grid.Height)+15)/16*16) }

// halved returns the level with half as many pixels each way. Each is the mean of those of four that have a number, or for names the first of them.
func (l *levelOf) halved(names bool) levelOf {
	out := levelOf{cols: (l.cols + 1) / 2, rows: (l.rows + 1) / 2}
	for band, from := range l.bands {
		values := make([]float64, out.cols*out.rows)
		for i := range values {
			sum, count := 0.0, 0
			for k := range 4 {
				col, row := 2*(i%out.cols)+k%2, 2*(i/out.cols)+k/2
				if col >= l.cols || row >= l.rows {
					continue
				}
				if v := from[row*l.cols+col]; !math.IsNaN(v) && !(names && band == 0 && count > 0) {
					sum, count = sum+v, count+1
				}
			}
			values[i] = sum / float64(count) // 0 / 0 is NaN
		}
		out.bands = append(out.bands, values)
	}
	return out
}

func (l *levelOf) pack(p *packer, side, bits int) error {
	for top := 0; top < l.rows; top += side {
		for left := 0; left < l.cols; left += side {
			packed, err := p.pack(l.tile(left, top, side, bits))
			if err != nil {
				return err
			}
			l.packed = append(l.packed, packed)
		}
	}
	l.offsets, l.lengths = make([]uint32, len(l.packed)), make([]uint32, len(l.packed))
	return nil
}

// tile returns the bytes of a tile, NaN beyond the image. The bytes of each row are sorted by their place in the number, the most
// significant first, and each is the difference from that of the pixel before (Adobe Photoshop TIFF Technical Note 3, 2005).
func (l *levelOf) tile(left, top, side, bits int) []byte {
	size, bands := bits/8, len(l.bands)
	n := side * bands // numbers of a row
	out := make([]byte, side*n*size)
	for row := range side {
		raw := out[row*n*size:][:n*size]
		for i := range n {
			v := math.NaN()
			if x, y := left+i/bands, top+row; x < l.cols && y < l.rows {
				v = l.bands[i%bands][y*l.cols+x]
			}
			number := math.Float64bits(v)
			if bits == 32 {
				number = uint64(math.Float32bits(float32(v)))
			}
			for k := range size {
				raw[k*n+i] = byte(number >> (8 * (size - 1 - k)))
			}
		}
		for i := len(raw) - 1; i >= bands; i-- {
			raw[i] -= raw[i-bands]
		}
	}
	return out
}

// header returns the file up to its first tile: a directory for each level.
func (n Numbers) header(levels []levelOf) []byte {
	out := append([]byte(nil), signature...)
	for k := range levels {
		out = directory(out, n.fields(&levels[k], k > 0), k+1 < len(levels))
	}
	return out
}

func (n Numbers) fields(l *levelOf, overview bool) []field {
	each := func(tag, value uint16) field {
		of := make([]uint16, len(n.Bands))
		for i := range of {
			of[i] = value
		}
		return values(tag, of...)
	}
	var out []field
	if overview {
		out = append(out, values[uint32](254, 1))
	}
	side := uint16(n.side())
	out = append(out, values(256, uint32(l.cols)), values(257, uint32(l.rows)), each(258, uint16(n.Bits)), values[uint16](259, 8), values[uint16](262, 1))
	if !overview && n.About != "" {
		out = append(out, ascii(270, n.About))
	}
	out = append(out, values(277, uint16(len(n.Bands))), values[uint16](284, 1), values[uint16](317, 3),
		values(322, side), values(323, side), values(324, l.offsets...), values(325, l.lengths...))
	if len(n.Bands) > 1 {
		out = append(out, values(338, make([]uint16, len(n.Bands)-1)...)) // bands after the first stand for no colour
	}
	out = append(out, each(339, 3))
	if !overview {
		g := n.Grid
		out = append(out, values(33550, g.PixelX, g.PixelY, 0), values(33922, 0, 0, 0, g.OriginX, g.OriginY, 0), system(g.EPSG), ascii(42112, n.metadata()))
	}
	return append(out, ascii(42113, "nan"))
}

// metadata returns the notes and the names of the bands as GDAL writes them.
func (n Numbers) metadata() string {
	var out strings.Builder
	out.WriteString("<GDALMetadata>")
	item := func(attributes, text string) {
		out.WriteString("<Item " + attributes + ">" + escaped(escaped(text)) + "</Item>") // GDAL unescapes it twice
	}
	for _, note := range n.Notes {
		item(fmt.Sprintf("name=%q", note.Name), note.Text)
	}
	for i, b := range n.Bands {
		item(fmt.Sprintf(`name="DESCRIPTION" sample="%d" role="description"`, i), b.Name)
	}
	out.WriteString("</GDALMetadata>")
	return out.String()
}

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // writing to a builder never fails
	return out.String()
}
