package sample

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

// Tillage loosens a soil and takes no carbon: at a fixed depth it seems lost, in equal mass it is not.
func TestEquivalentStocks(t *testing.T) {
	profile := func(top float64) []Profile {
		return []Profile{{Point: "a", Zone: 1, Intervals: []DepthInterval{
			{FromCm: 30, ToCm: 45, SOCPct: 2, BulkDensity: 1.4},
			{FromCm: 0, ToCm: 15, SOCPct: 2, BulkDensity: top}, {FromCm: 15, ToCm: 30, SOCPct: 2, BulkDensity: 1.4},
		}}}
	}
	before, after := profile(1.4), profile(1.1)
	mass, ok := ReferenceMass(before, 30)
	require.True(t, ok)
	require.InDelta(t, 4200, mass, 1e-9) // 100 × 1.4 × 30
	fixed, _ := Stocks(after, 0, 30)
	require.InDelta(t, 75, fixed[0].Value, 1e-9)
	for _, round := range [][]Profile{before, after} {
		values, out := EquivalentStocks(round, mass)
		require.Empty(t, out)
		require.InDelta(t, 84, values[0].Value, 1e-9)
	}
	after[0].Intervals = after[0].Intervals[1:]
	_, out := EquivalentStocks(after, mass)
	require.Equal(t, []Unusable{{"a", "its intervals hold 3750 t/ha of fine soil, less than 4200 t/ha"}}, out)
	_, ok = ReferenceMass(before, 15)
	require.False(t, ok, "one interval does not allow it")
}

// roundOf returns a round of nine points of one zone, each with its own bulk density, in two intervals.
func roundOf(number int64, change float64) Round {
	r := Round{Plan: plan.SamplePlan{Plan: plan.Plan{ProbabilitySample: true}}}
	r.Plan.Map.Candidate.Zones = []zoning.Zone{{Number: 1, AreaHa: 2}}
	for i := range 9 {
		for _, depth := range []Depth{DepthOf(0, 15), DepthOf(15, 30)} {
			s := taken(StatusAnalysed)
			s.Round, s.Point, s.Zone, s.Depth = number, fmt.Sprintf("Z1-%02d", i+1), 1, depth
			s.Planned.Y += float64(i) / 1000
			s.Lab = &Lab{SOCPct: 2 + change, BulkDensity: ptr(1.3 + float64(i)/100), CoarseFragmentsPct: ptr(5.0)}
			r.Samples = append(r.Samples, s)
		}
	}
	return r
}

// of returns the samples of a point.
func (r Round) of(point int) []*Sample { return []*Sample{&r.Samples[2*point], &r.Samples[2*point+1]} }

// A stony point is left out by name, and neither it nor a point with one interval changes the
// reference of the others.
func TestOneStonyPoint(t *testing.T) {
	sound, err := roundOf(1, 0).Estimate(0, 30, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.InDelta(t, 100*1.3*30*0.95, sound.EquivalentMass, 1e-9)
	require.Equal(t, MassFirstRound, sound.EquivalentBasis)
	require.Equal(t, 9, sound.Equivalent.N)

	r := roundOf(1, 0)
	for _, s := range r.of(4) {
		s.Lab.CoarseFragmentsPct = ptr(55.0)
	}
	r.of(7)[0].Depth = DepthOf(0, 30)
	r.Samples = append(r.Samples[:15], r.Samples[16:]...)
	got, err := r.Estimate(0, 30, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.InDelta(t, sound.EquivalentMass, got.EquivalentMass, 1e-9)
	require.Equal(t, 7, got.Equivalent.N)
	require.InDelta(t, sound.Equivalent.Mean.Mean, got.Equivalent.Mean.Mean, 1e-9)
	require.Equal(t, "Z1-05", got.WithoutEquivalent[0].Point)
	require.Equal(t, "Z1-08", got.WithoutEquivalent[1].Point)
	require.Contains(t, got.WithoutEquivalent[1].Reason, "one depth interval")
}

// The mass of the first round is that of the later ones, alone and compared; a given mass takes
// precedence.
func TestReferenceIsKept(t *testing.T) {
	first, second, third := roundOf(1, 0), roundOf(2, 0.1), roundOf(3, 0.3)
	for _, r := range []*Round{&second, &third} {
		for i := range r.Samples {
			*r.Samples[i].Lab.BulkDensity += 0.1 // settled since
		}
		r.Reference.First = first.Samples
	}
	alone, err := third.Estimate(0, 30, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	change, err := third.Change(second, 0, 30, 0.9)
	require.NoError(t, err)
	for _, mass := range []float64{alone.EquivalentMass, change.EquivalentMass} {
		require.InDelta(t, 100*1.3*30*0.95, mass, 1e-9)
	}
	require.InDelta(t, 0.2*1.3*30*0.95, change.Equivalent.Mean.Mean, 1e-9)

	second.Reference.Mass, first.Reference.Mass = 3600, 3800
	change, err = third.Change(second, 0, 30, 0.9)
	require.NoError(t, err)
	require.Equal(t, MassGiven, change.EquivalentBasis)
	require.InDelta(t, 3600, change.EquivalentMass, 0)
	got, err := first.Estimate(0, 30, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.Len(t, got.WithoutEquivalent, 4, "3705 to 3800 t/ha are short")
	require.Equal(t, 5, got.Equivalent.N)
	for i := range first.Samples {
		first.Samples[i].Lab.BulkDensity = ptr(0.5)
	}
	got, err = first.Estimate(0, 30, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.Nil(t, got.Equivalent)
	require.Len(t, got.WithoutEquivalent, 9)
	require.NotNil(t, got.Stock.Mean.Spread, "the rest of the answer holds")
}
