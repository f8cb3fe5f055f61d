package cluster

import (
	"math"

	"tilth/core/effort"
	"tilth/core/stratification/internal/pcg"
)

// maxIterations bounds a start of k-means.
const maxIterations = 500

// StartPoints is the maximum number of points of a start of k-means. Of more points, it has a sample of
// that size.
const StartPoints = 8_000

// roughly ends a start on a sample: it stops when the squared moves of the centres sum to less than this
// share of the variance of a point. The best starts go on with all points.
const roughly = 1e-4

// Sample returns all points, or a simple random sample of n in their order
// (Fan, Muller and Rezucha 1962; Knuth, "The Art of Computer Programming" 2, algorithm S of 3.4.2). A
// stride would coincide with patterns that repeat along the rows.
func Sample(points Matrix, n int, random *pcg.Stream) Matrix {
	if points.N <= n {
		return points
	}
	out, taken := NewMatrix(n, points.D), 0
	for i := 0; taken < n; i++ {
		if random.Below(points.N-i) < n-taken {
			copy(out.Row(taken), points.Row(i))
			taken++
		}
	}
	return out
}

// Clustering is a grouping of points around centres.
type Clustering struct {
	Labels  []int32 // 0 to k-1
	Centres Matrix
	Inertia float64 // sum of squared distances to the own centre
}

// Refine continues from the centres of a sample with all points, as Start does. If the budget ends, the
// result is of no use.
func Refine(budget *effort.Budget, points, centres Matrix) Clustering {
	l := newLloyd(budget, points, centres.N)
	copy(l.centres.Values, centres.Values)
	l.iterate(0)
	l.transfer()
	return l.result()
}

// Start returns the result of one start of k-means: centres by k-means++, iterations, and one pass that
// moves single points. If the budget ends, the result is of no use.
func Start(budget *effort.Budget, points Matrix, k int, random *pcg.Stream) Clustering {
	l := newLloyd(budget, points, k)
	l.seed(random)
	l.iterate(0)
	l.transfer()
	return l.result()
}

// StartRoughly is Start on a sample: it stops when the centres hardly move, and moves no single points.
func StartRoughly(budget *effort.Budget, sample Matrix, k int, random *pcg.Stream) Clustering {
	l := newLloyd(budget, sample, k)
	l.seed(random)
	all := make([]int32, sample.N)
	for i := range all {
		all[i] = int32(i)
	}
	l.iterate(roughly * sample.Variances(all, sample.D))
	return l.result()
}

// lloyd is one start of k-means. For each point it keeps an upper bound of the distance to its own
// centre and a lower bound of that to any other, so that most points need no distance in most
// iterations (Hamerly, "Making k-means even faster", SIAM SDM 2010).
type lloyd struct {
	budget       *effort.Budget // if it ends, the result of the start is of no use
	points       Matrix
	k            int
	labels       []int32
	centres      Matrix
	sums         Matrix // of the points of each centre
	count        []int
	upper, lower []float64
	moved        []float64 // how far each centre moved
	gap          []float64 // half the distance from each centre to the nearest other
}

func newLloyd(budget *effort.Budget, points Matrix, k int) *lloyd {
	return &lloyd{
		budget: budget, points: points, k: k, labels: make([]int32, points.N),
		centres: NewMatrix(k, points.D), sums: NewMatrix(k, points.D), count: make([]int, k),
		upper: make([]float64, points.N), lower: make([]float64, points.N),
		moved: make([]float64, k), gap: make([]float64, k),
	}
}

// seed draws the first centres: the first uniformly of all points, the others with a probability
// proportional to the squared distance to the nearest centre so far. Where all points lie on
// centres, the remaining centres get no points of their own.
func (l *lloyd) seed(random *pcg.Stream) {
	nearest := l.upper // holds squared distances until the first assignment
	copy(l.centres.Row(0), l.points.Row(random.Below(l.points.N)))
	total := 0.0
	for i := range l.points.N {
		nearest[i] = SquaredDistance(l.points.Row(i), l.centres.Row(0))
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
		centre := l.centres.Row(h)
		copy(centre, l.points.Row(max(chosen, 0)))
		total = 0
		if l.budget.Spend(len(nearest)) != nil {
			return
		}
		for i := range nearest {
			nearest[i] = min(nearest[i], SquaredDistance(l.points.Row(i), centre))
			total += nearest[i]
		}
	}
}

// iterate updates centres and points in turn until no point changes its centre, or the squared moves
// of the centres sum to less than enough.
func (l *lloyd) iterate(enough float64) {
	l.assignAll()
	for range maxIterations {
		if l.budget.Err() != nil {
			return
		}
		l.settle()
		way := 0.0
		for _, moved := range l.moved {
			way += float64(moved * moved)
		}
		if way < enough {
			return
		}
		if !l.reassign() {
			return
		}
	}
}

// assignAll labels every point with its nearest centre and sets the bounds.
func (l *lloyd) assignAll() {
	for i := range l.points.N {
		if l.budget.Spend(l.k) != nil {
			return
		}
		h, lower, second := l.centres.nearestTwo(l.points.Row(i))
		l.labels[i], l.upper[i], l.lower[i] = h, math.Sqrt(lower), math.Sqrt(second)
	}
	l.addUp()
}

func (l *lloyd) addUp() {
	clear(l.sums.Values)
	clear(l.count)
	for i, h := range l.labels {
		l.count[h]++
		Add(l.sums.Row(int(h)), l.points.Row(i))
	}
}

// settle moves centres to the means of their points; a centre without points takes the point furthest from its own centre.
func (l *lloyd) settle() {
	for h := range l.k {
		if l.count[h] == 0 {
			l.reseed(h)
		}
	}
	for h := range l.k {
		centre, sum, way := l.centres.Row(h), l.sums.Row(h), 0.0
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
				lower = min(lower, SquaredDistance(l.centres.Row(h), l.centres.Row(g)))
			}
		}
		l.gap[h] = math.Sqrt(lower) / 2
	}
}

// reseed moves an empty centre to the point furthest from that point's own centre; of several, to the first.
func (l *lloyd) reseed(h int) {
	far, upper := -1, -1.0
	for i, own := range l.labels {
		if l.count[own] < 2 {
			continue
		}
		if d := SquaredDistance(l.points.Row(i), l.centres.Row(int(own))); d > upper {
			far, upper = i, d
		}
	}
	l.move(far, int32(h))
	copy(l.centres.Row(h), l.points.Row(far))
	clear(l.lower) // the bounds do not cover the new centre
	l.upper[far] = 0
}

func (l *lloyd) move(i int, to int32) {
	row, from := l.points.Row(i), l.labels[i]
	give := l.sums.Row(int(from))
	for j, v := range row {
		give[j] -= v
	}
	Add(l.sums.Row(int(to)), row)
	l.count[from]--
	l.count[to]++
	l.labels[i] = to
}

// result returns the grouping and its sum of squares, recomputed in the order of the points.
func (l *lloyd) result() Clustering {
	l.recentreAll()
	out := Clustering{Labels: l.labels, Centres: l.centres}
	for i, h := range l.labels {
		out.Inertia += SquaredDistance(l.points.Row(i), l.centres.Row(int(h)))
	}
	return out
}
