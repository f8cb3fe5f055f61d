package plan

import (
	"testing"

	"tilth/core/stratification/frame"
)

// BenchmarkPlanOfTheLargestFrame places 500 samples in two zones of 200,000 cells.
func BenchmarkPlanOfTheLargestFrame(b *testing.B) {
	g := frame.GridCells{EPSG: 32633, CellSize: 10, OriginX: 500_000, OriginY: 5_400_000}
	labels := make([]int32, frame.MaxCells)
	for i := range frame.MaxCells {
		g.Places = append(g.Places, [2]int32{int32(i / 500), int32(i % 500)})
		labels[i] = int32(1 + i%500/250)
	}
	f, _, err := frame.OfCells(g, nil, 0)
	if err != nil {
		b.Fatal(err)
	}
	z := zoningOf(&f, labels)
	for _, placement := range Placements {
		b.Run(string(placement), func(b *testing.B) {
			p := DefaultParams()
			p.Samples, p.Placement = 500, placement
			for b.Loop() {
				if _, err := New(nil, &f, z, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
