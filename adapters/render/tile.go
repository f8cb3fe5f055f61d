package render

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"sync"

	"tilth/core/indexmap"
	"tilth/ports"
)

// tilePixels are the pixels of tiles that are being drawn.
var tilePixels = sync.Pool{New: func() any { return new([]uint8) }}

// tileBuffers pools the buffers of encoders; a new one would take most of the time.
type tileBuffers struct{ pool sync.Pool }

func (b *tileBuffers) Get() *png.EncoderBuffer {
	got, _ := b.pool.Get().(*png.EncoderBuffer)
	return got
}

func (b *tileBuffers) Put(e *png.EncoderBuffer) { b.pool.Put(e) }

// tileEncoder compresses little: a tile is a few kilobytes either way, and many are requested at the same time.
var tileEncoder = png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &tileBuffers{}}

// palette returns the colours of a tile: the transparent one, and those of the style.
func palette(style *indexmap.Style) color.Palette {
	out := make(color.Palette, 0, indexmap.Shades+1)
	out = append(out, color.NRGBA{})
	for _, c := range style.Colors {
		out = append(out, color.NRGBA{R: c.R, G: c.G, B: c.B, A: 0xff})
	}
	return out
}

// clearTiles are the tiles without any value, by their size.
var clearTiles = sync.OnceValue(func() map[int][]byte {
	out := map[int][]byte{}
	for _, size := range indexmap.TileSizes {
		var b bytes.Buffer
		encoder := png.Encoder{CompressionLevel: png.BestCompression}
		_ = encoder.Encode(&b, image.NewPaletted(image.Rect(0, 0, size, size), color.Palette{color.NRGBA{}})) // writing to a buffer never fails
		out[size] = b.Bytes()
	}
	return out
})

// DrawTile implements ports.LayerPictures.
func (Charts) DrawTile(w io.Writer, in ports.ShownTile) error {
	buffer := tilePixels.Get().(*[]uint8)
	defer tilePixels.Put(buffer)
	size := in.Tile.Size
	if err := in.Tile.Check(); err != nil {
		return err
	}
	if len(*buffer) < size*size {
		*buffer = make([]uint8, size*size)
	}
	pixels, any := (*buffer)[:size*size], false
	clear(pixels)
	err := in.Layer.Sample(in.Tile, in.How, func(at int, v float64) {
		shade, _ := in.Style.Shade(v)
		pixels[at], any = shade+1, true
	})
	if err != nil {
		return err
	}
	if !any {
		_, err := w.Write(clearTiles()[size])
		return err
	}
	img := &image.Paletted{Pix: pixels, Stride: size, Rect: image.Rect(0, 0, size, size), Palette: palette(&in.Style)}
	if err := tileEncoder.Encode(w, img); err != nil {
		return fmt.Errorf("write the PNG: %w", err)
	}
	return nil
}
