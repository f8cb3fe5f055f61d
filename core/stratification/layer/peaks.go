package layer

import (
	"math"
	"slices"

	"tilth/core/stratification/internal/stats"
)

// The rules of the layers of NDVI.
const (
	NDVIMean = "ndvi_mean"
	NDVISD   = "ndvi_sd"

	FirstYear   = 2015 // of Sentinel-2
	MaxYears    = 5
	MinDates    = 6 // accepted dates over the area that a year needs to count
	minOfCell   = 3 // of them with a value of the cell, for the year to count there
	peakPercent = 0.95
	minYearsDev = 2
)

// Peaks collects the values of the cells over the dates of one year. It keeps only the highest of
// each cell, as many as the percentile needs, so that the memory does not grow with the dates.
type Peaks struct {
	keep  int
	count []int32
	top   []float32 // keep of each cell, the highest first
}

// NewPeaks begins a year of at most that many dates.
func NewPeaks(cells, dates int) *Peaks {
	keep := int(float64(max(dates, 1)-1)*(1-peakPercent)) + 2
	return &Peaks{keep: keep, count: make([]int32, cells), top: make([]float32, cells*keep)}
}

// Add adds the values of one date, NaN where there is none, in any order of dates.
func (p *Peaks) Add(values []float64) {
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		have := p.top[i*p.keep : i*p.keep+min(int(p.count[i]), p.keep)]
		at, _ := slices.BinarySearchFunc(have, float32(v), func(kept, v float32) int {
			if kept >= v {
				return -1
			}
			return 1
		})
		p.count[i]++
		if at < p.keep {
			room := p.top[i*p.keep : (i+1)*p.keep]
			copy(room[at+1:], room[at:])
			room[at] = float32(v)
		}
	}
}

// Values returns the year's peak of each cell: the 95th percentile of its values, interpolated
// (Hyndman and Fan's type 7), robust against a single bad date; NaN for fewer than 3 values.
func (p *Peaks) Values() []float64 {
	out := make([]float64, len(p.count))
	for i, n := range p.count {
		if out[i] = math.NaN(); n < minOfCell {
			continue
		}
		below := float64(n-1) * (1 - peakPercent) // places from the highest
		at := int(below)
		high, low := float64(p.top[i*p.keep+at]), float64(p.top[i*p.keep+min(at+1, int(n)-1)])
		out[i] = high + float64((low-high)*(below-float64(at)))
	}
	return out
}

// MeanAndSD returns the mean and the standard deviation (n-1) of each cell over the years; sd is nil for a single year.
func MeanAndSD(years [][]float64) (mean, sd []float64) {
	if len(years) == 0 {
		return nil, nil
	}
	mean = make([]float64, len(years[0]))
	if len(years) >= minYearsDev {
		sd = make([]float64, len(mean))
	}
	var own []float64
	for i := range mean {
		own = own[:0]
		for _, y := range years {
			if !math.IsNaN(y[i]) {
				own = append(own, y[i])
			}
		}
		m, s := stats.MeanAndSD(own)
		mean[i] = m
		if sd != nil && len(own) < minYearsDev {
			s = math.NaN()
		}
		if sd != nil {
			sd[i] = s
		}
	}
	return mean, sd
}
