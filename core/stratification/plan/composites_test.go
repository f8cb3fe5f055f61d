package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/geo"
)

// bagsOf returns the points of each composite.
func bagsOf(plan Plan) map[string][]string {
	out := map[string][]string{}
	for _, p := range plan.Points {
		if id := p.CompositeID(); id != "" {
			out[id] = append(out[id], p.ID)
		}
	}
	return out
}

// The samples of each stratum are dealt evenly to its composites, by the seed alone; reserves wait for the sample that they
// replace.
func TestComposites(t *testing.T) {
	t.Parallel()
	f, z := halves(t)
	p := DefaultParams()
	p.Samples, p.CompositesPerZone, p.MinSamplesPerZone, p.Seed = 22, 3, 4, 5
	p.Costs = Costs{PerPoint: 2, PerComposite: 30}
	plan, err := New(nil, &f, z, p)
	require.NoError(t, err)
	bags := bagsOf(plan)
	require.Len(t, bags, 6)
	require.Equal(t, 6, plan.Pooled)
	for zone, samples := range []int{plan.PerZone[0].Samples, plan.PerZone[1].Samples} {
		pooled := 0
		for b := range 3 {
			n := len(bags[CompositeID(zone+1, b+1)])
			require.InDelta(t, float64(samples)/3, n, 0.99)
			pooled += n
		}
		require.Equal(t, samples, pooled)
	}
	for _, point := range plan.Points {
		require.Equal(t, point.Role == RoleSample, point.Composite > 0, point.ID)
	}
	require.InDelta(t, 22*2+6*30, plan.Cost, 1e-9, "the laboratory is paid for composites")
	again, err := New(nil, &f, z, p)
	require.NoError(t, err)
	require.Equal(t, plan, again)

	single := p
	single.CompositesPerZone = 0
	apart, err := New(nil, &f, z, single)
	require.NoError(t, err)
	for i, point := range apart.Points {
		require.Equal(t, plan.Points[i].At, point.At, "the same points")
		require.Zero(t, point.Composite)
	}
	require.Greater(t, plan.ExpectedRelativeError, apart.ExpectedRelativeError, "fewer degrees of freedom")
	single.Samples, p.Samples = 0, 0
	apart, err = New(nil, &f, z, single)
	require.NoError(t, err)
	plan, err = New(nil, &f, z, p)
	require.NoError(t, err)
	require.Greater(t, plan.Samples, apart.Samples, "which take more samples")
	require.True(t, plan.PrecisionReached())
	p.Costs.Budget = 300
	paid, err := New(nil, &f, z, p)
	require.NoError(t, err)
	require.Equal(t, 60, paid.Samples, "(300 - 6 × 30) / 2")

	// Another way changes the order of the points, and nothing else.
	p.Samples, p.Costs = 22, Costs{}
	from := p
	from.Journey.Start = &Terminus{At: geo.Position{X: f.OriginX + 900, Y: f.OriginY - 900}}
	there, err := New(nil, &f, z, from)
	require.NoError(t, err)
	here, err := New(nil, &f, z, p)
	require.NoError(t, err)
	places := map[geo.Position]string{}
	for _, point := range here.Points {
		places[point.At] = point.CompositeID()
	}
	for _, point := range there.Points {
		require.Equal(t, places[point.At], point.CompositeID())
	}
}

// Changes by hand keep every sample in a composite of its stratum.
func TestCompositesOfCustomPlans(t *testing.T) {
	t.Parallel()
	f, z := halves(t)
	p := DefaultParams()
	p.Samples, p.CompositesPerZone, p.Seed = 20, 2, 5
	plan, err := New(nil, &f, z, p)
	require.NoError(t, err)
	was := plan.Points[plan.index("Z1-01")].CompositeID()
	other := plan.Points[plan.index("Z2-01")]
	custom, err := Customise(nil, &f, z, plan, []Operation{
		{Change: Swap, Point: "Z1-01", With: "Z1-R01"}, {Change: Add, At: f.Centre(f.Index(20, 35))}, {Change: Move, Point: "Z1-02", At: f.Centre(f.Index(10, 36))},
		{Change: Delete, Point: other.ID},
	})
	require.NoError(t, err)
	require.Equal(t, was, custom.Points[custom.index("Z1-R01")].CompositeID(), "the reserve takes the place in the bag")
	require.Zero(t, custom.Points[custom.index("Z1-01")].Composite)
	require.NotContains(t, bagsOf(custom)[other.CompositeID()], other.ID)
	for _, point := range custom.Points {
		require.Equal(t, point.Role == RoleSample, point.Composite > 0, point.ID)
		require.LessOrEqual(t, point.Composite, 2)
	}
	sizes := bagsOf(custom)
	require.InDelta(t, len(sizes["Z2-C1"]), len(sizes["Z2-C2"]), 2)
}

func TestCompositesThatAreRefused(t *testing.T) {
	t.Parallel()
	f, z := halves(t)
	for name, spoil := range map[string]func(p *Params){
		"one":                 func(p *Params) { p.CompositesPerZone = 1 },
		"more than a zone":    func(p *Params) { p.CompositesPerZone = 4 },
		"more than a field":   func(p *Params) { p.CompositesPerZone, p.MinSamplesPerField = 3, 2 },
		"more than there are": func(p *Params) { p.CompositesPerZone, p.MinSamplesPerZone = 101, 200 },
	} {
		p := DefaultParams()
		spoil(&p)
		_, err := New(nil, &f, z, p)
		refusal, ok := fault.As(err)
		require.True(t, ok, name)
		require.Contains(t, refusal.Fields, "composites_per_zone", name)
	}
}
