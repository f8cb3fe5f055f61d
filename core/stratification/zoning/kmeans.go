package zoning

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/core/stratification/internal/cluster"
	"tilth/core/stratification/internal/pcg"
)

const (
	defaultStarts    = 25
	defaultFuzziness = 1.3
	finalists        = 3 // starts on a sample that go on with all points
)

// kMeans groups points around k centres so that the sum of squared distances to the own centre is
// small: the best of a number of starts or, of several equally good, the first. A start takes its centres by
// k-means++ (Arthur and Vassilvitskii, "k-means++: The Advantages of Careful Seeding", SODA 2007),
// iterates (Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory 28
// (1982)) until no point changes, at most 500 times, and then moves single points where that lowers
// the sum (Hartigan and Wong, "Algorithm AS 136", Applied Statistics 28 (1979)) in one pass. With many
// points the starts work on a sample, and the best few go on with all points until none changes.
//
// The result does not depend on the number of workers. There are at least k points. Cancelling the
// context ends it early, with the context's error.
func kMeans(ctx context.Context, points cluster.Matrix, k, starts int, seed uint64, workers int) (cluster.Clustering, error) {
	sample, start := cluster.Sample(points, cluster.StartPoints, pcg.New(seed, fmt.Sprintf("kmeans/%d/sample", k))), cluster.Start
	if sample.N < points.N {
		start = cluster.StartRoughly
	}
	results, err := groupings(ctx, starts, workers, func(budget *effort.Budget, i int) cluster.Clustering {
		return start(budget, sample, k, pcg.New(seed, fmt.Sprintf("kmeans/%d/%d", k, i)))
	})
	if err == nil && sample.N < points.N {
		rough := results
		results, err = groupings(ctx, min(finalists, starts), workers, func(budget *effort.Budget, i int) cluster.Clustering {
			return cluster.Refine(budget, points, rough[i].Centres)
		})
	}
	if err != nil {
		return cluster.Clustering{}, err
	}
	return results[0], nil
}

// groupings makes a number of groupings and returns them in the order of their sums of squares, and
// equal ones in the order of their numbers.
func groupings(ctx context.Context, n, workers int, group func(budget *effort.Budget, i int) cluster.Clustering) ([]cluster.Clustering, error) {
	out := make([]cluster.Clustering, n)
	err := inParallel(ctx, n, workers, func(i int) { out[i] = group(effort.Of(ctx, 0), i) })
	slices.SortStableFunc(out, func(a, b cluster.Clustering) int { return cmp.Compare(a.Inertia, b.Inertia) })
	return out, err
}

// GroupCentres returns the centres of k groups of places, by k-means; nil where the budget ends.
func GroupCentres(budget *effort.Budget, places []geo.Position, k, starts int, seed uint64) []geo.Position {
	points := cluster.NewMatrix(len(places), 2)
	for i, at := range places {
		points.Row(i)[0], points.Row(i)[1] = at.X, at.Y
	}
	found, err := kMeans(budget.Context(), points, k, starts, seed, 1)
	if err != nil {
		_ = budget.Spend(effort.Interval) // this asks the context, too
		return nil
	}
	out := make([]geo.Position, k)
	for i := range out {
		out[i] = geo.Position{X: found.Centres.Row(i)[0], Y: found.Centres.Row(i)[1]}
	}
	return out
}

// inParallel calls work for 0 to n-1, with a number of workers at a time, until the context ends.
func inParallel(ctx context.Context, n, workers int, work func(i int)) error {
	queue := make(chan int)
	var crew sync.WaitGroup
	for range min(max(workers, 1), n) {
		crew.Go(func() {
			for i := range queue {
				if ctx.Err() == nil {
					work(i)
				}
			}
		})
	}
	for i := range n {
		queue <- i
	}
	close(queue)
	crew.Wait()
	return ctx.Err()
}
