package sample

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/stratification/plan"
)

// pooling is a survey of zones of n points in b composites; each holds at most one point more than another.
type pooling struct {
	n, b  []int
	sd    []float64
	noise float64 // of the changes, whose mean is 50
}

// draw returns the composites of two rounds of the same points.
func (p pooling) draw(r *rand.Rand) (first, second Survey) {
	first = Survey{Map: "m", Placement: plan.StratifiedRandom, Probability: true}
	for h := range p.n {
		first.Zones = append(first.Zones, SurveyZone{Zone: h + 1, AreaHa: 1})
	}
	second = first
	for h, n := range p.n {
		bags := make([][2]Value, p.b[h])
		for i := range n {
			v := 50 + p.sd[h]*r.NormFloat64()
			later := v + 50 + p.noise*r.NormFloat64()
			at := geo.Position{X: 6 + float64(h)/100, Y: 52 + float64(i)/1000}
			for round, v := range []float64{v, later} {
				bag := &bags[i%p.b[h]][round]
				bag.Point, bag.Zone = plan.CompositeID(h+1, i%p.b[h]+1), h+1
				bag.Value += v
				bag.Places = append(bag.Places, at)
			}
		}
		for _, bag := range bags {
			for round, s := range []*Survey{&first, &second} {
				v := bag[round]
				v.Value /= float64(len(v.Places))
				s.Values = append(s.Values, v)
			}
		}
	}
	return first, second
}

// Composites, even of unlike size, have the standard error of their points and intervals that hold; so have changes where
// the composites keep their points.
func TestEstimatesOfComposites(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]pooling{
		"equal":               {n: []int{12}, b: []int{4}, sd: []float64{9}},
		"unlike size":         {n: []int{7}, b: []int{4}, sd: []float64{9}},
		"zones, unlike size":  {n: []int{17, 14, 11}, b: []int{6, 6, 6}, sd: []float64{9, 7, 8}},
		"change, unlike size": {n: []int{7}, b: []int{4}, sd: []float64{9}, noise: 3},
	} {
		o := repeat(t, runs, 50, func(r *rand.Rand) *Figure {
			first, second := p.draw(r)
			e, err := MeanOf(first, plan.Precision{Confidence: 0.95})
			if p.noise > 0 {
				e, err = Difference(first, second, 0.95)
			}
			if err != nil || e.Zones[0].N != p.n[0] || e.Zones[0].Units != p.b[0] {
				require.FailNow(t, name, "%v, %+v", err, e.Zones[0])
			}
			return e.Mean
		})
		require.InEpsilon(t, o.trueSE, o.rmsSE, 0.05, name)
		require.True(t, o.covered >= 0.94 && o.covered <= 0.96, "%s: %g", name, o.covered)
	}
}

// By hand: two composites of 3 and 1 points.
func TestCompositesByHand(t *testing.T) {
	t.Parallel()
	place := func(i int) geo.Position { return geo.Position{X: 6, Y: 52 + float64(i)/1000} }
	s := survey([]float64{2}, [][]float64{{10, 14}})
	s.Values[0].Places, s.Values[1].Places = []geo.Position{place(0), place(1), place(2)}, []geo.Position{place(3)}
	s.Land, s.FieldOf = []Land{{FieldUUID: "f", AreaHa: 2}}, map[string]int{"Z1-01": 1, "Z1-02": 1}
	e, err := MeanOf(s, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.Equal(t, 11.0, e.Mean.Mean, "(3 × 10 + 14) / 4")
	require.InDelta(t, 12, *e.Zones[0].SD**e.Zones[0].SD, 1e-12, "3 × 1² + 1 × 3²")
	require.InDelta(t, 3, e.Mean.Spread.SE*e.Mean.Spread.SE, 1e-12, "12/4")
	require.Equal(t, 1.0, e.Mean.Spread.DF)
	require.Equal(t, []int{4, 2}, []int{e.Zones[0].N, e.Zones[0].Units})
	require.Nil(t, e.Fields[0].Figure)
	require.Contains(t, e.Fields[0].Reason, "composites")

	balanced := s
	balanced.Placement = plan.SpatiallyBalanced
	of, err := MeanOf(balanced, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.Equal(t, e.Mean, of.Mean)
	require.Contains(t, fmt.Sprint(of.Notes), "too large for spatially balanced")

	// Bags that were dealt anew are not pairs, and neither are their points.
	other := s
	other.Values = []Value{s.Values[0], s.Values[1]}
	other.Values[0].Places, other.Values[1].Places = s.Values[0].Places[:2], []geo.Position{place(2), place(3)}
	changed, err := Difference(s, other, 0.9)
	require.NoError(t, err)
	require.False(t, changed.Zones[0].Paired)
	require.Contains(t, fmt.Sprint(changed.Notes), "composites of the two rounds are pairs where they hold the same points")
	same, err := Difference(s, s, 0.9)
	require.NoError(t, err)
	require.Equal(t, []any{true, 2, 0.0}, []any{same.Zones[0].Paired, same.Zones[0].Pairs, same.Mean.Mean})
}

// pooledRound returns a round of six points in two composites of one zone and two intervals.
func pooledRound() Round {
	r := roundOf(1, 0)
	r.Samples = r.Samples[:12]
	for i := range r.Samples {
		s := &r.Samples[i]
		s.PlanID, s.Composite = 7, plan.CompositeID(1, 1+i/2%2)
		s.Lab = &Lab{SOCPct: 2 + float64(i/2%2), BulkDensity: ptr(1.3)}
	}
	return r
}

// The samples of a composite count as one value; what does not go with composites is left out by name.
func TestSamplesOfComposites(t *testing.T) {
	t.Parallel()
	r := pooledRound()
	got, err := r.Estimate(0, 30, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.Equal(t, []int{6, 2}, []int{got.SOC.Zones[0].N, got.SOC.Zones[0].Units})
	require.InDelta(t, 2.5, got.SOC.Mean.Mean, 1e-12)
	require.InDelta(t, 2.5*1.3*30, got.Stock.Mean.Mean, 1e-9)
	require.Nil(t, got.Equivalent)
	require.Equal(t, []string{"Z1-C1", "Z1-C2"}, []string{got.WithoutEquivalent[0].Point, got.WithoutEquivalent[1].Point})
	require.Contains(t, got.WithoutEquivalent[0].Reason, "it is a composite")

	r.Samples[0].Status, r.Samples[0].Lab, r.Samples[1].Lab = StatusMissed, nil, nil
	got, err = r.Estimate(0, 30, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.InDelta(t, (2*2+3*3)/5.0, got.SOC.Mean.Mean, 1e-12, "a bag without a missed point counts for the others")

	r.Samples[2].Lab = &Lab{SOCPct: 9, BulkDensity: ptr(1.3)}
	got, err = r.Estimate(0, 30, plan.Precision{Confidence: 0.9})
	require.NoError(t, err)
	require.Equal(t, "Z1-C2", got.WithoutSOC[0].Point)
	require.Contains(t, got.WithoutSOC[0].Reason, "different results between 0 and 15 cm")
}

func TestCompositeOfASample(t *testing.T) {
	t.Parallel()
	s := pooledRound().Samples[3]
	require.Equal(t, "P7-Z1-C2-15-30", s.CompositeLabel())
	id, ok := PlanOfComposite(s.CompositeLabel())
	require.True(t, ok)
	require.EqualValues(t, 7, id)
	s.Round = 2
	require.Equal(t, "P7-r2-Z1-C2-15-30", s.CompositeLabel())
	for _, label := range []string{"", "P7-Z1-02-15-30", "P7-Z1-C2", "P99999999999999999999-Z1-C2-0-30", "xP7-Z1-C2-0-30"} {
		_, ok := PlanOfComposite(label)
		require.False(t, ok, label)
	}
	for composite, problem := range map[string]string{"Z1-C2": "", "": "", "Z1-C3": "Z1-C1 to Z1-C2", "Z2-C1": "Z1-C1 to Z1-C2", "C1": "Z1-C1 to Z1-C2"} {
		s.Composite = composite
		if got := s.CheckComposite(2); problem == "" {
			require.Empty(t, got)
		} else {
			require.Contains(t, got, problem, composite)
		}
	}
	s.Composite = "Z1-C1"
	require.Contains(t, s.CheckComposite(0), "does not pool")
	s.Role = plan.RoleLegacy
	require.Contains(t, s.CheckComposite(2), "Legacy")
}
