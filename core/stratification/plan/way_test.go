package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/tests/fields"
)

// Fields in a line are visited from one end to the other, whatever their order in the area of interest, by reserves
// too; names follow the way, and the cost of the way counts drives longer than their straight lines.
func TestTheWayGoesFromFieldToField(t *testing.T) {
	t.Parallel()
	var land []geo.MultiPolygon
	for _, along := range []float64{6, 0, 10, 2, 8, 4} {
		land = append(land, fields.Rectangle(t, 500_000+1000*along, 5_400_000, 300, 300))
	}
	f, err := frame.New(nil, land, frame.Options{CellSize: 10})
	require.NoError(t, err)
	p := DefaultParams()
	p.Samples, p.Seed, p.Placement, p.Costs = 30, 5, SpatiallyBalanced, Costs{PerKm: 1}
	plan, err := New(nil, &f, oneZone(&f), p)
	require.NoError(t, err)

	order := plan.FieldsInOrder()
	if order[0] == 2 {
		require.Equal(t, []int{2, 4, 0, 5, 3, 1}, order)
	} else {
		require.Equal(t, []int{1, 3, 5, 0, 4, 2}, order)
	}
	ranks, last := plan.FieldOrder(), Point{}
	for i, point := range plan.Points {
		if point.Role == RoleSample {
			require.Equal(t, i+1, point.Number, "numbers follow the way")
		}
		if i > 0 && last.Role == point.Role {
			require.GreaterOrEqual(t, ranks[point.Field], ranks[last.Field])
			if last.Field == point.Field {
				require.Equal(t, last.Walk+1, point.Walk)
			} else {
				require.Equal(t, 1, point.Walk)
			}
		}
		last = point
	}
	require.InDelta(t, 5*2*1.3, plan.DriveKm, 5*0.35*1.3, "five drives of 2 km, less what is walked towards the next field")
	require.InDelta(t, plan.WayKm, plan.Cost, 1e-9)
	require.Greater(t, plan.WayKm, plan.DriveKm+1)

	again, err := New(nil, &f, oneZone(&f), p)
	require.NoError(t, err)
	require.Equal(t, plan, again)
	custom, err := Customise(nil, &f, oneZone(&f), plan, []Operation{{Change: Swap, Point: plan.Points[3].ID, With: plan.Points[plan.Samples].ID}})
	require.NoError(t, err)
	require.Equal(t, order, custom.FieldsInOrder(), "a plan changed by hand has a way as short")
}
