package plan

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/seed"
	"tilth/tests/fields"
)

// inARow returns a frame of fields of 9 ha each, at the given kilometres eastwards.
func inARow(t *testing.T, km ...float64) (f frame.Frame) {
	t.Helper()
	var land []geo.MultiPolygon
	for _, along := range km {
		land = append(land, fields.Rectangle(t, 500_000+1000*along, 5_400_000, 300, 300))
	}
	f, err := frame.New(nil, land, frame.Options{CellSize: 10, EPSG: 32633})
	require.NoError(t, err)
	return f
}

// A way from a start begins with the field nearest to it and counts the drive; the points are those of a way from
// anywhere. Plans changed by hand keep the journey.
func TestTheWayFromAStart(t *testing.T) {
	t.Parallel()
	f := inARow(t, 0, 2, 4, 6)
	p := DefaultParams()
	p.Samples, p.Scope, p.Costs = 20, "m", Costs{PerKm: 1}
	made := func(start, end *Terminus) Plan {
		p.Journey = Journey{start, end}
		plan, err := New(nil, &f, oneZone(&f), p.Seeded(seed.Choice{}))
		require.NoError(t, err)
		again, err := New(nil, &f, oneZone(&f), p.Seeded(seed.Choice{}))
		require.NoError(t, err)
		require.Equal(t, plan, again)
		return plan
	}
	home := &Terminus{At: geo.Position{X: 516_150, Y: 5_400_150}} // 10 km east of the last field
	anywhere, from, andBack := made(nil, nil), made(home, nil), made(home, home)
	places := func(plan Plan) (out []geo.Position) {
		for _, point := range plan.Points {
			out = append(out, point.At)
		}
		return out
	}
	require.ElementsMatch(t, places(anywhere), places(from))
	require.NotEqual(t, anywhere.PlanUUID, from.PlanUUID)
	require.Equal(t, []int{3, 2, 1, 0}, from.FieldsInOrder())
	require.Equal(t, 3, andBack.FieldsInOrder()[0])
	first := from.Points[0]
	require.InDelta(t, 1.3*10, from.DriveKm-anywhere.DriveKm, 1, "10 km further")
	require.InDelta(t, 1.3*(10+6+16), andBack.DriveKm, 3, "there and back")
	require.InDelta(t, from.WayKm, from.Cost, 1e-9)
	require.Greater(t, math.Hypot(home.At.X-first.At.X, home.At.Y-first.At.Y), 9_700.0)

	custom, err := Customise(nil, &f, oneZone(&f), from, []Operation{{Change: Delete, Point: from.Points[7].ID}})
	require.NoError(t, err)
	require.Equal(t, []int{3, 2, 1, 0}, custom.FieldsInOrder())
	require.Greater(t, custom.DriveKm, anywhere.DriveKm+10)

	for name, j := range map[string]Journey{
		"end":   {End: home},
		"start": {Start: &Terminus{At: geo.Position{X: math.NaN()}}},
	} {
		p.Journey = j
		requireRefused(t, &f, p, name)
	}
	p.Journey = Journey{Start: &Terminus{At: geo.Position{X: 500_000, Y: 5_000_000}}}
	requireRefused(t, &f, p, "start")
}

func requireRefused(t *testing.T, f *frame.Frame, p Params, name string) {
	t.Helper()
	_, err := New(nil, f, oneZone(f), p)
	refusal, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Contains(t, refusal.Fields, name)
}

// A budget pays for fewer samples of fields far apart than of neighbours, because it counts the drives. The estimate of
// the way is near the actual way along the points.
func TestABudgetCountsTheDrives(t *testing.T) {
	t.Parallel()
	p := DefaultParams()
	p.Seed, p.MinSamplesPerZone, p.Placement = 3, 2, SpatiallyBalanced
	p.Costs = Costs{PerPoint: 20, PerKm: 4, Budget: 800}
	number := map[string]int{}
	for name, km := range map[string][]float64{"adjacent": {0, 0.3}, "apart": {0, 50}, "many": {0, 3, 9, 15, 20, 21, 22, 30, 38, 40}} {
		f := inARow(t, km...)
		plan, err := New(nil, &f, oneZone(&f), p)
		require.NoError(t, err)
		number[name] = plan.Samples
		require.InDelta(t, plan.WayKm, plan.WayEstimateKm, 0.15*plan.WayKm+0.5, name)
		require.InDelta(t, p.Costs.Budget, plan.Cost, 45, name)
		require.Equal(t, plan.Cost > p.Costs.Budget, len(plan.Concerns) == 1 && plan.Concerns[0].Code == "over_budget", "%s: %v", name, plan.Concerns)

		fixed := p
		fixed.Costs.Budget, fixed.Samples = 0, 24
		same, err := New(nil, &f, oneZone(&f), fixed)
		require.NoError(t, err)
		require.Zero(t, same.WayEstimateKm)
		if name == "apart" {
			require.InDelta(t, 24*20+4*(1.3*50+3), same.Cost, 8)
		}
	}
	require.InDelta(t, 65*4/20, number["adjacent"]-number["apart"], 1, "a drive of 65 km costs as much as 13 points")
	require.Less(t, number["many"], number["adjacent"]-5)

	// The way from a start and back costs as well.
	f := inARow(t, 0, 0.3)
	home := &Terminus{At: geo.Position{X: 500_000, Y: 5_425_000}}
	p.Journey = Journey{home, home}
	plan, err := New(nil, &f, oneZone(&f), p)
	require.NoError(t, err)
	require.InDelta(t, number["adjacent"]-65*4/20, plan.Samples, 1)
	p.Costs.Budget = 100
	requireRefused(t, &f, p, "costs")
}
