package phenology

import (
	"math"

	"tilth/core/vegetation"
)

// The parameters of the double logistic.
const (
	logisticBase   = iota // index before the rise and after the fall
	logisticHeight        // of the plateau above it
	logisticGreen         // day of the steepest rise
	logisticRise          // steepness of the rise, per day, as its logarithm: it stays positive
	logisticRipe          // days from there to the steepest fall
	logisticFall          // steepness of the fall, likewise
	logisticParameters
)

// doubleLogistic draws one growing cycle (Beck et al. 2006, Remote Sensing of Environment 100: 321):
//
//	base + height · (1/(1+e^(−rise·(t−green))) + 1/(1+e^(fall·(t−green−ripe))) − 1)
//
// The result is the best of several fits, which begin around the highest part of the series. Two crops of a season are
// not one cycle: the line then runs through neither, and its RMSE says so.
func doubleLogistic(points []vegetation.Weighted, runs [][]vegetation.Weighted) Line {
	needed := logisticParameters + 2
	if len(points) < needed {
		return tooFew("double-logistic", needed, len(points))
	}
	curve := model{logisticParameters, logisticAt}
	var best []float64
	lowest := math.Inf(1)
	for _, start := range logisticStarts(points) {
		fitted, ok := curve.improve(start, points)
		if cost := curve.cost(fitted, points); ok && cost < lowest {
			best, lowest = fitted, cost
		}
	}
	if best == nil {
		return Line{Reason: "No double-logistic line fits the observations."}
	}
	return curve.line(best, points, runs)
}

// logisticStarts returns where fits begin: rises and falls at several distances from the highest observation.
func logisticStarts(points []vegetation.Weighted) [][]float64 {
	lowest, highest := points[0], points[0]
	for _, p := range points {
		if p.Value < lowest.Value {
			lowest = p
		}
		if p.Value > highest.Value {
			highest = p
		}
	}
	peak := day(points, highest)
	var out [][]float64
	for _, before := range []float64{20, 45, 90} {
		for _, after := range []float64{20, 45, 90} {
			out = append(out, []float64{lowest.Value, highest.Value - lowest.Value, peak - before, math.Log(0.08), before + after, math.Log(0.08)})
		}
	}
	return out
}

func logisticAt(p []float64, day float64) (float64, []float64) {
	rise, fall := math.Exp(min(p[logisticRise], 3)), math.Exp(min(p[logisticFall], 3))
	toGreen, toRipe := day-p[logisticGreen], day-p[logisticGreen]-p[logisticRipe]
	up, down := 1/(1+math.Exp(-rise*toGreen)), 1/(1+math.Exp(fall*toRipe))
	upSlope, downSlope := up*(1-up), down*(1-down)
	shape, height := up+down-1, p[logisticHeight]
	gradient := make([]float64, logisticParameters)
	gradient[logisticBase] = 1
	gradient[logisticHeight] = shape
	gradient[logisticGreen] = height * (-rise*upSlope + fall*downSlope)
	gradient[logisticRise] = height * rise * toGreen * upSlope
	gradient[logisticRipe] = height * fall * downSlope
	gradient[logisticFall] = -height * fall * toRipe * downSlope
	return p[logisticBase] + height*shape, gradient
}
