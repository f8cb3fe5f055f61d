package cog

import "math"

// row turns a row of a block, which it changes, into the values of one band.
func (h *numbersHeader) row(out []float64, raw []byte, band int) {
	stored := h.undoPredictor(raw)
	at, step := 0, h.inBlock
	if h.planes == 1 {
		at = band
	}
	s := h.scales[band]
	for i := range out {
		v := stored(i*step + at)
		if v == h.missing || math.IsNaN(v) || math.IsInf(v, 0) {
			out[i] = math.NaN()
			continue
		}
		out[i] = float64(v*s.scale) + s.offset
	}
}

// undoPredictor undoes the differencing of a row in place, and returns the function that reads its
// samples.
func (h *numbersHeader) undoPredictor(raw []byte) func(i int) float64 {
	switch {
	case h.bits%8 != 0:
		samples := make([]uint16, h.blockW*h.inBlock)
		packedSamples(samples, raw, h.bits)
		return func(i int) float64 { return float64(samples[i]) }
	case h.predictor == predictorFloat:
		return h.floats(raw)
	case h.predictor == predictorHorizontal:
		for i := h.inBlock; i < h.blockW*h.inBlock; i++ { // modulo 2^bits, whatever the samples mean
			h.setBits(raw, i, h.bitsAt(raw, i)+h.bitsAt(raw, i-h.inBlock))
		}
	}
	return func(i int) float64 { return h.number(h.bitsAt(raw, i)) }
}

// floats undoes predictor 3 (Adobe Photoshop TIFF Technical Note 3, 2005): the row's bytes are
// sorted by their place in the sample, the most significant first whatever the file's byte order,
// and each is a difference to that of the previous pixel.
func (h *numbersHeader) floats(raw []byte) func(i int) float64 {
	for i := h.inBlock; i < len(raw); i++ {
		raw[i] += raw[i-h.inBlock]
	}
	n, size := h.blockW*h.inBlock, h.bits/8
	return func(i int) float64 {
		v := uint64(0)
		for place := range size {
			v = v<<8 | uint64(raw[place*n+i])
		}
		return h.number(v)
	}
}

// bitsAt returns the bits of a sample of whole bytes.
func (h *numbersHeader) bitsAt(raw []byte, i int) uint64 {
	switch h.bits {
	case 8:
		return uint64(raw[i])
	case 16:
		return uint64(h.order.Uint16(raw[2*i:]))
	case 32:
		return uint64(h.order.Uint32(raw[4*i:]))
	default:
		return h.order.Uint64(raw[8*i:])
	}
}

func (h *numbersHeader) setBits(raw []byte, i int, v uint64) {
	switch h.bits {
	case 8:
		raw[i] = byte(v)
	case 16:
		h.order.PutUint16(raw[2*i:], uint16(v))
	case 32:
		h.order.PutUint32(raw[4*i:], uint32(v))
	default:
		h.order.PutUint64(raw[8*i:], v)
	}
}

// number converts the bits of a sample by its format.
func (h *numbersHeader) number(v uint64) float64 {
	switch {
	case h.format == formatFloat && h.bits == 32:
		return float64(math.Float32frombits(uint32(v)))
	case h.format == formatFloat:
		return math.Float64frombits(v)
	case h.format == formatSigned:
		shift := 64 - h.bits
		return float64(int64(v<<shift) >> shift)
	default:
		return float64(v)
	}
}
