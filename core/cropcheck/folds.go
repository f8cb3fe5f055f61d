package cropcheck

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// FoldCount is the number of parts that labelled series are divided into.
const FoldCount = 5

// blockDegrees are the sides of the blocks that stay whole, the widest first: about 55 km, 11 km, 2 km and 500 m. What
// neighbours share (a farm, a soil, a year's weather) mostly lies within one wide block.
var blockDegrees = [...]float64{0.5, 0.1, 0.02, 0.005}

// block names a block.
type block struct{ lon, lat int }

func blockOf(p Place, side float64) block {
	return block{int(math.Floor(p.Lon / side)), int(math.Floor(p.Lat / side))}
}

// BlockDegrees returns the side of the blocks that Folds uses: the widest that make at least FoldCount blocks, or the
// narrowest.
func BlockDegrees(samples []Sample) float64 {
	for _, side := range blockDegrees {
		blocks := map[block]bool{}
		for _, s := range samples {
			blocks[blockOf(s.Place, side)] = true
		}
		if len(blocks) >= FoldCount {
			return side
		}
	}
	return blockDegrees[len(blockDegrees)-1]
}

// Folds returns the fold of each sample, from 0. Folds share no block. The blocks go, the fullest first, to the fold that
// has fewest samples.
func Folds(samples []Sample) []int {
	side := BlockDegrees(samples)
	count := map[block]int{}
	for _, s := range samples {
		count[blockOf(s.Place, side)]++
	}
	blocks := slices.SortedFunc(maps.Keys(count), func(a, b block) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.lon, b.lon), cmp.Compare(a.lat, b.lat))
	})
	foldOf, size := map[block]int{}, make([]int, FoldCount)
	for _, b := range blocks {
		smallest := slices.Index(size, slices.Min(size))
		foldOf[b] = smallest
		size[smallest] += count[b]
	}
	out := make([]int, len(samples))
	for i, s := range samples {
		out[i] = foldOf[blockOf(s.Place, side)]
	}
	return out
}
