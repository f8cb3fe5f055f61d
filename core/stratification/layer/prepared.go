package layer

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"

	"tilth/core/list"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/digest"
	"tilth/core/stratification/internal/stats"
)

// Provenance is the origin of the values of a layer.
type Provenance struct {
	Kind      string   `json:"kind"`      // "sentinel2" or "raster"
	Years     []int    `json:"years"`     // of imagery: the calendar years, oldest first
	Dates     int      `json:"dates"`     // of imagery: the number of dates accepted in them
	Scenes    []string `json:"scenes"`    // of imagery: ids of the scenes with values, sorted
	Synthetic bool     `json:"synthetic"` // of imagery: from a synthetic archive
	Raster    string   `json:"raster"`    // of a raster: its registered name
	Checksum  string   `json:"checksum"`  // of a raster: SHA-256 of its file, in hexadecimal
}

// Kinds of provenance.
const (
	FromSentinel2 = "sentinel2"
	FromRaster    = "raster"
)

// PreparedLayer is a layer of an order, frozen with it.
type PreparedLayer struct {
	// Layer holds the values, each a number that 32 bits hold exactly; none where it was dropped.
	Layer
	ValidShare float64 // of the frame's cells
	Mean, SD   float64 // of the valid cells (SD with n-1); 0 where there is none
	Dropped    string  // why the layer is left out; empty where it is not
	Provenance Provenance
}

// Prepared is the result of an order's job: the frame and its layers.
type Prepared struct {
	Grid   frame.Settings
	Layers []PreparedLayer
	Digest string // as OrderState.Digest
	Notes  []string
}

// Usable returns the layers that were not dropped, ready for Zones.
func (p Prepared) Usable() []Layer {
	var out []Layer
	for _, l := range p.Layers {
		if l.Dropped == "" {
			out = append(out, l.Layer)
		}
	}
	return out
}

// Synthetic reports whether a layer comes from a synthetic archive.
func (p Prepared) Synthetic() bool {
	return slices.ContainsFunc(p.Layers, func(l PreparedLayer) bool { return l.Provenance.Synthetic })
}

// Prepare measures a layer. Its values are rounded to 32 bits, as they are stored, so that later
// maps are the same as maps made now. A layer without any value is dropped.
func Prepare(layer Layer, from Provenance) PreparedLayer {
	out := PreparedLayer{Layer: layer, Provenance: from}
	out.Values = list.Map(layer.Values, func(v float64) float64 { return float64(float32(v)) })
	valid := slices.DeleteFunc(slices.Clone(out.Values), math.IsNaN)
	if len(valid) == 0 {
		return Drop(layer.Name, layer.Source, "it has no value in the area", from)
	}
	out.ValidShare = float64(len(valid)) / float64(len(layer.Values))
	out.Mean, out.SD = stats.MeanAndSD(valid)
	return out
}

// Drop returns a layer that is left out, with the reason.
func Drop(name, source, why string, from Provenance) PreparedLayer {
	return PreparedLayer{Layer: Layer{Name: name, Source: source}, Dropped: why, Provenance: from}
}

// NewPrepared collects the layers of a frame with their digest.
func NewPrepared(f *frame.Frame, layers []PreparedLayer, notes []string) Prepared {
	p := Prepared{
		Grid:   frame.Settings{CellSize: f.CellSize, EPSG: f.EPSG, EdgeMask: f.EdgeMask},
		Layers: layers, Notes: notes,
	}
	h := sha256.New()
	digest.Write(h, int64(f.EPSG), int64(f.EdgeMask), digest.Bits(f.CellSize), digest.Bits(f.OriginX), digest.Bits(f.OriginY), int64(len(f.Cells)))
	for _, c := range f.Cells {
		digest.Write(h, c.Row, c.Col)
	}
	for _, l := range layers {
		if l.Dropped == "" {
			l.Layer.Digest(h)
		}
	}
	p.Digest = hex.EncodeToString(h.Sum(nil))
	return p
}
