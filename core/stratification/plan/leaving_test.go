package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/tests/leaving"
)

// A plan whose caller has left is not finished, whatever step it is at.
func TestPlansEndWithTheirCaller(t *testing.T) {
	t.Parallel()
	g := frame.GridCells{EPSG: 32633, CellSize: 10, OriginX: 500_000, OriginY: 5_400_000}
	var labels []int32
	for i := range 10_000 {
		g.Places = append(g.Places, [2]int32{int32(i / 100), int32(i % 100)})
		labels = append(labels, int32(1+i%100/50))
	}
	f, _, err := frame.OfCells(g, nil, 0)
	require.NoError(t, err)
	z := zoningOf(&f, labels)
	var base Plan
	layers := layersOf(&f)
	for _, placement := range Placements {
		p := DefaultParams()
		p.Samples, p.Placement, p.MinDistance = 400, placement, 30
		leaving.Stops(t, 10*effort.Interval, func(budget *effort.Budget) (err error) {
			made, err := New(budget, &f, z, p, layers...)
			if err == nil {
				base = made
			}
			return err
		})
	}
	var operations []Operation
	for i := range 400 {
		operations = append(operations, Operation{Change: Add, Role: RoleSample, At: geo.Position{X: 500_005 + float64(i), Y: 5_399_505}})
	}
	leaving.Stops(t, 10*effort.Interval, func(budget *effort.Budget) error {
		_, err := Customise(budget, &f, z, base, operations)
		return err
	})
}
