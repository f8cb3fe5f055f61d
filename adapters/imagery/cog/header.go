package cog

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"

	"tilth/core/vegetation"
)

// Tags of TIFF 6.0, GeoTIFF 1.1 and GDAL.
const (
	tagSubfileType     = 254
	tagWidth           = 256
	tagHeight          = 257
	tagBits            = 258
	tagCompression     = 259
	tagFillOrder       = 266
	tagStripOffsets    = 273
	tagSamples         = 277
	tagRowsPerStrip    = 278
	tagStripByteCounts = 279
	tagPlanar          = 284
	tagPredictor       = 317
	tagTileWidth       = 322
	tagTileHeight      = 323
	tagTileOffsets     = 324
	tagTileByteCounts  = 325
	tagSampleFormat    = 339
	tagPixelScale      = 33550
	tagTiepoint        = 33922
	tagTransformation  = 34264
	tagGeoKeys         = 34735
	tagMetadata        = 42112
	tagNoData          = 42113
)

const (
	maxSide  = 1 << 20  // pixels along a side of the image or of a block
	maxBlock = 64 << 20 // bytes of one decoded block
)

// header is the grid of a file and the location of each block.
type header struct {
	grid       vegetation.Grid
	hasNoData  bool
	noData     uint16
	order      binary.ByteOrder
	bands      int
	format     int64             // of the samples
	bits       int               // of a sample
	inBlock    int               // samples of a pixel that lie side by side in a block
	planes     int               // sets of blocks: one per band where bands are stored apart, else 1
	missing    float64           // GDAL_NODATA; NaN where there is none
	scales     []scaling         // of each band
	notes      map[string]string // the rest of GDAL's metadata, by name
	codec      codec
	predictor  int
	blockW     int
	blockH     int
	across     int // blocks in a row of blocks
	down       int // rows of blocks
	tiled      bool
	offsets    []int64
	byteCounts []int64
	state      state   // of the file that was read
	head       []byte  // the beginning of the file as read for the header, kept where blocks begin in it
	overview   *header // the coarsest one; nil where there is none
}

// scaling turns a band's stored numbers into values: stored × scale + offset, as GDAL's tag states it.
type scaling struct {
	scale, offset       float64
	hasScale, hasOffset bool
}

// rows is the number of pixel rows stored in a block: tiles are padded to full height, the last
// strip is not (TIFF 6.0, sections 3 and 15).
func (h *header) rows(block int) int {
	if h.tiled {
		return h.blockH
	}
	return min(h.blockH, h.grid.Height-h.place(block)*h.blockH)
}

// rowBytes is the length of a row of a block; rows begin on a byte (TIFF 6.0, section 3).
func (h *header) rowBytes() int { return (h.blockW*h.inBlock*h.bits + 7) / 8 }

// read reads the directory of the main image and passes it to the steps, each of which reads its part.
func (h *header) read(ctx context.Context, source Source, name string, steps ...func(*headerReader) error) error {
	r := &headerReader{ctx: ctx, source: source, name: name, budget: maxHeader}
	next := r.mainImage()
	h.order = r.order
	for _, step := range steps {
		if r.err == nil {
			r.fail(step(r))
		}
	}
	if r.err == nil && next != 0 {
		h.overview = h.coarsest(*r, next)
	}
	return r.err
}

// mainImage finds the first directory that is neither an overview nor a mask (bits 0 and 2 of
// NewSubfileType), and returns the position of the one after it, 0 for none.
func (h *headerReader) mainImage() (next int64) {
	off := h.open()
	for range maxDirectory {
		if off == 0 {
			break
		}
		h.fields, off = h.directory(off)
		if h.integer(tagSubfileType, 0)&0b101 == 0 {
			return off
		}
	}
	h.fail(broken(h.name, "it holds no main image"))
	return 0
}

// coarsest returns the smallest overview among the directories from a position on, as far as the
// bytes already read show it; nil for none. A broken overview does not affect the file.
func (h *header) coarsest(r headerReader, off int64) *header {
	var found *header
	r.budget = 0
	for range maxDirectory {
		if off == 0 || r.err != nil {
			break
		}
		r.fields, off = r.directory(off)
		if r.integer(tagSubfileType, 0)&0b101 != 1 {
			continue
		}
		o := &header{order: h.order, scales: h.scales}
		for _, step := range []func(*headerReader) error{o.readSize, o.readSamples, o.readLayout, o.readBlocks} {
			if r.err == nil {
				r.fail(step(&r))
			}
		}
		if r.err != nil || o.bands != h.bands || o.grid.Width >= h.grid.Width || found != nil && o.grid.Width >= found.grid.Width {
			continue
		}
		o.grid.EPSG, o.grid.OriginX, o.grid.OriginY = h.grid.EPSG, h.grid.OriginX, h.grid.OriginY
		o.grid.PixelX = h.grid.PixelX * float64(h.grid.Width) / float64(o.grid.Width)
		o.grid.PixelY = h.grid.PixelY * float64(h.grid.Height) / float64(o.grid.Height)
		found = o
	}
	return found
}

func (h *header) readSize(r *headerReader) error {
	width, height := r.integer(tagWidth, 0), r.integer(tagHeight, 0)
	if width < 1 || width > maxSide || height < 1 || height > maxSide {
		return broken(r.name, "it claims a size of %d × %d pixels", width, height)
	}
	h.grid.Width, h.grid.Height = int(width), int(height)
	return nil
}

func (h *header) readLayout(r *headerReader) error {
	_, h.tiled = r.fields[tagTileWidth]
	widthTag, heightTag := uint16(tagWidth), uint16(tagRowsPerStrip)
	if h.tiled {
		widthTag, heightTag = tagTileWidth, tagTileHeight
	}
	width, height := r.integer(widthTag, 0), r.integer(heightTag, int64(h.grid.Height))
	if !h.tiled && (height < 0 || height > int64(h.grid.Height)) {
		height = int64(h.grid.Height) // "2^32-1, which is effectively infinity"
	}
	sample := int64(max(h.bits*h.inBlock/8, 2)) // bytes of a pixel, decoded
	if width < 1 || width > maxSide || height < 1 || height > maxSide || width*height > maxBlock/sample {
		return unsupported(r.name, "its blocks of %d × %d pixels are not of a sensible size (at most %d MiB each)", width, height, maxBlock>>20)
	}
	h.blockW, h.blockH = int(width), int(height)
	h.across, h.down = (h.grid.Width+h.blockW-1)/h.blockW, (h.grid.Height+h.blockH-1)/h.blockH
	return nil
}

func (h *header) readBlocks(r *headerReader) error {
	offsetsTag, countsTag := uint16(tagStripOffsets), uint16(tagStripByteCounts)
	if h.tiled {
		offsetsTag, countsTag = tagTileOffsets, tagTileByteCounts
	}
	want := int64(h.across) * int64(h.down) * int64(h.planes)
	if want > maxBlocks {
		return unsupported(r.name, "it has %d blocks, and at most %d are read", want, maxBlocks)
	}
	// The counts are compared before the arrays are read, so that a false claim costs no memory.
	if have, counts := r.fields[offsetsTag].count, r.fields[countsTag].count; have != want || counts != want {
		return broken(r.name, "its size requires %d blocks, but it lists %d offsets and %d lengths", want, have, counts)
	}
	h.offsets, h.byteCounts = r.integers(offsetsTag, maxBlocks), r.integers(countsTag, maxBlocks)
	return nil
}

// readNoData reads GDAL's tag: a number in ASCII. One that no pixel of the file can have is ignored.
func (h *header) readNoData(r *headerReader) error {
	h.missing = noDataTag(r)
	if h.format == formatFloat && h.bits == 32 {
		h.missing = float64(float32(h.missing)) // as it is stored
	}
	h.noData, h.hasNoData = h.sample(h.missing)
	return nil
}

// sample returns how a plain file stores a number; false for one that it cannot store.
func (h *header) sample(v float64) (uint16, bool) {
	lower, upper := 0.0, float64(math.MaxUint16)
	if h.format == formatSigned {
		lower, upper = math.MinInt16, math.MaxInt16
	}
	if v != math.Trunc(v) || v < lower || v > upper {
		return 0, false
	}
	return uint16(int32(v)), true
}

// noDataTag returns the number of GDAL's tag, which may itself be NaN; NaN also where there is none.
func noDataTag(r *headerReader) float64 {
	if v, err := strconv.ParseFloat(r.text(tagNoData, 256), 64); err == nil {
		return v
	}
	return math.NaN() // also for "-nan", as C may print it
}
