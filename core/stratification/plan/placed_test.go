package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

// Places with names of samples keep them, each once; reserves stay, and what lies outside is counted.
func TestPlansAreTakenFromPlaces(t *testing.T) {
	t.Parallel()
	square := geo.MultiPolygon{{{{X: 0, Y: 0}, {X: 10, Y: 0}, {X: 10, Y: 10}, {X: 0, Y: 10}, {X: 0, Y: 0}}}}
	z := &zoning.Zoning{Zones: []zoning.Zone{{Number: 1, Outline: square}}}
	base := plan.Plan{Points: []plan.Point{
		{ID: "Z1-01", Zone: 1, Role: plan.RoleSample, At: geo.Position{X: 1, Y: 1}}, {ID: "Z1-02", Zone: 1, Role: plan.RoleSample, At: geo.Position{X: 2, Y: 2}},
		{ID: "Z1-R01", Zone: 1, Role: plan.RoleReserve, At: geo.Position{X: 3, Y: 3}},
	}}
	places := []plan.Named{
		{Name: "Z1-02", At: geo.Position{X: 5, Y: 5}}, {Name: "Z1-02", At: geo.Position{X: 6, Y: 6}}, {Name: "Z1-R01", At: geo.Position{X: 7, Y: 7}}, {Name: "Z1-01", At: geo.Position{X: 70, Y: 7}},
	}
	list, outside, err := base.PlacedAt(effort.Of(t.Context(), 0), z, places)
	require.NoError(t, err)
	require.Equal(t, 1, outside)
	require.Equal(t, []plan.Listed{
		{ID: "Z1-R01", Role: plan.RoleReserve, At: geo.Position{X: 3, Y: 3}}, {ID: "Z1-02", Role: plan.RoleSample, At: geo.Position{X: 5, Y: 5}},
		{Role: plan.RoleSample, At: geo.Position{X: 6, Y: 6}}, {Role: plan.RoleSample, At: geo.Position{X: 7, Y: 7}},
	}, list)
	operations, err := plan.OperationsFor(base, list)
	require.NoError(t, err)
	require.Len(t, operations, 4, "one is moved, two are added, one is deleted")
	_, _, err = base.PlacedAt(effort.Of(t.Context(), 3), z, places)
	require.Error(t, err, "the budget ends")
}
