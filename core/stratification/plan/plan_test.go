package plan

import (
	"encoding/json"
	"math"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/pcg"
	soillayer "tilth/core/stratification/layer"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
	"tilth/tests/fields"
)

func wheatZones(t *testing.T) (frame.Frame, *zoning.Zoning) {
	t.Helper()
	f, _ := fields.WheatFrame(t, 0)
	return f, zoningOf(&f, fields.LabelsOf(t, &f, "wheat-zones-smallest-first50.csv"))
}

// requireSound checks that a plan keeps its promises.
func requireSound(t require.TestingT, f *frame.Frame, z *zoning.Zoning, plan Plan) {
	p := plan.Params
	ids := map[string]bool{}
	seen := make([]int, len(z.Zones))
	pattern := regexp.MustCompile(`^Z\d-R?\d{2,4}$`)
	for i, point := range plan.Points {
		require.Regexp(t, pattern, point.ID)
		require.LessOrEqual(t, len(point.ID), 10)
		require.False(t, ids[point.ID], "%s twice", point.ID)
		ids[point.ID] = true
		for h, zone := range z.Zones {
			require.Equal(t, h+1 == point.Zone, zone.Outline.Contains(point.At), "%s in zone %d", point.ID, h+1)
		}
		require.True(t, f.Fields[point.Field].Contains(point.At), "%s in field %d", point.ID, point.Field)
		nearest := math.Inf(1)
		outlines := slices.Clone(f.Fields)
		for _, zone := range z.Zones {
			outlines = append(outlines, zone.Outline)
		}
		for _, outline := range outlines {
			for a, b := range outline.Edges() {
				nearest = min(nearest, frame.DistanceToSegment(point.At, a, b))
			}
		}
		require.GreaterOrEqual(t, nearest, float64(p.ZoneOffset)-1e-9, point.ID)
		require.InDelta(t, nearest, point.Edge, 0.011)
		for _, other := range append(positions(plan.Points[:i]), p.Existing...) {
			require.GreaterOrEqual(t, distance(point.At, other), plan.MinDistanceUsed-1e-9, point.ID)
		}
		if z.Zones[0].Geometry != nil {
			require.True(t, z.Zones[point.Zone-1].Geometry.Contains(*point.LonLat), "%s in degrees", point.ID)
		}
		if point.Role == RoleSample {
			seen[point.Zone-1]++
		}
	}
	for h, n := range seen {
		require.GreaterOrEqual(t, n, p.MinSamplesPerZone)
		require.Equal(t, n, plan.PerZone[h].Samples)
	}
	require.GreaterOrEqual(t, plan.ZoneOffsetAchieved, float64(p.ZoneOffset)-0.011)
}

func positions(points []Point) []geo.Position {
	var out []geo.Position
	for _, p := range points {
		out = append(out, p.At)
	}
	return out
}

// Over random fields with holes and tongues, and random choices, a plan keeps its promises or is
// refused with the room that is available; at the offset that the refusal names, it can be made.
func TestPlansKeepTheirPromises(t *testing.T) {
	made, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f, err := frame.New(nil, fields.DrawFields(t), frame.Options{CellSize: rapid.SampledFrom([]float64{10, 20, 7.5}).Draw(t, "cell")})
		if err != nil {
			t.Skip(err)
		}
		random := pcg.New(uint64(rapid.IntRange(0, 1<<30).Draw(t, "values")), "values")
		layer := soillayer.Layer{Name: "a", Values: make([]float64, len(f.Cells))}
		wave := rapid.Float64Range(50, 300).Draw(t, "wave")
		for i := range f.Cells {
			layer.Values[i] = math.Sin(f.Centre(i).X/wave) + math.Cos(f.Centre(i).Y/wave) + random.Unit()
		}
		zp := zoning.DefaultParams()
		zp.MaxZones, zp.Starts = 3, 1
		zones, err := zoning.Zones(t.Context(), &f, []soillayer.Layer{layer}, zp, zoning.Work{})
		if err != nil || len(zones.Candidates) == 0 {
			t.Skip("no zones")
		}
		z := &zones.Candidates[len(zones.Candidates)-1].Zoning
		p := drawPlanParams(t, &f, len(z.Zones))
		plan, err := New(nil, &f, z, p, layersOf(&f)...)
		if err != nil {
			refused++
			requireRefusal(t, &f, z, p, err)
			return
		}
		made++
		require.Equal(t, p.Samples, plan.Samples)
		requireSound(t, &f, z, plan)
		if p.ReserveShare > 0 && len(plan.Concerns) == 0 {
			for _, zone := range plan.PerZone {
				require.Equal(t, max(1, int(math.Round(p.ReserveShare*float64(zone.Samples)))), zone.Reserves)
			}
		}
	})
	require.Positive(t, made)
	require.Positive(t, refused)
}

func drawPlanParams(t *rapid.T, f *frame.Frame, zones int) Params {
	p := DefaultParams()
	p.MinSamplesPerZone = rapid.IntRange(2, 4).Draw(t, "minimum")
	p.Samples = zones*p.MinSamplesPerZone + rapid.IntRange(0, 30).Draw(t, "more")
	p.Allocation = rapid.SampledFrom([]Allocation{Proportional, Neyman, Equal}).Draw(t, "allocation")
	p.Placement = rapid.SampledFrom(Placements).Draw(t, "placement")
	p.ZoneOffset = rapid.SampledFrom([]int{0, 3, 10, 10, 30}).Draw(t, "offset")
	p.MinDistance = rapid.SampledFrom([]float64{DefaultDistance, 0, 15, 60}).Draw(t, "distance")
	p.ReserveShare = rapid.SampledFrom([]float64{0, 0.2, 0.5}).Draw(t, "reserve")
	p.Seed = uint64(rapid.IntRange(0, 1000).Draw(t, "seed"))
	if rapid.Bool().Draw(t, "existing") {
		for range 5 {
			p.Existing = append(p.Existing, f.Centre(rapid.IntRange(0, len(f.Cells)-1).Draw(t, "old")))
		}
	}
	return p
}

func requireRefusal(t *rapid.T, f *frame.Frame, z *zoning.Zoning, p Params, err error) {
	refusal, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, "not_enough_room", refusal.Code, "%v", err)
	rooms := refusal.Details["zones"].([]ZoneRoom)
	require.Len(t, rooms, len(z.Zones))
	for _, room := range rooms {
		if room.EligibleCells == 0 {
			require.LessOrEqual(t, room.InscribedRadius, float64(max(p.ZoneOffset, 1)))
		}
	}
	if largest, ok := refusal.Details["max_offset"].(int); ok {
		require.Less(t, largest, p.ZoneOffset)
		p.ZoneOffset = largest
		plan, err := New(nil, f, z, p, layersOf(f)...)
		require.NoError(t, err, "the offset of the refusal")
		requireSound(t, f, z, plan)
	}
}

func TestPlanOfTheWheatField(t *testing.T) {
	f, z := wheatZones(t)
	for _, placement := range Placements {
		p := DefaultParams()
		p.Samples, p.Placement = 24, placement
		plan, err := New(nil, &f, z, p, layersOf(&f)...)
		require.NoError(t, err)
		requireSound(t, &f, z, plan)
		require.Equal(t, 24, plan.Samples)
		require.Equal(t, 20.0, plan.MinDistanceUsed)
		require.Equal(t, placement == StratifiedRandom || placement == SpatiallyBalanced, plan.ProbabilitySample)
		require.Equal(t, []int{12, 6, 6}, []int{plan.PerZone[0].Samples, plan.PerZone[1].Samples, plan.PerZone[2].Samples})
		require.Equal(t, []int{2, 1, 1}, []int{plan.PerZone[0].Reserves, plan.PerZone[1].Reserves, plan.PerZone[2].Reserves})
		require.Equal(t, 2266, plan.PerZone[0].Eligible)
		require.InDelta(t, 22.66, plan.PerZone[0].EligibleHa, 1e-9)
		// cv 0.3, no explained variance within zones of RV 1: t of some 20 degrees of freedom × 0.3 / √24.
		require.InDelta(t, 0.1054, plan.ExpectedRelativeError, 0.0005)
		require.Equal(t, 27, plan.SamplesNeeded)
		require.Equal(t, 1, plan.Points[0].Walk)
		require.Equal(t, 24, plan.Points[23].Walk)
	}
}

func TestNumberOfSamples(t *testing.T) {
	f, z := wheatZones(t)
	for name, tc := range map[string]struct {
		set  func(p *Params)
		want int
	}{
		"precision":      {func(*Params) {}, 27},
		"normal":         {func(p *Params) { p.Precision.Student = false }, 25},
		"density":        {func(p *Params) { p.HaPerSample = 2.6 }, 24},
		"minimum":        {func(p *Params) { p.HaPerSample = 1000 }, 9},
		"by zone":        {func(p *Params) { p.Allocation, p.PerZone = Given, map[int]int{1: 3, 2: 4, 3: 5} }, 12},
		"pilot, no gain": {func(p *Params) { p.Pilot = map[int]Pilot{1: {5, 50, 15}, 2: {5, 50, 15}, 3: {5, 50, 15}} }, 27},
	} {
		p := DefaultParams()
		tc.set(&p)
		plan, err := New(nil, &f, z, p, layersOf(&f)...)
		require.NoError(t, err, name)
		require.Equal(t, tc.want, plan.Samples, name)
		require.Equal(t, len(p.Pilot) > 0, plan.FromPilot, name)
		if plan.FromPilot {
			require.Equal(t, Neyman, plan.Params.Allocation)
		}
	}
}

func TestPlansThatAreRefused(t *testing.T) {
	f, z := wheatZones(t)
	for field, tc := range map[string]func(p *Params){
		"number_of_samples":    func(p *Params) { p.Samples = 8 },
		"ha_per_sample":        func(p *Params) { p.HaPerSample = 0.001 },
		"relative_error":       func(p *Params) { p.Precision.RelativeError = 0.001 },
		"zone_offset":          func(p *Params) { p.ZoneOffset = 101 },
		"min_distance":         func(p *Params) { p.MinDistance = -3 },
		"placement":            func(p *Params) { p.Placement = "grid" },
		"allocation":           func(p *Params) { p.Allocation = "fair" },
		"per_zone":             func(p *Params) { p.Allocation, p.PerZone = Given, map[int]int{1: 3, 2: 3} },
		"pilot":                func(p *Params) { p.Pilot = map[int]Pilot{1: {5, 50, 10}} },
		"cost":                 func(p *Params) { p.Allocation, p.Cost = CostOptimal, map[int]float64{1: 3, 2: 3, 3: 0} },
		"reserve_share":        func(p *Params) { p.ReserveShare = math.NaN() },
		"min_samples_per_zone": func(p *Params) { p.MinSamplesPerZone = 1 },
		"existing_points":      func(p *Params) { p.Existing = []geo.Position{{X: math.NaN()}} },
		"seed":                 func(p *Params) { p.Seed = 1 << 53 },
	} {
		p := DefaultParams()
		tc(&p)
		_, err := New(nil, &f, z, p, layersOf(&f)...)
		refusal, ok := fault.As(err)
		require.True(t, ok, field)
		require.Equal(t, fault.Invalid, refusal.Kind, field)
		require.Contains(t, refusal.Fields, field)
	}
}

func TestNotEnoughRoom(t *testing.T) {
	f, z := wheatZones(t)
	p := DefaultParams()
	p.Samples, p.ZoneOffset, p.MinDistance = 60, 100, 40
	_, err := New(nil, &f, z, p, layersOf(&f)...)
	refusal, ok := fault.As(err)
	require.True(t, ok)
	require.Equal(t, "not_enough_room", refusal.Code)
	require.Contains(t, refusal.Details, "zone")
	largest := refusal.Details["max_offset"].(int)
	p.ZoneOffset = largest
	plan, err := New(nil, &f, z, p, layersOf(&f)...)
	require.NoError(t, err)
	requireSound(t, &f, z, plan)
	p.ZoneOffset++
	_, err = New(nil, &f, z, p, layersOf(&f)...)
	require.Error(t, err)
}

// Where the distance leaves no room it is lowered, and the plan states the lower one.
func TestDistanceIsLowered(t *testing.T) {
	f := squareFrame(t, 10)
	p := loosely(StratifiedRandom, map[int]int{1: 25})
	p.MinDistance, p.ReserveShare = 40, 1
	plan, err := New(nil, &f, oneZone(&f), p)
	require.NoError(t, err)
	require.Less(t, plan.MinDistanceUsed, 25.0)
	require.GreaterOrEqual(t, plan.MinDistanceUsed, 10.0)
	requireSound(t, &f, oneZone(&f), plan)
	require.Equal(t, 25, plan.Samples)
	require.Less(t, plan.Reserves, 25)
	require.Equal(t, "few_reserves", plan.Concerns[0].Code)
}

func TestPlanIsTheSameForTheSameSeed(t *testing.T) {
	f, z := wheatZones(t)
	bytesOf := func(procs int, p Params) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		plan, err := New(nil, &f, z, p, layersOf(&f)...)
		require.NoError(t, err)
		raw, err := json.Marshal(plan)
		require.NoError(t, err)
		return string(raw)
	}
	stored := frame.Frame{ // like a frame that comes from a store
		EPSG: f.EPSG, CellSize: f.CellSize, OriginX: f.OriginX, OriginY: f.OriginY, Rows: f.Rows, Cols: f.Cols,
		Cells: f.Cells, EdgeMask: f.EdgeMask, Fields: f.Fields, AOI: f.AOI, AreaHa: f.AreaHa,
	}
	for _, placement := range Placements {
		p := DefaultParams()
		p.Placement, p.Seed, p.Scope = placement, 3, "map"
		p.Pilot = map[int]Pilot{1: {5, 50, 10}, 2: {5, 40, 15}, 3: {5, 60, 20}}
		one := bytesOf(1, p)
		require.Equal(t, one, bytesOf(2, p))
		f, stored = stored, f
		require.Equal(t, one, bytesOf(2, p))
		p.Seed = 4
		require.NotEqual(t, one, bytesOf(2, p))
		a, err := New(nil, &f, z, p, layersOf(&f)...)
		require.NoError(t, err)
		p.Scope = "another map"
		b, err := New(nil, &f, z, p, layersOf(&f)...)
		require.NoError(t, err)
		require.NotEqual(t, a.PlanUUID, b.PlanUUID)
		require.Equal(t, a.Points, b.Points)
		require.NotEqual(t, a.Params.Seeded(seed.Choice{}).Seed, b.Params.Seeded(seed.Choice{}).Seed)
	}
	require.False(t, slices.Equal(seedPoints(t, &f, z, 1), seedPoints(t, &f, z, 2)), "another seed gives other points")
}

func seedPoints(t *testing.T, f *frame.Frame, z *zoning.Zoning, seed uint64) []geo.Position {
	t.Helper()
	p := DefaultParams()
	p.Seed = seed
	plan, err := New(nil, f, z, p, layersOf(f)...)
	require.NoError(t, err)
	return positions(plan.Points)
}
