package zoning

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/stratification/frame"
)

// speckled draws cells with gaps, and labels 1 to k.
func speckled(t *rapid.T) (b *frame.Board, labels []int32, k int) {
	var cells []frame.Cell
	for row := range int32(rapid.IntRange(1, 14).Draw(t, "rows")) {
		for col := range int32(rapid.IntRange(1, 14).Draw(t, "cols")) {
			if rapid.IntRange(0, 9).Draw(t, "there") > 0 {
				cells = append(cells, frame.Cell{Row: row, Col: col})
			}
		}
	}
	k = rapid.IntRange(2, 5).Draw(t, "k")
	for range cells {
		labels = append(labels, int32(rapid.IntRange(1, k).Draw(t, "label")))
	}
	return frame.NewBoard(cells, nil), labels, k
}

// absorbPlainly applies the rule as it is written, with each merge from scratch.
func absorbPlainly(b *frame.Board, labels []int32, lower int) {
	for {
		of, first := b.Components(labels)
		cells, shared := make([]int, len(first)), make([]map[int32]int, len(first))
		for g := range first {
			shared[g] = map[int32]int{}
		}
		for i, g := range of {
			cells[g]++
			for d := 0; d < 8; d += 2 {
				if j := b.Near[i][d]; j >= 0 && of[j] != g {
					shared[g][of[j]]++
				}
			}
		}
		small := -1
		for g := range first {
			if cells[g] < lower && len(shared[g]) > 0 && (small < 0 || cells[g] < cells[small]) {
				small = g
			}
		}
		if small < 0 {
			return
		}
		into := int32(-1)
		for other := range int32(len(first)) {
			edges := shared[small][other]
			if edges > 0 && (into < 0 || edges > shared[small][into] || edges == shared[small][into] && cells[other] > cells[into]) {
				into = other
			}
		}
		label := labels[first[into]]
		for i, g := range of {
			if int(g) == small {
				labels[i] = label
			}
		}
	}
}

func TestAbsorbingIsTheRuleAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, labels, _ := speckled(t)
		lower := rapid.IntRange(1, 12).Draw(t, "least")
		want := slices.Clone(labels)
		absorbPlainly(b, want, lower)
		absorb(nil, b, labels, lower)
		require.Equal(t, want, labels)
	})
}

func TestNumberingLeavesNoGap(t *testing.T) {
	labels := []int32{5, 2, 2, 5}
	require.Equal(t, 2, number(labels, []int32{0, 1, 3}, []float64{9, 4, 9}))
	require.Equal(t, []int32{2, 1, 1, 2}, labels)
}
