package ports

import (
	"context"
	"io"

	"tilth/core/indexmap"
)

// ShownLayer is a date of a map of an index as pictures show it.
type ShownLayer struct {
	Layer   *indexmap.Layer
	Field   ShownField
	Style   indexmap.Style
	Classes *indexmap.Classes // in which the values are shown; nil: each in its own shade
	Bare    bool              // the map alone, without title, legend and sources
}

// ShownTile is a tile of a date of a map.
type ShownTile struct {
	Layer *indexmap.Layer
	Style indexmap.Style
	Tile  indexmap.Tile
	How   indexmap.Sampling
}

// LayerPictures draws dates of maps of indices.
type LayerPictures interface {
	// DrawLayer draws a date as SVG or PNG, to be printed.
	DrawLayer(ctx context.Context, w io.Writer, format string, in ShownLayer) error
	// DrawTile draws a tile as PNG, transparent where the layer has no value. Faults: as indexmap.Layer.Sample.
	DrawTile(w io.Writer, in ShownTile) error
}

// LayerFiles writes dates of maps for people and their programs.
type LayerFiles interface {
	// WriteGeoTIFF writes a date as Cloud-Optimized GeoTIFF of 32-bit numbers: the index, and what each pixel counts in the field.
	WriteGeoTIFF(w io.Writer, layer indexmap.Layer) error
}
