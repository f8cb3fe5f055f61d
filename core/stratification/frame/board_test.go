package frame

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNeighboursAreMutual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var cells []Cell
		for row := range int32(rapid.IntRange(1, 14).Draw(t, "rows")) {
			for col := range int32(rapid.IntRange(1, 14).Draw(t, "cols")) {
				if rapid.IntRange(0, 9).Draw(t, "there") > 0 {
					cells = append(cells, Cell{Row: row, Col: col})
				}
			}
		}
		b := NewBoard(cells, nil)
		step := [8][2]int32{east: {0, 1}, northEast: {-1, 1}, north: {-1, 0}, northWest: {-1, -1}, west: {0, -1}, southWest: {1, -1}, south: {1, 0}, southEast: {1, 1}}
		place := map[[2]int32]int32{}
		for i, at := range b.at {
			place[at] = int32(i)
		}
		for i, near := range b.Near {
			for d, j := range near {
				want, ok := place[[2]int32{b.at[i][0] + step[d][0], b.at[i][1] + step[d][1]}]
				if !ok {
					want = -1
				}
				require.Equal(t, want, j)
			}
		}
	})
}
