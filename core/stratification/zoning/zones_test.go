package zoning

import (
	"context"
	"encoding/json"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
	"tilth/core/stratification/seed"
	"tilth/tests/fields"
)

func zonesOf(t testing.TB, f *frame.Frame, layers []layer.Layer, p Params, w Work) Result {
	t.Helper()
	r, err := Zones(t.Context(), f, layers, p, w)
	require.NoError(t, err)
	return r
}

// With the defaults, the design's own run recommends three zones; without zones it takes 25 samples.
func TestWheatRecommendation(t *testing.T) {
	f, columns := fields.WheatFrame(t, 1)
	steps := 0
	r := zonesOf(t, &f, wheatLayers(columns, fields.WheatColumns...), DefaultParams(), Work{Workers: 2, Progress: func(done, total int) {
		require.Less(t, steps, done)
		require.LessOrEqual(t, done, total)
		steps = done
	}})
	require.Positive(t, steps)
	require.Len(t, r.Candidates, 7)
	require.Equal(t, 25, r.SamplesWithoutZones)
	require.False(t, r.WeakStratification)
	for _, c := range r.Candidates {
		k := len(c.Zones)
		require.Equal(t, k == 3, c.Recommended)
		cells, share, area := 0, 0.0, 0.0
		for h, z := range c.Zones {
			require.Equal(t, h+1, z.Number)
			cells, share, area = cells+z.Cells, share+z.Share, area+z.AreaHa
			if h > 0 {
				require.GreaterOrEqual(t, z.Means[0], c.Zones[h-1].Means[0], "zones are numbered by the first layer")
			}
			for _, part := range z.Outline {
				require.GreaterOrEqual(t, geo.MultiPolygon{part}.PlanarArea()/frame.M2PerHectare, r.MinZoneAreaHa-1e-9)
			}
		}
		require.Equal(t, len(f.Cells), cells)
		require.InDelta(t, 1, share, 1e-12)
		require.InEpsilon(t, f.AreaHa, area, 1e-6)
	}
}

func TestWeakLayersAreCalledWeak(t *testing.T) {
	f, columns := fields.WheatFrame(t, 0)
	p := DefaultParams()
	p.Rho2 = 0.02 // the layers explain next to nothing
	r := zonesOf(t, &f, wheatLayers(columns, fields.WheatColumns...), p, Work{Workers: 2})
	require.True(t, r.WeakStratification)
	require.True(t, r.Candidates[0].Recommended, "the fewest zones, as more gain nothing")
}

// The same seed returns the same bytes on one core and on two; another seed may return others.
func TestSameSeedSameBytes(t *testing.T) {
	f, columns := fields.WheatFrame(t, 1)
	layers := wheatLayers(columns, fields.WheatColumns...)
	bytesOf := func(procs int, p Params) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		raw, err := json.Marshal(zonesOf(t, &f, layers, p, Work{Workers: procs}))
		require.NoError(t, err)
		return string(raw)
	}
	for _, method := range []Method{KMeans, Fuzzy} {
		p := DefaultParams()
		p.Method, p.Starts, p.MinZones, p.MaxZones, p.Seed = method, 3, 7, 8, 11
		p.PCA = method == KMeans
		require.Equal(t, bytesOf(1, p), bytesOf(2, p), "%s", method)
	}
	one := DefaultParams()
	one.Starts, one.MinZones, one.MaxZones, one.Seed = 1, 7, 7, 1
	other := one
	other.Seed = 2
	a, b := zonesOf(t, &f, layers, one, Work{}), zonesOf(t, &f, layers, other, Work{})
	require.NotEqual(t, a.Candidates[0].MapUUID, b.Candidates[0].MapUUID)
	require.NotEqual(t, a.Candidates[0].Labels, b.Candidates[0].Labels)
}

func TestIdentity(t *testing.T) {
	p := DefaultParams()
	p.Scope = "order-1"
	again := p
	again.Weights = map[string]float64{}
	require.Equal(t, p.Seeded(seed.Choice{}), p.Seeded(seed.Choice{}))
	require.LessOrEqual(t, p.Seeded(seed.Choice{}).Seed, uint64(seed.Max))
	p.Scope = "order-2"
	require.NotEqual(t, again.Seeded(seed.Choice{}).Seed, p.Seeded(seed.Choice{}).Seed)
	id := mapUUID([]byte("print"), 3)
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, id)
	require.NotEqual(t, id, mapUUID([]byte("print"), 4))
}

// square makes a frame of n × n cells of 10 m with no place on earth.
func square(t testing.TB, n, edgeMask int) frame.Frame {
	t.Helper()
	g := frame.GridCells{CellSize: 10}
	for row := range n {
		for col := range n {
			g.Places = append(g.Places, [2]int32{int32(row), int32(col)})
		}
	}
	f, _, err := frame.OfCells(g, nil, edgeMask)
	require.NoError(t, err)
	return f
}

// halves returns a layer that is 0 in the west and 1 in the east.
func halves(f *frame.Frame, name string) layer.Layer {
	l := layer.Layer{Name: name, Values: make([]float64, len(f.Cells))}
	for i, c := range f.Cells {
		if int(c.Col) >= f.Cols/2 {
			l.Values[i] = 1
		}
	}
	return l
}

func TestZonesFollowTheLayer(t *testing.T) {
	f := square(t, 20, 1)
	l := halves(&f, "a")
	for i, c := range f.Cells {
		if c.Masked { // values at the edge contradict the zones, and do not count
			l.Values[i] = 5
		}
	}
	p := DefaultParams()
	p.MinZones, p.MaxZones = 2, 2
	r := zonesOf(t, &f, []layer.Layer{l}, p, Work{})
	require.Len(t, r.Candidates, 1)
	c := r.Candidates[0]
	for i, cell := range f.Cells {
		want := int32(1)
		if cell.Col >= 10 {
			want = 2
		}
		require.Equal(t, want, c.Labels[i], "row %d column %d", cell.Row, cell.Col)
	}
	require.Zero(t, c.RV)
	require.InDelta(t, 0.7, c.VarianceLeft, 1e-12)
	require.Equal(t, []float64{0}, c.Zones[0].Means)
	require.Nil(t, c.Zones[0].Geometry, "it lies nowhere on earth")
	require.InDelta(t, 2, c.Zones[0].AreaHa, 1e-12)
}

func TestNoMapHasAReason(t *testing.T) {
	f := square(t, 6, 0) // 0.36 ha
	r := zonesOf(t, &f, []layer.Layer{halves(&f, "a")}, DefaultParams(), Work{})
	require.Empty(t, r.Candidates)
	require.Contains(t, r.Reason, "no room for two zones")
	p := DefaultParams()
	p.MinZones, p.MaxZones = 2, 2
	p.MinZoneAreaHa = 0.3
	r = zonesOf(t, &f, []layer.Layer{halves(&f, "a")}, p, Work{})
	require.Empty(t, r.Candidates)
	require.Contains(t, r.Reason, "Cleaning leaves no map")
}

func TestLayersAreDroppedWithAReason(t *testing.T) {
	f := square(t, 20, 0)
	flat, holes, steps := halves(&f, "flat"), halves(&f, "holes"), halves(&f, "steps")
	for i := range f.Cells {
		flat.Values[i] = 7
		if i%3 == 0 {
			holes.Values[i] = math.NaN()
		}
	}
	steps.Coarse = true
	few := halves(&f, "few gaps")
	for i := range f.Cells {
		if i%5 == 0 {
			few.Values[i] = math.NaN()
		}
	}
	p := DefaultParams()
	p.MinZones, p.MaxZones = 2, 2
	r := zonesOf(t, &f, []layer.Layer{flat, holes, steps, few}, p, Work{})
	require.Contains(t, r.Layers[0].Dropped, "same value")
	require.Contains(t, r.Layers[1].Dropped, "66.5 %")
	require.Contains(t, r.Layers[2].Dropped, "fewer than 4")
	require.Empty(t, r.Layers[3].Dropped)
	require.InDelta(t, 0.8, r.Layers[3].ValidShare, 1e-9)
	require.Len(t, r.Candidates, 1)

	_, err := Zones(t.Context(), &f, []layer.Layer{flat, holes}, p, Work{})
	problem, ok := fault.As(err)
	require.True(t, ok)
	require.Equal(t, "no_usable_layers", problem.Code)
	require.Contains(t, problem.Details["dropped"], "holes")
}

func TestParametersAreChecked(t *testing.T) {
	f := square(t, 20, 0)
	for field, change := range map[string]func(*Params){
		"min_zones":            func(p *Params) { p.MinZones = 1 },
		"max_zones":            func(p *Params) { p.MaxZones = 9 },
		"weights":              func(p *Params) { p.Weights = map[string]float64{"a": 0} },
		"spatial_weight":       func(p *Params) { p.SpatialWeight = math.NaN() },
		"min_zone_area":        func(p *Params) { p.MinZoneAreaHa = -1 },
		"confidence":           func(p *Params) { p.Confidence = 1 },
		"relative_error":       func(p *Params) { p.RelativeError = 0 },
		"cv":                   func(p *Params) { p.CV = math.Inf(1) },
		"rho2":                 func(p *Params) { p.Rho2 = 1.1 },
		"min_samples_per_zone": func(p *Params) { p.MinSamplesPerZone = 1 },
		"max_samples":          func(p *Params) { p.MaxSamples = 0 },
		"method":               func(p *Params) { p.Method = "other" },
		"fuzziness":            func(p *Params) { p.Fuzziness = 1 },
		"starts":               func(p *Params) { p.Starts = 0 },
		"seed":                 func(p *Params) { p.Seed = 1 << 53 },
	} {
		p := DefaultParams()
		change(&p)
		_, err := Zones(t.Context(), &f, []layer.Layer{halves(&f, "a")}, p, Work{})
		problem, ok := fault.As(err)
		require.True(t, ok, field)
		require.Contains(t, problem.Fields, field)
		require.Len(t, problem.Fields, 1)
	}
}

func TestCancellationEndsTheWork(t *testing.T) {
	f := square(t, 60, 0)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Zones(ctx, &f, []layer.Layer{halves(&f, "a")}, DefaultParams(), Work{Progress: func(int, int) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
}
