package cropcheck

import "math"

// The time weight of Maus et al. 2016 (equation 3) and 2019 (section 2.3), with the values
// they use for the crops of Mato Grosso.
const (
	steepness = -0.1 // per day
	midpoint  = 50.0 // days apart at which the weight is one half
)

// stepDays is the interval of the days on which series and curves are compared.
const stepDays = 8

// sample is the indices of one day. evi does not count where the comparison is by NDVI.
type sample struct {
	day       int // since the beginning of the growing year
	ndvi, evi float64
}

// timeWeight is the cost of matching days so far apart: 0.007 on the same day, 0.5 at the midpoint, towards 1 beyond.
func timeWeight(days int) float64 { return 1 / (1 + math.Exp(steepness*(float64(days)-midpoint))) }

// timeWeights caches timeWeight by days, for the innermost loop.
var timeWeights = func() (w [yearDays + 1]float64) {
	for days := range w {
		w[days] = timeWeight(days)
	}
	return w
}()

// warpSteps is the steps of one comparison of whole years, as budgets count them.
const warpSteps = 2 * (yearDays/stepDays + 1) * (yearDays/stepDays + 1)

// levelled returns samples with the mean of each index subtracted.
func levelled(of []sample) []sample {
	var ndvi, evi float64
	for _, s := range of {
		ndvi, evi = ndvi+s.ndvi, evi+s.evi
	}
	ndvi, evi = ndvi/float64(len(of)), evi/float64(len(of))
	out := make([]sample, len(of))
	for i, s := range of {
		out[i] = sample{s.day, s.ndvi - ndvi, s.evi - evi}
	}
	return out
}

// localCost is the Euclidean distance of the indices plus the time weight.
func localCost(a, b sample, withEVI bool) float64 {
	d := math.Abs(a.ndvi - b.ndvi)
	if withEVI {
		e := a.evi - b.evi
		d = math.Sqrt(d*d + e*e)
	}
	return d + timeWeights[max(a.day-b.day, b.day-a.day)]
}

// warp returns the time-weighted dynamic time warping distance of two runs of samples, neither
// empty: the cost of the cheapest path that matches their ends and steps by one in either or both
// (the symmetric steps of Maus et al.), divided by the length of curve so that distances of seasons
// of different length compare.
func warp(curve, series []sample, withEVI bool) float64 {
	before, row := make([]float64, len(series)), make([]float64, len(series))
	for i, c := range curve {
		for j, s := range series {
			cheapest := math.Inf(1)
			if i == 0 && j == 0 {
				cheapest = 0
			}
			if i > 0 {
				cheapest = min(cheapest, before[j])
			}
			if j > 0 {
				cheapest = min(cheapest, row[j-1])
			}
			if i > 0 && j > 0 {
				cheapest = min(cheapest, before[j-1])
			}
			row[j] = cheapest + localCost(c, s, withEVI)
		}
		before, row = row, before
	}
	return before[len(series)-1] / float64(len(curve))
}
