package cog

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"
	"strings"

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
	bits       int // of a sample: 1 to 16, or what Numbers reads
	inBlock    int // samples of a pixel that lie side by side in a block; 0 stands for 1
	planes     int // sets of blocks, one a sample; 0 stands for 1
	codec      codec
	predictor  int
	blockW     int
	blockH     int
	across     int // blocks in a row of blocks
	tiled      bool
	offsets    []int64
	byteCounts []int64
}

// cost is the approximate memory of the header in bytes.
func (h *header) cost() int64 { return 256 + 16*int64(len(h.offsets)) }

// rows is the number of pixel rows stored in a block: tiles are padded to full height, the last
// strip is not (TIFF 6.0, sections 3 and 15).
func (h *header) rows(block int) int {
	if h.tiled {
		return h.blockH
	}
	return min(h.blockH, h.grid.Height-block*h.blockH)
}

// rowBytes is the length of a row of a block; rows begin on a byte (TIFF 6.0, section 3).
func (h *header) rowBytes() int { return (h.blockW*max(h.inBlock, 1)*h.bits + 7) / 8 }

func readHeader(ctx context.Context, source Source, name string) (*header, error) {
	h := &header{}
	err := h.read(ctx, &headerReader{source: source, name: name, budget: maxHeader},
		h.readSize, h.readEncoding, h.readLayout, h.readBlocks, h.readGeoreference, h.readNoData)
	return h, err
}

// read reads the directory of the main image and passes it to the steps, each of which reads its part.
func (h *header) read(ctx context.Context, r *headerReader, steps ...func(context.Context, *headerReader, directory) error) error {
	fields, err := r.mainImage(ctx)
	if err != nil {
		return err
	}
	h.order = r.order
	for _, step := range steps {
		if err := step(ctx, r, fields); err != nil {
			return err
		}
	}
	return nil
}

// mainImage finds the first directory that is neither an overview nor a mask (bits 0 and 2 of
// NewSubfileType).
func (h *headerReader) mainImage(ctx context.Context) (directory, error) {
	off, err := h.open(ctx)
	if err != nil {
		return nil, err
	}
	for range maxDirectory {
		if off == 0 {
			break
		}
		fields, next, err := h.directory(ctx, off)
		if err != nil {
			return nil, err
		}
		kind, err := h.integer(ctx, fields, tagSubfileType, 0)
		if err != nil {
			return nil, err
		}
		if kind&0b101 == 0 {
			return fields, nil
		}
		off = next
	}
	return nil, broken(h.name, "it holds no main image")
}

func (h *header) readSize(ctx context.Context, r *headerReader, d directory) error {
	width, err := r.integer(ctx, d, tagWidth, 0)
	if err != nil {
		return err
	}
	height, err := r.integer(ctx, d, tagHeight, 0)
	if err != nil {
		return err
	}
	if width < 1 || width > maxSide || height < 1 || height > maxSide {
		return broken(r.name, "it claims a size of %d × %d pixels", width, height)
	}
	h.grid.Width, h.grid.Height = int(width), int(height)
	return nil
}

func (h *header) readEncoding(ctx context.Context, r *headerReader, d directory) error {
	v := map[uint16]int64{tagSamples: 1, tagBits: 1, tagSampleFormat: 1, tagFillOrder: 1, tagCompression: 1, tagPredictor: 1}
	if err := r.overwrite(ctx, d, v); err != nil {
		return err
	}
	switch {
	case v[tagSamples] != 1:
		return unsupported(r.name, "it has %d samples a pixel, and only one is read", v[tagSamples])
	case v[tagSampleFormat] != 1:
		return unsupported(r.name, "its samples are of format %d, and only unsigned integers (1) are read", v[tagSampleFormat])
	case v[tagBits] < 1 || v[tagBits] > 16:
		return unsupported(r.name, "its samples have %d bits, and at most 16 are read", v[tagBits])
	case v[tagFillOrder] != 1:
		return unsupported(r.name, "its bits are stored in reverse")
	case v[tagPredictor] != predictorNone && v[tagPredictor] != predictorHorizontal:
		return unsupported(r.name, "predictor %d is not read, only 1 and 2", v[tagPredictor])
	case v[tagPredictor] == predictorHorizontal && v[tagBits] != 8 && v[tagBits] != 16:
		return unsupported(r.name, "predictor 2 is read at 8 and 16 bits, not at %d", v[tagBits])
	}
	h.bits, h.predictor, h.codec = int(v[tagBits]), int(v[tagPredictor]), codec(v[tagCompression])
	if !h.codec.known() {
		return unsupported(r.name, "compression %s is not read", h.codec)
	}
	return nil
}

func (h *header) readLayout(ctx context.Context, r *headerReader, d directory) error {
	_, h.tiled = d[tagTileWidth]
	widthTag, heightTag := uint16(tagWidth), uint16(tagRowsPerStrip)
	if h.tiled {
		widthTag, heightTag = tagTileWidth, tagTileHeight
	}
	width, err := r.integer(ctx, d, widthTag, 0)
	if err != nil {
		return err
	}
	height, err := r.integer(ctx, d, heightTag, int64(h.grid.Height))
	if err != nil {
		return err
	}
	if !h.tiled && (height < 0 || height > int64(h.grid.Height)) {
		height = int64(h.grid.Height) // "2^32-1, which is effectively infinity"
	}
	sample := int64(max(h.bits*h.inBlock/8, 2)) // bytes of a pixel, decoded
	if width < 1 || width > maxSide || height < 1 || height > maxSide || width*height > maxBlock/sample {
		return unsupported(r.name, "its blocks of %d × %d pixels are not of a sensible size (at most %d MiB each)", width, height, maxBlock>>20)
	}
	h.blockW, h.blockH = int(width), int(height)
	h.across = (h.grid.Width + h.blockW - 1) / h.blockW
	return nil
}

func (h *header) readBlocks(ctx context.Context, r *headerReader, d directory) error {
	offsetsTag, countsTag := uint16(tagStripOffsets), uint16(tagStripByteCounts)
	if h.tiled {
		offsetsTag, countsTag = tagTileOffsets, tagTileByteCounts
	}
	down := (h.grid.Height + h.blockH - 1) / h.blockH
	want := int64(h.across) * int64(down) * int64(max(h.planes, 1))
	if want > maxBlocks {
		return unsupported(r.name, "it has %d blocks, and at most %d are read", want, maxBlocks)
	}
	// The counts are compared before the arrays are read, so that a false claim costs no memory.
	if have, counts := d[offsetsTag].count, d[countsTag].count; have != want || counts != want {
		return broken(r.name, "its size requires %d blocks, but it lists %d offsets and %d lengths", want, have, counts)
	}
	var err error
	if h.offsets, err = r.integers(ctx, d, offsetsTag, maxBlocks); err != nil {
		return err
	}
	h.byteCounts, err = r.integers(ctx, d, countsTag, maxBlocks)
	return err
}

// readNoData reads GDAL's tag: a number in ASCII. One that no unsigned 16-bit pixel can have is
// ignored.
func (h *header) readNoData(ctx context.Context, r *headerReader, d directory) error {
	v, marked, err := noDataTag(ctx, r, d)
	if err == nil && marked && v == math.Trunc(v) && v >= 0 && v <= math.MaxUint16 {
		h.hasNoData, h.noData = true, uint16(v)
	}
	return err
}

// noDataTag returns the number of GDAL's tag, which may be NaN, and whether there is one.
func noDataTag(ctx context.Context, r *headerReader, d directory) (v float64, marked bool, err error) {
	e, ok := d[tagNoData]
	if !ok || e.kind != typeASCII {
		return 0, false, nil
	}
	text, err := r.text(ctx, e, 256)
	if err != nil {
		return 0, false, err
	}
	if strings.EqualFold(text, "-nan") { // as C may print it
		return math.NaN(), true, nil
	}
	v, unreadable := strconv.ParseFloat(text, 64)
	return v, unreadable == nil, nil
}
