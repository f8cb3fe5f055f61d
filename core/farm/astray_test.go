package farm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/farm"
	"tilth/core/geo"
)

func fieldAt(t *testing.T, lon, lat float64) *geo.Boundary {
	t.Helper()
	const d = 0.002
	b, err := geo.NewBoundary(nil, geo.MultiPolygon{{{{X: lon, Y: lat}, {X: lon + d, Y: lat}, {X: lon + d, Y: lat + d}, {X: lon, Y: lat + d}, {X: lon, Y: lat}}}}, geo.DefaultLimits())
	require.NoError(t, err)
	return &b
}

func TestDoubtAboutThePlaceOfAField(t *testing.T) {
	t.Parallel()
	vienna := &geo.Position{X: 16.4, Y: 48.2}
	here, swapped := geo.Position{X: 16, Y: 48}, geo.Position{X: 48, Y: 16}
	others := func(of ...geo.Position) (out []farm.Spot) {
		for _, p := range of {
			out = append(out, farm.SpotOf(p))
		}
		return out
	}
	for name, c := range map[string]struct {
		at   geo.Position
		of   farm.Surroundings
		code string // of the doubt; empty: none
	}{
		"nothing is known":                    {swapped, farm.Surroundings{}, ""},
		"alone on the farm":                   {swapped, farm.Surroundings{Others: others(swapped)}, ""},
		"near the location":                   {here, farm.Surroundings{Location: vienna}, ""},
		"swapped, by the location":            {swapped, farm.Surroundings{Location: vienna}, geo.WarnAxisSwap},
		"swapped, by the country":             {swapped, farm.Surroundings{Country: "austria"}, geo.WarnAxisSwap},
		"swapped, by another field":           {swapped, farm.Surroundings{Others: others(here, swapped)}, geo.WarnAxisSwap},
		"swapped, as the others are":          {swapped, farm.Surroundings{Country: "austria", Others: others(swapped, swapped)}, geo.WarnAxisSwap},
		"right, while the others are swapped": {here, farm.Surroundings{Country: "austria", Others: others(here, swapped, swapped)}, ""},
		"in the country":                      {here, farm.Surroundings{Country: "austria"}, ""},
		"of a country unknown":                {here, farm.Surroundings{Country: "atlantis"}, ""},
		"near the location, out of country":   {here, farm.Surroundings{Location: vienna, Country: "spain"}, ""},
		"a swapped neighbour is no reason":    {here, farm.Surroundings{Others: others(here, here, swapped)}, ""},
		"lost, by the location":               {geo.Position{X: 0.001, Y: 0.001}, farm.Surroundings{Location: vienna}, farm.WarnFar},
		"lost, by the country":                {geo.Position{X: -60, Y: -20}, farm.Surroundings{Country: "austria"}, farm.WarnFar},
		"lost, swapped it has no latitude":    {geo.Position{X: 150, Y: -30}, farm.Surroundings{Country: "austria"}, farm.WarnFar},
	} {
		got, ok := c.of.Doubt(fieldAt(t, c.at.X, c.at.Y))
		require.Equal(t, c.code != "", ok, name)
		require.Equal(t, c.code, got.Code, name)
		require.Equal(t, c.code == geo.WarnAxisSwap, got.Swapped != nil, name)
		if got.Swapped != nil {
			require.InDelta(t, 16, got.Swapped.X, 0.01, name)
			require.InDelta(t, 48, got.Swapped.Y, 0.01, name)
		}
	}
	_, ok := farm.Surroundings{Location: vienna}.Doubt(nil)
	require.False(t, ok)
}
