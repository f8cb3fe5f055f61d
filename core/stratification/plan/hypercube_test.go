package plan

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
)

// layersOf returns layers of a frame with known values: a skewed one that rises to the east, waves from north to south with
// a cell in ten missing, and three classes.
func layersOf(f *frame.Frame) []layer.Layer {
	out := []layer.Layer{{Name: "skewed"}, {Name: "waves"}, {Name: "soil", Classes: true}}
	for i, c := range f.Cells {
		wave := math.Sin(float64(c.Row) / 3)
		if i%10 == 9 {
			wave = math.NaN()
		}
		for l, v := range []float64{math.Exp(float64(c.Col)/8) + float64(c.Row)/1000, wave, float64(1 + (c.Row+c.Col)/30)} {
			out[l].Values = append(out[l].Values, v)
		}
	}
	return out
}

// strataHeld returns the number of the n quantile strata of all values that hold one of some.
func strataHeld(all, some []float64, n int) int {
	sorted := slices.Sorted(slices.Values(all))
	held := map[int]bool{}
	for _, v := range some {
		rank, _ := slices.BinarySearch(sorted, v)
		held[rank*n/len(sorted)] = true
	}
	return len(held)
}

// The points of a hypercube lie in more quantile strata of the layers than random points, with as many samples in each
// zone; the plan is not a probability sample and says so.
func TestHypercubeRepresentsLayers(t *testing.T) {
	t.Parallel()
	f, z := halves(t)
	layers := layersOf(&f)
	p := DefaultParams()
	p.Samples, p.ZoneOffset, p.MinDistance, p.Placement, p.Seed = 24, 0, 30, LatinHypercube, 7
	plan, err := New(nil, &f, z, p, layers...)
	require.NoError(t, err)
	h := plan.Hypercube
	require.Equal(t, []string{"skewed", "waves", "soil"}, h.Layers)
	require.Less(t, h.Objective, h.RandomObjective/3)
	require.Greater(t, h.Held, 0.95)
	require.InDelta(t, 0.64, h.RandomHeld, 0.05, "1 - (1 - 1/n)^n")
	require.False(t, plan.ProbabilitySample)
	require.Contains(t, plan.Purposive(), "not a probability sample")

	held := func(p Params) (n int) {
		made, err := New(nil, &f, z, p, layers...)
		require.NoError(t, err)
		var values []float64
		for _, point := range made.Points {
			if point.Role == RoleSample {
				values = append(values, layers[0].Values[cellAt(&f, point.At)])
			}
		}
		require.Len(t, values, 24)
		require.Equal(t, list.Map(plan.PerZone, func(z ZonePlan) int { return z.Samples }), list.Map(made.PerZone, func(z ZonePlan) int { return z.Samples }))
		return strataHeld(layers[0].Values, values, 24)
	}
	random := p
	random.Placement = StratifiedRandom
	require.GreaterOrEqual(t, held(p), 22)
	for seed := range uint64(10) {
		random.Seed = seed
		require.Less(t, held(random), 21)
	}
	again, err := New(nil, &f, z, p, layers...)
	require.NoError(t, err)
	require.Equal(t, plan, again)
	p.Seed = 8
	other, err := New(nil, &f, z, p, layers...)
	require.NoError(t, err)
	require.NotEqual(t, plan.Points, other.Points)

	moved, err := Customise(nil, &f, z, plan, []Operation{{Change: Swap, Point: "Z1-01", With: "Z1-R01"}})
	require.NoError(t, err)
	require.Nil(t, moved.Hypercube, "what it says holds of the places that were chosen")
	require.False(t, moved.ProbabilitySample)
}

// Legacy points count: where they represent half of a layer, the samples represent the other half.
func TestHypercubeCountsLegacyPoints(t *testing.T) {
	t.Parallel()
	f := squareFrame(t, 40)
	z := oneZone(&f)
	p := DefaultParams()
	p.Samples, p.Placement, p.Layers, p.MinDistance = 8, LatinHypercube, []string{"skewed"}, 0
	for i := range 8 {
		p.Legacy = append(p.Legacy, f.Centre(f.Index(5*i, 1+5*i/2))) // in the west; one of them on the strip
	}
	plan, err := New(nil, &f, z, p, layersOf(&f)...)
	require.NoError(t, err)
	east := 0
	for _, point := range plan.Points {
		if point.Role == RoleSample && point.At.X > f.OriginX+200 {
			east++
		}
	}
	require.GreaterOrEqual(t, east, 7)
	require.Equal(t, 8, plan.Legacy)
}

func TestHypercubesThatAreRefused(t *testing.T) {
	f, z := halves(t)
	all := layersOf(&f)
	for name, tc := range map[string]struct {
		placement Placement
		named     []string
		given     []layer.Layer
		field     string
	}{
		"no layer":        {LatinHypercube, nil, nil, "placement"},
		"unknown":         {LatinHypercube, []string{"clay"}, all, "layers"},
		"twice":           {LatinHypercube, []string{"soil", "soil"}, all, "layers"},
		"of other land":   {LatinHypercube, nil, []layer.Layer{{Name: "clay", Values: []float64{1}}}, "layers"},
		"another kind":    {StratifiedRandom, []string{"soil"}, all, "layers"},
		"too many layers": {LatinHypercube, slices.Repeat([]string{"soil"}, 21), all, "layers"},
	} {
		p := DefaultParams()
		p.Placement, p.Layers = tc.placement, tc.named
		_, err := New(nil, &f, z, p, tc.given...)
		refusal, ok := fault.As(err)
		require.True(t, ok, name)
		require.Contains(t, refusal.Fields, tc.field, name)
	}
}

// cubeOf returns the cube of layers over a row of cells in one part.
func cubeOf(samples int, layers ...layer.Layer) *cube {
	f := frame.Frame{Cells: make([]frame.Cell, len(layers[0].Values))}
	var cells []int32
	for i := range f.Cells {
		cells = append(cells, int32(i))
	}
	d := &design{ground: &ground{frame: &f}, layers: layers}
	return newCube(d, parts{cells: [][]int32{cells}, counts: []int{samples}}, nil)
}

// The objective of the paper, by hand.
func TestObjectiveOfAHypercube(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	rising := layer.Layer{Name: "rising", Values: []float64{1, 2, 3, 4, 5, 6}}
	for name, tc := range map[string]struct {
		layers []layer.Layer
		cells  []int32
		want   float64
		held   float64
	}{
		"one in each third":          {[]layer.Layer{rising}, []int32{0, 3, 5}, 0, 1},
		"two in the first":           {[]layer.Layer{rising}, []int32{0, 1, 5}, 2, 2.0 / 3},
		"all in the last":            {[]layer.Layer{{Values: []float64{6, 5, 4, 3, 2, 1}}}, []int32{0, 1, 0}, 4, 1.0 / 3},
		"equal values are together":  {[]layer.Layer{{Values: []float64{1, 1, 1, 1, 2, 2}}}, []int32{0, 1, 5}, 0, 1},
		"and count as expected":      {[]layer.Layer{{Values: []float64{1, 1, 1, 1, 2, 2}}}, []int32{0, 1, 2}, 2, 0.5},
		"classes by their shares":    {[]layer.Layer{{Classes: true, Values: []float64{7, 7, 7, 7, 3, 3}}}, []int32{0, 1, 5}, 0, 0},
		"off by a third each":        {[]layer.Layer{{Classes: true, Values: []float64{7, 7, 7, 7, 3, 3}}}, []int32{0, 4, 5}, 2.0 / 3, 0},
		"without a value: a stratum": {[]layer.Layer{{Values: []float64{1, 2, 3, 4, nan, nan}}}, []int32{0, 2, 4}, 1.0/3 + 2*1.0/3, 2.0 / 3},
		"correlated like the land":   {[]layer.Layer{rising, {Values: []float64{2, 4, 6, 8, 10, 12}}}, []int32{0, 2, 5}, 0, 1},
		"points that do not vary":    {[]layer.Layer{rising, {Values: []float64{1, -1, 1, 1, -1, 1}}}, []int32{0, 2, 5}, 2, 0.8},
	} {
		c := cubeOf(3, tc.layers...)
		f := c.fill(nil)
		for _, cell := range tc.cells {
			f.put(cell, 1)
		}
		require.InDelta(t, tc.want, f.exact(), 1e-9, name)
		require.InDelta(t, tc.held, f.held(), 1e-9, name)
	}
}

// Whatever is exchanged, the objective follows and is never negative, and as many points are expected as there are.
func TestHypercubeByProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cells, samples := rapid.IntRange(8, 40).Draw(t, "cells"), rapid.IntRange(2, 6).Draw(t, "samples")
		var layers []layer.Layer
		for range rapid.IntRange(1, 3).Draw(t, "layers") {
			l := layer.Layer{Classes: rapid.Bool().Draw(t, "classes")}
			for range cells {
				l.Values = append(l.Values, float64(rapid.IntRange(0, 9).Draw(t, "value")))
			}
			layers = append(layers, l)
		}
		c := cubeOf(samples, layers...)
		f := c.fill(nil)
		f.exact()
		var drawn []int32
		for range samples {
			drawn = append(drawn, int32(rapid.IntRange(0, cells-1).Draw(t, "cell")))
			f.put(drawn[len(drawn)-1], 1)
		}
		for range 20 {
			n := rapid.IntRange(0, samples-1).Draw(t, "sample")
			f.put(drawn[n], -1)
			drawn[n] = int32(rapid.IntRange(0, cells-1).Draw(t, "cell"))
			f.put(drawn[n], 1)
		}
		follows := f.objective()
		fresh := c.fill(nil)
		for _, cell := range drawn {
			fresh.put(cell, 1)
		}
		require.InDelta(t, fresh.exact(), follows, 1e-9)
		expected := 0.0
		for _, a := range c.axes {
			for _, e := range a.expected {
				expected += e
			}
		}
		require.InDelta(t, float64(len(c.axes)*samples), expected, 1e-9, "as many points are expected as there are")
		require.GreaterOrEqual(t, follows, -1e-9)
	})
}
