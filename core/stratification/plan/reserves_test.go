package plan

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// With the next two reserves the samples lie nearly as evenly as that many samples alone, and more evenly than
// with reserves that were drawn without regard to them; every cell has the same chance to be a sample or the first reserve.
func TestReservesKeepTheBalance(t *testing.T) {
	f := squareFrame(t, 20)
	z := oneZone(&f)
	params := loosely(SpatiallyBalanced, map[int]int{1: 16})
	params.ReserveShare = 0.5
	d := designOf(t, &f, z, params)
	alone := designOf(t, &f, z, loosely(SpatiallyBalanced, map[int]int{1: 18}))
	const runs = 400
	var ordered, foreign, together float64
	var others []spot
	times := make([]int, len(f.Cells))
	for seed := range runs {
		d.params.Seed, alone.params.Seed = uint64(seed), uint64(seed)
		found, err := d.place(0)
		require.NoError(t, err)
		require.Len(t, found.reserves, 8)
		for i, r := range found.reserves {
			require.Equal(t, i+1, r.number)
		}
		_, balance := evenness(&f, append(slices.Clone(found.samples), found.reserves[:2]...))
		ordered += balance / runs
		if others != nil {
			_, balance = evenness(&f, append(slices.Clone(found.samples), others[:2]...))
			foreign += balance / (runs - 1)
		}
		others = found.reserves
		same, err := alone.place(0)
		require.NoError(t, err)
		_, balance = evenness(&f, same.samples)
		together += balance / runs
		for _, s := range append(found.samples, found.reserves[0]) {
			times[s.cell]++
		}
	}
	require.Less(t, ordered, 1.8*together)
	require.Less(t, ordered, 0.85*foreign)
	quarter := 0
	for i, n := range times {
		if c := f.Cells[i]; c.Row < 10 && c.Col < 10 {
			quarter += n
		}
	}
	require.InDelta(t, 17.0/4, float64(quarter)/runs, 0.1)
}
