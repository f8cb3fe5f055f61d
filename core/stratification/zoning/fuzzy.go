package zoning

import (
	"context"
	"math"
)

const (
	defaultFuzziness = 1.3
	// fuzzyTolerance ends fuzzy c-means: the relative change of its objective in an iteration.
	fuzzyTolerance  = 1e-12
	fuzzyIterations = 5_000
)

// fuzzyClustering is a grouping in which every point belongs to every centre by a share.
type fuzzyClustering struct {
	clustering
	objective float64 // sum of u^m d²
	// PC is the partition coefficient sum(u²)/n, PE the partition entropy -sum(u ln u)/n
	// (Bezdek, "Pattern Recognition with Fuzzy Objective Function Algorithms", 1981), XB the
	// index of Xie and Beni (1991): objective / n over the least squared distance of centres.
	pc, pe, xb float64
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
func fuzzyCMeans(ctx context.Context, points matrix, k int, m float64, from clustering) (fuzzyClustering, error) {
	sample := points.everyNth((points.n + fitCells - 1) / fitCells)
	f := fuzzyClustering{clustering: clustering{centres: append([]float64(nil), from.centres...)}}
	member := make([]float64, k)
	before := math.Inf(1)
	for range fuzzyIterations {
		if ctx.Err() != nil {
			return f, ctx.Err()
		}
		sums, weights := make([]float64, len(f.centres)), make([]float64, k)
		f.objective = 0
		for i := range sample.n {
			row := sample.row(i)
			f.objective += memberships(member, row, f.centres, m)
			for h, u := range member {
				w := math.Pow(u, m)
				weights[h] += w
				sum := sums[h*sample.d : (h+1)*sample.d]
				for j, v := range row {
					sum[j] += float64(w * v)
				}
			}
		}
		if before-f.objective <= fuzzyTolerance*f.objective {
			break
		}
		before = f.objective
		for h, w := range weights {
			for j := h * sample.d; w > 0 && j < (h+1)*sample.d; j++ {
				f.centres[j] = sums[j] / w
			}
		}
	}
	f.finish(points, k, m)
	return f, nil
}

// memberships fills in the shares of a point, u = 1 / sum over g of (d/d_g)^(2/(m-1)), and returns
// its part of the objective. A point on a centre belongs to the first such centre alone.
func memberships(u, point, centres []float64, m float64) (objective float64) {
	k, d := len(u), len(point)
	lower := math.Inf(1)
	for h := range k {
		u[h] = SquaredDistance(point, centres[h*d:(h+1)*d])
		lower = min(lower, u[h])
	}
	if lower == 0 {
		on := false
		for h := range u {
			here := u[h] == 0 && !on
			on = on || here
			u[h] = 0
			if here {
				u[h] = 1
			}
		}
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

// finish labels all points and computes the indices.
func (f *fuzzyClustering) finish(points matrix, k int, m float64) {
	f.labels = make([]int32, points.n)
	f.objective, f.inertia = 0, 0
	u := make([]float64, k)
	for i := range points.n {
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
		f.inertia += SquaredDistance(row, f.centres[best*points.d:(best+1)*points.d])
	}
	n := float64(points.n)
	f.pc /= n
	f.pe /= n
	apart := math.Inf(1)
	for h := range k {
		for g := range h {
			apart = min(apart, SquaredDistance(f.centres[h*points.d:(h+1)*points.d], f.centres[g*points.d:(g+1)*points.d]))
		}
	}
	f.xb = f.objective / n / apart
}
