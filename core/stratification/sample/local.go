package sample

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/geo"
	"tilth/core/list"
)

// neighbours is how many points, itself among them, the neighbourhood of a point has at least.
const neighbours = 4

// localVariance returns the variance between points and their surroundings, by the local-mean
// estimator of Stevens and Olsen, "Variance Estimation for Spatially Balanced Samples of
// Environmental Resources", Environmetrics 14 (2003) 593: points that are spread evenly estimate a
// mean as well as if the field varied only within neighbourhoods. For points of equal chance
//
//	s² = 1/(n-1) Σ_i Σ_j w_ij (y_j - ȳ_i)²    ȳ_i = Σ_j w_ij y_j
//
// of weights that fall linearly with the rank of the distance and add up to 1 by i and by j. The
// paper divides by n; n-1 makes up for local means of few points, which are near the mean of all.
func localVariance(points []Value) float64 {
	sum := 0.0
	for _, around := range localWeights(list.Map(points, func(v Value) geo.Position { return v.At })) {
		mean := 0.0
		for _, w := range around {
			mean += float64(w.weight * points[w.point].Value)
		}
		for _, w := range around {
			d := points[w.point].Value - mean
			sum += float64(w.weight * d * d)
		}
	}
	return math.Max(sum/float64(len(points)-1), 0)
}

// weighted is a point of a neighbourhood.
type weighted struct {
	point  int
	weight float64
}

// localWeights returns the neighbourhood of each point: the nearest ones, and those to which it is
// one of the nearest.
func localWeights(at []geo.Position) [][]weighted {
	places := flattened(at)
	near := make([][]weighted, len(places))
	away := func(i, j int) float64 { return math.Hypot(places[i].X-places[j].X, places[i].Y-places[j].Y) }
	for i := range places {
		for _, j := range nearest(places, i) {
			near[i] = append(near[i], weighted{point: j})
			near[j] = append(near[j], weighted{point: i})
		}
	}
	for i := range near {
		slices.SortFunc(near[i], func(a, b weighted) int {
			return cmp.Or(cmp.Compare(away(i, a.point), away(i, b.point)), cmp.Compare(a.point, b.point))
		})
		near[i] = slices.CompactFunc(near[i], func(a, b weighted) bool { return a.point == b.point })
		k := float64(len(near[i]))
		for rank := range near[i] {
			near[i][rank].weight = (k - float64(rank)) / (k * (k + 1) / 2)
		}
	}
	balance(near)
	return near
}

// flattened returns places in degrees in a plane whose distances are alike, near enough for ranks.
func flattened(at []geo.Position) []geo.Position {
	if len(at) == 0 {
		return nil
	}
	scale := math.Cos(at[0].Y * math.Pi / 180)
	return list.Map(at, func(p geo.Position) geo.Position { return geo.Position{X: geo.Turned(p.X, at[0].X) * scale, Y: p.Y} })
}

// nearest returns the points nearest to one, itself first.
func nearest(places []geo.Position, i int) (found []int) {
	var away []float64
	for j, p := range places {
		d := math.Hypot(p.X-places[i].X, p.Y-places[i].Y)
		if j == i {
			d = -1
		}
		k, _ := slices.BinarySearch(away, d)
		for k < len(away) && away[k] == d {
			k++ // of several as near, the first
		}
		if k >= neighbours {
			continue
		}
		away, found = slices.Insert(away, k, d), slices.Insert(found, k, j)
		away, found = away[:min(len(away), neighbours)], found[:min(len(found), neighbours)]
	}
	return found
}

// The balancing of weights ends where every point counts as the others do.
const (
	balanced    = 1e-9
	maxBalances = 1000
)

// balance makes the weights of each point add up to 1 over all neighbourhoods as well as those of each
// neighbourhood do, by equal shares in turn, which changes them least.
func balance(near [][]weighted) {
	times, sums := make([]float64, len(near)), make([]float64, len(near))
	for _, around := range near {
		for _, w := range around {
			times[w.point]++
		}
	}
	for range maxBalances {
		clear(sums)
		for _, around := range near {
			for _, w := range around {
				sums[w.point] += w.weight
			}
		}
		worst := 0.0
		for i, around := range near {
			own := 0.0
			for j := range around {
				w := &around[j]
				w.weight += (1 - sums[w.point]) / times[w.point]
				own += w.weight
			}
			for j := range around {
				around[j].weight += (1 - own) / float64(len(around))
			}
			worst = math.Max(worst, math.Abs(1-sums[i]))
		}
		if worst < balanced {
			return
		}
	}
}
