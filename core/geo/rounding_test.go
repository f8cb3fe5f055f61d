package geo_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
)

func plot(x, y, width, height float64) geo.MultiPolygon {
	return geo.MultiPolygon{{{{X: x, Y: y}, {X: x + width, Y: y}, {X: x + width, Y: y + height}, {X: x, Y: y + height}, {X: x, Y: y}}}}
}

func TestOverlay(t *testing.T) {
	a, b := plot(0, 0, 4, 4), plot(2, 2, 4, 4)
	whole, err := geo.Union(nil, a, b, plot(10, 10, 1, 1))
	require.NoError(t, err)
	require.Len(t, whole, 2)
	require.InDelta(t, 16+16-4+1, whole.PlanarArea(), 1e-12)
	shared, err := geo.Intersection(nil, a, b)
	require.NoError(t, err)
	require.InDelta(t, 4, shared.PlanarArea(), 1e-12)
	require.True(t, shared.Contains(geo.Position{X: 3, Y: 3}))
	require.True(t, shared.Contains(geo.Position{X: 2, Y: 3}), "the edge belongs to it")
	require.False(t, shared.Contains(geo.Position{X: 1, Y: 3}))
	nothing, err := geo.Intersection(nil, a, plot(4, 0, 4, 4))
	require.NoError(t, err)
	require.Empty(t, nothing, "a common edge has no area")
	require.Equal(t, geo.Position{X: 2, Y: 2}, a.Centroid())
}

func TestUnprojectUndoesProject(t *testing.T) {
	utm, err := geo.NewUTM(32633)
	require.NoError(t, err)
	field := plot(14.99, 48.75, 0.01, 0.005)
	back := utm.Unproject(utm.Project(field))
	for i, p := range field[0][0] {
		require.InDelta(t, p.X, back[0][0][i].X, 1e-12)
		require.InDelta(t, p.Y, back[0][0][i].Y, 1e-12)
	}
}

func TestRoundingMendsWhatItBreaks(t *testing.T) {
	// A tongue narrower than a unit whose edges cross when they are rounded.
	tongue := geo.MultiPolygon{{{{X: 0, Y: 0}, {X: 100, Y: 0}, {X: 100, Y: 50}, {X: 200, Y: 50.6}, {X: 100.4, Y: 50.4}, {X: 100, Y: 100}, {X: 0, Y: 100}, {X: 0, Y: 0}}}}
	require.True(t, tongue.IsValid())
	got := tongue.Rounded(0)
	require.True(t, got.IsValid())
	require.InDelta(t, 10_000, got.PlanarArea(), 60)
	require.Nil(t, geo.MultiPolygon(nil).Rounded(7))
	require.Empty(t, plot(0, 0, 0.3, 0.3).Rounded(0), "smaller than the last decimal")
}

// Rounding yields valid whole numbers, and moves the edge by hardly more than half a unit.
func TestRoundedIsValidAndNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := rapid.IntRange(3, 40).Draw(t, "corners")
		squeeze := rapid.Float64Range(0.02, 1).Draw(t, "squeeze")
		var ring geo.Ring
		around := 0.0
		for i := range corners {
			r := rapid.Float64Range(1, 60).Draw(t, "radius")
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(corners))
			ring = append(ring, geo.Position{X: r * cos, Y: r * sin * squeeze})
			if i > 0 {
				around += math.Hypot(ring[i].X-ring[i-1].X, ring[i].Y-ring[i-1].Y)
			}
		}
		m := geo.MultiPolygon{{append(ring, ring[0])}}
		if !m.IsValid() {
			t.Skip("not valid before")
		}
		got := m.Rounded(0)
		require.True(t, got.IsValid())
		require.InDelta(t, m.PlanarArea(), got.PlanarArea(), 2*around+2)
		for _, polygon := range got {
			for _, r := range polygon {
				for _, p := range r {
					require.Equal(t, geo.Position{X: math.Round(p.X), Y: math.Round(p.Y)}, p)
				}
			}
		}
	})
}

func TestPartRing(t *testing.T) {
	a, b, c, d := geo.Position{}, geo.Position{X: 1}, geo.Position{X: 1, Y: 1}, geo.Position{X: 2, Y: 1}
	e := geo.Position{X: 2}
	parts := geo.PartRing(geo.Ring{a, b, e, d, b, c})
	require.Equal(t, []geo.Ring{{b, e, d}, {a, b, c}}, parts)
	require.Equal(t, []geo.Ring{{a, b, c}}, geo.PartRing(geo.Ring{a, b, e, b, c}), "a spike encloses nothing")
}
