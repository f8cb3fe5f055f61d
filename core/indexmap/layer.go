// Package indexmap holds the layers of maps of a field: a date of a vegetation index, or something else that is known
// about each pixel (Subject). It has their statistics, classes and zones, and the one table of their colours.
package indexmap

import (
	"time"

	"tilth/core/vegetation"
)

// Layer is one date of a map, or a layer of a map without dates: values on a grid of the scene's projection; NaN where
// nothing was seen or outside the margin.
type Layer struct {
	Day        time.Time
	Index      vegetation.IndexCode
	Subject    Subject         // of a layer without a date and an index
	Grid       vegetation.Grid // origin at the layer's first pixel, EPSG of the tile
	Cols, Rows int
	Values     []float64 // row by row
	Inside     []bool    // pixels that count as the field's (those of the profile's footprint)
	// Weights are the weights of the pixels Inside, in the order of Values: the shares of area of a small field. Nil: each in full.
	Weights   []float64
	Scenes    []string
	Synthetic bool
	Method    string // how the values were computed; empty where it is not stated, as in stored layers
}
