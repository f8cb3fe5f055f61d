package plan

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/zoning"
)

// basePlan returns a plan of the wheat field with points to change.
func basePlan(t *testing.T) (frame.Frame, *zoning.Zoning, Plan) {
	t.Helper()
	f, z := wheatZones(t)
	p := DefaultParams()
	p.Samples, p.Allocation = 12, Equal
	plan, err := New(nil, &f, z, p)
	require.NoError(t, err)
	return f, z, plan
}

func custom(t *testing.T, f *frame.Frame, z *zoning.Zoning, base Plan, operations ...Operation) Plan {
	t.Helper()
	plan, err := Customise(nil, f, z, base, operations)
	require.NoError(t, err)
	require.True(t, plan.IsCustom)
	require.Equal(t, base.PlanUUID, plan.BasedOn)
	require.NotEqual(t, base.PlanUUID, plan.PlanUUID)
	require.Equal(t, base.Params, plan.Params, "the original choices stay readable")
	return plan
}

func TestSwapKeepsAProbabilitySample(t *testing.T) {
	f, z, base := basePlan(t)
	plan := custom(t, &f, z, base, Operation{Change: Swap, Point: "Z2-01", With: "Z2-R01"})
	require.True(t, plan.ProbabilitySample)
	require.Equal(t, RoleSample, plan.Points[plan.index("Z2-R01")].Role)
	require.Equal(t, RoleReserve, plan.Points[plan.index("Z2-01")].Role)
	require.Equal(t, base.Samples, plan.Samples)
	require.Equal(t, RoleSample, base.Points[base.index("Z2-01")].Role, "the base is not touched")
	require.Empty(t, plan.Concerns)
}

func TestMovedAndAddedPoints(t *testing.T) {
	f, z, base := basePlan(t)
	from := base.Points[base.index("Z1-01")]
	to := geo.Position{X: from.At.X + 1, Y: from.At.Y}
	plan := custom(t, &f, z, base, Operation{Change: Move, Point: "Z1-01", At: to})
	moved := plan.Points[plan.index("Z1-01")]
	require.False(t, plan.ProbabilitySample)
	require.True(t, moved.ByHand)
	require.Equal(t, centimetres(to), moved.At)

	// Into another zone: the point takes a new name there.
	other := base.Points[base.index("Z3-01")].At
	plan = custom(t, &f, z, base, Operation{Change: Move, Point: "Z1-01", At: geo.Position{X: other.X + 3, Y: other.Y}})
	require.Negative(t, plan.index("Z1-01"))
	require.GreaterOrEqual(t, plan.index("Z3-05"), 0)
	require.Equal(t, []int{3, 4, 5}, []int{plan.PerZone[0].Samples, plan.PerZone[1].Samples, plan.PerZone[2].Samples})
	require.Equal(t, "too_close", plan.Concerns[0].Code)

	// On the edge of the field, and a name that is not used again.
	edge := geo.Position{X: z.Zones[0].Outline[0][0][0].X, Y: z.Zones[0].Outline[0][0][0].Y}
	plan = custom(t, &f, z, base,
		Operation{Change: Delete, Point: "Z1-04"}, Operation{Change: Delete, Point: "Z1-03"}, Operation{Change: Add, At: edge})
	require.Equal(t, 0.0, plan.ZoneOffsetAchieved)
	require.Equal(t, 10, plan.Params.ZoneOffset)
	codes := map[string]bool{}
	for _, c := range plan.Concerns {
		codes[c.Code] = true
	}
	require.True(t, codes["inside_offset"])
	require.Negative(t, plan.index("Z1-04"))

	again := custom(t, &f, z, plan, Operation{Change: Delete, Point: "Z2-01"}, Operation{Change: Delete, Point: "Z2-02"})
	require.False(t, again.ProbabilitySample, "it is based on one that is none")
	codes = map[string]bool{}
	for _, c := range again.Concerns {
		codes[c.Code] = true
	}
	require.True(t, codes["few_samples"])
}

func TestCustomPlansThatAreRefused(t *testing.T) {
	f, z, base := basePlan(t)
	for name, operations := range map[string][]Operation{
		"nothing":       nil,
		"outside":       {{Change: Add, At: geo.Position{X: f.OriginX - 100, Y: f.OriginY}}},
		"no such point": {{Change: Delete, Point: "Z9-01"}},
		"other zone":    {{Change: Swap, Point: "Z1-01", With: "Z2-R01"}},
		"two samples":   {{Change: Swap, Point: "Z1-01", With: "Z1-02"}},
		"no change":     {{Change: "turn", Point: "Z1-01"}},
		"empty zone": {
			{Change: Delete, Point: "Z3-01"}, {Change: Delete, Point: "Z3-02"}, {Change: Delete, Point: "Z3-03"}, {Change: Delete, Point: "Z3-04"},
		},
	} {
		_, err := Customise(nil, &f, z, base, operations)
		refusal, ok := fault.As(err)
		require.True(t, ok, name)
		require.Contains(t, refusal.Fields, "operations", name)
	}
}

// A place sent with seven decimals is answered as it was sent, although points lie on whole centimetres, which are coarser
// in longitude.
func TestPointsAreWhereTheyWereSent(t *testing.T) {
	f, z, base := basePlan(t)
	inside := *base.Points[base.index("Z1-01")].LonLat
	var sent []geo.Position
	var add []Operation
	params := DefaultParams()
	for i := range 40 {
		at := geo.Position{X: float64(int(inside.X*1e7)+i) / 1e7, Y: float64(int(inside.Y*1e7)+i) / 1e7}
		plane, ok := f.FromLonLat(at)
		require.True(t, ok)
		sent = append(sent, at)
		add = append(add, Operation{Change: Add, Role: RoleSample, At: plane})
		params.Legacy = append(params.Legacy, plane)
	}
	places := func(p Plan, chosen func(Point) bool) (out []geo.Position) {
		for _, point := range p.Points {
			if chosen(point) {
				require.Equal(t, centimetres(point.At), point.At)
				out = append(out, *point.LonLat)
			}
		}
		return out
	}
	require.ElementsMatch(t, sent, places(custom(t, &f, z, base, add...), func(p Point) bool { return p.ByHand }))
	kept, err := New(nil, &f, z, params)
	require.NoError(t, err)
	require.ElementsMatch(t, sent, places(kept, func(p Point) bool { return p.Role == RoleLegacy }))
}

func TestWholeLists(t *testing.T) {
	f, z, base := basePlan(t)
	list := func() []Listed {
		var out []Listed
		for _, p := range base.Points {
			back, ok := f.FromLonLat(*p.LonLat) // as a client has them
			require.True(t, ok)
			out = append(out, Listed{ID: p.ID, Role: p.Role, At: back})
		}
		return out
	}
	same, err := OperationsFor(base, list())
	require.NoError(t, err)
	require.Empty(t, same, "positions that were to degrees and back have not moved")

	changed := list()
	changed[0].At.X += 5
	added := Listed{At: changed[1].At}
	added.At.X += 8
	swap := map[string]Role{"Z2-02": RoleReserve, "Z2-R01": RoleSample}
	for i := range changed {
		if role, ok := swap[changed[i].ID]; ok {
			changed[i].Role = role
		}
	}
	gone := changed[2].ID
	changed = append(append(changed[:2:2], changed[3:]...), added)
	operations, err := OperationsFor(base, changed)
	require.NoError(t, err)
	kinds := map[Change]int{}
	for _, o := range operations {
		kinds[o.Change]++
	}
	if gone != "Z2-02" && gone != "Z2-R01" {
		require.Equal(t, map[Change]int{Move: 1, Add: 1, Swap: 1, Delete: 1}, kinds)
	}
	plan := custom(t, &f, z, base, operations...)
	require.Equal(t, base.Samples, plan.Samples)

	for name, bad := range map[string][]Listed{
		"unknown": {{ID: "Z1-99"}},
		"twice":   {list()[0], list()[0]},
		"role":    {{ID: "Z1-01", Role: RoleReserve, At: base.Points[base.index("Z1-01")].At}},
	} {
		_, err := OperationsFor(base, bad)
		require.Error(t, err, name)
	}
}

// index returns the place of a point among a plan's; -1 where none has that ID.
func (plan Plan) index(id string) int {
	if i, ok := plan.places()[id]; ok {
		return i
	}
	return -1
}

// listOf returns a plan of n points with the list of all of them, each moved.
func listOf(n int) (Plan, []Listed) {
	plan, list := Plan{PerZone: make([]ZonePlan, 1)}, make([]Listed, n)
	for i := range n {
		p := Point{ID: fmt.Sprintf("Z1-%02d", i+1), Zone: 1, Number: i + 1, Role: RoleSample}
		plan.Points = append(plan.Points, p)
		list[n-1-i] = Listed{ID: p.ID, At: geo.Position{X: float64(i + 1)}}
	}
	return plan, list
}

// A list of ten times as many points takes about ten times as long, and not a hundred times.
func BenchmarkListsOfPoints(b *testing.B) {
	for _, n := range []int{2000, 20_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			plan, list := listOf(n)
			for b.Loop() {
				operations, err := OperationsFor(plan, list)
				require.NoError(b, err)
				require.Len(b, operations, n)
			}
		})
	}
}

// The nearest earlier point is the one found by comparing all pairs, and few points are looked at to find it.
func TestNearestOfACrowd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, apart := range []float64{0, 3, 25} {
		c, looks := newCrowd(apart, nil), 0
		var all []geo.Position
		for range 3000 {
			p := geo.Position{X: float64(random.IntN(2000)) / 2, Y: float64(random.IntN(2000)) / 2} // with ties
			want, lower := -1, apart
			for i, q := range all {
				if d := distance(p, q); d < lower {
					want, lower = i, d
				}
			}
			got, away, looked := c.nearest(p)
			require.Equal(t, want, got)
			require.Equal(t, want < 0, c.free(p))
			if want >= 0 {
				require.InDelta(t, lower, away, 0)
			}
			looks += looked
			c.add(p)
			all = append(all, p)
		}
		require.Less(t, looks, 3000*20, "of 4.5 million pairs")
	}
}

// Points that are added, moved and deleted in one edit go by the names that they have at that moment.
func TestOperationsSeeTheNamesOfThoseBefore(t *testing.T) {
	f, z, base := basePlan(t)
	first, last := base.Points[base.index("Z1-01")].At, base.Points[base.index("Z3-01")].At
	plan := custom(t, &f, z, base,
		Operation{Change: Add, At: geo.Position{X: first.X + 2, Y: first.Y}},
		Operation{Change: Move, Point: "Z1-05", At: geo.Position{X: last.X + 3, Y: last.Y}},
		Operation{Change: Delete, Point: "Z3-01"},
		Operation{Change: Delete, Point: "Z3-05"})
	require.Len(t, plan.Points, len(base.Points)-1)
	require.Negative(t, plan.index("Z1-05"))
	require.Negative(t, plan.index("Z3-01"))
	_, err := Customise(nil, &f, z, base, []Operation{{Change: Delete, Point: "Z1-02"}, {Change: Move, Point: "Z1-02", At: first}})
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
}
