package item_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/internal/item"
	"tilth/core/geo"
)

// TestFootprintsAtTheAntimeridian: a tile of Fiji from 179.2° east to 179.8° west, in each
// of the ways in which catalogs write it, and fields on both sides and far from it.
func TestFootprintsAtTheAntimeridian(t *testing.T) {
	split := `{"type":"MultiPolygon","coordinates":[[[[179.2,-17],[180,-17],[180,-16],[179.2,-16],[179.2,-17]]],[[[-180,-17],[-179.8,-17],[-179.8,-16],[-180,-16],[-180,-17]]]]}`
	for name, tt := range map[string]struct {
		geometry string
		bbox     []float64
	}{
		"cut in two":             {split, nil},
		"in one piece":           {`{"type":"Polygon","coordinates":[[[179.2,-17],[-179.8,-17],[-179.8,-16],[179.2,-16],[179.2,-17]]]}`, nil},
		"on beyond 180":          {`{"type":"Polygon","coordinates":[[[179.2,-17],[180.2,-17],[180.2,-16],[179.2,-16],[179.2,-17]]]}`, nil},
		"back beyond -180":       {`{"type":"Polygon","coordinates":[[[-180.8,-17],[-179.8,-17],[-179.8,-16],[-180.8,-16],[-180.8,-17]]]}`, nil},
		"box, west beyond east":  {"null", []float64{179.2, -17, -179.8, -16}},
		"box, counted on":        {"null", []float64{179.2, -17, 180.2, -16}},
		"box with heights":       {"null", []float64{179.2, -17, 0, -179.8, -16, 900}},
		"geometry and a bad box": {split, []float64{-180, -17, 180, -16}},
	} {
		t.Run(name, func(t *testing.T) {
			it, err := document(t, func(d, _ map[string]any) {
				d["geometry"] = json.RawMessage(tt.geometry)
				if tt.bbox != nil {
					d["bbox"] = tt.bbox
				}
			})
			require.NoError(t, err)
			meets := func(west, south float64) bool {
				const side = 0.01
				area, err := item.NewArea(geo.MultiPolygon{{{{X: west, Y: south}, {X: west + side, Y: south}, {X: west + side, Y: south + side}, {X: west, Y: south + side}, {X: west, Y: south}}}})
				require.NoError(t, err)
				return it.Meets(area)
			}
			require.True(t, meets(179.5, -16.5), "east of it")
			require.True(t, meets(179.99, -16.5), "up to it")
			require.True(t, meets(-180, -16.5), "from it on")
			require.True(t, meets(-179.9, -16.5), "west of it")
			for _, west := range []float64{179, -179.7, 0, 90, -90} {
				require.False(t, meets(west, -16.5), "%v", west)
			}
			require.False(t, meets(179.5, -15.9), "north of it")
			side := func(west, south float64) geo.Polygon {
				return geo.Polygon{{{X: west, Y: south}, {X: west + 0.01, Y: south}, {X: west + 0.01, Y: south + 0.01}, {X: west, Y: south}}}
			}
			for name, both := range map[string]struct {
				land  geo.MultiPolygon
				meets bool
			}{
				"its west":  {geo.MultiPolygon{side(179, -16.5), side(-179.9, -16.5)}, true},
				"its east":  {geo.MultiPolygon{side(179.99, -16.5), side(-179.7, -16.5)}, true},
				"beside it": {geo.MultiPolygon{side(179, -16.5), side(-179.7, -16.5)}, false},
			} {
				area, err := item.NewArea(both.land)
				require.NoError(t, err)
				require.Equal(t, both.meets, it.Meets(area), "land on both sides: %s", name)
			}
		})
	}
	world, err := document(t, func(d, _ map[string]any) {
		d["geometry"] = json.RawMessage(`{"type":"Polygon","coordinates":[[[-180,-90],[180,-90],[180,90],[-180,90],[-180,-90]]]}`)
	})
	require.NoError(t, err)
	for _, west := range []float64{-180, 0, 179.9} {
		area, err := item.NewArea(geo.MultiPolygon{{{{X: west, Y: 1}, {X: west + 0.1, Y: 1}, {X: west, Y: 1.1}, {X: west, Y: 1}}}})
		require.NoError(t, err)
		require.True(t, world.Meets(area), "a mosaic of the world meets every field: %v", west)
	}
}
