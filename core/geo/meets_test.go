package geo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
)

func TestMeets(t *testing.T) {
	t.Parallel()
	// A triangle with a hole, whose box is 0 to 10.
	m := geo.MultiPolygon{{
		{{X: 0, Y: 0}, {X: 10, Y: 0}, {X: 0, Y: 10}, {X: 0, Y: 0}},
		{{X: 1, Y: 1}, {X: 1, Y: 4}, {X: 4, Y: 1}, {X: 1, Y: 1}},
	}}
	for name, c := range map[string]struct {
		box  geo.Box
		want bool
	}{
		"around it":             {geo.Box{MinX: -1, MinY: -1, MaxX: 11, MaxY: 11}, true},
		"within":                {geo.Box{MinX: 0.2, MinY: 0.2, MaxX: 0.4, MaxY: 0.4}, true},
		"in the hole":           {geo.Box{MinX: 1.2, MinY: 1.2, MaxX: 1.5, MaxY: 1.5}, false},
		"over the hole":         {geo.Box{MinX: 1.2, MinY: 1.2, MaxX: 5, MaxY: 5}, true},
		"in its box alone":      {geo.Box{MinX: 8, MinY: 8, MaxX: 9, MaxY: 9}, false},
		"at the long edge":      {geo.Box{MinX: 5, MinY: 5, MaxX: 9, MaxY: 9}, true},
		"at a corner":           {geo.Box{MinX: 10, MinY: -5, MaxX: 12, MaxY: 0}, true},
		"across, no corner in":  {geo.Box{MinX: -1, MinY: 4.5, MaxX: 11, MaxY: 5}, true},
		"apart":                 {geo.Box{MinX: 11, MinY: 0, MaxX: 12, MaxY: 1}, false},
		"a place on the inside": {geo.Box{MinX: 0.5, MinY: 0.5, MaxX: 0.5, MaxY: 0.5}, true},
		"a place in the hole":   {geo.Box{MinX: 1.5, MinY: 1.5, MaxX: 1.5, MaxY: 1.5}, false},
	} {
		require.Equal(t, c.want, m.Meets(c.box), name)
	}
	require.False(t, geo.MultiPolygon(nil).Meets(geo.Box{MaxX: 1, MaxY: 1}))
	require.True(t, geo.Box{MaxX: 1, MaxY: 1}.Contains(geo.Position{X: 1, Y: 0}))
	require.False(t, geo.Box{MaxX: 1, MaxY: 1}.Contains(geo.Position{X: 1.1, Y: 0}))
}
