package vegetation

import (
	"math"

	"tilth/core/fault"
)

// The numbers of a view: what a scene shows of the ground in a pixel.
const (
	viewNoData = iota
	viewMasked // data, but left out by the mask
	viewClear
)

// Sight holds what was read from a scene for a mask to judge its pixels by.
type Sight struct {
	Classes     *Raster // the scene classification; nil where the scene has none
	Probability *Raster // of clouds, in percent; for masks that need it
}

// View returns what a scene shows of the ground, on the grid of its classification or, without one, of its cloud
// probability; nil without both, where every pixel with data counts as clear. Faults: Invalid, as Raster.Check.
//
// A pixel is left out where the mask leaves out its class or one of its bits, or where the cloud probability reaches the mask's.
// Then every pixel is left out that lies within as many columns and rows of such a pixel, on that grid, as the mask dilates (the
// metric of the larger difference, so that a single pixel grows to a square). Pixels without data neither grow nor change.
func (m Mask) View(s Sight) (*Raster, error) {
	on := s.Classes
	if on == nil {
		if on = s.Probability; on == nil {
			return nil, nil
		}
	}
	probability, err := m.probability(s, on.Grid)
	if err != nil {
		return nil, err
	}
	if err := on.Check(); err != nil {
		return nil, err
	}
	view := &Raster{Grid: on.Grid, DN: make([]uint16, on.Grid.Width*on.Grid.Height), Scale: 1}
	bits := m.leftOut(on.BitsOf)
	for i := range view.DN {
		col, row := i%on.Grid.Width, i/on.Grid.Width
		kept := true
		if s.Classes != nil {
			dn, ok := on.At(col, row)
			class := classOf(dn)
			if !ok || class == ClassNoData {
				continue
			}
			kept = m.Keeps(class) && (bits == 0 || bitSet(on.Bits[i])&bits == 0)
		}
		if view.DN[i] = viewMasked; kept && probability(col, row) {
			view.DN[i] = viewClear
		}
	}
	view.dilate(m.dilation)
	return view, nil
}

// probability returns a function that reports whether a pixel of a grid lies below the mask's cloud probability. Nodata
// counts as 0 %: catalogs state 0 as the nodata value of these bands.
func (m Mask) probability(s Sight, grid Grid) (func(col, row int) bool, error) {
	if s.Probability == nil || !m.NeedsProbability() {
		return func(int, int) bool { return true }, nil
	}
	p := s.Probability
	if err := p.Check(); err != nil {
		return nil, err
	}
	if p.Grid.EPSG != grid.EPSG {
		return nil, fault.New(fault.Invalid, "invalid_raster", "The cloud probability is not in the coordinate system of the scene classification.")
	}
	return func(col, row int) bool {
		v, ok := p.At(p.Grid.PixelAt(grid.Centre(col, row)))
		return !ok || math.Round(v*p.Scale) < float64(m.fromProbability) // rounded: 102 of 255 are 40 %
	}, nil
}

// dilate leaves out every clear pixel within n columns and rows of one that is left out.
func (r *Raster) dilate(n int) {
	if n == 0 {
		return
	}
	width, height := r.Grid.Width, r.Grid.Height
	near := make([]bool, len(r.DN)) // in its row
	for row := range height {
		spread(width, n, func(col int) bool { return r.DN[row*width+col] == viewMasked }, func(col int) { near[row*width+col] = true })
	}
	for col := range width {
		spread(height, n, func(row int) bool { return near[row*width+col] }, func(row int) {
			if at := row*width + col; r.DN[at] == viewClear {
				r.DN[at] = viewMasked
			}
		})
	}
}

// spread marks the places of a line within n of one that is set.
func spread(length, n int, set func(int) bool, mark func(int)) {
	marked := 0 // the first place that is not
	for i := range length {
		if !set(i) {
			continue
		}
		for marked = max(marked, i-n); marked <= min(i+n, length-1); marked++ {
			mark(marked)
		}
	}
}
