package phenology

import (
	"math"

	"tilth/core/vegetation"
)

// whittaker draws the smoothed profile of [vegetation.Smooth]. Its band is that of the line as a smooth function of which
// the observations are noisy values (Wahba 1983): it widens with the distance to them. The noise is that of all runs.
func whittaker(runs [][]vegetation.Weighted) Line {
	var out Line
	inverses := make([][]float64, len(runs))
	var squares, freedom float64
	for at, run := range runs {
		days := daily(run)
		values, weights := vegetation.Daily(run)
		z, inverse := vegetation.WhittakerBand(values, weights, vegetation.SmoothLambda)
		for i := range days {
			days[i].Value = z[i]
			if w := weights[i]; w > 0 {
				squares += w * (values[i] - z[i]) * (values[i] - z[i])
				freedom += 1 - w*inverse[i]
			}
		}
		out.Runs, inverses[at] = append(out.Runs, days), inverse
	}
	variance := math.NaN()
	if freedom >= 1 {
		variance = squares / freedom
		out.noise = math.Sqrt(variance)
	}
	limits := bands(freedom)
	for at, days := range out.Runs {
		for i := range days {
			days[i].Low, days[i].High = limits(days[i].Value, variance*inverses[at][i])
		}
	}
	return out
}
