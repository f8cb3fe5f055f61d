package sample

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

// patterned is a square field of cells of 10 m whose values are alike over some metres (a covariance that
// falls exponentially) and vary from cell to cell besides.
func patterned(t *testing.T, side int32, reach, noise float64) (f frame.Frame, z *zoning.Zoning, value func(geo.Position) float64, mean float64) {
	t.Helper()
	g := frame.GridCells{EPSG: 32633, CellSize: 10, OriginX: 500_000, OriginY: 5_400_000}
	for row := range side {
		for col := range side {
			g.Places = append(g.Places, [2]int32{row, col})
		}
	}
	f, _, err := frame.OfCells(g, nil, 0)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(uint64(reach), 4))
	type ripple struct{ x, y, phase float64 }
	ripples := make([]ripple, 300)
	for i := range ripples {
		k := math.Sqrt(math.Pow(1-r.Float64(), -2)-1) / reach
		turn := 2 * math.Pi * r.Float64()
		ripples[i] = ripple{k * math.Cos(turn), k * math.Sin(turn), 2 * math.Pi * r.Float64()}
	}
	values := make([]float64, len(f.Cells))
	for i := range values {
		at := f.Centre(i)
		for _, w := range ripples {
			values[i] += math.Sqrt(2/float64(len(ripples))) * math.Cos(w.x*at.X+w.y*at.Y+w.phase)
		}
		values[i] += noise * r.NormFloat64()
		mean += values[i] / float64(len(values))
	}
	labels := make([]int32, len(f.Cells))
	for i := range labels {
		labels[i] = 1
	}
	z = &zoning.Zoning{Labels: labels, Zones: []zoning.Zone{{Number: 1, Share: 1, RV: 1, AreaHa: f.AreaHa, Outline: frame.NewOutliner(&f).Outlines(nil, labels, 1)[0]}}}
	value = func(at geo.Position) float64 {
		return values[f.Indexed().Index(int(math.Floor((g.OriginY-at.Y)/10)), int(math.Floor((at.X-g.OriginX)/10)))]
	}
	return f, z, value, mean
}

// The standard error of balanced points is theirs, not that of random ones, and intervals hold.
func TestLocalVarianceOfBalancedPoints(t *testing.T) {
	for _, field := range []struct {
		reach, noise float64
		n            int
	}{{60, 0.5, 10}, {100, 0.7, 10}, {100, 0.7, 20}} {
		f, z, value, mean := patterned(t, 30, field.reach, field.noise)
		p := plan.DefaultParams()
		p.Samples, p.Placement, p.ZoneOffset, p.MinDistance = field.n, plan.SpatiallyBalanced, 0, 0
		var asRandom float64
		o := repeat(t, 400, mean, func(r *rand.Rand) *Figure {
			p.Seed = r.Uint64N(1 << 50)
			made, err := plan.New(nil, &f, z, p)
			require.NoError(t, err)
			s := Survey{Map: "m", Zones: []SurveyZone{{Zone: 1, AreaHa: f.AreaHa}}, Placement: plan.SpatiallyBalanced, Probability: true}
			for _, point := range made.Points[:made.Samples] {
				s.Values = append(s.Values, Value{Point: point.ID, Zone: 1, At: *point.LonLat, Value: value(point.At)})
			}
			e, err := MeanOf(s, plan.Precision{Confidence: 0.95})
			require.NoError(t, err)
			asRandom += *e.Zones[0].SD * *e.Zones[0].SD / float64(field.n) / 400
			return e.Mean
		})
		require.InEpsilon(t, o.trueSE, o.rmsSE, 0.1, "%+v", field)
		require.True(t, o.covered >= 0.93 && o.covered <= 0.97, "%+v: %g", field, o.covered)
		require.Greater(t, math.Sqrt(asRandom), 1.1*o.trueSE, "as random points: %+v", field)
	}
}

// Weights add up to 1 by point and by neighbourhood, and where every point is a neighbour of the others the
// local variance is about that of all.
func TestLocalWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var at []geo.Position
	for range 60 {
		at = append(at, geo.Position{X: 6 + r.Float64()/100, Y: 52 + r.Float64()/100})
	}
	sums := make([]float64, len(at))
	for i, around := range localWeights(at) {
		own := 0.0
		require.GreaterOrEqual(t, len(around), neighbours)
		require.Equal(t, i, around[0].point)
		for _, w := range around {
			own += w.weight
			sums[w.point] += w.weight
		}
		require.InDelta(t, 1, own, 1e-6)
	}
	for _, sum := range sums {
		require.InDelta(t, 1, sum, 1e-6)
	}
	two := []Value{{At: at[0], Value: 1}, {At: at[1], Value: 3}}
	require.InDelta(t, 2*8.0/9, localVariance(two), 1e-9, "weights of 2/3 and 1/3")
}

// Balanced points of a field that rises evenly reach a precision with fewer samples than random ones.
func TestBalancedPointsNeedFewer(t *testing.T) {
	var values []float64
	for i := range 20 {
		values = append(values, 40+2*float64(i))
	}
	s := survey([]float64{5}, [][]float64{values})
	random, err := MeanOf(s, plan.Precision{Confidence: 0.9, RelativeError: 0.02})
	require.NoError(t, err)
	s.Placement = plan.SpatiallyBalanced
	even, err := MeanOf(s, plan.Precision{Confidence: 0.9, RelativeError: 0.02})
	require.NoError(t, err)
	require.Less(t, even.Mean.Spread.SE, random.Mean.Spread.SE/3)
	require.Less(t, even.Needed, random.Needed/9)
	require.Positive(t, even.Needed)
}

// Where the strip along the edges differs, a sample without it is wrong about the area, and one with it as a
// stratum of its own is not.
func TestEdgesThatDiffer(t *testing.T) {
	f, z, value, mean := patterned(t, 30, 60, 0.5)
	west, north := f.OriginX, f.OriginY
	whole := func(at geo.Position) float64 {
		if x, y := at.X-west, north-at.Y; min(x, y, 300-x, 300-y) < 10 {
			return 20 + 3 + value(at)
		}
		return 20 + value(at)
	}
	mean += 20 + 3*(900-28*28)/900.0
	estimated := func(edge plan.Edge, seed uint64) *Figure {
		p := plan.DefaultParams()
		p.Samples, p.Edge, p.Seed = 24, edge, seed
		made, err := plan.New(nil, &f, z, p)
		require.NoError(t, err)
		r := Round{Plan: plan.SamplePlan{Plan: made}}
		r.Plan.Map.Candidate.Zones = z.Zones
		var values []Value
		for _, point := range made.Points[:made.Samples] {
			values = append(values, Value{Point: point.ID, Zone: point.Zone, At: *point.LonLat, Value: whole(point.At)})
		}
		e, err := MeanOf(r.survey(values), plan.Precision{Confidence: 0.95})
		require.NoError(t, err)
		return e.Mean
	}
	o := repeat(t, 600, mean, func(r *rand.Rand) *Figure { return estimated(plan.EdgeStratum, r.Uint64N(1<<50)) })
	require.InEpsilon(t, o.trueSE, o.rmsSE, 0.1)
	require.True(t, o.covered >= 0.93 && o.covered <= 0.97, "%g", o.covered)
	without := 0.0
	for seed := range 200 {
		without += estimated(plan.ExcludeEdge, uint64(seed)).Mean / 200
	}
	require.Less(t, without, mean-0.3, "the strip adds 0.39 to the mean")
}

// Points on both sides of 180° are neighbours as those of one side are.
func TestNeighbourhoodsAcrossTheAntimeridian(t *testing.T) {
	var at, turned []geo.Position
	for i := range 12 {
		p := geo.Position{X: 0.0013*float64(i*i%17) + 0.00007*float64(i), Y: 0.00111 * float64(i)}
		at = append(at, p)
		turned = append(turned, geo.Position{X: geo.Turned(p.X+179.995, 0), Y: p.Y})
	}
	for i := range at {
		require.Equal(t, nearest(flattened(at), i), nearest(flattened(turned), i))
	}
}
