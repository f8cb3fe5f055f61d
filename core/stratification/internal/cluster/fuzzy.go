package cluster

import (
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/stratification/internal/pcg"
)

const (
	// fuzzyTolerance is the relative change of the objective in an iteration at which fuzzy c-means ends.
	fuzzyTolerance  = 1e-12
	fuzzyIterations = 5_000
	// fuzzySteps is the number of steps that a point's share in a group costs; a distance costs one.
	fuzzySteps = 8
)

// Fuzzy is a grouping in which every point has a share in every group.
type Fuzzy struct {
	Clustering
	Objective float64 // sum of u^m d²
	// PC is the partition coefficient sum(u²)/n, PE the partition entropy -sum(u ln u)/n
	// (Bezdek, "Pattern Recognition with Fuzzy Objective Function Algorithms", 1981).
	PC, PE float64
}

// FPI returns the fuzziness performance index 1 - (k PC - 1)/(k - 1): 0 for groups that are apart, 1 where
// there are none. Fridgen et al., "Management Zone Analyst (MZA)", Agronomy Journal 96 (2004); MZA divides the
// sum of the entropy by n - k instead of n ln k.
func (f Fuzzy) FPI(k int) float64 { return 1 - (float64(k)*f.PC-1)/float64(k-1) }

// NCE returns the normalised classification entropy PE / ln k.
func (f Fuzzy) NCE(k int) float64 { return f.PE / math.Log(float64(k)) }

// fuzzyPoints is the maximum number of points to which the groups are fitted; of more points, a sample is taken.
const fuzzyPoints = 40_000

// FuzzyCMeans groups points by fuzzy c-means (Bezdek 1981) with the exponent m. It begins at the
// centres of k-means, so that it needs no starts of its own. A point's label is the group with its
// largest share; inertia is that of the labels around their centres.
func FuzzyCMeans(budget *effort.Budget, points Matrix, k int, m float64, from Clustering) (Fuzzy, error) {
	sample := Sample(points, fuzzyPoints, pcg.New(0, "fuzzy/sample"))
	f := Fuzzy{Clustering: Clustering{Centres: Matrix{k, points.D, slices.Clone(from.Centres.Values)}}}
	member := make([]float64, k)
	before := math.Inf(1)
	for range fuzzyIterations {
		sums, weights := NewMatrix(k, sample.D), make([]float64, k)
		f.Objective = 0
		for i := range sample.N {
			if err := budget.Spend(fuzzySteps * k); err != nil {
				return f, err
			}
			row := sample.Row(i)
			f.Objective += memberships(member, row, f.Centres, m)
			for h, u := range member {
				w := math.Pow(u, m)
				weights[h] += w
				for j, v := range row {
					sums.Row(h)[j] += float64(w * v)
				}
			}
		}
		if before-f.Objective <= fuzzyTolerance*f.Objective {
			break
		}
		before = f.Objective
		for h, w := range weights {
			for j, sum := range sums.Row(h) {
				if w > 0 {
					f.Centres.Row(h)[j] = sum / w
				}
			}
		}
	}
	f.Finish(budget, points, k, m)
	return f, budget.Err()
}

// memberships fills in the shares of a point, u = 1 / sum over g of (d/d_g)^(2/(m-1)), and returns
// its part of the objective. A point on a centre belongs to the first such centre alone.
func memberships(u, point []float64, centres Matrix, m float64) (objective float64) {
	lower := math.Inf(1)
	for h := range u {
		u[h] = SquaredDistance(point, centres.Row(h))
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

// Finish labels all points and computes the indices, unless the budget ends.
func (f *Fuzzy) Finish(budget *effort.Budget, points Matrix, k int, m float64) {
	f.Labels = make([]int32, points.N)
	f.Objective, f.Inertia = 0, 0
	u := make([]float64, k)
	for i := range points.N {
		if budget.Spend(fuzzySteps*k) != nil {
			return
		}
		row := points.Row(i)
		f.Objective += memberships(u, row, f.Centres, m)
		best := 0
		for h, share := range u {
			if share > u[best] {
				best = h
			}
			f.PC += float64(share * share)
			if share > 0 {
				f.PE -= float64(share * math.Log(share))
			}
		}
		f.Labels[i] = int32(best)
		f.Inertia += SquaredDistance(row, f.Centres.Row(best))
	}
	n := float64(points.N)
	f.PC /= n
	f.PE /= n
}
