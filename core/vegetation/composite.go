package vegetation

import "tilth/core/geo"

// state is what is known of one pixel of a composite. The order matters: a scene never
// makes a pixel worse.
type state uint8

const (
	noData  state = iota // no scene had data here
	masked               // data, but of no class that the mask keeps
	dropped              // clear, but the index has no value
	clear                // clear by its class; the bands have not been read
	valid                // the index has a value
)

// Layer is what was read of one scene: the scene classification (nil where the archive has
// none) and the bands of the index. The windows may be of any size, resolution and UTM zone.
type Layer struct {
	SCL   *Raster
	Bands map[Band]Raster
}

// Composite merges the scenes of one pass over a field, pixel by pixel: the first scene that
// gives a pixel a value wins. The use is: Screen every scene's classification, ask Screened
// whether to go on, then Add the scenes, the one with the larger coverage first, those that
// Wants says could still add something; Result judges. A Composite is for one goroutine.
type Composite struct {
	footprint Footprint
	index     Index
	mask      Mask
	states    []state
	values    []float64
	centres   map[int][]geo.Position // of the footprint's pixels, by EPSG
}

// NewComposite begins an empty composite on the pixels of a footprint.
func NewComposite(f Footprint, index Index, mask Mask) *Composite {
	return &Composite{
		footprint: f, index: index, mask: mask,
		states: make([]state, len(f.Cells)), values: make([]float64, len(f.Cells)),
		centres: map[int][]geo.Position{},
	}
}

// Screen notes which pixels a scene classification shows clear. The fault of a raster whose
// georeference or size is impossible is Invalid.
func (c *Composite) Screen(scl Raster) error {
	at, err := c.sampler(scl)
	if err != nil {
		return err
	}
	for i := range c.states {
		dn, ok := at(i)
		switch {
		case !ok || Class(dn) == ClassNoData:
		case c.mask.Keeps(Class(dn)):
			c.states[i] = max(c.states[i], clear)
		default:
			c.states[i] = max(c.states[i], masked)
		}
	}
	return nil
}

// Wants reports whether a scene of that classification could give a value to a pixel that
// has none yet; a scene without a classification (nil) could wherever one is missing.
func (c *Composite) Wants(scl *Raster) (bool, error) {
	var at func(int) (uint16, bool)
	if scl != nil {
		var err error
		if at, err = c.sampler(*scl); err != nil {
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
		if dn, ok := at(i); ok && c.mask.Keeps(Class(dn)) {
			return true, nil
		}
	}
	return false, nil
}

// Add returns values to the pixels that have none and that the layer shows clear: where it has
// a classification by its class, else wherever all bands have data. It reports whether any
// pixel got one. A missing band or an impossible raster is an Invalid fault.
func (c *Composite) Add(l Layer) (used bool, err error) {
	bands := make([]func(int) (uint16, bool), len(c.index.bands))
	rasters := make([]Raster, len(c.index.bands))
	for k, band := range c.index.bands {
		r, ok := l.Bands[band]
		if !ok {
			return false, missingBand(band)
		}
		rasters[k] = r
		if bands[k], err = c.sampler(r); err != nil {
			return false, err
		}
	}
	class := func(int) (uint16, bool) { return uint16(ClassVegetation), true }
	if l.SCL != nil {
		if class, err = c.sampler(*l.SCL); err != nil {
			return false, err
		}
	}
	reflectances := make([]float64, len(bands))
	for i, s := range c.states {
		if s == valid {
			continue
		}
		if dn, ok := class(i); !ok || !c.mask.Keeps(Class(dn)) {
			continue
		}
		complete := true
		for k := range bands {
			dn, ok := bands[k](i)
			reflectances[k] = rasters[k].Reflectance(dn)
			complete = complete && ok
		}
		if !complete {
			if s == clear {
				c.states[i] = noData // its class promised what the bands do not hold
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

// sampler returns a function from the index of a footprint's pixel to the number of the
// raster's pixel that holds its centre; false outside the raster and for nodata.
func (c *Composite) sampler(r Raster) (func(i int) (uint16, bool), error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	if r.Grid.EPSG == c.footprint.Grid.EPSG {
		return func(i int) (uint16, bool) {
			cell := c.footprint.Cells[i]
			return r.At(r.Grid.PixelAt(c.footprint.Grid.Centre(cell.Col, cell.Row)))
		}, nil
	}
	centres, err := c.centresIn(r.Grid.EPSG)
	if err != nil {
		return nil, err
	}
	return func(i int) (uint16, bool) { return r.At(r.Grid.PixelAt(centres[i])) }, nil
}

// centresIn projects the centres of the footprint's pixels to another UTM zone, once.
func (c *Composite) centresIn(epsg int) ([]geo.Position, error) {
	if have, ok := c.centres[epsg]; ok {
		return have, nil
	}
	from, err := geo.NewUTM(c.footprint.Grid.EPSG)
	if err != nil {
		return nil, err
	}
	to, err := geo.NewUTM(epsg)
	if err != nil {
		return nil, err
	}
	out := make([]geo.Position, len(c.footprint.Cells))
	for i, cell := range c.footprint.Cells {
		out[i] = to.Forward(from.Inverse(c.footprint.Grid.Centre(cell.Col, cell.Row)))
	}
	c.centres[epsg] = out
	return out, nil
}
