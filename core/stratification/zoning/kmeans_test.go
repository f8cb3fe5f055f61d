package zoning

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/stratification/internal/cluster"
	"tilth/core/stratification/internal/pcg"
)

// Many cells are sampled without a stride: stripes that repeat with the rows are seen.
func TestStripesAreSeenAmongManyCells(t *testing.T) {
	t.Parallel()
	for _, period := range []int{2, 5, 25} {
		points := cluster.NewMatrix(200_000, 1)
		for i := range points.N {
			if i%period == 0 {
				points.Values[i] = 1
			}
		}
		got, err := kMeans(t.Context(), points, 2, 2, 1, 1)
		require.NoError(t, err)
		require.Zero(t, got.Inertia, "stripes of period %d", period)
	}
}

// What the starts find on a sample is finished on all cells: every centre is the mean of its cells,
// and the sum of squares is that of all.
func TestTheLastPassIsOverAllCells(t *testing.T) {
	t.Parallel()
	points, random := cluster.NewMatrix(50_000, 2), pcg.New(3, "groups")
	for i := range points.N {
		points.Row(i)[0], points.Row(i)[1] = random.Unit()+float64(i%3), random.Unit()*float64(1+i%2)
	}
	got, err := kMeans(t.Context(), points, 4, 3, 1, 2)
	require.NoError(t, err)
	again, err := kMeans(t.Context(), points, 4, 3, 1, 1)
	require.NoError(t, err)
	require.Equal(t, got, again, "whatever the number of workers")
	sums, counts, inertia := cluster.NewMatrix(4, 2), make([]int, 4), 0.0
	for i, h := range got.Labels {
		cluster.Add(sums.Row(int(h)), points.Row(i))
		counts[h]++
		inertia += cluster.SquaredDistance(points.Row(i), got.Centres.Row(int(h)))
	}
	require.InEpsilon(t, inertia, got.Inertia, 1e-12)
	for h, n := range counts {
		for j := range 2 {
			require.InDelta(t, sums.Row(h)[j]/float64(n), got.Centres.Row(h)[j], 1e-9, "centre %d", h)
		}
	}
	// No cell is nearer to another centre, except for single moves.
	wrong := 0
	for i, h := range got.Labels {
		own := cluster.SquaredDistance(points.Row(i), got.Centres.Row(int(h)))
		for g := range 4 {
			if cluster.SquaredDistance(points.Row(i), got.Centres.Row(g)) < own*(1-1e-3) {
				wrong++
			}
		}
	}
	require.Less(t, wrong, 10)
}
