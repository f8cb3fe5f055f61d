package cog

import "math"

// row turns a row of a block into the scaled values of one band.
func (h *header) row(out []float64, raw []byte, band int, s scaling) {
	samples := h.unpackRow(raw)
	at := 0
	if h.planes == 1 {
		at = band
	}
	for i := range out {
		v := h.number(samples[i*h.inBlock+at])
		if v == h.missing || math.IsNaN(v) || math.IsInf(v, 0) {
			out[i] = math.NaN()
			continue
		}
		out[i] = float64(v*s.scale) + s.offset
	}
}

// unpackRow returns the bits of a row's samples, and undoes their differencing.
func (h *header) unpackRow(raw []byte) []uint64 {
	samples := make([]uint64, h.blockW*h.inBlock)
	switch {
	case h.bits%8 != 0:
		packedSamples(samples, raw, h.bits)
	case h.predictor == predictorFloat:
		// Adobe Photoshop TIFF Technical Note 3, 2005: the row's bytes are sorted by their place in the
		// sample, the most significant first whatever the file's byte order, and each is a difference to
		// that of the previous pixel.
		previous := make([]byte, h.inBlock)
		for i, difference := range raw {
			b := &previous[i%h.inBlock]
			*b += difference
			samples[i%len(samples)] = samples[i%len(samples)]<<8 | uint64(*b)
		}
	default:
		for i := range samples {
			switch h.bits {
			case 8:
				samples[i] = uint64(raw[i])
			case 16:
				samples[i] = uint64(h.order.Uint16(raw[2*i:]))
			case 32:
				samples[i] = uint64(h.order.Uint32(raw[4*i:]))
			default:
				samples[i] = h.order.Uint64(raw[8*i:])
			}
			if h.predictor == predictorHorizontal && i >= h.inBlock {
				samples[i] += samples[i-h.inBlock] // modulo 2^bits, whatever the samples mean
			}
		}
	}
	return samples
}

// number converts the low bits of a sample by its format.
func (h *header) number(v uint64) float64 {
	shift := 64 - h.bits
	switch {
	case h.format == formatFloat && h.bits == 32:
		return float64(math.Float32frombits(uint32(v)))
	case h.format == formatFloat:
		return math.Float64frombits(v)
	case h.format == formatSigned:
		return float64(int64(v<<shift) >> shift)
	default:
		return float64(v << shift >> shift)
	}
}
