package zoning

import (
	"math"
	"slices"

	"tilth/core/effort"
)

const (
	defaultFuzziness = 1.3
	// fuzzyTolerance ends fuzzy c-means: the relative change of its objective in an iteration.
	fuzzyTolerance  = 1e-12
	fuzzyIterations = 5_000
	// fuzzySteps is what the share of a point in a group costs beside a distance.
	fuzzySteps = 8
)

// fuzzyClustering is a grouping in which every point belongs to every centre by a share.
type fuzzyClustering struct {
	clustering
	objective float64 // sum of u^m d²
	// PC is the partition coefficient sum(u²)/n, PE the partition entropy -sum(u ln u)/n
	// (Bezdek, "Pattern Recognition with Fuzzy Objective Function Algorithms", 1981).
	pc, pe float64
}

// fpi is the fuzziness performance index 1 - (k PC - 1)/(k - 1), 0 for groups apart and 1 for
// none; nce the normalised classification entropy PE / ln k. Fridgen et al., "Management Zone
// Analyst (MZA)", Agronomy Journal 96 (2004); MZA divides the sum of the entropy by n - k instead
// of n ln k.
func (f fuzzyClustering) fpi(k int) float64 { return 1 - (float64(k)*f.pc-1)/float64(k-1) }
func (f fuzzyClustering) nce(k int) float64 { return f.pe / math.Log(float64(k)) }

// fuzzyCMeans groups points by fuzzy c-means (Bezdek 1981) with the exponent m. It begins at the
// centres of kMeans, so that it needs no starts of its own. A point's label is the group with its
// largest share; inertia is that of the labels around their centres.
func fuzzyCMeans(budget *effort.Budget, points matrix, k int, m float64, from clustering) (fuzzyClustering, error) {
	sample := points.everyNth((points.n + fitCells - 1) / fitCells)
	f := fuzzyClustering{clustering: clustering{centres: matrix{k, points.d, slices.Clone(from.centres.values)}}}
	member := make([]float64, k)
	before := math.Inf(1)
	for range fuzzyIterations {
		sums, weights := newMatrix(k, sample.d), make([]float64, k)
		f.objective = 0
		for i := range sample.n {
			if err := budget.Spend(fuzzySteps * k); err != nil {
				return f, err
			}
			row := sample.row(i)
			f.objective += memberships(member, row, f.centres, m)
			for h, u := range member {
				w := math.Pow(u, m)
				weights[h] += w
				for j, v := range row {
					sums.row(h)[j] += float64(w * v)
				}
			}
		}
		if before-f.objective <= fuzzyTolerance*f.objective {
			break
		}
		before = f.objective
		for h, w := range weights {
			for j, sum := range sums.row(h) {
				if w > 0 {
					f.centres.row(h)[j] = sum / w
				}
			}
		}
	}
	f.finish(budget, points, k, m)
	return f, budget.Err()
}

// memberships fills in the shares of a point, u = 1 / sum over g of (d/d_g)^(2/(m-1)), and returns
// its part of the objective. A point on a centre belongs to the first such centre alone.
func memberships(u, point []float64, centres matrix, m float64) (objective float64) {
	lower := math.Inf(1)
	for h := range u {
		u[h] = SquaredDistance(point, centres.row(h))
		lower = min(lower, u[h])
	}
	if lower == 0 {
		on := slices.Index(u, 0)
		clear(u)
		u[on] = 1
		return 0
	}
	// Relative to the nearest centre the powers are at most 1, and their sum is at least 1.
	total := 0.0
	for h := range u {
		u[h] = math.Pow(lower/u[h], 1/(m-1))
		total += u[h]
	}
	// With these u, the sum over h of u^m d² is lower · (1/total)^(m-1).
	for h := range u {
		u[h] /= total
	}
	return lower * math.Pow(total, 1-m)
}

// finish labels all points and computes the indices, unless the budget ends.
func (f *fuzzyClustering) finish(budget *effort.Budget, points matrix, k int, m float64) {
	f.labels = make([]int32, points.n)
	f.objective, f.inertia = 0, 0
	u := make([]float64, k)
	for i := range points.n {
		if budget.Spend(fuzzySteps*k) != nil {
			return
		}
		row := points.row(i)
		f.objective += memberships(u, row, f.centres, m)
		best := 0
		for h, share := range u {
			if share > u[best] {
				best = h
			}
			f.pc += float64(share * share)
			if share > 0 {
				f.pe -= float64(share * math.Log(share))
			}
		}
		f.labels[i] = int32(best)
		f.inertia += SquaredDistance(row, f.centres.row(best))
	}
	n := float64(points.n)
	f.pc /= n
	f.pe /= n
}
