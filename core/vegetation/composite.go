package vegetation

import (
	"math"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
)

// state is what is known about a pixel. The order matters: a scene never lowers the state of a pixel.
type state uint8

const (
	noData  state = iota // no scene had data here
	masked               // data, but not of a class that the mask keeps
	dropped              // clear, but the index has no value
	clear                // clear by its class; the bands have not been read
	valid                // the index has a value
)

// Layer holds what was read from one scene: its view of the ground (Mask.View; nil where the archive has no
// classification) and the bands of the index. The windows may have any size, resolution and UTM zone.
type Layer struct {
	View  *Raster
	Bands map[Band]Raster
	// Adjusted are the adjustments of bands.
	Adjusted []Adjustment
}

// Composite merges the scenes of one pass over a field pixel by pixel: the first scene with a value
// for a pixel wins. Callers Screen every scene's view, ask Screened whether to go on, and Add the
// scenes that Needs selects, the one with the larger coverage first; Result then judges the pass. A
// Composite is not safe for concurrent use.
type Composite struct {
	footprint Footprint
	index     Index
	mask      Mask
	states    []state
	values    []float64
	centres   map[int][]geo.Position // of the footprint's pixels, by EPSG
}

// NewComposite returns an empty composite on the pixels of a footprint.
func NewComposite(f Footprint, index Index, mask Mask) *Composite {
	return &Composite{
		footprint: f, index: index, mask: mask,
		states: make([]state, len(f.Cells)), values: make([]float64, len(f.Cells)),
		centres: map[int][]geo.Position{},
	}
}

// Screen records which pixels a scene shows clear. Fault: Invalid, as Raster.Check.
func (c *Composite) Screen(view Raster) error {
	at, err := c.sampler(view)
	if err != nil {
		return err
	}
	for i := range c.states {
		dn, ok := at(i)
		switch {
		case !ok || dn == viewNoData:
		case dn == viewClear:
			c.states[i] = max(c.states[i], clear)
		default:
			c.states[i] = max(c.states[i], masked)
		}
	}
	return nil
}

// Needs reports whether a scene with that view could set a pixel that has no value yet; a scene
// without a view (nil) could set any pixel without a value.
func (c *Composite) Needs(view *Raster) (bool, error) {
	var at func(int) (float64, bool)
	if view != nil {
		var err error
		if at, err = c.sampler(*view); err != nil {
			return false, err
		}
	}
	for i, s := range c.states {
		if s == valid {
			continue
		}
		if at == nil {
			return true, nil
		}
		if dn, ok := at(i); ok && dn == viewClear {
			return true, nil
		}
	}
	return false, nil
}

// Add sets the pixels that have no value and that the layer shows clear: by its view or,
// without one, wherever all bands have data. It reports whether it set any. A missing band or an
// impossible raster is an Invalid fault.
func (c *Composite) Add(l Layer) (used bool, err error) {
	bands := make([]func(int) (float64, bool), len(c.index.bands))
	rasters := make([]Raster, len(c.index.bands))
	for k, band := range c.index.bands {
		r, ok := l.Bands[band]
		if !ok {
			return false, fault.Newf(fault.Invalid, "missing_band", "The scene has no band %s.", band)
		}
		rasters[k] = r
		if bands[k], err = c.sampler(r); err != nil {
			return false, err
		}
	}
	view := func(int) (float64, bool) { return viewClear, true }
	if l.View != nil {
		if view, err = c.sampler(*l.View); err != nil {
			return false, err
		}
	}
	adjust := list.Map(c.index.bands, l.adjustment)
	reflectances := make([]float64, len(bands))
	for i, s := range c.states {
		if s == valid {
			continue
		}
		if dn, ok := view(i); !ok || dn != viewClear {
			continue
		}
		complete := true
		for k := range bands {
			dn, ok := bands[k](i)
			reflectances[k] = adjust[k](rasters[k].Reflectance(dn))
			complete = complete && ok
		}
		if !complete {
			if s == clear {
				c.states[i] = noData // clear by its class, but the bands have no data
			}
			continue
		}
		v, ok := c.index.Evaluate(reflectances...)
		if !ok {
			c.states[i] = dropped
			continue
		}
		c.states[i], c.values[i], used = valid, v, true
	}
	return used, nil
}

// adjustment returns the function that adjusts the reflectances of a band; negative results count as 0.
func (l Layer) adjustment(band Band) func(float64) float64 {
	for _, a := range l.Adjusted {
		if a.Band == band {
			return func(v float64) float64 { return max(0, a.Slope*v+a.Offset) }
		}
	}
	return func(v float64) float64 { return v }
}

// Footprint returns the pixels that the composite covers.
func (c *Composite) Footprint() Footprint { return c.footprint }

// Values returns the index of each pixel of the footprint, in the footprint's order; NaN where a pixel has no value.
func (c *Composite) Values() []float64 {
	out := make([]float64, len(c.states))
	for i, s := range c.states {
		if out[i] = math.NaN(); s == valid {
			out[i] = c.values[i]
		}
	}
	return out
}

// sampler returns a function from the index of a footprint's pixel to the number stored in the
// raster's pixel that contains its centre; false outside the raster and for nodata.
func (c *Composite) sampler(r Raster) (func(i int) (float64, bool), error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	if r.Grid.EPSG == c.footprint.Grid.EPSG {
		return func(i int) (float64, bool) {
			cell := c.footprint.Cells[i]
			return r.At(r.Grid.PixelAt(c.footprint.Grid.Centre(cell.Col, cell.Row)))
		}, nil
	}
	centres, err := c.centresIn(r.Grid.EPSG)
	if err != nil {
		return nil, err
	}
	return func(i int) (float64, bool) { return r.At(r.Grid.PixelAt(centres[i])) }, nil
}

// centresIn projects the centres of the footprint's pixels to another UTM zone and caches them.
func (c *Composite) centresIn(epsg int) ([]geo.Position, error) {
	if have, ok := c.centres[epsg]; ok {
		return have, nil
	}
	from, err := geo.NewPlane(c.footprint.Grid.EPSG)
	if err != nil {
		return nil, err
	}
	to, err := geo.NewPlane(epsg)
	if err != nil {
		return nil, err
	}
	c.centres[epsg] = list.Map(c.footprint.Cells, func(cell Cell) geo.Position {
		return to.Forward(from.Inverse(c.footprint.Grid.Centre(cell.Col, cell.Row)))
	})
	return c.centres[epsg], nil
}
