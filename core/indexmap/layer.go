// Package indexmap holds the maps of a vegetation index over a field: what one date of a map is made of.
package indexmap

import (
	"time"

	"tilth/core/vegetation"
)

// Layer is one date of a map: values on a grid of the scene's projection; NaN where nothing was seen or outside the margin.
type Layer struct {
	Day        time.Time
	Index      vegetation.IndexCode
	Grid       vegetation.Grid // origin at the layer's first pixel, EPSG of the tile
	Cols, Rows int
	Values     []float64 // row by row
	Inside     []bool    // pixels that count as the field's (those of the profile's footprint)
	// Weights are what the pixels Inside count, in the order of Values: the shares of area of a small field. Nil: each in full.
	Weights   []float64
	Scenes    []string
	Synthetic bool
}
