package zoning

import (
	"context"
	"fmt"
	"math"
	"sync"

	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/core/stratification/internal/pcg"
)

// The bounds of the clustering.
const (
	defaultStarts = 25
	maxIterations = 500
	// fitCells is the number of cells up to which all are clustered. Of more, every m-th is, and
	// every cell then goes to the nearest centre.
	fitCells = 40_000
)

// clustering is a grouping of points around centres.
type clustering struct {
	labels  []int32 // 0 to k-1
	centres matrix
	inertia float64 // sum of squared distances to the own centre
}

// kMeans groups points around k centres so that the sum of squared distances to the own centre is
// small: the best of a number of starts, of several as good the first. A start takes its centres by
// k-means++ (Arthur and Vassilvitskii, "k-means++: The Advantages of Careful Seeding", SODA 2007),
// iterates (Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory 28
// (1982)) until no point changes, at most 500 times, and then moves single points where that lowers
// the sum (Hartigan and Wong, "Algorithm AS 136", Applied Statistics 28 (1979)) in one pass.
//
// The result does not depend on the number of workers. There are at least k points. Cancelling the
// context ends it early, with the context's error.
func kMeans(ctx context.Context, points matrix, k, starts int, seed uint64, workers int) (clustering, error) {
	sample := points.everyNth((points.n + fitCells - 1) / fitCells)
	results := make([]clustering, starts)
	err := inParallel(ctx, starts, workers, func(start int) {
		run := newLloyd(effort.Of(ctx, 0), sample, k)
		run.seed(pcg.New(seed, fmt.Sprintf("kmeans/%d/%d", k, start)))
		run.iterate()
		run.transfer()
		results[start] = run.result()
	})
	if err != nil {
		return clustering{}, err
	}
	best := results[0]
	for _, r := range results[1:] {
		if r.inertia < best.inertia {
			best = r
		}
	}
	if sample.n != points.n {
		budget := effort.Of(ctx, 0)
		best = assign(budget, points, best.centres)
		return best, budget.Err()
	}
	return best, nil
}

// GroupCentres returns the centres of k groups of places, by k-means; nil where the budget ends.
func GroupCentres(budget *effort.Budget, places []geo.Position, k, starts int, seed uint64) []geo.Position {
	points := newMatrix(len(places), 2)
	for i, at := range places {
		points.row(i)[0], points.row(i)[1] = at.X, at.Y
	}
	found, err := kMeans(budget.Context(), points, k, starts, seed, 1)
	if err != nil {
		_ = budget.Spend(effort.Interval) // it asks the context, too
		return nil
	}
	out := make([]geo.Position, k)
	for i := range out {
		out[i] = geo.Position{X: found.centres.row(i)[0], Y: found.centres.row(i)[1]}
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

// assign labels every point with its nearest centre, unless the budget ends.
func assign(budget *effort.Budget, points, centres matrix) clustering {
	out := clustering{labels: make([]int32, points.n), centres: centres}
	for i := range points.n {
		if budget.Spend(centres.n) != nil {
			break
		}
		h, lower, _ := centres.nearestTwo(points.row(i))
		out.labels[i] = h
		out.inertia += lower
	}
	return out
}

// lloyd is one start of k-means. For each point it keeps an upper bound of the distance to its own
// centre and a lower bound of that to any other, so that most points need no distance in most
// iterations (Hamerly, "Making k-means even faster", SIAM SDM 2010).
type lloyd struct {
	budget       *effort.Budget // where it ends, what the start has found is of no use
	points       matrix
	k            int
	labels       []int32
	centres      matrix
	sums         matrix // of the points of each centre
	count        []int
	upper, lower []float64
	moved        []float64 // how far each centre moved
	gap          []float64 // half the distance from each centre to the nearest other
}

func newLloyd(budget *effort.Budget, points matrix, k int) *lloyd {
	return &lloyd{
		budget: budget, points: points, k: k, labels: make([]int32, points.n),
		centres: newMatrix(k, points.d), sums: newMatrix(k, points.d), count: make([]int, k),
		upper: make([]float64, points.n), lower: make([]float64, points.n),
		moved: make([]float64, k), gap: make([]float64, k),
	}
}

// seed draws the first centres: the first uniformly of all points, the others with a probability
// proportional to the squared distance to the nearest centre so far. Where all points lie on
// centres, the remaining centres get no points of their own.
func (l *lloyd) seed(random *pcg.Stream) {
	nearest := l.upper // holds squared distances until the first assignment
	copy(l.centres.row(0), l.points.row(random.Below(l.points.n)))
	total := 0.0
	for i := range l.points.n {
		nearest[i] = SquaredDistance(l.points.row(i), l.centres.row(0))
		total += nearest[i]
	}
	for h := 1; h < l.k; h++ {
		target, chosen := random.Unit()*total, -1
		for i, d := range nearest {
			if d == 0 {
				continue
			}
			chosen = i // the last one, where rounding leaves a remainder
			if target -= d; target < 0 {
				break
			}
		}
		centre := l.centres.row(h)
		copy(centre, l.points.row(max(chosen, 0)))
		total = 0
		if l.budget.Spend(len(nearest)) != nil {
			return
		}
		for i := range nearest {
			nearest[i] = min(nearest[i], SquaredDistance(l.points.row(i), centre))
			total += nearest[i]
		}
	}
}

// iterate alternates between centres and points until no point changes.
func (l *lloyd) iterate() {
	l.assignAll()
	for range maxIterations {
		if l.budget.Err() != nil {
			return
		}
		l.settle()
		if !l.reassign() {
			return
		}
	}
}

// assignAll labels every point with its nearest centre and sets the bounds.
func (l *lloyd) assignAll() {
	for i := range l.points.n {
		if l.budget.Spend(l.k) != nil {
			return
		}
		h, lower, second := l.centres.nearestTwo(l.points.row(i))
		l.labels[i], l.upper[i], l.lower[i] = h, math.Sqrt(lower), math.Sqrt(second)
	}
	l.addUp()
}

func (l *lloyd) addUp() {
	clear(l.sums.values)
	clear(l.count)
	for i, h := range l.labels {
		l.count[h]++
		add(l.sums.row(int(h)), l.points.row(i))
	}
}

// settle moves centres to the means of their points; one without takes the furthest from its own.
func (l *lloyd) settle() {
	for h := range l.k {
		if l.count[h] == 0 {
			l.reseed(h)
		}
	}
	for h := range l.k {
		centre, sum, way := l.centres.row(h), l.sums.row(h), 0.0
		for j := range centre {
			mean := sum[j] / float64(l.count[h])
			step := mean - centre[j]
			way += float64(step * step)
			centre[j] = mean
		}
		l.moved[h] = math.Sqrt(way)
	}
	for h := range l.k {
		lower := math.Inf(1)
		for g := range l.k {
			if g != h {
				lower = min(lower, SquaredDistance(l.centres.row(h), l.centres.row(g)))
			}
		}
		l.gap[h] = math.Sqrt(lower) / 2
	}
}

// reseed moves an empty centre to the point furthest from its own; of several, the first.
func (l *lloyd) reseed(h int) {
	far, upper := -1, -1.0
	for i, own := range l.labels {
		if l.count[own] < 2 {
			continue
		}
		if d := SquaredDistance(l.points.row(i), l.centres.row(int(own))); d > upper {
			far, upper = i, d
		}
	}
	l.move(far, int32(h))
	copy(l.centres.row(h), l.points.row(far))
	clear(l.lower) // the bounds do not cover the new centre
	l.upper[far] = 0
}

func (l *lloyd) move(i int, to int32) {
	row, from := l.points.row(i), l.labels[i]
	give := l.sums.row(int(from))
	for j, v := range row {
		give[j] -= v
	}
	add(l.sums.row(int(to)), row)
	l.count[from]--
	l.count[to]++
	l.labels[i] = to
}

// result returns the grouping and its sum of squares, recomputed in the order of the points.
func (l *lloyd) result() clustering {
	l.recentreAll()
	out := clustering{labels: l.labels, centres: l.centres}
	for i, h := range l.labels {
		out.inertia += SquaredDistance(l.points.row(i), l.centres.row(int(h)))
	}
	return out
}
