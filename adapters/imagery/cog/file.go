package cog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"tilth/core/fault"
	"tilth/core/vegetation"
)

const (
	defaultCache = 128 << 20 // bytes: about sixty 1024-pixel blocks
	headerCache  = 32 << 20  // bytes beside it, so that blocks never displace headers
	maxWindowPix = 1 << 26   // pixels of one Read: at 10 m over 600 000 ha
	maxRun       = 8 << 20   // bytes of one request for neighbouring blocks
	maxGap       = 4 << 10   // bytes between blocks that are still neighbours
	maxBatch     = maxBlock  // bytes of blocks unpacked before they are copied out
	maxLoading   = 128 << 20 // bytes of blocks of all files, packed and unpacked, on their way to a cache
)

// Reader opens files that share bounded caches of headers and unpacked blocks. Safe for concurrent
// use.
type Reader struct{ headers, blocks *cache }

// NewReader returns a Reader that keeps at most that many bytes of blocks.
func NewReader(cacheBytes int64) *Reader { return &Reader{newCache(headerCache), newCache(cacheBytes)} }

// shared serves the whole process: fields that share a block read it once, across all concurrent
// orders.
var shared = NewReader(defaultCache)

// Open opens a file through the Reader that the process shares; see Reader.Open.
func Open(ctx context.Context, source Source, name string) (*File, error) {
	return shared.Open(ctx, source, name)
}

// File is an open GeoTIFF of one band. It holds no handle and need not be closed. Safe
// for concurrent use.
type File struct {
	*header
	source Source
	name   string
	cache  *cache
	// forget lets the next Open read the header anew.
	forget func()
}

// Open reads the header. name identifies the file in messages.
//
// Faults: Invalid when the file is broken or of an unsupported kind; those of the source as they
// are.
func (r *Reader) Open(ctx context.Context, source Source, name string) (*File, error) {
	at := key{source.Address(), headerBlock}
	got, err := r.headers.get(ctx, []key{at}, func(ctx context.Context, _ []key) ([]value, error) {
		h := &header{}
		err := h.read(ctx, source, name, h.readSize, h.readEncoding, h.readLayout, h.readBlocks, h.readGeoreference, h.readNoData, h.keepHead)
		return []value{{h, 256 + 16*int64(len(h.offsets)) + int64(len(h.head))}}, err
	})
	if err != nil {
		return nil, err
	}
	h := got[0].(*header)
	if s, ok := source.(changeable); ok {
		s.pin(h.state)
	}
	return &File{header: h, source: source, name: name, cache: r.blocks, forget: func() { r.headers.drop(at, h) }}, nil
}

// Grid returns the georeference of the whole file.
func (f *File) Grid() vegetation.Grid { return f.grid }

// AssumeNoData returns the file as if its GDAL_NODATA tag were v, where it has none.
func (f *File) AssumeNoData(v uint16) *File {
	if f.hasNoData {
		return f
	}
	assumed, h := *f, *f.header
	h.hasNoData, h.noData = true, v
	assumed.header = &h
	return &assumed
}

// Read returns a window in pixels of Grid. It may reach beyond the file; pixels outside and in
// blocks that the file leaves out are nodata: the file's own value, or else 0 with HasNoData true.
// Scale and Offset are left 0.
//
// Faults: Invalid for a window without pixels or of more than 2^26, and for broken blocks; those of
// the source as they are.
func (f *File) Read(ctx context.Context, w vegetation.Window) (vegetation.Raster, error) {
	if err := checkWindow(w); err != nil {
		return vegetation.Raster{}, err
	}
	out := vegetation.Raster{Grid: w.Of(f.grid), DN: make([]uint16, w.Width*w.Height), HasNoData: f.hasNoData, NoData: f.noData}
	if f.noData != 0 {
		for i := range out.DN {
			out.DN[i] = f.noData
		}
	}
	inside := within(w, f.grid)
	if inside != w {
		out.HasNoData = true
	}
	if inside.Width <= 0 || inside.Height <= 0 {
		return out, nil
	}
	var stored []int
	for block := range f.places(inside) {
		if f.byteCounts[block] > 0 {
			stored = append(stored, block)
		} else { // GDAL's sparse files leave it out
			out.HasNoData = true
		}
	}
	upper := max(maxBatch/(2*f.blockW*f.blockH), 1)
	for batch := range slices.Chunk(stored, upper) {
		got, err := f.blocks(ctx, batch)
		if err != nil {
			return vegetation.Raster{}, err
		}
		for i, index := range batch {
			f.copyBlock(out.DN, w, inside, index, got[i].(block))
		}
	}
	return out, nil
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

// part returns the upper left pixel of the block at a place, and the part of it in a window inside
// the file.
func (h *header) part(place int, inside vegetation.Window) (left, top int, part vegetation.Window) {
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
	got, err := f.cache.get(ctx, keys, f.load)
	if Changed(err) {
		f.forget()
	}
	return got, err
}

// key names a block of the file in the state that its header was read from.
func (f *File) key(index int) key {
	return key{fmt.Sprintf("%s %d %s", f.source.Address(), f.state.size, f.state.tag), index}
}

func (f *File) undecodable(index int, err error) error {
	return broken(f.name, "block %d does not decode", index).Because(err)
}

// loading bounds the memory of blocks on their way to a cache.
var loading = semaphore.NewWeighted(maxLoading)

// load fetches and unpacks blocks: neighbours in the file with one request, others at the same time.
func (f *File) load(ctx context.Context, blocks []key) ([]value, error) {
	places := make([]int, len(blocks)) // of blocks, in the order of the file
	for i, k := range blocks {
		if err := f.checkStored(k.block, f.rows(k.block)); err != nil {
			return nil, err
		}
		places[i] = i
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(f.offsets[blocks[a].block], f.offsets[blocks[b].block]) })
	out := make([]value, len(blocks))
	fetching, ctx := errgroup.WithContext(ctx)
	for len(places) > 0 {
		start, end, n := f.run(blocks, places)
		run := places[:n]
		fetching.Go(func() error { return f.loadRun(ctx, start, end, blocks, run, out) })
		places = places[n:]
	}
	return out, fetching.Wait()
}

// loadRun fetches the bytes from start to end, and unpacks the blocks at the places in them.
func (f *File) loadRun(ctx context.Context, start, end int64, blocks []key, places []int, out []value) error {
	weight := end - start
	for _, i := range places {
		weight += int64(f.rows(blocks[i].block)) * int64(f.rowBytes())
	}
	weight = min(weight, maxLoading)
	if err := loading.Acquire(ctx, weight); err != nil {
		return err
	}
	defer loading.Release(weight)
	buffer := scratch.Get().(*[]byte)
	defer scratch.Put(buffer)
	packed, err := f.fetch(ctx, sized(buffer, int(end-start)), start)
	if err != nil {
		return err
	}
	for _, i := range places {
		index := blocks[i].block
		raw, err := f.unpack(packed[f.offsets[index]-start:][:f.byteCounts[index]], f.rows(index))
		if err != nil {
			return f.undecodable(index, err)
		}
		out[i] = value{raw, int64(len(raw))}
	}
	return nil
}

// run returns the span of the first n places whose blocks lie next to each other.
func (f *File) run(blocks []key, places []int) (start, end int64, n int) {
	start = f.offsets[blocks[places[0]].block]
	end = start
	for _, i := range places {
		from := f.offsets[blocks[i].block]
		to := max(end, from+f.byteCounts[blocks[i].block])
		if n > 0 && (from-end > maxGap || to-start > maxRun) {
			break
		}
		end = to
		n++
	}
	return start, end, n
}

// checkStored refuses an impossible block of that many rows before memory is allocated for it.
func (f *File) checkStored(block, rows int) error {
	off, n, size := f.offsets[block], f.byteCounts[block], f.source.Size()
	switch {
	case off < 0 || n < 0 || off > math.MaxInt64-n || (size >= 0 && off+n > size):
		return broken(f.name, "block %d lies beyond the end of the file", block)
	case n > maxPacked(int64(rows)*int64(f.rowBytes())):
		return broken(f.name, "block %d claims %d bytes, more than its pixels can take", block, n)
	default:
		return nil
	}
}

// keepHead keeps what was read of the file, from its beginning on, where blocks begin in it; and the
// state of the file.
func (h *header) keepHead(r *headerReader) error {
	if s, ok := r.source.(changeable); ok {
		h.state = s.state()
	}
	head := r.pieces[0] // with the signature
	for i, off := range h.offsets {
		if h.byteCounts[i] > 0 && off >= 0 && off < head.end() {
			h.head = head.bytes
			break
		}
	}
	return nil
}

// fetch fills buf with the bytes of the file from start on.
func (f *File) fetch(ctx context.Context, buf []byte, start int64) ([]byte, error) {
	had := 0
	if start < int64(len(f.head)) {
		had = copy(buf, f.head[start:])
	}
	if had == len(buf) {
		return buf, nil
	}
	n, err := f.source.ReadAt(ctx, buf[had:], start+int64(had))
	if had+n == len(buf) {
		return buf, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil, broken(f.name, "it ends inside a block")
	}
	return nil, err
}
