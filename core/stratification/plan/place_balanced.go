package plan

import (
	"cmp"
	"slices"

	"tilth/core/effort"
	"tilth/core/stratification/internal/pcg"
)

// pivotal draws n of the units at whole places of a grid, each with the same chance, so that the
// drawn ones lie far apart: the local pivotal method 2 of Grafström, Lundström and Schelin,
// "Spatially Balanced Sampling through the Pivotal Method", Biometrics 68 (2012) 514. A random
// undecided unit and its nearest undecided neighbour settle their chances between them, until all
// are 0 or 1. Chances are counted in N-ths, so that they add up exactly. The result is ascending.
func pivotal(budget *effort.Budget, at [][2]int32, n int, random *pcg.Stream) []int32 {
	all := len(at)
	if n <= 0 {
		return nil
	}
	tree := newTree(at)
	chance := make([]int, all)
	open, place := make([]int32, all), make([]int32, all)
	for i := range at {
		chance[i], open[i], place[i] = n, int32(i), int32(i)
	}
	settle := func(i int32) {
		if chance[i] != 0 && chance[i] != all {
			return
		}
		last := open[len(open)-1]
		open[place[i]], place[last] = last, place[i]
		open = open[:len(open)-1]
		tree.remove(i)
	}
	for n < all && len(open) > 1 {
		if budget.Spend(leafUnits) != nil {
			return nil
		}
		i := open[random.Below(len(open))]
		j := tree.nearest(i, random)
		a, b := chance[i], chance[j]
		if a+b < all {
			if random.Below(a+b) < b {
				chance[i], chance[j] = 0, a+b
			} else {
				chance[i], chance[j] = a+b, 0
			}
		} else if random.Below(2*all-a-b) < all-b {
			chance[i], chance[j] = all, a+b-all
		} else {
			chance[i], chance[j] = a+b-all, all
		}
		settle(i)
		settle(j)
	}
	var out []int32
	for i, c := range chance {
		if c == all || n >= all {
			out = append(out, int32(i))
		}
	}
	return out
}

// tree finds the nearest of units that are removed one by one: a k-d tree (Bentley,
// "Multidimensional Binary Search Trees Used for Associative Searching", Communications of the ACM
// 18 (1975)) whose branches count their remaining units.
type tree struct {
	at    [][2]int32
	order []int32 // units, by branch
	gone  []bool
	nodes []branch
	leaf  []int32 // of each unit

	// The current search.
	from   int32
	best   int32
	lower  int64
	ties   int
	random *pcg.Stream
}

// branch is a node: units of the order from low to high, their box, and its branches (0: a leaf).
type branch struct {
	low, high   int32
	min, max    [2]int32
	left        int32
	right       int32
	parent      int32
	unitsInside int32
}

const leafUnits = 8

func newTree(at [][2]int32) *tree {
	t := &tree{at: at, order: make([]int32, len(at)), gone: make([]bool, len(at)), leaf: make([]int32, len(at))}
	for i := range at {
		t.order[i] = int32(i)
	}
	t.grow(0, int32(len(at)), -1)
	return t
}

// grow builds the branch of a range of the order, and those below it.
func (t *tree) grow(low, high, parent int32) int32 {
	number := int32(len(t.nodes))
	b := branch{low: low, high: high, parent: parent, unitsInside: high - low, min: t.at[t.order[low]], max: t.at[t.order[low]]}
	for _, i := range t.order[low:high] {
		for axis, v := range t.at[i] {
			b.min[axis], b.max[axis] = min(b.min[axis], v), max(b.max[axis], v)
		}
	}
	t.nodes = append(t.nodes, b)
	if high-low <= leafUnits {
		for _, i := range t.order[low:high] {
			t.leaf[i] = number
		}
		return number
	}
	axis := 0
	if b.max[1]-b.min[1] > b.max[0]-b.min[0] {
		axis = 1
	}
	slices.SortFunc(t.order[low:high], func(x, y int32) int {
		return cmp.Or(cmp.Compare(t.at[x][axis], t.at[y][axis]), cmp.Compare(x, y))
	})
	middle := (low + high) / 2
	left := t.grow(low, middle, number)
	right := t.grow(middle, high, number)
	t.nodes[number].left, t.nodes[number].right = left, right
	return number
}

func (t *tree) remove(i int32) {
	t.gone[i] = true
	for n := t.leaf[i]; n >= 0; n = t.nodes[n].parent {
		t.nodes[n].unitsInside--
	}
}

// nearest returns the unit nearest to another; if several are equally near, each has the same chance.
func (t *tree) nearest(i int32, random *pcg.Stream) int32 {
	t.from, t.best, t.lower, t.ties, t.random = i, -1, 1<<62, 0, random
	t.search(0)
	return t.best
}

func (t *tree) search(n int32) {
	b := &t.nodes[n]
	if b.left == 0 {
		for _, j := range t.order[b.low:b.high] {
			if !t.gone[j] && j != t.from {
				t.consider(j)
			}
		}
		return
	}
	near, far := b.left, b.right
	dNear, dFar := t.away(near), t.away(far)
	if dFar < dNear {
		near, far, dNear, dFar = far, near, dFar, dNear
	}
	if dNear <= t.lower && t.nodes[near].unitsInside > 0 {
		t.search(near)
	}
	if dFar <= t.lower && t.nodes[far].unitsInside > 0 {
		t.search(far)
	}
}

// consider keeps the nearest unit so far; if several are equally near, each has the same chance.
func (t *tree) consider(j int32) {
	d := squaredSteps(t.at[t.from], t.at[j])
	switch {
	case d < t.lower:
		t.best, t.lower, t.ties = j, d, 1
	case d == t.lower:
		t.ties++
		if t.random.Below(t.ties) == 0 {
			t.best = j
		}
	}
}

// away returns the squared distance of the search's unit from the box of a branch.
func (t *tree) away(n int32) int64 {
	b, p := &t.nodes[n], t.at[t.from]
	var clamped [2]int32
	for axis, v := range p {
		clamped[axis] = min(max(v, b.min[axis]), b.max[axis])
	}
	return squaredSteps(p, clamped)
}

func squaredSteps(a, b [2]int32) int64 {
	dr, dc := int64(a[0])-int64(b[0]), int64(a[1])-int64(b[1])
	return dr*dr + dc*dc
}
