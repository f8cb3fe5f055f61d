package eudr_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/eudr"
	"tilth/core/farm"
	"tilth/core/geo"
)

// square returns a closed ring of a side in degrees around a place.
func square(x, y, side float64) geo.Ring {
	h := side / 2
	return geo.Ring{{X: x - h, Y: y - h}, {X: x + h, Y: y - h}, {X: x + h, Y: y + h}, {X: x - h, Y: y + h}, {X: x - h, Y: y - h}}
}

// reversed returns a ring the other way round, as a hole goes.
func reversed(r geo.Ring) geo.Ring {
	out := make(geo.Ring, len(r))
	for i, p := range r {
		out[len(r)-1-i] = p
	}
	return out
}

func fieldOf(t require.TestingT, area geo.MultiPolygon) *farm.Field {
	raw, err := area.MarshalJSON()
	require.NoError(t, err)
	boundary, err := geo.ParseGeoJSON(nil, raw, geo.DefaultLimits())
	require.NoError(t, err)
	return &farm.Field{Name: "North", Boundary: &boundary}
}

var spanish = farm.Farm{Name: "La Vega", Country: "spain"}

func codes(p eudr.Plot) (out []string) {
	for _, f := range p.Findings {
		out = append(out, f.Code)
	}
	return out
}

func TestPlots(t *testing.T) {
	t.Parallel()
	plain := geo.MultiPolygon{{square(-4, 41, 0.004)}}
	small := geo.MultiPolygon{{square(-4, 41, 0.001)}}
	for name, c := range map[string]struct {
		field   *farm.Field
		holding farm.Farm
		options eudr.Options
		codes   []string
		refused bool
		plots   int
	}{
		"as it is":                 {fieldOf(t, plain), spanish, eudr.Options{}, nil, false, 1},
		"two parts":                {fieldOf(t, geo.MultiPolygon{{square(-4, 41, 0.004)}, {square(-4.01, 41, 0.004)}}), spanish, eudr.Options{}, nil, false, 2},
		"without a boundary":       {&farm.Field{Name: "North"}, spanish, eudr.Options{}, []string{eudr.NoBoundary}, true, 0},
		"without a country":        {fieldOf(t, plain), farm.Farm{Name: "La Vega"}, eudr.Options{}, []string{eudr.NoCountry}, true, 1},
		"with the country asked":   {fieldOf(t, plain), farm.Farm{Name: "La Vega"}, eudr.Options{Country: "spain"}, nil, false, 1},
		"of a farm that is hidden": {fieldOf(t, plain), farm.Farm{}, eudr.Options{Country: "spain"}, nil, false, 1},
		"in another country":       {fieldOf(t, plain), farm.Farm{Country: "austria"}, eudr.Options{}, []string{eudr.Abroad}, false, 1},
		"with a hole":              {fieldOf(t, geo.MultiPolygon{{square(-4, 41, 0.004), reversed(square(-4, 41, 0.001))}}), spanish, eudr.Options{}, []string{eudr.HoleCut}, false, 2},
		"small, as a point":        {fieldOf(t, small), spanish, eudr.Options{Points: true}, nil, false, 1},
		"small, as an area":        {fieldOf(t, small), spanish, eudr.Options{}, nil, false, 1},
		"too large for a point":    {fieldOf(t, plain), spanish, eudr.Options{Points: true}, nil, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := eudr.PlotOf(nil, c.field, &c.holding, c.options)
			require.NoError(t, err)
			require.Equal(t, c.codes, codes(got))
			require.Equal(t, c.refused, got.Refused())
			require.Len(t, got.Features, c.plots)
			for _, f := range got.Features {
				require.Equal(t, "North", f.ProductionPlace)
				isPoint := c.options.Points && c.field.Boundary.AreaHa() <= eudr.MaxPointHa
				require.Equal(t, isPoint, f.Outline == nil)
				require.Equal(t, isPoint, f.AreaHa > 0)
			}
		})
	}
}

func TestTheProducerIsTheOwner(t *testing.T) {
	t.Parallel()
	field := fieldOf(t, geo.MultiPolygon{{square(-4, 41, 0.004)}})
	for want, holding := range map[string]farm.Farm{
		"Ana Ruiz": {Name: "La Vega", OwnerName: "Ana Ruiz", Country: "spain"}, "La Vega": spanish,
	} {
		got, err := eudr.PlotOf(nil, field, &holding, eudr.Options{})
		require.NoError(t, err)
		require.Equal(t, want, got.Features[0].ProducerName)
		require.Equal(t, "ES", got.Features[0].ProducerCountry)
	}
}

// Plots have no holes, stand on six decimals, are valid, and cover what the field covers.
func TestPlotsCoverTheFieldWithoutHoles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		polygon := geo.Polygon{square(-4, 41, 0.01)}
		for i := range rapid.IntRange(0, 4).Draw(t, "holes") {
			x := -4.004 + 0.002*float64(i) + rapid.Float64Range(-2e-4, 2e-4).Draw(t, "x")
			side := rapid.SampledFrom([]float64{1e-3, 1.23456e-4, 2.1e-6}).Draw(t, "side")
			polygon = append(polygon, reversed(square(x, 41+rapid.Float64Range(-4e-3, 4e-3).Draw(t, "y"), side)))
		}
		field := fieldOf(t, geo.MultiPolygon{polygon})
		got, err := eudr.PlotOf(nil, field, &spanish, eudr.Options{})
		require.NoError(t, err)
		area := 0.0
		for _, f := range got.Features {
			require.True(t, geo.MultiPolygon{{f.Outline}}.IsValid())
			for _, p := range f.Outline {
				require.InDelta(t, math.Round(p.X*1e6), p.X*1e6, 1e-4)
				require.InDelta(t, math.Round(p.Y*1e6), p.Y*1e6, 1e-4)
			}
			area += fieldOf(t, geo.MultiPolygon{{f.Outline}}).Boundary.AreaHa()
		}
		require.InDelta(t, field.Boundary.AreaHa(), area, 0.02)
	})
}

// A point lies in the field, also where its centre does not.
func TestPointsLieInside(t *testing.T) {
	t.Parallel()
	horseshoe := geo.Ring{{X: 0, Y: 0}, {X: 3, Y: 0}, {X: 3, Y: 3}, {X: 2, Y: 3}, {X: 2, Y: 1}, {X: 1, Y: 1}, {X: 1, Y: 3}, {X: 0, Y: 3}, {X: 0, Y: 0}}
	for i, p := range horseshoe {
		horseshoe[i] = geo.Position{X: -4 + p.X*5e-4, Y: 41 + p.Y*5e-4}
	}
	got, err := eudr.PlotOf(nil, fieldOf(t, geo.MultiPolygon{{horseshoe}}), &spanish, eudr.Options{Points: true})
	require.NoError(t, err)
	p := got.Features[0].Point
	require.True(t, p.X < -4+5e-4 || p.X > -4+1e-3, "in an arm")
	require.InDelta(t, 41+7.5e-4, p.Y, 1e-9)
}
