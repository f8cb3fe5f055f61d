package sample

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

// patterned returns a square field of cells of 10 m whose values are alike over some metres (a covariance that
// falls exponentially) and vary from cell to cell as well.
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

// drawn returns spatially balanced samples of a field without values.
func drawn(t *testing.T, f *frame.Frame, z *zoning.Zoning, n, draws int) (out [][]plan.Point) {
	t.Helper()
	p := plan.DefaultParams()
	p.Samples, p.Placement, p.ZoneOffset, p.MinDistance, p.ReserveShare = n, plan.SpatiallyBalanced, 0, 0, 0
	r := rand.New(rand.NewPCG(1, 2))
	for range draws {
		p.Seed = r.Uint64N(1 << 50)
		made, err := plan.New(nil, f, z, p)
		require.NoError(t, err)
		out = append(out, made.Points)
	}
	return out
}

// The standard error is that of balanced points, not of random ones, and intervals hold: without a pattern, with weak and
// strong ones, for few points and for many. For few points of a strong pattern it is too large, never too small.
func TestStandardErrorOfBalancedPoints(t *testing.T) {
	const draws = 300
	f, z, _, _ := patterned(t, 30, 1, 0)
	for _, c := range []struct{ n, largest, ofStrong float64 }{{10, 1.2, 1.35}, {40, 1.15, 1.15}, {80, 1.15, 1.15}} {
		samples := drawn(t, &f, z, int(c.n), draws)
		for _, field := range []struct {
			reach, noise float64
			strong       bool
		}{{1, 1, false}, {60, 0.7, false}, {100, 1, false}, {200, 0.5, false}, {100, 0.2, true}, {400, 0.2, true}} {
			_, _, value, mean := patterned(t, 30, field.reach, field.noise)
			next, asRandom := 0, 0.0
			o := repeat(t, draws, mean, func(*rand.Rand) *Figure {
				s := Survey{Map: "m", Zones: []SurveyZone{{Zone: 1, AreaHa: f.AreaHa}}, Placement: plan.SpatiallyBalanced, Probability: true}
				for _, point := range samples[next] {
					s.Values = append(s.Values, Value{Point: point.ID, Zone: 1, At: *point.LonLat, Value: value(point.At)})
				}
				next++
				e, err := MeanOf(s, plan.Precision{Confidence: 0.95})
				require.NoError(t, err)
				asRandom += *e.Zones[0].SD * *e.Zones[0].SD / c.n / draws
				return e.Mean
			})
			t.Logf("n = %g, %+v: %.2f, as random points %.2f, %.3f covered", c.n, field, o.rmsSE/o.trueSE, math.Sqrt(asRandom)/o.trueSE, o.covered)
			largest := c.largest // for many points a tenth, plus the chance of this many draws
			if field.strong {
				largest = c.ofStrong
				require.Greater(t, math.Sqrt(asRandom), 1.2*o.trueSE, "as random points: n = %g, %+v", c.n, field)
			}
			ratio := o.rmsSE / o.trueSE
			require.True(t, ratio >= 0.93 && ratio <= largest, "n = %g, %+v: %g", c.n, field, ratio)
			require.True(t, o.covered >= 0.93 && (field.strong || o.covered <= 0.98), "n = %g, %+v: %g", c.n, field, o.covered)
		}
	}
}

// A hand-made example: four points 0, 1, 3 and 6 steps along a line, and the points nearest to each.
func TestLocalMean(t *testing.T) {
	line := func(values ...float64) (out []Value) {
		for i, v := range values {
			out = append(out, Value{At: geo.Position{X: 6, Y: 52 + []float64{0, 0.001, 0.003, 0.006}[i]}, Value: v})
		}
		return out
	}
	// All others are neighbours: distances 1, 3, 6, 2, 5 and 3 steps, in both directions.
	got := localMean(line(1, 2, 5, 4))
	// Halves of squares 0.5, 8, 4.5, 4.5, 2, 0.5: a mean of 10/3 (the variance) over a mean of 10/3 steps. Their products
	// add up to 0.5 + 24 + 27 + 9 + 10 + 1.5 - 200/3 = 16/3, the squares of the distances to 84 - 200/3 = 52/3: a slope of
	// 4/13. The nearest are 1, 1, 2 and 3 steps away, so it is continued to 0.55 · 7/4, and a quarter of it counts.
	require.InDelta(t, (10.0/3-0.25*4/13*(10.0/3-0.55*7/4))/4, got.Variance, 1e-6)
	require.InDelta(t, 2.5, got.DF, 0)

	got = localMean(line(1, 2, 6))
	require.InDelta(t, 7.0/3, got.Variance, 1e-12, "as random points")
	require.InDelta(t, 2, got.DF, 0)
	require.Zero(t, localMean(line(3, 3, 3, 3)).Variance)
	same := line(1, 2, 5, 4)
	for i := range same {
		same[i].At = same[0].At
	}
	require.InDelta(t, 10.0/3/4, localMean(same).Variance, 1e-12, "points at one place have no slope")
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

// Points on both sides of 180° are neighbours, like points on one side.
func TestNeighbourhoodsAcrossTheAntimeridian(t *testing.T) {
	var at, turned []geo.Position
	for i := range 12 {
		p := geo.Position{X: 0.0013*float64(i*i%17) + 0.00007*float64(i), Y: 0.00111 * float64(i)}
		at = append(at, p)
		turned = append(turned, geo.Position{X: geo.Turned(p.X+179.995, 0), Y: p.Y})
	}
	for i := range at {
		point := func(n neighbour) int { return n.point }
		require.Equal(t, list.Map(nearest(flattened(at), i), point), list.Map(nearest(flattened(turned), i), point))
	}
}
