package frame

import (
	"cmp"
	"slices"
)

// Board holds cells with their neighbours: the frame's cells, followed for maps by those of the fringe.
type Board struct {
	at    [][2]int32 // row, column
	Near  [][8]int32 // indices of the neighbours by direction; -1 where there is no cell
	order []int32    // the cells by row, then column
}

// The directions to neighbours, counter-clockwise. The even ones lead to cells that share an edge.
const (
	east = iota
	northEast
	north
	northWest
	west
	southWest
	south
	southEast
)

// NewBoard finds the neighbours of cells and of the fringe that follows them.
func NewBoard(cells []Cell, fringe []fringeCell) *Board {
	n := len(cells) + len(fringe)
	b := &Board{at: make([][2]int32, 0, n), Near: make([][8]int32, n), order: make([]int32, n)}
	for _, c := range cells {
		b.at = append(b.at, [2]int32{c.Row, c.Col})
	}
	for _, c := range fringe {
		b.at = append(b.at, [2]int32{c.row, c.col})
	}
	for i := range b.order {
		b.order[i] = int32(i)
		for d := range b.Near[i] {
			b.Near[i][d] = -1
		}
	}
	slices.SortFunc(b.order, func(x, y int32) int { return slices.Compare(b.at[x][:], b.at[y][:]) })
	b.join()
	return b
}

// join links each cell to the one before it and, with a second pointer, to the three in the row above.
func (b *Board) join() {
	link := func(x, y int32, towards int) {
		b.Near[x][towards] = y
		b.Near[y][(towards+4)%8] = x
	}
	above := 0
	for k, i := range b.order {
		row, col := b.at[i][0], b.at[i][1]
		if k > 0 {
			if j := b.order[k-1]; b.at[j] == [2]int32{row, col - 1} {
				link(j, i, east)
			}
		}
		for above < k && cmp.Or(cmp.Compare(b.at[b.order[above]][0], row-1), cmp.Compare(b.at[b.order[above]][1], col-1)) < 0 {
			above++
		}
		for m := above; m < k && b.at[b.order[m]][0] == row-1 && b.at[b.order[m]][1] <= col+1; m++ {
			link(i, b.order[m], north+int(col-b.at[b.order[m]][1]))
		}
	}
}

// Components numbers the 4-connected groups of cells of one label from 0, in the row order of their
// first cells. It returns the number of each cell and the first cell of each group.
func (b *Board) Components(labels []int32) (of, first []int32) {
	of = make([]int32, len(labels))
	for i := range of {
		of[i] = -1
	}
	var stack []int32
	for _, start := range b.order {
		if of[start] >= 0 {
			continue
		}
		number := int32(len(first))
		first = append(first, start)
		of[start] = number
		stack = append(stack[:0], start)
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for d := east; d <= southEast; d += 2 {
				if j := b.Near[i][d]; j >= 0 && of[j] < 0 && labels[j] == labels[i] {
					of[j] = number
					stack = append(stack, j)
				}
			}
		}
	}
	return of, first
}
