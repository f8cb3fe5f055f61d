package plan

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/stratification/internal/pcg"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/layer"
)

// cube is a conditioned Latin hypercube: n points whose layers are distributed as in the land that they stand for
// (Minasny and McBratney, "A conditioned Latin hypercube method for sampling in the presence of ancillary information",
// Computers & Geosciences 32 (2006) 1378). A layer of numbers is cut at its quantiles into n strata, each of which is
// to hold one point. With η points in a stratum or class the objective is
//
//	O = Σ |η - 1| + Σ |η/n - κ| + ΣΣ |c - t|
//
// summed over the strata of all layers of numbers, over the classes of the other layers (κ is the share of a class), and
// over all pairs of layers of numbers in both orders (c is their correlation in the land, t that in the points). The three
// parts have equal weights, as in the paper.
//
// Where zones have their own numbers of points, a cell is weighted by the points expected in it: n_h over the number of
// cells of zone h. If the numbers are proportional to the areas, this is the paper's objective; otherwise O can still be 0.
// Cells of equal value are in one stratum, where the sum of the points expected in its cells takes the place of 1. Cells
// without a value form one more stratum.
type cube struct {
	points  int
	axes    []axis
	numbers []int     // the numeric axes
	target  []float64 // correlations of the land, in the order of pairs
}

// axis is a layer of a cube.
type axis struct {
	stratum  []int32   // of each cell of the frame that matters
	expected []float64 // points in each stratum
	scale    float64   // the weight of a point too many or too few
	z        []float64 // of each such cell: mean 0 and variance 1 over the land, 0 without a value; nil for classes
}

// newCube returns the cube of a design for samples in parts of the land, and kept points.
func newCube(d *design, of parts, kept []spot) *cube {
	c := &cube{points: len(kept)}
	weights, part := make([]float64, len(d.frame.Cells)), slices.Repeat([]int{-1}, len(d.frame.Cells))
	points, cells, apart := slices.Clone(of.counts), []int32(nil), 0
	for h, list := range of.cells {
		c.points += of.counts[h]
		for _, cell := range list {
			part[cell] = h
		}
		cells = append(cells, list...)
	}
	for _, s := range kept {
		if h := part[s.cell]; h >= 0 {
			points[h]++
			continue
		}
		apart++ // such as on the strip along the edges: it counts for all parts
		cells = append(cells, s.cell)
	}
	for h, list := range of.cells {
		for _, cell := range list {
			weights[cell] = float64(points[h]*c.points) / float64((c.points-apart)*len(list))
		}
	}
	slices.Sort(cells)
	cells = slices.Compact(cells)
	for _, l := range d.layers {
		if d.budget.Spend(sortSteps*len(cells)) != nil {
			return c
		}
		if c.axes = append(c.axes, newAxis(l, cells, weights, c.points)); !l.Classes {
			c.numbers = append(c.numbers, len(c.axes)-1)
		}
	}
	c.pairs(func(i, j int) {
		sum := 0.0
		for _, cell := range cells {
			sum += float64(weights[cell] * float64(c.axes[i].z[cell]*c.axes[j].z[cell]))
		}
		_ = d.budget.Spend(len(cells)) // the caller finds the error
		c.target = append(c.target, sum/float64(c.points))
	})
	return c
}

// sortSteps is the number of steps that sorting costs for each cell.
const sortSteps = 16

// pairs visits each pair of numeric axes once.
func (c *cube) pairs(visit func(i, j int)) {
	for n, i := range c.numbers {
		for _, j := range c.numbers[n+1:] {
			visit(i, j)
		}
	}
}

// newAxis cuts a layer into strata: numbers at their quantiles into as many strata as there are points, classes into one each.
func newAxis(l layer.Layer, cells []int32, weights []float64, points int) axis {
	a := axis{stratum: make([]int32, len(l.Values)), scale: 1}
	rank := func(cell int32) float64 { // cells without a value come last
		if v := l.Values[cell]; stats.Finite(v) {
			return v
		}
		return math.Inf(1)
	}
	sorted := slices.SortedFunc(slices.Values(cells), func(x, y int32) int { return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(x, y)) })
	known := math.SmallestNonzeroFloat64
	for _, cell := range sorted {
		if stats.Finite(l.Values[cell]) {
			known += weights[cell]
		}
	}
	if a.expected = make([]float64, points); l.Classes {
		a.expected, a.scale = nil, 1/float64(points)
	}
	below := 0.0
	for low := 0; low < len(sorted); {
		high, own := low, 0.0
		for ; high < len(sorted) && rank(sorted[high]) == rank(sorted[low]); high++ {
			own += weights[sorted[high]]
		}
		at := len(a.expected)
		if l.Classes || !stats.Finite(l.Values[sorted[low]]) {
			a.expected = append(a.expected, 0)
		} else { // the stratum of the middle of the cells of this value
			at = min(int((below+own/2)/known*float64(points)), points-1)
		}
		a.expected[at] += own
		for _, cell := range sorted[low:high] {
			a.stratum[cell] = int32(at)
		}
		below, low = below+own, high
	}
	if !l.Classes {
		a.standardise(l.Values, sorted, weights, known, points)
	}
	return a
}

// standardise sets z of the cells; known is the total weight of those with a value.
func (a *axis) standardise(values []float64, cells []int32, weights []float64, known float64, points int) {
	a.z = make([]float64, len(values))
	mean, square := 0.0, 0.0
	for _, cell := range cells {
		if stats.Finite(values[cell]) {
			mean += float64(weights[cell]*values[cell]) / known
		}
	}
	for _, cell := range cells {
		if stats.Finite(values[cell]) {
			a.z[cell] = values[cell] - mean
			square += float64(weights[cell] * float64(a.z[cell]*a.z[cell]))
		}
	}
	for _, cell := range cells {
		if square > 0 {
			a.z[cell] *= math.Sqrt(float64(points) / square)
		}
	}
}

// filling holds points in a cube.
type filling struct {
	*cube
	have    [][]int32 // points by axis and stratum
	sums    []float64 // of z, by axis
	squares []float64
	cross   []float64 // sums of the products of pairs
	off     float64   // the part of the objective that strata and classes contribute
}

// fill returns a filling of kept points.
func (c *cube) fill(kept []spot) *filling {
	f := &filling{cube: c, sums: make([]float64, len(c.axes)), squares: make([]float64, len(c.axes)), cross: make([]float64, len(c.target))}
	for _, a := range c.axes {
		f.have = append(f.have, make([]int32, len(a.expected)))
	}
	for _, s := range kept {
		f.put(s.cell, 1)
	}
	return f
}

// put enters points in a cell: 1, or -1 to take one out.
func (f *filling) put(cell, points int32) {
	by := float64(points)
	for i, a := range f.axes {
		at := a.stratum[cell]
		before := math.Abs(float64(f.have[i][at]) - a.expected[at])
		f.have[i][at] += points
		f.off += float64(a.scale * (math.Abs(float64(f.have[i][at])-a.expected[at]) - before))
		if a.z != nil {
			f.sums[i] += float64(by * a.z[cell])
			f.squares[i] += float64(by * float64(a.z[cell]*a.z[cell]))
		}
	}
	n := 0
	f.pairs(func(i, j int) {
		f.cross[n] += float64(by * float64(f.axes[i].z[cell]*f.axes[j].z[cell]))
		n++
	})
}

// objective returns the objective, minus a constant until exact has been called.
func (f *filling) objective() float64 {
	size, n, out := float64(f.points), 0, f.off
	f.pairs(func(i, j int) {
		own := f.cross[n] - float64(f.sums[i]*f.sums[j])/size
		vi, vj := f.squares[i]-float64(f.sums[i]*f.sums[i])/size, f.squares[j]-float64(f.sums[j]*f.sums[j])/size
		if min(vi, vj) > 1e-9*size {
			own /= math.Sqrt(float64(vi * vj))
		} else { // points that do not vary are not correlated
			own = 0
		}
		out += 2 * math.Abs(f.target[n]-own)
		n++
	})
	return out
}

// exact returns the objective without the rounding errors that many exchanges accumulate.
func (f *filling) exact() float64 {
	f.off = 0
	for i, a := range f.axes {
		for s, expected := range a.expected {
			f.off += float64(a.scale * math.Abs(float64(f.have[i][s])-expected))
		}
	}
	return f.objective()
}

// held returns the share of quantile strata that hold a point, among those in which half a point or more is
// expected.
func (f *filling) held() float64 {
	all, some := 0, 0
	for _, i := range f.numbers {
		for s, expected := range f.axes[i].expected {
			if s < f.points && expected >= 0.5 { // not of cells without a value
				all++
				some += int(min(f.have[i][s], 1))
			}
		}
	}
	return float64(some) / float64(max(all, 1))
}

// The annealing: a number of exchanges for each sample, within bounds, at temperatures that fall by a factor in equal steps.
// The factor and the first temperature are those of the R package clhs (Roudier, 2011), and its 10,000 exchanges are the
// minimum here. At the last temperature, 4e-5, nothing worse is accepted any more.
const (
	exchangesPerSample = 400
	minExchanges       = 10_000
	maxExchanges       = 200_000
	coolings           = 200
	cooling            = 0.95
	firstTemperature   = 1.0
)

// anneal exchanges the places of samples for others in the same parts of the land, where they keep their distances, by
// simulated annealing (Kirkpatrick, Gelatt and Vecchi, "Optimization by Simulated Annealing", Science 220 (1983) 671):
// a state that is worse by D is accepted with the probability exp(-D/T). The best state at the end of any temperature is kept.
func (a *attempt) anneal(to *filling, samples []spot) {
	random := pcg.New(a.params.Seed, "plan/hypercube")
	now := to.exact()
	lowest, best := now, slices.Clone(samples)
	step := min(max(exchangesPerSample*len(samples), minExchanges), maxExchanges) / coolings
	temperature := firstTemperature
	for range coolings {
		for range step {
			if a.budget.Spend(1+len(to.axes)+len(to.target)) != nil {
				return
			}
			n := random.Below(len(samples))
			cells := a.chooser.eligible[a.chooser.zoneOf[samples[n].cell]]
			if cell := cells[random.Below(len(cells))]; !a.taken[cell] {
				now = a.exchange(to, &samples[n], cell, now, func(worse float64) bool { return random.Unit() < math.Exp(-worse/temperature) })
			}
		}
		if now < lowest {
			lowest = now
			copy(best, samples)
		}
		temperature *= cooling
	}
	for n, s := range samples {
		a.withdraw(to, s)
		samples[n] = best[n]
	}
	for _, s := range samples {
		a.enter(to, s)
	}
}

// exchange moves a sample to another cell if it keeps its distances there and the objective gets no worse than now, or worse by an
// amount that may accepts. It returns the objective afterwards.
func (a *attempt) exchange(of *filling, s *spot, cell int32, now float64, may func(worse float64) bool) float64 {
	from, to := *s, spot{at: a.centre(int(cell)), cell: cell}
	a.withdraw(of, from)
	if a.crowd.free(to.at) {
		a.enter(of, to)
		if next := of.objective(); next <= now || may(next-now) {
			*s = to
			return next
		}
		a.withdraw(of, to)
	}
	a.enter(of, from)
	return now
}

func (a *attempt) enter(f *filling, s spot) {
	f.put(s.cell, 1)
	a.taken[s.cell] = true
	a.crowd.add(s.at)
}

func (a *attempt) withdraw(f *filling, s spot) {
	f.put(s.cell, -1)
	delete(a.taken, s.cell)
	a.crowd.remove(s.at)
}
