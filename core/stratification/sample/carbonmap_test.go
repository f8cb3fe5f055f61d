package sample

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/stratification/carbon"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

// A map of soil carbon states by zone what its samples lack; where nothing is lacking, it has the figures of the estimate.
func TestWhatAMapOfCarbonLacks(t *testing.T) {
	survey := carbon.Survey{PlanUUID: "p", Round: 1, ToCm: 30, Confidence: 0.9}
	density := 1.3
	round := func(change func(*Round)) Round {
		r := Round{Plan: plan.SamplePlan{Plan: plan.Plan{PlanUUID: "p", ProbabilitySample: true, PerZone: []plan.ZonePlan{{Zone: 1, Samples: 3}, {Zone: 2, Samples: 3}}}}}
		r.Plan.Map = zoning.Map{Candidate: zoning.Candidate{MapUUID: "m", Zoning: zoning.Zoning{Zones: []zoning.Zone{{Number: 1, AreaHa: 6}, {Number: 2, AreaHa: 2}}}}}
		for zone := 1; zone <= 2; zone++ {
			for i := range 3 {
				r.Samples = append(r.Samples, Sample{
					Point: fmt.Sprintf("Z%d-0%d", zone, i+1), Zone: zone, Depth: DepthOf(0, 30), Planned: geo.Position{X: 6, Y: 52 + float64(3*zone+i)/1000},
					Status: StatusAnalysed, Collected: &Collected{Zone: zone}, Lab: &Lab{SOCPct: float64(zone) + float64(i)/10, BulkDensity: &density},
				})
			}
		}
		change(&r)
		return r
	}
	for what, c := range map[string]struct {
		change func(*Round)
		zones  []int
	}{
		"zone 2 has a stock between 0 and 30 cm at 1 of the 2 points that it needs": {func(r *Round) { r.Samples[3].Lab, r.Samples[4].Lab = nil, nil }, []int{2}},
		"zone 1 has a stock between 0 and 30 cm at 0 of the 2":                      {func(r *Round) { r.Samples = r.Samples[3:] }, []int{1}},
		"of Z1-01, it has no bulk density": {func(r *Round) {
			for i := range r.Samples {
				r.Samples[i].Lab = &Lab{SOCPct: 2}
			}
		}, []int{0}},
		"moved or added by hand": {func(r *Round) { r.Plan.Plan.ProbabilitySample, r.Plan.Plan.IsCustom = false, true }, []int{0}},
	} {
		_, lacks, err := round(c.change).CarbonMap(survey)
		require.NoError(t, err)
		require.Len(t, lacks, len(c.zones), what)
		for i, zone := range c.zones {
			require.Equal(t, zone, lacks[i].Zone, what)
		}
		require.Contains(t, lacks[0].What, what)
		require.ErrorContains(t, carbon.Missing(survey, lacks), what)
	}
	r := round(func(*Round) {})
	m, lacks, err := r.CarbonMap(survey)
	require.NoError(t, err)
	require.Empty(t, lacks)
	report, err := r.Estimate(0, 30, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.Equal(t, []float64{6, 2}, []float64{m.Zones[0].AreaHa, m.Zones[1].AreaHa})
	require.Equal(t, report.Stock.Mean.Spread.Low, m.AOI.Stock.Low)
	require.InDelta(t, 8*m.AOI.Stock.Mean, m.Total.Mean, 1e-9)
	require.Equal(t, "m", m.ZonesUUID)
	again, _, err := r.CarbonMap(survey)
	require.NoError(t, err)
	require.Equal(t, m.Digest(), again.Digest())
	again.Zones[0].Stock.High++
	require.NotEqual(t, m.Digest(), again.Digest())
}
