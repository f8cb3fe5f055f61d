package zoning

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/pcg"
	"tilth/core/stratification/layer"
)

// over returns a layer whose values are a function of row and column.
func over(f *frame.Frame, name string, value func(row, col int) float64) layer.Layer {
	l := layer.Layer{Name: name, Values: make([]float64, len(f.Cells))}
	for i, c := range f.Cells {
		l.Values[i] = float64(float32(value(int(c.Row), int(c.Col))))
	}
	return l
}

func TestLayersThatSayNothingCarryNoWeight(t *testing.T) {
	f := square(t, 30, 0)
	random := pcg.New(1, "noise")
	trembling := func(around, by float64) func(int, int) float64 {
		return func(int, int) float64 { return around + by*(random.Unit()-0.5) }
	}
	halves := over(&f, "soil", func(_, col int) float64 { return float64(col / 15) })
	for name, tt := range map[string]struct {
		layer layer.Layer
		why   string // empty: it is used
	}{
		"one value":                    {over(&f, "clay", trembling(25, 0)), "same value"},
		"32-bit noise":                 {over(&f, "clay", trembling(25, 1e-5)), "noise"},
		"32-bit noise of a large mean": {over(&f, "height_cm", trembling(1e6, 1)), "noise"},
		"small and real":               {over(&f, "clay", trembling(25, 0.01)), ""},
		"tiny units":                   {over(&f, "tiny", trembling(1e-9, 1e-9)), ""},
		"years alike":                  {over(&f, "ndvi_sd", trembling(1e-8, 1e-8)), "noise"},
		"a plane":                      {over(&f, "slope", trembling(1e-5, 2e-5)), "noise"},
		"a slope":                      {over(&f, "slope", trembling(2, 1)), ""},
		"rounded heights":              {over(&f, "elevation", trembling(0, 1e-3)), "noise"},
		"heights":                      {over(&f, "elevation", trembling(0, 1)), ""},
	} {
		uses, err := Judge(t.Context(), &f, []layer.Layer{halves, tt.layer}, DefaultParams())
		require.NoError(t, err, name)
		require.Empty(t, uses[0].Dropped, name)
		if tt.why == "" {
			require.Empty(t, uses[1].Dropped, name)
			continue
		}
		require.Contains(t, uses[1].Dropped, tt.why, name)
		require.Zero(t, uses[1].Weight, name)
	}
	uses, err := Judge(t.Context(), &f, []layer.Layer{halves, over(&f, "elevation", trembling(80, 1e-5)), over(&f, "twi", trembling(8, 2))}, DefaultParams())
	require.NoError(t, err)
	require.Contains(t, uses[2].Dropped, "heights that do not vary")
}

// Layers with values in different parts of an area are not made to overlap by filling.
func TestLayersHaveToOverlap(t *testing.T) {
	f := square(t, 40, 0)
	part := func(name string, from, to int) layer.Layer {
		return over(&f, name, func(row, col int) float64 {
			if row < from || row >= to {
				return math.NaN()
			}
			return float64(col / 20)
		})
	}
	for name, tt := range map[string]struct {
		layers []layer.Layer
		drops  []string
	}{
		"north and south":          {[]layer.Layer{part("a", 0, 29), part("b", 11, 40)}, []string{"b"}},
		"the one with fewer":       {[]layer.Layer{part("a", 0, 28), part("b", 10, 40)}, []string{"a"}},
		"enough in common":         {[]layer.Layer{part("a", 0, 30), part("b", 10, 40)}, nil},
		"of three the one that is": {[]layer.Layer{part("a", 0, 40), part("b", 11, 40), part("c", 0, 30)}, []string{"b"}},
		"too few of its own":       {[]layer.Layer{part("a", 0, 40), part("b", 13, 40), part("c", 0, 29)}, []string{"b"}},
	} {
		uses, err := Judge(t.Context(), &f, tt.layers, DefaultParams())
		require.NoError(t, err, name)
		var dropped []string
		for _, u := range uses {
			if u.Dropped != "" {
				dropped = append(dropped, u.Name)
			}
		}
		require.Equal(t, tt.drops, dropped, name)
	}
}

// Layers from which no map can be made are refused with what each of them lacks.
func TestLayersOfWhichNoMapCanBeMade(t *testing.T) {
	f := square(t, 40, 0)
	flat := over(&f, "clay", func(int, int) float64 { return 25 })
	thin := over(&f, "ndvi_mean", func(row, _ int) float64 {
		if row > 20 {
			return math.NaN()
		}
		return float64(row)
	})
	specks := over(&f, "sand", func(row, col int) float64 {
		if row%6 == 3 && col%6 == 3 {
			return 1
		}
		return 0
	})
	p := DefaultParams()
	p.SpatialWeight, p.MaxZones = 0, 2
	for name, tt := range map[string]struct {
		layers []layer.Layer
		code   string
		says   []string
	}{
		"no layer":       {nil, "no_usable_layers", []string{"No layer can be used."}},
		"none is usable": {[]layer.Layer{flat, thin}, "no_usable_layers", []string{"clay: it has the same value", "ndvi_mean: only 52.5 %"}},
		"only specks":    {[]layer.Layer{flat, specks}, "no_zones", []string{"Cleaning leaves no map", "clay: it has the same value"}},
	} {
		_, err := Judge(t.Context(), &f, tt.layers, p)
		known, ok := fault.As(err)
		require.True(t, ok, "%s: %v", name, err)
		require.Equal(t, tt.code, known.Code, name)
		require.Equal(t, fault.Invalid, known.Kind, name)
		for _, says := range tt.says {
			require.Contains(t, known.Message, says, name)
		}
	}
	p.MinZoneAreaHa, p.MaxZones = 10, 0
	_, err := Judge(t.Context(), &f, []layer.Layer{over(&f, "a", func(row, _ int) float64 { return float64(row) })}, p)
	require.ErrorContains(t, err, "no room for two zones of at least 10.00 ha")
}

// A map that does not take the default plan is recommended only where none does.
func TestTheRecommendationTakesTheDefaultPlan(t *testing.T) {
	made := func() Result {
		return Result{Candidates: []Candidate{{Requested: 2, SamplesNeeded: 21}, {Requested: 3, SamplesNeeded: 20}, {Requested: 4, SamplesNeeded: 24}}}
	}
	for name, tt := range map[string]struct {
		narrow map[int]bool
		want   int
	}{
		"all take it":  {nil, 2},
		"two do not":   {map[int]bool{2: true}, 3},
		"one takes it": {map[int]bool{2: true, 3: true}, 4},
		"none does":    {map[int]bool{2: true, 3: true, 4: true}, 2},
	} {
		r := made()
		require.NoError(t, r.RecommendPlannable(func(c *Candidate) (*PlanNeeds, error) {
			if tt.narrow[c.Requested] {
				return &PlanNeeds{Message: "narrow", MaxOffset: 3}, nil
			}
			return nil, nil
		}))
		for _, c := range r.Candidates {
			require.Equal(t, c.Requested == tt.want, c.Recommended, "%s: %d", name, c.Requested)
			require.Equal(t, tt.narrow[c.Requested], c.Needs != nil, "%s: %d", name, c.Requested)
		}
	}
	r := made()
	broken := fault.New(fault.Internal, "x", "broken")
	require.ErrorIs(t, r.RecommendPlannable(func(*Candidate) (*PlanNeeds, error) { return nil, broken }), broken)
}
