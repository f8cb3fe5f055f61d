package geo_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/tests/leaving"
)

func boundaryOf(t require.TestingT, m geo.MultiPolygon) geo.Boundary {
	b, err := geo.NewBoundary(nil, m, geo.DefaultLimits())
	require.NoError(t, err)
	return b
}

func shapeOf(t require.TestingT, m geo.MultiPolygon) geo.Shape {
	s, err := boundaryOf(t, m).Shape(nil)
	require.NoError(t, err)
	return s
}

// zigzag returns a comb of n long teeth that lean, as an open ring: all boxes of its edges meet.
func zigzag(lon, lat, size float64, n int) geo.MultiPolygon {
	var ring geo.Ring
	for i := range n {
		at := size * float64(i) / float64(n)
		ring = append(ring, geo.Position{X: lon + at, Y: lat}, geo.Position{X: lon + at + size, Y: lat + size})
		ring = append(ring, geo.Position{X: lon + at + size*1.3/float64(n), Y: lat + size*0.3/float64(n)})
	}
	return geo.MultiPolygon{{append(ring, geo.Position{X: lon + size*1.5, Y: lat - size/2}, geo.Position{X: lon, Y: lat - size/2})}}
}

// The quick answers equal those of the overlay, except where the share lies within a millionth of the threshold.
func TestPropertyOverlapsEqualTheOverlay(t *testing.T) {
	yes, no := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := drawStar(t)
		b := a
		if rapid.Bool().Draw(t, "other") {
			b = drawStar(t)
		}
		box := a.Bounds()
		width, height := box.MaxX-box.MinX, box.MaxY-box.MinY
		// The second lies at about the place of the first, larger or smaller.
		from, scale := b.Bounds(), rapid.Float64Range(0.05, 2).Draw(t, "scale")*width/(b.Bounds().MaxX-b.Bounds().MinX)
		dx, dy := rapid.Float64Range(-1.2, 1.2).Draw(t, "dx")*width, rapid.Float64Range(-1.2, 1.2).Draw(t, "dy")*height
		moved := geo.Ring{}
		for _, p := range b[0][0] {
			moved = append(moved, geo.Position{X: box.MinX + dx + (p.X-from.MinX)*scale, Y: box.MinY + dy + (p.Y-from.MinY)*scale})
		}
		limits := geo.DefaultLimits()
		limits.MaxAreaHa, limits.MinAreaM2 = 1e6, 0
		one, err := geo.NewBoundary(nil, a, limits)
		require.NoError(t, err)
		two, err := geo.NewBoundary(nil, geo.MultiPolygon{{moved}}, limits)
		if err != nil {
			t.Skip("scaled off the map")
		}
		common, err := geo.Intersection(nil, one.Geometry(), two.Geometry())
		require.NoError(t, err)
		share := common.PlanarArea() / min(one.Geometry().PlanarArea(), two.Geometry().PlanarArea())
		if math.Abs(share/0.005-1) < 1e-6 {
			t.Skip("at the threshold")
		}
		s, err := one.Shape(nil)
		require.NoError(t, err)
		o, err := two.Shape(nil)
		require.NoError(t, err)
		for _, pair := range [][2]geo.Shape{{s, o}, {o, s}} {
			got, err := pair[0].Overlaps(nil, pair[1])
			require.NoError(t, err)
			require.Equal(t, share > 0.005, got, "they share %v", share)
		}
		if share > 0.005 {
			yes++
		} else {
			no++
		}
	})
	require.Positive(t, yes)
	require.Positive(t, no)
}

// Shapes that lie on top of one another are recognised without an overlay, whatever their outlines.
func TestStacksAreComparedByABoxInside(t *testing.T) {
	for name, m := range map[string]geo.MultiPolygon{
		"round": {{circle(10, 45, 0.01, 350, true)}},
		"holed": {{circle(10, 45, 0.01, 350, true), circle(10.004, 45, 0.002, 100, true)}},
	} {
		s := shapeOf(t, m)
		budget := effort.Of(t.Context(), 0)
		got, err := s.Overlaps(budget, s)
		require.NoError(t, err)
		require.True(t, got)
		require.EqualValues(t, 1, budget.Spent(), name)
	}
}

func TestABudgetBoundsEveryOverlay(t *testing.T) {
	a, b := zigzag(10, 45, 0.01, 100), zigzag(10.0001, 45, 0.01, 100)
	for name, do := range map[string]func(*effort.Budget) error{
		"boundary": func(budget *effort.Budget) error {
			_, err := geo.NewBoundary(budget, a, geo.DefaultLimits())
			return err
		},
		"overlaps": func(budget *effort.Budget) error {
			s, o := shapeOf(t, a), shapeOf(t, b)
			_, err := s.Overlaps(budget, o)
			return err
		},
		"intersection": func(budget *effort.Budget) error {
			_, err := geo.Intersection(budget, boundaryOf(t, a).Geometry(), boundaryOf(t, b).Geometry())
			return err
		},
		"union": func(budget *effort.Budget) error {
			_, err := geo.Union(budget, boundaryOf(t, a).Geometry(), boundaryOf(t, b).Geometry())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			whole := effort.Of(t.Context(), 0)
			require.NoError(t, do(whole))
			require.Greater(t, whole.Spent(), int64(3*effort.Interval))
			require.NoError(t, do(effort.Of(t.Context(), whole.Spent())))
			short := effort.Of(t.Context(), whole.Spent()/2)
			require.ErrorIs(t, do(short), effort.ErrSpent)

			leaving.Stops(t, 2*effort.Interval, do)
		})
	}
}
