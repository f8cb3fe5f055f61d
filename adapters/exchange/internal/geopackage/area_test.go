package geopackage

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
)

func square(at float64) geo.Ring {
	return geo.Ring{{X: at, Y: 50}, {X: at + 1, Y: 50}, {X: at + 1, Y: 51}, {X: at, Y: 51}, {X: at, Y: 50}}
}

func TestAreas(t *testing.T) {
	t.Parallel()
	two := geo.MultiPolygon{{square(1), geo.Ring{{X: 1.2, Y: 50.2}, {X: 1.4, Y: 50.2}, {X: 1.4, Y: 50.4}, {X: 1.2, Y: 50.2}}}, {square(5)}}
	got, err := ReadArea(Area(two), 20)
	require.NoError(t, err)
	require.Equal(t, Shape{wgs84, "MultiPolygon", two}, got)
	_, err = ReadArea(Area(two), 5)
	require.ErrorIs(t, err, ErrVertices)
	got, err = ReadArea(Point(geo.Position{X: 1, Y: 2}), 20)
	require.NoError(t, err)
	require.Equal(t, Shape{System: wgs84, Word: "Point"}, got)
	got, err = ReadArea(nil, 20)
	require.NoError(t, err)
	require.Zero(t, got)
	for end := 8; end < len(Area(two)); end++ {
		_, err := ReadArea(Area(two)[:end], 20)
		require.Error(t, err, end)
	}
}

func FuzzArea(f *testing.F) {
	f.Add(Area(geo.MultiPolygon{{square(1)}, {square(5)}}))
	f.Add(Point(geo.Position{X: 1, Y: 2}))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := ReadArea(content, 100)
		if err != nil || got.Area == nil {
			return
		}
		for _, polygon := range got.Area {
			for _, ring := range polygon {
				if len(ring) > 150 {
					t.Fatal("more than the bound")
				}
			}
		}
	})
}
