package plan

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/programme"
)

// inStages returns parameters for a number of draws, with a number of points each.
func inStages(draws, points int) Params {
	p := DefaultParams()
	s := DefaultStages()
	s.Draws, s.Points = draws, points
	p.Stages, p.ZoneOffset, p.MinDistance = &s, 5, 10
	return p
}

func TestPlanInTwoStages(t *testing.T) {
	t.Parallel()
	f, z := estate(t, 30, 24, 6, 4, 1)
	p := inStages(6, 3)
	p.ZoneOffset = 6
	for seed := range uint64(6) {
		p.Seed = seed
		plan, err := New(nil, &f, z, p)
		require.NoError(t, err)
		require.Equal(t, []int{18, 6, 6, 2}, []int{plan.Samples, plan.Reserves, plan.Staged.Draws, plan.Zones()})
		require.True(t, plan.ProbabilitySample)
		require.Len(t, plan.PerZone, 8, "two zones, and the draws behind them")
		require.Zero(t, plan.PerZone[0].Samples+plan.PerZone[1].Samples)
		fields := map[int]int{}
		for i, row := range plan.PerZone[2:] {
			require.Equal(t, []int{i + 1, 3, 1}, []int{row.Draw, row.Samples, row.Reserves})
			require.InDelta(t, 1.0/6, row.Weight, 1e-12)
			require.Contains(t, plan.Staged.Fields[row.Field-1].Draws, row.Draw)
			fields[row.Field-1]++
		}
		require.Len(t, fields, plan.Staged.DrawnFields())
		for _, point := range plan.Points {
			row := plan.PerZone[point.Zone-1]
			require.Equal(t, row.Field-1, point.Field, point.ID)
			require.Equal(t, fmt.Sprintf("D%d-", row.Draw), point.ID[:3])
			require.GreaterOrEqual(t, point.Edge, 6.0)
		}
		require.Len(t, plan.FieldsInOrder(), len(fields), "the way is over the fields that were drawn")
		require.True(t, plan.Staged.Fields[4].LeftOut, "10 m wide")
		require.Zero(t, plan.Staged.Fields[4].Chance)
		require.InDelta(t, 30/64.0, plan.Staged.Fields[0].Chance, 1e-12)
		require.Equal(t, "fields_without_room", plan.Concerns[0].Code)
		require.Contains(t, plan.Statement(), fmt.Sprintf("%d of 4 fields were drawn, in 6 draws", len(fields)))
		again, err := New(nil, &f, z, p)
		require.NoError(t, err)
		require.Equal(t, plan, again)
	}
}

// Fields are drawn in proportion to their areas, and a field that is drawn again gets as many points again.
func TestDrawsAreInProportionToAreas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		columns := rapid.SliceOfN(rapid.IntRange(2, 12), 2, 6).Draw(r, "columns")
		f, z := estate(t, columns...)
		p := inStages(999, 1)
		p.ZoneOffset, p.Seed = 0, rapid.Uint64Range(0, 1<<50).Draw(r, "seed")
		d := designOf(t, &f, z, p)
		to := layout{eligible: d.eligible(0)}
		require.NoError(r, d.drawFields(&to))
		all := 0
		for _, n := range columns {
			all += n
		}
		for i, field := range d.staged.Fields {
			chance := float64(columns[i]) / float64(all)
			require.InDelta(r, chance, field.Chance, 1e-12)
			require.InDelta(r, 999*chance, len(field.Draws), 6*math.Sqrt(999*chance*(1-chance)))
			require.Equal(r, len(field.Draws), to.counts[i])
		}
	})
}

// Over many seeds, the mean of the means of draws has the mean of the land, and its variance is that between draws.
func TestStagesAreUnbiased(t *testing.T) {
	t.Parallel()
	f, z := estate(t, 20, 16, 10, 3, 12)
	truth, values := 0.0, make([]float64, len(f.Cells))
	for i, c := range f.Cells {
		values[i] = 50 + 4*float64((c.Field*3)%5) + 0.2*float64(c.Row) + 3*math.Sin(float64(7*c.Col+3*c.Row))
		truth += values[i] / float64(len(values))
	}
	p := inStages(8, 3)
	p.ZoneOffset, p.MinDistance, p.ReserveShare = 0, 0, 0
	d := designOf(t, &f, z, p)
	const seeds = 1500
	var means, variances []float64
	covered := 0.0
	for seed := range seeds {
		d.params.Seed = uint64(seed)
		found, err := d.place(0)
		require.NoError(t, err)
		byDraw, n := make([]float64, 8), make([]int, 8)
		for _, s := range found.samples {
			byDraw[s.draw-1] += values[s.cell] / 3
			n[s.draw-1]++
		}
		require.Equal(t, []int{3, 3, 3, 3, 3, 3, 3, 3}, n)
		mean, part := programme.MeanOfDraws(byDraw)
		means, variances = append(means, mean), append(variances, part.Variance)
		if math.Abs(mean-truth) <= stats.StudentQuantile(0.95, part.DF)*math.Sqrt(part.Variance) {
			covered += 1.0 / seeds
		}
	}
	mean, sd := stats.MeanAndSD(means)
	require.InDelta(t, truth, mean, 4*sd/math.Sqrt(seeds))
	reported, _ := stats.MeanAndSD(variances)
	require.InEpsilon(t, sd, math.Sqrt(reported), 0.05)
	require.True(t, covered >= 0.94 && covered <= 0.96, "%g", covered)
}

// The worked example of the documentation: what two stages need, in both directions.
func TestStagesAreSized(t *testing.T) {
	t.Parallel()
	f, z := estate(t, 30, 24, 26, 40)
	worked := func(change func(p *Params)) Plan {
		p := inStages(0, 0)
		p.Stages.Pilot = &StagesPilot{Mean: 60, Between: 6, Within: 9}
		p.Costs = Costs{PerField: 90, PerPoint: 20, PerComposite: 10, Composites: 2}
		change(&p)
		plan, err := New(nil, &f, z, p)
		require.NoError(t, err)
		return plan
	}
	plan := worked(func(*Params) {})
	require.InDelta(t, 2.25, plan.Staged.Optimum, 1e-12)
	require.Equal(t, []int{2, 8, 8, 16, 16}, []int{plan.Staged.Points, plan.Staged.Draws, plan.Staged.Needed, plan.Samples, plan.SamplesNeeded})
	require.InDelta(t, 0.0976, plan.ExpectedRelativeError, 5e-5, "1.895 √(76.5/8) / 60")
	require.InDelta(t, 5.46, plan.Detection.Change, 5e-3, "(1.895 + 0.896) √(0.4 · 76.5/8)")
	require.True(t, plan.PrecisionReached() && plan.FromPilot)
	require.InDelta(t, float64(90*plan.Staged.DrawnFields()+16*40), plan.Cost, 1e-9)

	more := worked(func(p *Params) { p.Stages.Draws = 20 })
	require.Equal(t, 20, more.Staged.Draws)
	require.InDelta(t, 1.7291*math.Sqrt(76.5/20)/60, more.ExpectedRelativeError, 1e-5)
	sees := worked(func(p *Params) { p.Monitoring.Change = more.Detection.Change })
	require.Equal(t, 20, sees.Staged.Draws, "from the change back to the draws")
	require.LessOrEqual(t, worked(func(p *Params) { p.Costs.Budget = 1000 }).Cost, 1000.0)
	require.Contains(t, plan.Summary(), "16 points see 5.5 in 5 years")

	p := inStages(10, 3) // without pilot: cv² in halves
	assumed, err := New(nil, &f, z, p)
	require.NoError(t, err)
	require.InDelta(t, 1.8331*math.Sqrt(0.045*(1+1.0/3)/10), assumed.ExpectedRelativeError, 1e-5)
	require.InDelta(t, 0.3*60*math.Sqrt(0.4), assumed.Detection.SD, 1e-9)
	p.Monitoring.SD = 4
	of4, err := New(nil, &f, z, p)
	require.NoError(t, err)
	require.InDelta(t, 4, of4.Detection.SD, 1e-9)
}

func TestStagesAreRefused(t *testing.T) {
	t.Parallel()
	f, z := estate(t, 30, 24)
	for field, change := range map[string]func(p *Params){
		"number_of_samples":        func(p *Params) { p.Samples = 12 },
		"ha_per_sample":            func(p *Params) { p.HaPerSample = 2 },
		"min_samples_per_field":    func(p *Params) { p.MinSamplesPerField = 3 },
		"min_samples_per_zone":     func(p *Params) { p.MinSamplesPerZone = 4 },
		"allocation":               func(p *Params) { p.Allocation = Equal },
		"cost":                     func(p *Params) { p.Cost = map[int]float64{1: 1, 2: 2} },
		"pilot":                    func(p *Params) { p.Pilot = map[int]Pilot{1: {3, 50, 5}, 2: {3, 50, 5}} },
		"edge":                     func(p *Params) { p.Edge = EdgeStratum },
		"placement":                func(p *Params) { p.Placement = SpatiallyBalanced },
		"stages.draws":             func(p *Params) { p.Stages.Draws = 1 },
		"stages.points_per_field":  func(p *Params) { p.Stages.Points = 0 },
		"stages.share_between":     func(p *Params) { p.Stages.ShareBetween = 1.5 },
		"stages.sd_within":         func(p *Params) { p.Stages.Pilot = &StagesPilot{60, 5, -1} },
		"stages.mean":              func(p *Params) { p.Stages.Pilot = &StagesPilot{-1, 5, 5} },
		"stages.sd_between":        func(p *Params) { p.Stages.Pilot = &StagesPilot{60, 0, 0} },
		"costs.per_field":          func(p *Params) { p.Costs.PerField = -1 },
		"costs":                    func(p *Params) { p.Stages.Draws, p.Costs = 0, Costs{PerPoint: 50, Budget: 200} },
		"change.detectable_change": func(p *Params) { p.Monitoring.Change = 1 }, // with draws
		"relative_error":           func(p *Params) { p.Stages.Draws, p.Precision.RelativeError = 0, 0.001 },
	} {
		p := inStages(6, 3)
		change(&p)
		_, err := New(nil, &f, z, p)
		known, ok := fault.As(err)
		require.True(t, ok, "%s: %v", field, err)
		found := known.Fields
		if object, member, nested := strings.Cut(field, "."); nested {
			found, _ = known.Fields[object].(fault.Fields)
			field = member
		}
		require.Contains(t, found, field, "%v", err)
	}
	one, only := estate(t, 30)
	_, err := New(nil, &one, only, inStages(6, 3))
	require.ErrorContains(t, err, "The area of interest has one field")

	narrow, of := estate(t, 30, 1)
	p := inStages(6, 3)
	p.ZoneOffset = 6 // the second field is 10 m wide
	_, err = New(nil, &narrow, of, p)
	known, _ := fault.As(err)
	require.Equal(t, noRoomCode, known.Code)
	require.Contains(t, known.Message, "field 2 of the area of interest")
}

// Changes by hand keep points in the field that was drawn, and state what is left of a draw.
func TestStagesAreChangedByHand(t *testing.T) {
	t.Parallel()
	f, z := estate(t, 30, 24)
	base, err := New(nil, &f, z, inStages(3, 2))
	require.NoError(t, err)
	swapped, err := Customise(nil, &f, z, base, []Operation{{Change: Swap, Point: "D1-01", With: "D1-R01"}})
	require.NoError(t, err)
	require.True(t, swapped.ProbabilitySample)
	require.Equal(t, base.PerZone, swapped.PerZone)
	require.Equal(t, base.Staged, swapped.Staged)
	require.Equal(t, base.ExpectedRelativeError, swapped.ExpectedRelativeError)

	fewer, err := Customise(nil, &f, z, base, []Operation{{Change: Delete, Point: "D1-01"}, {Change: Delete, Point: "D1-02"}, {Change: Delete, Point: "D2-01"}})
	require.NoError(t, err)
	require.Equal(t, "empty_draw", fewer.Concerns[0].Code)
	require.Equal(t, "few_samples", fewer.Concerns[1].Code)
	require.Greater(t, fewer.ExpectedRelativeError, base.ExpectedRelativeError)

	point := base.Points[base.index("D1-01")]
	inside := geo.Position{X: point.At.X, Y: 5_700_000 - 200}
	moved, err := Customise(nil, &f, z, base, []Operation{{Change: Move, Point: "D1-01", At: inside}})
	require.NoError(t, err)
	require.False(t, moved.ProbabilitySample)
	require.Equal(t, point.Zone, moved.Points[moved.index("D1-01")].Zone)
	other := geo.Position{X: 500_000 + 10, Y: inside.Y}
	if point.Field == 0 {
		other.X = 500_000 + 400
	}
	for message, o := range map[string][]Operation{
		"stay in the field that was drawn": {{Change: Move, Point: "D1-01", At: other}},
		"belong to draws of fields":        {{Change: Add, At: inside}},
		"a reserve of the same zone":       {{Change: Swap, Point: "D1-01", With: "D2-R01"}},
		"an estimate needs 2":              {{Change: Delete, Point: "D1-01"}, {Change: Delete, Point: "D1-02"}, {Change: Delete, Point: "D2-01"}, {Change: Delete, Point: "D2-02"}},
	} {
		_, err := Customise(nil, &f, z, base, o)
		require.ErrorContains(t, err, message)
	}
}

// The number of draws for a precision is the smallest that reaches it, from two draws to a million.
func TestDrawsAreAsFewAsThePrecisionAllows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := Precision{
			Confidence:    rapid.SampledFrom([]float64{0.8, 0.9, 0.95, 0.99}).Draw(t, "confidence"),
			RelativeError: rapid.Float64Range(0.001, 0.9).Draw(t, "relative error"),
		}
		variance := rapid.Float64Range(0, 1).Draw(t, "variance of a draw")
		n := p.Draws(variance, 1)
		require.GreaterOrEqual(t, n, minDraws)
		require.LessOrEqual(t, p.ofDraws(n, variance, 1), p.RelativeError*within)
		if n > minDraws {
			require.Greater(t, p.ofDraws(n-1, variance, 1), p.RelativeError*within)
		}
	})
}
