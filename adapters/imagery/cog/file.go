package cog

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"slices"

	"tilth/adapters/imagery/internal/keep"
	"tilth/adapters/imagery/internal/spill"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

const (
	// DefaultCache is the number of bytes of blocks kept in memory: about sixty of 1024 × 1024 pixels.
	DefaultCache = 128 << 20

	headerCache  = 32 << 20  // bytes beside it, so that blocks never displace headers
	maxWindowPix = 1 << 26   // pixels of one Read: at 10 m over 600 000 ha
	maxBatch     = maxBlock  // bytes of blocks unpacked before they are copied out
	minLocal     = 512 << 10 // bytes of a block from which reading it from disk costs less than unpacking it
)

// key is one block of one file; headerBlock stands for the header.
type key struct {
	address string
	block   int
}

const headerBlock = -1

func (k key) String() string { return fmt.Sprintf("%s#%d", k.address, k.block) }

// Reader opens files that share bounded caches of headers and unpacked blocks, so that fields that
// share a block read it once. Safe for concurrent use.
type Reader struct {
	headers, blocks *keep.Cache[key]
	disk            *spill.Folder // nil: none
}

// NewReader returns a Reader that keeps at most that many bytes of blocks in memory.
func NewReader(cacheBytes int64) *Reader {
	return &Reader{headers: keep.New[key](headerCache), blocks: keep.New[key](cacheBytes)}
}

// KeepOnDisk has the Reader also keep blocks in a folder, at most that many bytes of them. Processes may
// share the folder, and it outlives them.
func (r *Reader) KeepOnDisk(dir string, bytes int64, log *slog.Logger) *Reader {
	r.disk = spill.New(dir, bytes, log)
	return r
}

// Shared serves the whole process where no other Reader is given.
var Shared = NewReader(DefaultCache)

// Open opens a file through Shared; see Reader.Open.
func Open(ctx context.Context, source Source, name string) (*File, error) {
	return Shared.Open(ctx, source, name)
}

// File is one band of an open GeoTIFF, the first unless Band selects another. It holds no handle
// and need not be closed. Safe for concurrent use.
type File struct {
	*header
	source Source
	// address names the file in the state that its header was read from.
	address string
	name    string
	cache   *keep.Cache[key]
	disk    *spill.Folder // nil where blocks of the file are not kept there
	// forget lets the next Open read the header anew.
	forget func()
	band   int // counted from 0
}

// Open reads the header. name identifies the file in messages.
//
// Faults: Invalid when the file is broken or of an unsupported kind; those of the source as they
// are.
func (r *Reader) Open(ctx context.Context, source Source, name string) (*File, error) {
	at := key{source.Address(), headerBlock}
	got, err := r.headers.Get(ctx, []key{at}, func(ctx context.Context, _ []key) ([]keep.Value, error) {
		h := &header{}
		err := h.read(ctx, source, name, h.readSize, h.readSamples, h.readLayout, h.readBlocks, h.readGeoreference, h.readNoData, h.readScales, h.keepHead)
		return []keep.Value{{Data: h, Cost: 256 + 16*int64(len(h.offsets)) + int64(len(h.head))}}, err
	})
	if err != nil {
		return nil, err
	}
	h := got[0].(*header)
	f := &File{header: h, source: source, address: source.Address(), name: name, cache: r.blocks, forget: func() { r.headers.Drop(at, h) }}
	s, remote := source.(changeable)
	switch {
	case remote:
		s.pin(h.state)
		f.address = fmt.Sprintf("%s %d %s", f.address, h.state.size, h.state.tag)
		if h.state.tag != "" { // without it, nothing could tell later whether it is still the same file
			f.disk = r.disk
		}
	case h.blockH*h.rowBytes() >= minLocal:
		f.disk = r.disk
	}
	return f, nil
}

// NoData returns the sample of a pixel that holds no value, as the file states it (GDAL_NODATA); ok is false if it states
// none that a pixel can have.
func (f *File) NoData() (sample uint16, ok bool) { return f.noData, f.hasNoData }

// Grid returns the georeference of the whole file.
func (f *File) Grid() vegetation.Grid { return f.grid }

// Read returns a window in pixels of Grid. It may reach beyond the file; pixels outside and in
// blocks that the file leaves out are nodata: the file's own value, or else 0 with HasNoData true; in
// Values, which a file that is not plain has, they are NaN. Scale and Offset are left 0.
//
// Faults: Invalid for a window without pixels or of more than 2^26, and for broken blocks; those of
// the source as they are.
func (f *File) Read(ctx context.Context, w vegetation.Window) (vegetation.Raster, error) {
	if err := checkWindow(w); err != nil {
		return vegetation.Raster{}, err
	}
	c := f.canvas(w)
	out := vegetation.Raster{Grid: w.Of(f.grid), DN: c.dn, Values: c.values}
	if f.plain() {
		out.Signed, out.HasNoData, out.NoData = f.format == formatSigned, f.hasNoData || c.inside != w, f.noData
	}
	if c.inside.Width <= 0 || c.inside.Height <= 0 {
		return out, nil
	}
	var stored []int
	for place := range f.places(c.inside) {
		index := f.index(place, f.band)
		if f.byteCounts[index] > 0 {
			stored = append(stored, index)
		} else if f.plain() { // GDAL's sparse files leave it out
			out.HasNoData = true
		}
	}
	upper := max(maxBatch/(f.blockH*f.rowBytes()), 1)
	for batch := range slices.Chunk(stored, upper) {
		missing := f.paintKept(c, batch)
		got, err := f.blocks(ctx, missing)
		if err != nil {
			return vegetation.Raster{}, err
		}
		for i, index := range missing {
			c.paint(index, got[i].(block))
		}
	}
	return out, nil
}

// canvas returns an empty canvas for a window.
func (f *File) canvas(w vegetation.Window) *canvas {
	c := &canvas{header: f.header, window: w, inside: within(w, f.grid), band: f.band, scale: scaling{scale: 1}}
	if f.plain() {
		c.dn = make([]uint16, w.Width*w.Height)
		if f.noData != 0 {
			fill(c.dn, f.noData)
		}
		return c
	}
	c.values = make([]float64, w.Width*w.Height)
	fill(c.values, math.NaN())
	return c
}

func fill[T any](out []T, v T) {
	for i := range out {
		out[i] = v
	}
}

// paintKept paints the blocks that are not in memory but on disk: only the rows that the window
// needs. It returns the others.
func (f *File) paintKept(c *canvas, indices []int) (others []int) {
	if f.disk == nil {
		return indices
	}
	buffer := scratch.Get().(*[]byte)
	defer scratch.Put(buffer)
	for _, index := range indices {
		if !f.cache.Has(f.key(index)) {
			_, top, part := f.part(index, c.inside)
			from, shape := part.Row-top, spill.Shape{Rows: f.rows(index), RowBytes: f.rowBytes()}
			if rows, ok := f.disk.Rows(f.key(index).String(), shape, from, from+part.Height, *buffer); ok {
				*buffer = rows
				c.paintRows(index, rows, shape.Stored())
				continue
			}
		}
		others = append(others, index)
	}
	return others
}

func checkWindow(w vegetation.Window) error {
	far := func(v int) bool { return v > math.MaxInt32 || v < -math.MaxInt32 }
	if w.Width < 1 || w.Height < 1 || far(w.Width) || far(w.Height) || far(w.Col) || far(w.Row) ||
		int64(w.Width)*int64(w.Height) > maxWindowPix {
		return fault.Newf(fault.Invalid, "imagery_window", "A window of %d × %d pixels cannot be read.", w.Width, w.Height)
	}
	return nil
}

// places yields the places of the blocks that a window inside the file touches, in row order.
func (h *header) places(inside vegetation.Window) iter.Seq[int] {
	return func(yield func(int) bool) {
		for row := inside.Row / h.blockH; row <= (inside.Row+inside.Height-1)/h.blockH; row++ {
			for col := inside.Col / h.blockW; col <= (inside.Col+inside.Width-1)/h.blockW; col++ {
				if !yield(row*h.across + col) {
					return
				}
			}
		}
	}
}

// index is the number under which the block of a band at a place is stored.
func (h *header) index(place, band int) int {
	if h.planes > 1 {
		return place + band*h.across*h.down
	}
	return place
}

// place is the reverse of index.
func (h *header) place(index int) int { return index % (h.across * h.down) }

// part returns the upper left pixel of a block, and the part of it in a window inside the file.
func (h *header) part(index int, inside vegetation.Window) (left, top int, part vegetation.Window) {
	place := h.place(index)
	left, top = place%h.across*h.blockW, place/h.across*h.blockH
	part = vegetation.Window{Col: max(left, inside.Col), Row: max(top, inside.Row)}
	part.Width = min(left+h.blockW, inside.Col+inside.Width) - part.Col
	part.Height = min(top+h.blockH, inside.Row+inside.Height) - part.Row
	return left, top, part
}

// blocks returns blocks (block) by their indices.
func (f *File) blocks(ctx context.Context, indices []int) ([]any, error) {
	keys := make([]key, len(indices))
	for i, index := range indices {
		keys[i] = f.key(index)
	}
	got, err := f.cache.Get(ctx, keys, f.load)
	if Changed(err) {
		f.forget()
	}
	return got, err
}

func (f *File) key(index int) key { return key{f.address, index} }
