package vegetation

import (
	"math"
	"slices"
)

// BinWidth is the width of the bins of histograms, in units of the index.
const BinWidth = 0.05

// whole is the share that stands for all pixels of a field: shares are integers, so that what is stored is what was computed.
const whole = 10_000

// farBin is the number of the last bin on either side, which holds everything further out: quotients such as CIre have
// no bound.
const farBin = 400

// Bin is the share of a field's valid pixels whose index is from At·BinWidth up to the next bin, in ten-thousandths.
type Bin struct{ At, Share int }

// Histogram is the distribution of the index over a field's valid pixels on one date: the bins that are not empty, in
// order. It is empty where it was not computed, as in series of older releases.
type Histogram []Bin

// histogramOf counts values by their weight.
func histogramOf(pixels []weighted) Histogram {
	bins, all := map[int]float64{}, 0.0
	for _, p := range pixels {
		at := int(math.Floor(min(farBin, max(-farBin, p.value/BinWidth))))
		bins[at] += p.weight
		all += p.weight
	}
	out := make(Histogram, 0, len(bins))
	for at, weight := range bins {
		if share := int(math.Round(weight / all * whole)); share > 0 {
			out = append(out, Bin{at, share})
		}
	}
	slices.SortFunc(out, func(a, b Bin) int { return a.At - b.At })
	return out
}

// Range returns the limits of a bin, and its share from 0 to 1.
func (b Bin) Range() (low, high, share float64) {
	return round4(float64(b.At) * BinWidth), round4(float64(b.At+1) * BinWidth), float64(b.Share) / whole
}

func round4(v float64) float64 { return math.Round(v*whole) / whole }

// Entropy returns Shannon's entropy of the histogram, in bits: 0 where all pixels lie in one bin, and one bit more each
// time the field spreads over twice as many bins; NaN for an empty histogram.
func (h Histogram) Entropy() float64 {
	all, out := h.total(), 0.0
	if all == 0 {
		return math.NaN()
	}
	for _, b := range h {
		p := float64(b.Share) / all
		out -= p * math.Log2(p)
	}
	return max(0, out)
}

// Below returns the share of the valid pixels, from 0 to 1, whose index is below a value; within a bin the pixels are
// taken to be spread evenly. NaN for an empty histogram.
func (h Histogram) Below(value float64) float64 {
	all, sum := h.total(), 0.0
	if all == 0 {
		return math.NaN()
	}
	for _, b := range h {
		part := value/BinWidth - float64(b.At)
		sum += float64(b.Share) * min(1, max(0, part))
	}
	return sum / all
}

func (h Histogram) total() (all float64) {
	for _, b := range h {
		all += float64(b.Share)
	}
	return all
}
