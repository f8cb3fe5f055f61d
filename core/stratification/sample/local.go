package sample

import (
	"math"
	"slices"

	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/internal/stats"
)

// neighbours is the number of nearest points with which a point is compared.
const neighbours = 4

// The figures of localMean, found by simulating the local pivotal method on fields of exponential covariance.
const (
	// effectiveDistance is the distance at which a field varies as much as the mean of balanced points does, as a
	// share of the mean distance of a point to its nearest neighbour.
	effectiveDistance = 0.55
	// maxPattern is the maximum share of the variance between neighbours that vanishes as their distance does: no soil is
	// known to be free of noise.
	maxPattern = 0.8
	// fewPoints is a number of points so small that their slope means nothing.
	fewPoints = 3
)

// localMean returns the variance of the mean of spatially balanced points, 2 or more. The variance of a design's mean
// is that between places at distances at which pairs are rarer than if drawn independently (Yates and Grundy,
// "Selection without Replacement from within Strata with Probability Proportional to Size", JRSS B 15 (1953) 253), which
// for balanced points are shorter than those of neighbours. So the variance between neighbours (as in Grafström and
// Schelin, "How to Select Representative Samples", Scandinavian Journal of Statistics 41 (2014) 277), with means ḡ and d̄
// over all points i and their nearest j, is continued along its slope b to a shorter distance d*:
//
//	g_ij = (y_i - y_j)²/2    d_ij = distance    b = Σ (d_ij - d̄)(g_ij - ḡ) / Σ (d_ij - d̄)²
//	s² = ḡ - (1 - 3/n) b (d̄ - d*)    d* = 0.55 mean distance to the nearest    -1 ≤ b d̄/ḡ ≤ 0.8
//	f = (n + 1)/2, at most n - 1
//
// Three points have only each other as neighbours, so their variance is that of random points.
func localMean(points []Value) stats.Part {
	places := flattened(list.Map(points, func(v Value) geo.Position { return v.At }))
	var pairs []separation
	nearby := 0.0
	for i, v := range points {
		around := nearest(places, i)
		nearby += around[0].away / float64(len(points))
		for _, other := range around {
			d := v.Value - points[other.point].Value
			pairs = append(pairs, separation{other.away, d * d / 2})
		}
	}
	n := float64(len(points))
	variance := continued(pairs, effectiveDistance*nearby, max(0, 1-fewPoints/n))
	return stats.Part{Variance: variance / n, DF: min(n-1, (n+1)/2)}
}

// separation describes two points: their distance from each other, and half their squared difference.
type separation struct{ away, variance float64 }

// continued returns the variance of pairs, extrapolated to a distance along their slope, of which only a share counts.
func continued(pairs []separation, to, share float64) float64 {
	var away, variance, both, square float64
	n := float64(len(pairs))
	for _, p := range pairs {
		away += p.away / n
		variance += p.variance / n
	}
	for _, p := range pairs {
		both += float64((p.away - away) * (p.variance - variance))
		square += float64((p.away - away) * (p.away - away))
	}
	if square == 0 || variance == 0 { // all are equally far from each other, or alike
		return variance
	}
	slope := min(max(both/square, -variance/away), maxPattern*variance/away)
	return variance - float64(share*slope*(away-to))
}

// neighbour is a point with its distance.
type neighbour struct {
	point int
	away  float64
}

// flattened projects places in degrees to a plane whose scale is nearly the same in all directions, accurately enough for ranks.
func flattened(at []geo.Position) []geo.Position {
	if len(at) == 0 {
		return nil
	}
	scale := math.Cos(at[0].Y * math.Pi / 180)
	return list.Map(at, func(p geo.Position) geo.Position { return geo.Position{X: geo.Turned(p.X, at[0].X) * scale, Y: p.Y} })
}

// nearest returns the points nearest to point i, the nearest first, and equally near ones in their order.
func nearest(places []geo.Position, i int) (found []neighbour) {
	for j, p := range places {
		if j == i {
			continue
		}
		d := math.Hypot(p.X-places[i].X, p.Y-places[i].Y)
		k := len(found)
		for k > 0 && found[k-1].away > d {
			k--
		}
		if k < neighbours {
			found = slices.Insert(found, k, neighbour{j, d})
			found = found[:min(len(found), neighbours)]
		}
	}
	return found
}
