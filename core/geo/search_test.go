package geo_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
)

// An outline with a hole is found by what touches it, and by nothing beside it or in its hole.
func TestSought(t *testing.T) {
	t.Parallel()
	ring := func(low, high float64) geo.Ring {
		return geo.Ring{{X: low, Y: low}, {X: high, Y: low}, {X: high, Y: high}, {X: low, Y: high}, {X: low, Y: low}}
	}
	outline := geo.MultiPolygon{{ring(0, 10), ring(4, 6)}}
	for text, want := range map[string]bool{
		`{"type": "Point", "coordinates": [1, 1]}`:                                                                              true,
		`{"type": "Point", "coordinates": [10, 10]}`:                                                                            true,
		`{"type": "Point", "coordinates": [5, 5]}`:                                                                              false,
		`{"type": "Point", "coordinates": [11, 1]}`:                                                                             false,
		`{"type": "MultiPoint", "coordinates": [[5, 5], [3, 3]]}`:                                                               true,
		`{"type": "LineString", "coordinates": [[-1, 5], [11, 5]]}`:                                                             true,
		`{"type": "LineString", "coordinates": [[4.5, 5], [5.5, 5]]}`:                                                           false,
		`{"type": "Polygon", "coordinates": [[[-9, -9], [19, -9], [19, 19], [-9, 19], [-9, -9]]]}`:                              true,
		`{"type": "Polygon", "coordinates": [[[4.5, 4.5], [5.5, 4.5], [5.5, 5.5], [4.5, 4.5]]]}`:                                false,
		`{"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [5, 5]}]}`:                              false,
		`{"type": "MultiLineString", "coordinates": [[[20, 20], [21, 21]], [[9, 20], [9, 9]]]}`:                                 true,
		`{"type": "MultiPolygon", "coordinates": [[[[1, 1], [2, 1], [2, 2], [1, 1]]], [[[30, 1], [31, 1], [30, 2], [30, 1]]]]}`: true,
	} {
		sought, err := geo.ParseSought([]byte(text), 100)
		require.NoError(t, err, text)
		got, err := sought.Meets(effort.Of(t.Context(), 0), outline)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
		if want {
			_, err = sought.Meets(effort.Of(t.Context(), 1), outline)
			require.ErrorIs(t, err, effort.ErrSpent, text)
		}
	}
	for text, said := range map[string]string{
		``: "GeoJSON", `7`: "GeoJSON", `{}`: "GeoJSON", `{"type": "Feature"}`: "GeoJSON", `{"type": "Point"}`: "GeoJSON", `{"type": "Point", "coordinates": ["a", 1]}`: "GeoJSON",
		`{"type": "Polygon", "coordinates": []}`:                                                "empty",
		`{"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]}`:        "not valid",
		`{"type": "LineString", "coordinates": [` + strings.Repeat("[1, 1],", 100) + `[2, 2]]}`: "at most 100",
	} {
		_, err := geo.ParseSought([]byte(text), 100)
		f, ok := fault.As(err)
		require.True(t, ok, text)
		require.Contains(t, f.Fields.Messages()[geo.SoughtField][0], said, text)
	}
}
