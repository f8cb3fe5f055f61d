package zoning

import (
	"context"
	"math"

	"tilth/core/effort"
	"tilth/core/stratification/internal/cluster"
)

// silhouetteCells bounds the cells of the silhouette: every m-th is taken.
const silhouetteCells = 5_000

// groups returns the number of points, the centre and the sum of squared distances of each group 0 to k-1, unless the budget ends.
func groups(budget *effort.Budget, points cluster.Matrix, labels []int32, k int) (count []int, centres cluster.Matrix, within []float64) {
	count, centres, within = make([]int, k), cluster.NewMatrix(k, points.D), make([]float64, k)
	for i, h := range labels {
		if budget.Spend(points.D) != nil {
			return count, centres, within
		}
		count[h]++
		cluster.Add(centres.Row(int(h)), points.Row(i))
	}
	for h := range k {
		cluster.Divide(centres.Row(h), centres.Row(h), count[h])
	}
	for i, h := range labels {
		if budget.Spend(points.D) != nil {
			break
		}
		within[h] += cluster.SquaredDistance(points.Row(i), centres.Row(int(h)))
	}
	return count, centres, within
}

// calinskiHarabasz returns the variance between groups divided by that within, each over its degrees
// of freedom (Caliński and Harabasz, "A dendrite method for cluster analysis", Communications in
// Statistics 3 (1974)). Every group has a point. The result is 0 where nothing varies within groups.
func calinskiHarabasz(budget *effort.Budget, points cluster.Matrix, labels []int32, k int) float64 {
	_, _, within := groups(budget, points, labels, k)
	_, _, whole := groups(budget, points, make([]int32, len(labels)), 1)
	inside := 0.0
	for _, w := range within {
		inside += w
	}
	if inside == 0 || points.N == k {
		return 0
	}
	return (whole[0] - inside) / float64(k-1) / (inside / float64(points.N-k))
}

// daviesBouldin returns the mean over groups of the largest (s_i + s_j) / d_ij, where s is the
// mean distance to the centre (Davies and Bouldin, "A cluster separation measure", IEEE TPAMI
// 1 (1979)); smaller is better.
func daviesBouldin(budget *effort.Budget, points cluster.Matrix, labels []int32, k int) float64 {
	count, centres, _ := groups(budget, points, labels, k)
	spread := make([]float64, k)
	for i, h := range labels {
		if budget.Spend(points.D) != nil {
			return 0
		}
		spread[h] += math.Sqrt(cluster.SquaredDistance(points.Row(i), centres.Row(int(h))))
	}
	total := 0.0
	for h := range k {
		worst := 0.0
		for g := range k {
			apart := math.Sqrt(cluster.SquaredDistance(centres.Row(h), centres.Row(g)))
			if g != h && apart > 0 {
				worst = max(worst, (spread[h]/float64(count[h])+spread[g]/float64(count[g]))/apart)
			}
		}
		total += worst
	}
	return total / float64(k)
}

// silhouettes returns, for several groupings of the same points, the mean of (b - a) / max(a, b),
// where a is a point's mean distance to its own group and b that to the nearest other; 0 for a
// point that is a group of its own (Rousseeuw, "Silhouettes", Journal of Computational and Applied
// Mathematics 20 (1987)). It takes at most silhouetteCells points, and computes each distance once.
func silhouettes(ctx context.Context, points cluster.Matrix, groupings [][]int32, ks []int, workers int) ([]float64, error) {
	step := (points.N + silhouetteCells - 1) / silhouetteCells
	sample := points.EveryNth(step)
	labels, offset, width := sampledLabels(groupings, ks, sample.N, step)
	counts := make([]float64, width)
	for _, row := range labels {
		for _, slot := range row {
			counts[slot]++
		}
	}
	const block = 64
	blocks := (sample.N + block - 1) / block
	partial := make([][]float64, blocks)
	err := inParallel(ctx, blocks, workers, func(b int) {
		sums, mine := make([]float64, width), make([]float64, len(ks))
		for i := b * block; i < min((b+1)*block, sample.N); i++ {
			cluster.SumDistances(sums, sample, i, labels)
			for g := range ks {
				mine[g] += silhouette(sums[offset[g]:offset[g+1]], counts[offset[g]:offset[g+1]], int(labels[i][g])-offset[g])
			}
		}
		partial[b] = mine
	})
	out := make([]float64, len(ks))
	if err != nil {
		return out, err
	}
	for _, p := range partial { // in the order of the points, whichever worker computed them
		for g, v := range p {
			out[g] += v
		}
	}
	for g := range out {
		out[g] /= float64(sample.N)
	}
	return out, nil
}

// sampledLabels numbers the groups of all groupings consecutively: labels[i][g] is the slot of
// point i's group in grouping g, whose slots begin at offset[g].
func sampledLabels(groupings [][]int32, ks []int, n, step int) (labels [][]int32, offset []int, width int) {
	offset = make([]int, len(ks)+1)
	for g, k := range ks {
		offset[g+1] = offset[g] + k
	}
	labels = make([][]int32, n)
	for i := range labels {
		labels[i] = make([]int32, len(ks))
		for g := range ks {
			labels[i][g] = groupings[g][i*step] + int32(offset[g])
		}
	}
	return labels, offset, offset[len(ks)]
}

// silhouette returns the silhouette of one point from its summed distances to the groups.
func silhouette(sums, counts []float64, own int) float64 {
	if counts[own] < 2 {
		return 0
	}
	a, b := sums[own]/(counts[own]-1), math.Inf(1)
	for h, sum := range sums {
		if h != own && counts[h] > 0 {
			b = min(b, sum/counts[h])
		}
	}
	if upper := max(a, b); upper > 0 && !math.IsInf(b, 1) {
		return (b - a) / upper
	}
	return 0
}
