package sample

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/stratification/plan"
)

// draws returns a survey in two stages of fields of 4, 3 and 3 ha, given the fields that were drawn and the values at their
// points; a negative value is missing.
func draws(fields []int, values [][]float64) Survey {
	s := Survey{Map: "m", Placement: plan.StratifiedRandom, Probability: true, FieldOf: map[string]int{}}
	for i, ha := range []float64{4, 3, 3} {
		s.Land = append(s.Land, Land{FieldUUID: fmt.Sprint("f", i+1), FieldName: fmt.Sprint("Field ", "ABC"[i:i+1]), AreaHa: ha, FarmID: 1, FarmName: "Farm"})
	}
	s.Land[2].FarmID, s.Land[2].FarmName = 2, "Other farm"
	for d, field := range fields {
		s.Zones = append(s.Zones, SurveyZone{Zone: 3 + d, AreaHa: 10 / float64(len(fields)), Planned: len(values[d]), Draw: d + 1, Field: field})
		for i, v := range values[d] {
			if v >= 0 {
				id := fmt.Sprintf("D%d-%02d", d+1, i+1)
				s.FieldOf[id] = field
				s.Values = append(s.Values, Value{Point: id, Zone: 3 + d, At: geo.Position{X: 5 + float64(d)/100, Y: 52 + float64(i)/1000}, Value: v})
			}
		}
	}
	return s
}

var (
	workedFields = []int{1, 2, 1, 3}
	workedFirst  = [][]float64{{52, 55.5, 50, -1}, {61, 66.5, 63, -1}, {54, 49.5, 52.5, -1}, {70, 73.5, 68, -1}}
	workedSecond = [][]float64{{53.2, 56.3, 51, -1}, {62.5, 67.4, -1, -1}, {54.6, 50.5, 53.3, -1}, {71.6, 74.7, -1, 66}}
)

// The worked example of the documentation.
func TestWorkedStages(t *testing.T) {
	first := draws(workedFields, workedFirst)
	e, err := MeanOf(first, plan.Precision{Confidence: 0.95})
	require.NoError(t, err)
	require.InDelta(t, 59.625, e.Mean.Mean, 1e-9)
	require.InDelta(t, 4.492, e.Mean.Spread.SE, 5e-4)
	require.InDelta(t, 3, e.Mean.Spread.DF, 1e-12)
	require.InDelta(t, 45.33, e.Mean.Spread.Low, 5e-3)
	require.InDelta(t, 73.92, e.Mean.Spread.High, 5e-3)
	require.InDelta(t, 596.25, e.Total.Mean, 1e-9)
	require.Equal(t, 12, e.N)
	require.Len(t, e.Zones, 4)
	require.Equal(t, []int{3, 1, 3}, []int{e.Zones[2].Draw, e.Zones[2].Field, e.Zones[2].N})
	a := e.Fields[0]
	require.Equal(t, 6, a.N, "the points of both draws")
	require.InDelta(t, 52.25, a.Figure.Mean, 1e-9)
	require.InDelta(t, 0.938, a.Figure.Spread.SE, 5e-4)
	require.InDelta(t, 5, a.Figure.Spread.DF, 1e-12)
	farm := e.Farms[0]
	require.InDelta(t, 56, farm.Figure.Mean, 1e-9, "of three draws")
	require.InDelta(t, 3.753, farm.Figure.Spread.SE, 5e-4)
	require.InDelta(t, 2, farm.Figure.Spread.DF, 1e-12)
	require.Equal(t, e.Fields[2].Figure, e.Farms[1].Figure, "a farm of one field")

	change, err := Difference(first, draws(workedFields, workedSecond), 0.95)
	require.NoError(t, err)
	require.InDelta(t, 1.1, change.Mean.Mean, 1e-9)
	require.InDelta(t, 0.129, change.Mean.Spread.SE, 5e-4)
	require.InDelta(t, 3, change.Mean.Spread.DF, 1e-12)
	require.InDelta(t, 0.69, change.Mean.Spread.Low, 5e-3)
	require.InDelta(t, 1.51, change.Mean.Spread.High, 5e-3)
	require.Equal(t, []int{3, 2, 3, 2}, []int{change.Zones[0].Pairs, change.Zones[1].Pairs, change.Zones[2].Pairs, change.Zones[3].Pairs})
	require.Empty(t, change.Reasons)
}

// A draw without a value is left out by name, and what cannot be estimated states why.
func TestStagesWithGaps(t *testing.T) {
	s := draws([]int{1, 2, 1}, [][]float64{{52, 54}, {-1, -1}, {53, -1}})
	e, err := MeanOf(s, plan.Precision{Confidence: 0.9, RelativeError: 0.001})
	require.NoError(t, err)
	require.InDelta(t, 53, e.Mean.Mean, 1e-9)
	require.NotNil(t, e.Mean.Spread)
	require.Contains(t, e.Notes, "Draw 2, of Field B, has no sample with a value and is left out. The estimate is of the others, and holds if it is missing by chance.")
	require.Equal(t, []float64{0.5, 0, 0.5}, []float64{e.Zones[0].Weight, e.Zones[1].Weight, e.Zones[2].Weight})
	require.Equal(t, "Too few: no point has a value.", e.Fields[1].Reason)
	require.Contains(t, e.Fields[2].Reason, "not drawn")
	require.Nil(t, e.Fields[2].Figure)

	lone, err := MeanOf(draws([]int{1, 2}, [][]float64{{52, 54}, {-1}}), plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.Nil(t, lone.Mean.Spread)
	require.Equal(t, []string{"One draw of a field has values; the variance needs two."}, lone.Reasons)
	nothing, err := MeanOf(draws([]int{1, 2}, [][]float64{{-1}, {-1}}), plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.Nil(t, nothing.Mean)

	moved := s
	moved.Probability, moved.Custom = false, true
	byHand, err := MeanOf(moved, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.Nil(t, byHand.Mean.Spread)
	require.Contains(t, byHand.Fields[0].Reason, "by hand")
}

// Rounds of other draws are independent samples, and so is a round by zones.
func TestChangeOfOtherDraws(t *testing.T) {
	first, second := draws(workedFields, workedFirst), draws([]int{2, 2, 3, 1}, workedSecond)
	e, err := Difference(first, second, 0.95)
	require.NoError(t, err)
	one, err := MeanOf(first, plan.Precision{Confidence: 0.95})
	require.NoError(t, err)
	other, err := MeanOf(second, plan.Precision{Confidence: 0.95})
	require.NoError(t, err)
	require.InDelta(t, other.Mean.Mean-one.Mean.Mean, e.Mean.Mean, 1e-9)
	require.InDelta(t, one.Mean.Spread.SE*one.Mean.Spread.SE+other.Mean.Spread.SE*other.Mean.Spread.SE, e.Mean.Spread.SE*e.Mean.Spread.SE, 1e-9)
	require.Empty(t, e.Zones)
	byZone := survey([]float64{6, 4}, [][]float64{{55, 57, 60}, {62, 66, 61}})
	byZone.Map = "m"
	e, err = Difference(byZone, second, 0.95)
	require.NoError(t, err)
	require.NotNil(t, e.Mean.Spread)
}

// Two rounds at the draws of fields of unequal area, some points of which are missed in the second: the standard error
// of the change is the true one, and its intervals hold.
func TestChangeOfDrawsCovers(t *testing.T) {
	t.Parallel()
	chance := []float64{0.4, 0.3, 0.3}
	level, change := []float64{50, 62, 70}, []float64{0.2, 1.4, 0.9}
	truth := 0.4*0.2 + 0.3*1.4 + 0.3*0.9
	o := repeat(t, runs, truth, func(r *rand.Rand) *Figure {
		fields, before, after := make([]int, 10), make([][]float64, 10), make([][]float64, 10)
		for d := range fields {
			at := r.Float64()
			for at >= chance[fields[d]] {
				at -= chance[fields[d]]
				fields[d]++
			}
			for range 3 {
				y := level[fields[d]] + 5*r.NormFloat64()
				before[d] = append(before[d], y)
				if y += change[fields[d]] + 0.8*r.NormFloat64(); r.Float64() < 0.1 {
					y = -1
				}
				after[d] = append(after[d], y)
			}
			fields[d]++
		}
		e, err := Difference(draws(fields, before), draws(fields, after), 0.95)
		require.NoError(t, err)
		return e.Mean
	})
	require.InEpsilon(t, o.trueSE, o.rmsSE, 0.05)
	require.True(t, o.covered >= 0.94 && o.covered <= 0.96, "%g", o.covered)
}
