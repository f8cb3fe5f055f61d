// Package fieldmap holds the content of maps of a field that are not series of dates of an index: zones of several
// seasons, relief, and what registered rasters say about the soil.
package fieldmap

import (
	"math"
	"slices"
	"time"

	"tilth/core/indexmap"
	"tilth/core/stratification/frame"
	"tilth/core/vegetation"
)

// Layer is a layer of a map as it is stored: what it is, where it comes from, and the file of its pixels; a layer with a reason has none.
type Layer struct {
	indexmap.Subject
	Source    string   `json:"source"` // where the values come from, for people
	Method    string   `json:"method"` // how they were computed
	Reason    string   `json:"reason"` // why there is no such layer; empty where there is
	Scenes    []string `json:"scenes"` // of imagery and elevation models
	Years     []int    `json:"years"`  // of what was acquired
	Checksum  string   `json:"checksum"`
	Synthetic bool     `json:"synthetic"`
	// Coarse: the pixels of the source are far wider than those of the layer, or come from a far coarser map than they suggest.
	Coarse bool     `json:"coarse"`
	Notes  []string `json:"notes"`

	Seasons []Season `json:"seasons"` // of the layer of zones: those that were looked for, the newest first
	Zones   []Zone   `json:"zones"`   // of the layer of zones, from the lowest values

	Object string `json:"-"` // the file of the pixels, named by its content; empty where there is none
	Bytes  int64  `json:"-"`
}

// Made is a layer of a map with its pixels; nil where there are none.
type Made struct {
	Layer
	Pixels *indexmap.Layer
}

// Season is a season in which zones were looked for.
type Season struct {
	Start  time.Time `json:"start"` // civil dates, both inclusive
	End    time.Time `json:"end"`
	Dates  int       `json:"dates"` // how many accepted dates of the field it has
	Used   bool      `json:"used"`
	Reason string    `json:"reason"` // why it is not used
	Scenes []string  `json:"scenes"`
	Mean   float64   `json:"mean"` // of the peaks in the field, in the unit of the index; of one that is used
	Std    float64   `json:"std"`
}

// Zone is a zone of a zoning map.
type Zone struct {
	Number int     `json:"number"` // from 1, the lowest peaks
	AreaHa float64 `json:"area_ha"`
	Share  float64 `json:"share"` // of the area of all zones
	Pixels int     `json:"pixels"`
	// Mean is how far its peaks lie above those of the field, over the seasons, in the unit of the index; negative where they lie below.
	Mean float64 `json:"mean"`
	// Std is how much this changes from season to season, over the pixels of the zone; 0 for a single season.
	Std   float64   `json:"std"`
	Peaks []float64 `json:"peaks"` // the mean peak of each season that is used, the newest first
}

// raster returns a layer of values on the cells of a frame; NaN elsewhere. Cells count as the field's where inside says so; nil: all.
func raster(f *frame.Frame, values []float64, inside []bool) *indexmap.Layer {
	n := f.Cols * f.Rows
	l := &indexmap.Layer{Grid: f.Raster(), Cols: f.Cols, Rows: f.Rows, Values: slices.Repeat([]float64{math.NaN()}, n), Inside: make([]bool, n)}
	for i, c := range f.Cells {
		at := int(c.Row)*f.Cols + int(c.Col)
		l.Values[at], l.Inside[at] = values[i], inside == nil || inside[i]
	}
	return l
}

// made joins the description of a layer with its pixels, which take it over.
func made(about Layer, pixels *indexmap.Layer) Made {
	pixels.Subject = about.Subject
	about.Subject = about.Spanning(pixels)
	pixels.Subject, pixels.Scenes, pixels.Synthetic = about.Subject, about.Scenes, about.Synthetic
	return Made{about, pixels}
}

// Found returns the outcome of the layers of a map for its order; none is the reason where there is no layer.
func Found(layers []Layer, none string) vegetation.Found {
	out := vegetation.Found{}
	for _, l := range layers {
		if l.Reason == "" {
			out.Layers++
			out.Synthetic = out.Synthetic || l.Synthetic
		}
	}
	if out.Layers == 0 {
		out.Reason = none
	}
	return out
}
