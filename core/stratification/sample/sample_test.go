package sample

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

func ptr[T any](v T) *T { return &v }

// taken returns a sound sample in a state.
func taken(status Status) Sample {
	s := Sample{PlanID: 7, Round: 1, Point: "Z2-07", Zone: 2, Depth: DepthOf(0, 30), Planned: geo.Position{X: 6, Y: 52}, Status: status}
	s.Label = s.DefaultLabel()
	if status == StatusCollected || status == StatusAnalysed {
		s.Collected = &Collected{At: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Zone: 2}
	}
	if status == StatusAnalysed {
		s.Lab = &Lab{SOCPct: 2}
	}
	return s
}

func TestSampleStates(t *testing.T) {
	for _, status := range Statuses {
		s := taken(status)
		require.Empty(t, s.Check(), status)
		for _, other := range Statuses {
			s := taken(status)
			s.Status = other
			sound := other == status || status == StatusPlanned && other == StatusMissed || status == StatusMissed && other == StatusPlanned
			require.Equal(t, sound, len(s.Check()) == 0, "%s called %s", status, other)
		}
	}
	for name, c := range map[string]struct {
		from Status
		with Sample
		want Status
	}{
		"collected":         {StatusPlanned, taken(StatusCollected), StatusCollected},
		"analysed":          {StatusCollected, taken(StatusAnalysed), StatusAnalysed},
		"found after all":   {StatusMissed, taken(StatusCollected), StatusCollected},
		"result withdrawn":  {StatusAnalysed, taken(StatusCollected), StatusCollected},
		"nothing became of": {StatusMissed, taken(StatusPlanned), StatusMissed},
	} {
		after := c.with
		after.Status = c.from
		after.Advance(taken(c.from))
		require.Equal(t, c.want, after.Status, name)
		require.Empty(t, after.Check(), name)
	}
}

func TestSamplesThatAreRefused(t *testing.T) {
	for field, spoil := range map[string]func(s *Sample){
		"label":     func(s *Sample) { s.Label = "ä" },
		"notes":     func(s *Sample) { s.Notes = "\x00" },
		"status":    func(s *Sample) { s.Collected = nil },
		"collected": func(s *Sample) { s.Collected.LonLat = &geo.Position{X: 6.02, Y: 52} },
		"lab":       func(s *Sample) { s.Lab.BulkDensity = ptr(2.66) },
	} {
		s := taken(StatusAnalysed)
		spoil(&s)
		s.Normalise()
		require.Contains(t, s.Check(), field)
	}
	for _, soc := range []float64{-0.1, 100.1, math.NaN(), math.Inf(1)} {
		require.NotEmpty(t, (&Lab{SOCPct: soc}).check(), "%v", soc)
	}
	for _, density := range []float64{0.05, 2.65} {
		require.Empty(t, (&Lab{BulkDensity: &density, CoarseFragmentsPct: ptr(100.0)}).check())
	}
	for _, c := range []*Collected{{LonLat: &geo.Position{X: 181}}, {LonLat: &geo.Position{Y: math.NaN()}}, {AccuracyM: ptr(-1.0)}} {
		c.At = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		require.NotEmpty(t, c.check())
	}
}

func TestDepths(t *testing.T) {
	require.Empty(t, CheckDepths([]Depth{DepthOf(30, 60), DepthOf(0, 7.5), DepthOf(7.5, 30)}))
	for name, depths := range map[string][]Depth{
		"none": nil, "upside down": {DepthOf(30, 0)}, "empty": {DepthOf(5, 5)}, "overlap": {DepthOf(0, 30), DepthOf(20, 40)},
		"twice": {DepthOf(0, 30), DepthOf(0, 30)}, "above": {DepthOf(-1, 5)}, "too deep": {DepthOf(0, 301)}, "many": make([]Depth, 11),
	} {
		require.NotEmpty(t, CheckDepths(depths), name)
	}
	s := taken(StatusPlanned)
	require.Equal(t, "P7-Z2-07-0-30", s.Label)
	s.Round, s.Depth = 2, DepthOf(7.5, 30)
	require.Equal(t, "P7-r2-Z2-07-7.5-30", s.DefaultLabel())
}

// Labels tell samples apart, and pass the rule for labels.
func TestLabelsAreUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Sample {
			s := Sample{
				PlanID: rapid.Int64Range(1, 99).Draw(t, name), Round: rapid.Int64Range(1, 12).Draw(t, name),
				Point: rapid.StringMatching(`Z[1-9]-(R)?[0-9]{2,4}`).Draw(t, name), Depth: Depth{rapid.Int64Range(0, 99).Draw(t, name), rapid.Int64Range(100, 3000).Draw(t, name)},
			}
			s.Label = s.DefaultLabel()
			return s
		}
		a, b := draw("a"), draw("b")
		if !labels.MatchString(a.Label) || (a.Label == b.Label) != (a.PlanID == b.PlanID && a.Round == b.Round && a.Point == b.Point && a.Depth == b.Depth) {
			t.Fatalf("%s and %s", a.Label, b.Label)
		}
	})
}

// How an estimate reports reserves, samples outside their zone and what was not stated, and what
// it leaves out.
func TestEstimateOfSamples(t *testing.T) {
	r := Round{Plan: plan.SamplePlan{Plan: plan.Plan{ProbabilitySample: true, PerZone: []plan.ZonePlan{{Zone: 1, Samples: 3}}}}}
	r.Plan.Map.Candidate.Zones = []zoning.Zone{{Number: 1, AreaHa: 2}}
	add := func(point string, role plan.Role, from, to, soc float64, density *float64) *Sample {
		s := taken(StatusAnalysed)
		s.Point, s.Role, s.Zone, s.Depth, s.Lab = point, role, 1, DepthOf(from, to), &Lab{SOCPct: soc, BulkDensity: density}
		s.Collected.Zone = 1
		r.Samples = append(r.Samples, s)
		return &r.Samples[len(r.Samples)-1]
	}
	for _, point := range []string{"a", "b"} {
		add(point, plan.RoleSample, 0, 10, 3, ptr(1.2))
		add(point, plan.RoleSample, 10, 30, 1.5, ptr(1.4))
	}
	add("c", plan.RoleReserve, 0, 10, 3, nil).Collected.Zone = 2
	add("c", plan.RoleReserve, 10, 30, 1.5, nil)
	add("d", plan.RoleSample, 0, 10, 9, ptr(1.2))
	got, err := r.Estimate(0, 30, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.Equal(t, 3, got.SOC.N)
	require.InDelta(t, (3*10+1.5*20)/30.0, got.SOC.Mean.Mean, 1e-12)
	require.Equal(t, "d", got.WithoutSOC[0].Point)
	require.InDelta(t, 3*1.2*10+1.5*1.4*20, got.Stock.Mean.Mean, 1e-12)
	require.InDelta(t, 2*got.Stock.Mean.Mean, got.Stock.Total.Mean, 1e-9)
	require.Equal(t, "c", got.WithoutStock[0].Point)
	require.Len(t, got.Notes, 3)
	from, to, ok := r.Depths()
	require.True(t, ok && from == 0 && to == 30)
}
