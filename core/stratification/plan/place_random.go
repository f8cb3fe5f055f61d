package plan

import (
	"fmt"
	"slices"

	"tilth/core/stratification/internal/pcg"
)

// shuffled tries the cells of a zone in a random order: the first that fit are a simple random
// sample of the zone, and those after them an equally random reserve.
type shuffled struct {
	cells [][]int32
	at    []int
}

func newShuffled(d *design, eligible [][]int32) *shuffled {
	s := &shuffled{at: make([]int, len(eligible))}
	for h, cells := range eligible {
		cells = slices.Clone(cells)
		pcg.New(d.params.Seed, fmt.Sprintf("plan/order/%d", h+1)).Shuffle(len(cells), func(i, j int) {
			cells[i], cells[j] = cells[j], cells[i]
		})
		s.cells = append(s.cells, cells)
	}
	return s
}

func (s *shuffled) next(zone int, try func(cell int32) bool) bool {
	for s.at[zone] < len(s.cells[zone]) {
		cell := s.cells[zone][s.at[zone]]
		s.at[zone]++
		if try(cell) {
			return true
		}
	}
	return false
}

func (s *shuffled) restart() { clear(s.at) }

func (s *shuffled) again(map[int32]bool, []int) {}
