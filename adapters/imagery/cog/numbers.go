package cog

import (
	"context"
	"math"

	"tilth/core/vegetation"
)

// Numbers is one band of an open GeoTIFF of measured numbers, such as heights or clay contents: integers of 8 to
// 32 bits, signed or not, and floating point numbers of 32 and 64 bits, in degrees, Web Mercator or a plane that
// geo.NewPlane knows. Unlike a File it caches nothing, because such rasters are read once per area. It holds no
// handle and need not be closed. Safe for concurrent use.
type Numbers struct {
	*header
	file *File // for its blocks
	band int   // counted from 0
}

// Field is a window of one band of a raster of numbers.
type Field struct {
	Grid   vegetation.Grid
	Values []float64 // Width × Height by row, scaled; NaN where there is none
}

// OpenNumbers reads the header of a raster of numbers. band counts from 1; name identifies the file
// in messages.
//
// Faults: Invalid when the file is broken, of an unsupported kind, or has no such band; those of
// the source as they are.
func OpenNumbers(ctx context.Context, source Source, name string, band int) (*Numbers, error) {
	h := &header{}
	err := h.read(ctx, source, name, h.readSize, h.readSamples, h.readLayout, h.readBlocks, h.readPlace, h.readNoData, h.readScales)
	if err != nil {
		return nil, err
	}
	if band < 1 || band > h.bands {
		return nil, unsupported(name, "it has %d bands, and no band %d", h.bands, band)
	}
	return &Numbers{header: h, file: &File{header: h, source: source, name: name}, band: band - 1}, nil
}

// Grid returns the georeference of the whole file: EPSG 4326 (pixels in degrees), 3857 or that of a plane.
func (n *Numbers) Grid() vegetation.Grid { return n.grid }

// Bands returns the number of bands of the file.
func (n *Numbers) Bands() int { return n.bands }

// Notes returns GDAL's metadata of the file and of its bands, by name; the last in the file where several have the same name.
func (n *Numbers) Notes() map[string]string { return n.notes }

// Read returns a window in pixels of Grid, clipped to the file. Nodata, non-finite numbers and
// blocks that the file leaves out are NaN. It holds one block at a time.
//
// Faults: Invalid for a window without pixels in the file or of more than 2^26, and for broken
// blocks; those of the source as they are.
func (n *Numbers) Read(ctx context.Context, w vegetation.Window) (Field, error) {
	w = within(w, n.grid)
	if err := checkWindow(w); err != nil {
		return Field{}, err
	}
	c := &canvas{header: n.header, window: w, inside: w, values: make([]float64, w.Width*w.Height), band: n.band, scale: n.scales[n.band]}
	fill(c.values, math.NaN())
	for place := range n.places(w) {
		index := n.index(place, n.band)
		if n.byteCounts[index] == 0 {
			continue // GDAL's sparse files leave it out
		}
		if err := n.paintBlock(ctx, c, index); err != nil {
			return Field{}, err
		}
	}
	return Field{Grid: w.Of(n.grid), Values: c.values}, nil
}

func within(w vegetation.Window, g vegetation.Grid) vegetation.Window {
	out := vegetation.Window{Col: max(w.Col, 0), Row: max(w.Row, 0)}
	out.Width = min(w.Col+w.Width, g.Width) - out.Col
	out.Height = min(w.Row+w.Height, g.Height) - out.Row
	return out
}

// paintBlock fetches and paints a block.
func (n *Numbers) paintBlock(ctx context.Context, c *canvas, index int) error {
	f := n.file
	if err := f.checkStored(index, f.rows(index)); err != nil {
		return err
	}
	buffer := scratch.Get().(*[]byte)
	defer scratch.Put(buffer)
	packed, err := f.fetch(ctx, sized(buffer, int(n.byteCounts[index])), n.offsets[index])
	if err != nil {
		return err
	}
	raw, err := f.unpack(packed, f.rows(index))
	if err != nil {
		return f.undecodable(index, err)
	}
	c.paint(index, raw)
	return nil
}
