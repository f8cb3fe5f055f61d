package plan

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/zoning"
)

// largestFrame returns one field of 200,000 cells with two zones.
func largestFrame(t testing.TB) (frame.Frame, *zoning.Zoning) {
	t.Helper()
	g := frame.GridCells{EPSG: 32633, CellSize: 10, OriginX: 500_000, OriginY: 5_400_000}
	labels := make([]int32, frame.MaxCells)
	for i := range frame.MaxCells {
		g.Places = append(g.Places, [2]int32{int32(i / 500), int32(i % 500)})
		labels[i] = int32(1 + i%500/250)
	}
	f, _, err := frame.OfCells(g, nil, 0)
	require.NoError(t, err)
	return f, zoningOf(&f, labels)
}

// BenchmarkPlanOfTheLargestFrame places 500 samples, and as many as a plan can have.
func BenchmarkPlanOfTheLargestFrame(b *testing.B) {
	f, z := largestFrame(b)
	layers := layersOf(&f)
	for _, samples := range []int{500, maxSamples} {
		for _, placement := range Placements {
			b.Run(fmt.Sprint(placement, samples), func(b *testing.B) {
				p := DefaultParams()
				p.Samples, p.Placement, p.MinDistance = samples, placement, 10
				for b.Loop() {
					_, err := New(nil, &f, z, p, layers...)
					require.NoError(b, err)
				}
			})
		}
	}
}

// BenchmarkCustomPlanOfTheLargestFrame moves every point of the largest plan.
func BenchmarkCustomPlanOfTheLargestFrame(b *testing.B) {
	f, z := largestFrame(b)
	p := DefaultParams()
	p.Samples, p.MinDistance = maxSamples, 10
	base, err := New(nil, &f, z, p)
	require.NoError(b, err)
	for b.Loop() {
		_, err := Customise(nil, &f, z, base, movesOfAll(base))
		require.NoError(b, err)
	}
}

func movesOfAll(base Plan) (out []Operation) {
	for _, point := range base.Points {
		out = append(out, Operation{Change: Move, Point: point.ID, At: geo.Position{X: point.At.X + 1, Y: point.At.Y}})
	}
	return out
}

// Twice the samples take not much more than twice the steps, to place and to move by hand.
func TestPlansGrowWithTheirSamples(t *testing.T) {
	t.Parallel()
	f := squareFrame(t, 150)
	z := oneZone(&f)
	steps := func(samples int) (placed, moved float64) {
		p := DefaultParams()
		p.Samples, p.Placement, p.MinDistance = samples, StratifiedRandom, 10
		budget := effort.Of(t.Context(), 0)
		base, err := New(budget, &f, z, p)
		require.NoError(t, err)
		placed = float64(budget.Spent())
		budget = effort.Of(t.Context(), 0)
		_, err = Customise(budget, &f, z, base, movesOfAll(base))
		require.NoError(t, err)
		return placed, float64(budget.Spent())
	}
	placed, moved := steps(maxSamples / 2)
	placedAll, movedAll := steps(maxSamples)
	t.Logf("placed %.0f steps, %.2f times; moved %.0f steps, %.2f times", placedAll, placedAll/placed, movedAll, movedAll/moved)
	require.Less(t, placedAll/placed, 3.5, "all pairs take 4.6 times the steps")
	require.Less(t, movedAll/moved, 3.5)
}
