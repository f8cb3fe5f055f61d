package plan

import (
	"cmp"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/zoning"
)

// halves returns a square of 400 m with two zones, of which the first holds three quarters.
func halves(t *testing.T) (frame.Frame, *zoning.Zoning) {
	t.Helper()
	f := squareFrame(t, 40)
	labels := make([]int32, len(f.Cells))
	for i, c := range f.Cells {
		if labels[i] = 1; c.Col >= 30 {
			labels[i] = 2
		}
	}
	return f, zoningOf(&f, labels)
}

// A number of samples follows from a change, the change from the number, and both from a budget.
func TestPlanForAChange(t *testing.T) {
	f, z := halves(t)
	p := DefaultParams()
	p.Monitoring.SD, p.Monitoring.Change = 1.7, 1.1
	forChange, err := New(nil, &f, z, p)
	require.NoError(t, err)
	require.LessOrEqual(t, forChange.Detection.Change, 1.1)
	require.InDelta(t, 1.7, forChange.Detection.SD, 1e-9)
	require.InDelta(t, forChange.Detection.Change/5, forChange.Detection.PerYear, 1e-12)
	require.Equal(t, 17, forChange.Samples, "(1.645 + 0.842)² 1.7²/1.1² is 14.8, and t makes it more")
	require.Contains(t, forChange.Summary(), "17 points see 1.1 t C/ha in 5 years at 80 %")

	p.Monitoring.Change, p.Samples = 0, forChange.Samples
	sees, err := New(nil, &f, z, p)
	require.NoError(t, err)
	require.InDelta(t, forChange.Detection.Change, sees.Detection.Change, 1e-12)

	p.Samples, p.Costs = 0, Costs{PerPoint: 20, PerComposite: 30, Composites: 2, PerKm: 2, Budget: 1500}
	paid, err := New(nil, &f, z, p)
	require.NoError(t, err)
	require.Equal(t, 18, paid.Samples, "80 a point, and some euros for the way")
	require.InDelta(t, 18*80+2*paid.WayKm, paid.Cost, 1e-9)
	require.True(t, paid.WayKm > 1 && paid.WayKm < 3, "%g km", paid.WayKm)

	p.Costs, p.Monitoring = Costs{}, DefaultMonitoring()
	p.Pilot = map[int]Pilot{1: {5, 55, 10}, 2: {5, 70, 10}}
	pilot, err := New(nil, &f, z, p)
	require.NoError(t, err)
	require.InDelta(t, 10*math.Sqrt(0.4), pilot.Detection.SD, 1e-9, "√(2 (1 - 0.8))")
	for field, spoil := range map[string]func(p *Params){
		"detectable_change": func(p *Params) { p.Samples, p.Monitoring.Change = 20, 1 },
		"budget":            func(p *Params) { p.Costs.Budget = 100 },
		"power":             func(p *Params) { p.Monitoring.Power = 1 },
		"correlation":       func(p *Params) { p.Monitoring.Correlation = 1 },
		"years":             func(p *Params) { p.Monitoring.Years = 0 },
		"mean_stock":        func(p *Params) { p.Monitoring.Mean = 0 },
		"sd_of_change":      func(p *Params) { p.Monitoring.SD = -1 },
	} {
		p := DefaultParams()
		spoil(&p)
		_, err := New(nil, &f, z, p)
		refusal, ok := fault.As(err)
		require.True(t, ok, field)
		nested, ok := refusal.Fields[cmp.Or(map[string]string{"budget": "costs"}[field], "change")].(fault.Fields)
		require.True(t, ok, field)
		require.Contains(t, nested, field)
	}
}

// A change of the size that a plan claims to detect is detected with the power that it claims.
func TestPowerOfAPlan(t *testing.T) {
	strata := []Stratum{{Weight: 0.6, SD: 2}, {Weight: 0.3, SD: 1}, {Weight: 0.1, SD: 4}}
	r := rand.New(rand.NewPCG(1, 2))
	for _, power := range []float64{0.8, 0.9} {
		m := DefaultMonitoring()
		m.Power = power
		samples := []int{10, 6, 5}
		d := m.detectable(strata, 0.95, samples)
		const runs = 4000
		seen := 0
		for range runs {
			mean, parts := 0.0, make([]stats.Part, len(strata))
			for h, s := range strata {
				changes := make([]float64, samples[h])
				for i := range changes {
					changes[i] = d.Change + s.SD*r.NormFloat64()
				}
				own, variance := stats.MeanAndVariance(changes)
				mean += s.Weight * own
				parts[h] = stats.OfMean(samples[h], s.Weight*s.Weight*variance, samples[h])
			}
			whole := stats.Sum(parts...)
			if mean > stats.StudentQuantile(0.95, whole.DF)*math.Sqrt(whole.Variance) {
				seen++
			}
		}
		require.InDelta(t, power, float64(seen)/runs, 0.025)
	}
}
