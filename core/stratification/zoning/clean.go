package zoning

import (
	"slices"

	"tilth/core/effort"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/lowest"
)

// majority smooths a map once: a cell takes the most frequent label in the 3 × 3 window around it,
// itself included, if that label is strictly more frequent than its own; of several equally frequent
// labels, the lowest. All cells are judged on the old map. Labels are 1 to k. If the budget ends, the
// rest stays as it is.
func majority(budget *effort.Budget, b *frame.Board, labels []int32, k int) []int32 {
	out := slices.Clone(labels)
	count := make([]uint8, k+1)
	for i, near := range b.Near {
		if budget.Spend(len(near)+k) != nil {
			break
		}
		clear(count)
		count[labels[i]]++
		for _, j := range near {
			if j >= 0 {
				count[labels[j]]++
			}
		}
		best := labels[i]
		for label := int32(1); label <= int32(k); label++ {
			if count[label] > count[best] || count[label] == count[best] && best != labels[i] && label < best {
				best = label
			}
		}
		out[i] = best
	}
	return out
}

// mergeSteps is the number of steps that merging two groups costs, besides one for each neighbour.
const mergeSteps = 16

// absorb relabels, in place, the smallest 4-connected group of fewer than lower cells (of several
// of equal size, the first in row order) as the neighbouring group with which it shares the longest
// edge (of several: the one of more cells, then the first), and so on until none is left.
//
// If the budget ends, the rest stays as it is.
func absorb(budget *effort.Budget, b *frame.Board, labels []int32, lower int) {
	of, first := b.Components(labels)
	m := newMerger(b, labels, of, first)
	for {
		g, ok := m.smallest(lower)
		if !ok || budget.Spend(mergeSteps+len(m.shared[g])) != nil {
			break
		}
		if into := m.longestNeighbour(g); into >= 0 {
			m.relabel(g, m.label[into])
		}
	}
	for i := range labels {
		labels[i] = m.label[m.root(of[i])]
	}
}

// merger holds the groups of a map and their shared edges while they merge. Groups stay in the order
// of their first cells, even after they have absorbed others.
type merger struct {
	parent []int32
	label  []int32
	cells  []int
	shared []map[int]int // edges shared with neighbouring groups, by group
	queue  lowest.Queue  // of groups, by their number of cells when they were queued
}

func newMerger(b *frame.Board, labels, of, first []int32) *merger {
	n := len(first)
	m := &merger{parent: make([]int32, n), label: make([]int32, n), cells: make([]int, n), shared: make([]map[int]int, n)}
	for g, i := range first {
		m.parent[g], m.label[g], m.shared[g] = int32(g), labels[i], map[int]int{}
	}
	for i, g := range of {
		m.cells[g]++
		for d := 0; d < 8; d += 2 { // with an edge in common
			if j := b.Near[i][d]; j >= 0 && of[j] != g {
				m.shared[g][int(of[j])]++
			}
		}
	}
	for g, cells := range m.cells {
		m.queue.Add(float64(cells), g)
	}
	return m
}

func (m *merger) root(g int32) int32 {
	for m.parent[g] != g {
		m.parent[g] = m.parent[m.parent[g]]
		g = m.parent[g]
	}
	return g
}

func (m *merger) smallest(lower int) (g int, ok bool) {
	for {
		s, ok := m.queue.Take()
		if !ok || s.Value >= float64(lower) {
			return 0, false
		}
		if m.parent[s.Number] == int32(s.Number) && m.cells[s.Number] == int(s.Value) { // not merged since
			return s.Number, true
		}
	}
}

// longestNeighbour returns the neighbour to merge with; -1 where there is none.
func (m *merger) longestNeighbour(g int) int {
	best := -1
	for other, edges := range m.shared[g] {
		if best < 0 {
			best = other
			continue
		}
		longest := m.shared[g][best]
		if edges > longest || edges == longest &&
			(m.cells[other] > m.cells[best] || m.cells[other] == m.cells[best] && other < best) {
			best = other
		}
	}
	return best
}

// relabel changes the label of a group and merges it with all its neighbours of that label.
func (m *merger) relabel(g int, label int32) {
	m.label[g] = label
	var same []int
	for other := range m.shared[g] {
		if m.label[other] == label {
			same = append(same, other)
		}
	}
	slices.Sort(same)
	for _, other := range same {
		g = m.join(g, other)
	}
	m.queue.Add(float64(m.cells[g]), g)
}

// join merges two groups; the one with the earlier first cell stands for both.
func (m *merger) join(a, b int) int {
	a, b = min(a, b), max(a, b)
	m.parent[b] = int32(a)
	m.cells[a] += m.cells[b]
	delete(m.shared[a], b)
	for other, edges := range m.shared[b] {
		if other == a {
			continue
		}
		m.shared[a][other] += edges
		delete(m.shared[other], b)
		m.shared[other][a] += edges
	}
	m.shared[b] = nil
	return a
}
