package geo_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
)

func TestDigestIsOfTheLand(t *testing.T) {
	t.Parallel()
	ring := func(x, y, side float64) geo.Ring {
		return geo.Ring{{X: x, Y: y}, {X: x + side, Y: y}, {X: x + side, Y: y + side}, {X: x, Y: y + side}, {X: x, Y: y}}
	}
	digest := func(m geo.MultiPolygon) string {
		t.Helper()
		b, err := geo.NewBoundary(nil, m, geo.DefaultLimits())
		require.NoError(t, err)
		return b.Geometry().Digest()
	}
	one, two := geo.Polygon{ring(10, 50, 0.01)}, geo.Polygon{ring(10.02, 50, 0.01)}
	want := digest(geo.MultiPolygon{one, two})
	require.Len(t, want, 64)
	require.Equal(t, want, digest(geo.MultiPolygon{two, one}), "the order of parts")
	turned := slices.Clone(ring(10, 50, 0.01)[:4])
	turned = append(turned[2:], turned[:2]...)
	turned = append(turned, turned[0])
	require.Equal(t, want, digest(geo.MultiPolygon{{turned}, two}), "where a ring begins")
	slices.Reverse(turned)
	require.Equal(t, want, digest(geo.MultiPolygon{{turned}, two}), "which way it runs")
	moved := ring(10, 50, 0.01)
	moved[1].X += 1e-9
	require.Equal(t, want, digest(geo.MultiPolygon{{moved}, two}), "a tenth of a millimetre")
	moved[1].X += 1e-5
	require.NotEqual(t, want, digest(geo.MultiPolygon{{moved}, two}), "a metre")
	require.NotEqual(t, want, digest(geo.MultiPolygon{one}))
	hole := geo.Polygon{ring(10, 50, 0.01), ring(10.002, 50.002, 0.001), ring(10.006, 50.002, 0.001)}
	swapped := geo.Polygon{hole[0], hole[2], hole[1]}
	require.Equal(t, digest(geo.MultiPolygon{hole}), digest(geo.MultiPolygon{swapped}), "the order of holes")
	require.NotEqual(t, digest(geo.MultiPolygon{one}), digest(geo.MultiPolygon{hole}))
}
