package geopackage

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
)

func TestPoints(t *testing.T) {
	t.Parallel()
	at := geo.Position{X: -4.7, Y: 41.6}
	got, err := ReadPoint(Point(at))
	require.NoError(t, err)
	require.Equal(t, &at, got)
	high := append([]byte{'G', 'P', 0, 0, 0, 0, 16, 230, 0, 0, 0, 3, 233}, Point(at)[13:]...) // big-endian, with a height
	for i := range 2 {
		for a, b := 13+8*i, 20+8*i; a < b; a, b = a+1, b-1 {
			high[a], high[b] = high[b], high[a]
		}
	}
	got, err = ReadPoint(append(high, 0, 0, 0, 0, 0, 0, 0, 0))
	require.NoError(t, err)
	require.Equal(t, &at, got)
	for _, empty := range [][]byte{nil, {'G', 'P', 0, emptyGeometry | littleEndian, 230, 16, 0, 0}} {
		got, err = ReadPoint(empty)
		require.NoError(t, err)
		require.Nil(t, got)
	}
	for name, wrong := range map[string][]byte{
		"cut off": Point(at)[:20], "a line": Line([]geo.Position{at, at}), "no header": []byte("POINT(1 2)"), "another system": {'G', 'P', 0, 1, 1, 0, 0, 0},
		"nowhere": Point(geo.Position{X: 400, Y: 5e6}),
	} {
		_, err := ReadPoint(wrong)
		require.Error(t, err, name)
	}
}

func FuzzPoint(f *testing.F) {
	f.Add(Point(geo.Position{X: 1, Y: 2}))
	f.Add(Line([]geo.Position{{X: 1, Y: 2}, {X: 3, Y: 4}}))
	f.Fuzz(func(t *testing.T, content []byte) {
		if at, err := ReadPoint(content); err == nil && at != nil {
			back, err := ReadPoint(Point(*at))
			require.NoError(t, err)
			require.Equal(t, at, back)
		}
	})
}
