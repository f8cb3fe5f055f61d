package sample

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/internal/stats"
	"tilth/core/stratification/plan"
	"tilth/tests/fields"
)

// having returns n values with a given mean and variance.
func having(n int, mean, variance float64) []float64 {
	out := make([]float64, n)
	raw := make([]float64, n)
	for i := range raw {
		raw[i] = float64(i)
	}
	centre, sd := stats.MeanAndSD(raw)
	for i := range out {
		out[i] = mean + (raw[i]-centre)/sd*math.Sqrt(variance)
	}
	return out
}

func survey(areas []float64, values [][]float64) Survey {
	s := Survey{Map: "m", Placement: plan.StratifiedRandom, Probability: true}
	for h, area := range areas {
		s.Zones = append(s.Zones, SurveyZone{Zone: h + 1, AreaHa: area, Planned: len(values[h])})
		for i, v := range values[h] {
			s.Values = append(s.Values, Value{
				Point: fmt.Sprintf("Z%d-%02d", h+1, i+1), Zone: h + 1, Value: v,
				At: geo.Position{X: 6 + float64(h)/100, Y: 52 + float64(i)/1000},
			})
		}
	}
	return s
}

// Brus, chapter 4: the stratified estimate for Voorst, with its interval.
func TestPublishedEstimateOfVoorst(t *testing.T) {
	w, sizes := fields.Voorst(t)
	table := w.Published.Table
	var areas []float64
	var values [][]float64
	for h, name := range fields.VoorstStrata {
		areas = append(areas, float64(sizes[h])*0.0625)
		values = append(values, having(table.N[name], table.Means[name], table.Variances[name]))
	}
	e, err := MeanOf(survey(areas, values), plan.Precision{Confidence: 0.95, RelativeError: 0.1})
	require.NoError(t, err)
	require.Empty(t, e.Reasons)
	require.InDelta(t, table.Mean.Value, e.Mean.Mean, 0.02)
	require.InDelta(t, table.SE.Value, e.Mean.Spread.SE, 0.05)
	published := spread(e.Mean.Mean, e.Mean.Spread.SE*e.Mean.Spread.SE, 35, 0.95) // by n-H
	require.InDelta(t, table.CI.Value[0], published.Low, 0.02)
	require.InDelta(t, table.CI.Value[1], published.High, 0.02)
	require.InDelta(t, w.Satterthwaite.Value, e.Mean.Spread.DF, 0.01)
	require.InDelta(t, stats.StudentQuantile(0.95, e.Mean.Spread.DF)*e.Mean.Spread.SE, e.Mean.Spread.High-e.Mean.Mean, 1e-9)
	require.InDelta(t, e.Mean.Mean*7528*0.0625, e.Total.Mean, 1e-6)
	require.InDelta(t, e.Mean.Spread.SE*7528*0.0625, e.Total.Spread.SE, 1e-6)
	require.Greater(t, e.Needed, 40, "14.2 % was reached, 10 % planned")
	require.InDelta(t, 0.142, *e.RelativeError, 0.001)
}

func TestZoneEstimate(t *testing.T) {
	e, err := MeanOf(survey([]float64{3, 1}, [][]float64{{1, 2, 3}, {10, 10, 10, 10}}), plan.Precision{Confidence: 0.95})
	require.NoError(t, err)
	z := e.Zones[0]
	require.Equal(t, 2.0, z.Figure.Mean)
	require.InDelta(t, 1/math.Sqrt(3), z.Figure.Spread.SE, 1e-12)
	require.InDelta(t, 2+4.302653/math.Sqrt(3), z.Figure.Spread.High, 1e-5) // t of 2 degrees of freedom
	require.Equal(t, &Spread{SE: 0, Low: 10, High: 10, DF: 3}, e.Zones[1].Figure.Spread)
	require.Equal(t, 4.0, e.Mean.Mean)
	require.InDelta(t, 0.75/math.Sqrt(3), e.Mean.Spread.SE, 1e-12)
	require.Equal(t, 2.0, e.Mean.Spread.DF, "the zone that does not vary adds nothing")
}

func TestDesignsWithoutStandardErrors(t *testing.T) {
	full := [][]float64{{1, 2, 3}, {4, 6}}
	coverage := survey([]float64{1, 1}, full)
	coverage.Placement, coverage.Probability = plan.Coverage, false
	cube := coverage
	cube.Placement = plan.LatinHypercube
	custom := survey([]float64{1, 1}, full)
	custom.Custom, custom.Probability = true, false
	for name, tc := range map[string]struct {
		survey Survey
		mean   float64
		reason string
	}{
		"coverage":  {coverage, 3.5, "even coverage"},
		"hypercube": {cube, 3.5, "Latin hypercube"},
		"by hand":   {custom, 3.5, "by hand"},
		"one value": {survey([]float64{1, 1}, [][]float64{{1, 2, 3}, {5}}), 3.5, "Zone 2 has one value"},
	} {
		e, err := MeanOf(tc.survey, plan.Precision{Confidence: 0.9, RelativeError: 0.1})
		require.NoError(t, err, name)
		require.Equal(t, tc.mean, e.Mean.Mean, name)
		require.Nil(t, e.Mean.Spread, name)
		require.Nil(t, e.Total.Spread, name)
		require.Nil(t, e.Zones[1].Figure.Spread, name)
		require.Contains(t, e.Reasons[0], tc.reason)
	}
	e, err := MeanOf(survey([]float64{1, 1}, [][]float64{{1, 2, 3}, nil}), plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.Nil(t, e.Mean)
	require.NotNil(t, e.Zones[0].Figure.Spread, "a zone of its own has its estimate")
	require.Contains(t, e.Reasons[0], "no mean of the area")

	balanced := survey([]float64{1, 1}, full)
	balanced.Placement = plan.SpatiallyBalanced
	balanced.Zones[0].Planned = 5
	e, err = MeanOf(balanced, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.NotNil(t, e.Mean.Spread)
	require.Len(t, e.Notes, 2, "missing values, and the standard error is too large")
}

func TestValuesThatAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(s *Survey){
		"no number":    func(s *Survey) { s.Values[0].Value = math.NaN() },
		"unknown zone": func(s *Survey) { s.Values[0].Zone = 7 },
		"twice":        func(s *Survey) { s.Values[1].Point = s.Values[0].Point },
		"no area":      func(s *Survey) { s.Zones[0].AreaHa = 0 },
	} {
		s := survey([]float64{1}, [][]float64{{1, 2, 3}})
		spoil(&s)
		_, err := MeanOf(s, plan.Precision{Confidence: 0.9})
		f, ok := fault.As(err)
		require.True(t, ok, name)
		require.Equal(t, fault.Invalid, f.Kind, name)
	}
}

// The same points in both rounds: the standard error is that of their changes, and far below
// that of two independent rounds.
func TestDifference(t *testing.T) {
	before := survey([]float64{2, 2}, [][]float64{{10, 20, 30, 40}, {50, 60, 70}})
	after := survey([]float64{2, 2}, [][]float64{{12, 21, 33, 42}, {51, 62, 73}})
	e, err := Difference(before, after, 0.9)
	require.NoError(t, err)
	require.InDelta(t, 2, e.Mean.Mean, 1e-12)
	require.True(t, e.Zones[0].Paired && e.Zones[1].Paired)
	require.InDelta(t, math.Sqrt(2.0/3/4), e.Zones[0].Figure.Spread.SE, 1e-12) // changes 2, 1, 3, 2
	require.InDelta(t, math.Sqrt(0.25*2.0/3/4+0.25*1.0/3), e.Mean.Spread.SE, 1e-12)
	require.InDelta(t, 3.857, e.Mean.Spread.DF, 0.001) // (1/24 + 1/12)² / ((1/24)²/3 + (1/12)²/2)

	for i := range after.Values {
		after.Values[i].At.X += 0.001 // 70 m east: other points, whatever their names
	}
	e, err = Difference(before, after, 0.9)
	require.NoError(t, err)
	require.InDelta(t, 2, e.Mean.Mean, 1e-12)
	require.False(t, e.Zones[0].Paired)
	require.Greater(t, e.Mean.Spread.SE, 5.0)
	require.Less(t, e.Mean.Spread.DF, 10.0)

	// One sample of the second round is missing: the change is that at the others.
	after = survey([]float64{2, 2}, [][]float64{{12, 21, 33, 42}, {51, 62}})
	e, err = Difference(before, after, 0.9)
	require.NoError(t, err)
	require.True(t, e.Zones[1].Paired)
	require.InDelta(t, 1.5, e.Zones[1].Figure.Mean, 1e-12)
	require.NotEmpty(t, e.Notes)

	after.Map = "another"
	_, err = Difference(before, after, 0.9)
	f, ok := fault.As(err)
	require.True(t, ok)
	require.Equal(t, fault.Conflict, f.Kind)
}

func TestStocks(t *testing.T) {
	top := DepthInterval{FromCm: 0, ToCm: 10, SOCPct: 2, BulkDensity: 1.2, CoarseFragmentsPct: 10}
	low := DepthInterval{FromCm: 10, ToCm: 30, SOCPct: 1, BulkDensity: 1.4}
	require.InDelta(t, 21.6, top.Stock(), 1e-12) // 2 × 1.2 × 10 × 0.9
	require.InDelta(t, 1080, top.Mass(), 1e-9)
	profiles := []Profile{
		{Point: "a", Zone: 1, Intervals: []DepthInterval{low, top}},
		{Point: "gap", Zone: 1, Intervals: []DepthInterval{top}},
	}
	values, out := Stocks(profiles, 0, 30)
	require.Len(t, values, 1)
	require.InDelta(t, 21.6+28, values[0].Value, 1e-12)
	require.Equal(t, []Unusable{{"gap", "nothing is known of it between 10 and 30 cm"}}, out)
	values, _ = Stocks(profiles, 0, 10)
	require.Len(t, values, 2)
	_, out = Stocks(profiles, 0, 20)
	require.Contains(t, out[0].Reason, "do not fill")
}

// Fields and farms are estimated from the points in them; those with too few are named with the reason.
func TestFieldsAndFarms(t *testing.T) {
	s := survey([]float64{6, 2}, [][]float64{{50, 54, 58, 62}, {70, 74}})
	s.Land = []Land{{FieldUUID: "a", FarmID: 1, FarmName: "Hill", AreaHa: 5}, {FieldUUID: "b", FarmID: 1, AreaHa: 2}, {FieldUUID: "c", FarmID: 2, AreaHa: 1}, {FieldUUID: "d"}}
	s.FieldOf = map[string]int{"Z1-01": 1, "Z1-02": 1, "Z1-03": 1, "Z1-04": 2, "Z2-01": 2, "Z2-02": 3}
	e, err := MeanOf(s, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.Len(t, e.Fields, 4)
	require.Len(t, e.Farms, 2, "a field that is gone has no farm")
	require.InDelta(t, 54, e.Fields[0].Figure.Mean, 1e-9)
	require.InDelta(t, 4/math.Sqrt(3), e.Fields[0].Figure.Spread.SE, 1e-9, "s/√n within one zone")
	require.InDelta(t, 5*54, e.Fields[0].Total.Mean, 1e-9)
	require.InDelta(t, (0.75/4*62+0.25/2*70)/(0.75/4+0.25/2), e.Fields[1].Figure.Mean, 1e-9, "by what its points stand for")
	require.Equal(t, []any{int64(1), 7.0, 5}, []any{e.Farms[0].ID, e.Farms[0].AreaHa, e.Farms[0].N})
	require.Nil(t, e.Fields[2].Figure.Spread)
	require.Contains(t, e.Fields[2].Reason, "Too few")
	require.Nil(t, e.Fields[3].Figure)
	require.Contains(t, e.Fields[3].Reason, "no point")
	require.Contains(t, strings.Join(e.Notes, " "), "2 fields have fewer than two points")
	s.Probability, s.Placement = false, plan.Coverage
	e, err = MeanOf(s, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.NotNil(t, e.Fields[0].Figure)
	require.Nil(t, e.Fields[0].Figure.Spread)
	require.Contains(t, e.Fields[0].Reason, "even coverage")
}
