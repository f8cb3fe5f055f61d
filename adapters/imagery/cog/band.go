package cog

import "math"

// plain reports whether pixels of the file are digital numbers: one band of integers of at most 16
// bits. Everything else is read as numbers.
func (h *header) plain() bool { return h.bands == 1 && h.bits <= 16 && h.format != formatFloat }

// Band returns another band of the file, counted from 1. Fault: Invalid where it has no such band.
func (f *File) Band(n int) (*File, error) {
	if n < 1 || n > f.bands {
		return nil, unsupported(f.name, "it has %d bands, and no band %d", f.bands, n)
	}
	other := *f
	other.band = n - 1
	return &other, nil
}

// Bands returns the number of bands of the file.
func (f *File) Bands() int { return f.bands }

// Floating reports whether the band holds floating point numbers.
func (f *File) Floating() bool { return f.format == formatFloat }

// Scaling returns the scale and the offset that the file's own tags state for the band, as GDAL
// writes them; nil for what they do not state.
func (f *File) Scaling() (scale, offset *float64) {
	s := f.scales[f.band]
	if s.hasScale {
		scale = &s.scale
	}
	if s.hasOffset {
		offset = &s.offset
	}
	return scale, offset
}

// AssumeNoData returns the file as if its GDAL_NODATA tag were v, where it has none.
func (f *File) AssumeNoData(v float64) *File {
	if f.hasNoData || !math.IsNaN(f.missing) {
		return f
	}
	assumed, h := *f, *f.header
	h.missing = v
	h.noData, h.hasNoData = h.sample(v)
	assumed.header = &h
	return &assumed
}

// Coarse returns the coarsest overview of the file, which shows all of its ground in a few blocks;
// false where it has none, or not within the first bytes of the file.
func (f *File) Coarse() (*File, bool) {
	if f.overview == nil {
		return nil, false
	}
	h := *f.overview
	h.missing, h.noData, h.hasNoData, h.state = f.missing, f.noData, f.hasNoData, f.state
	return &File{header: &h, source: reduced{f.source}, name: f.name, cache: f.cache, forget: f.forget, band: f.band}, true
}

// reduced keeps the blocks of an overview apart from those of its file.
type reduced struct{ Source }

func (r reduced) Address() string { return r.Source.Address() + "#overview" }
