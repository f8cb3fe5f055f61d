package stratification

import "testing"

// BenchmarkPlanOfTheLargestFrame places 500 samples in two zones of 200,000 cells.
func BenchmarkPlanOfTheLargestFrame(b *testing.B) {
	g := GridCells{EPSG: 32633, CellSize: 10, OriginX: 500_000, OriginY: 5_400_000}
	labels := make([]int32, MaxCells)
	for i := range MaxCells {
		g.Places = append(g.Places, [2]int32{int32(i / 500), int32(i % 500)})
		labels[i] = int32(1 + i%500/250)
	}
	f, _, err := FrameOfCells(g, nil, 0)
	if err != nil {
		b.Fatal(err)
	}
	z := zoningOf(&f, labels)
	for _, placement := range Placements {
		b.Run(string(placement), func(b *testing.B) {
			p := DefaultPlanParams()
			p.Samples, p.Placement = 500, placement
			for b.Loop() {
				if _, err := NewPlan(&f, z, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
