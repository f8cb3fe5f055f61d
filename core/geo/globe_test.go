package geo

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutlinesAreCutAtTheAntimeridian(t *testing.T) {
	t.Parallel()
	square := func(west, east float64) MultiPolygon { return MultiPolygon{Box{west, 10, east, 11}.polygon()} }
	for name, of := range map[string]struct {
		west, east float64
		bounds     []Box
	}{
		"within":  {170, 180, []Box{{170, 10, 180, 11}}},
		"east":    {179, 181.5, []Box{{179, 10, 180, 11}, {-180, 10, -178.5, 11}}},
		"west":    {-182, -179, []Box{{178, 10, 180, 11}, {-180, 10, -179, 11}}},
		"outside": {181, 182, []Box{{-179, 10, -178, 11}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := square(of.west, of.east)
			cut, err := whole.OnGlobe(nil)
			require.NoError(t, err)
			var bounds []Box
			for i := range cut {
				bounds = append(bounds, cut[i:i+1].Bounds())
			}
			require.Equal(t, of.bounds, bounds)
			require.InEpsilon(t, AreaM2(whole), AreaM2(cut), 1e-3) // a side over a degree is a geodesic, in one piece or two
			if len(cut) > 1 {
				require.InDelta(t, of.east-of.west, cut.InOnePiece().Bounds().MaxX-cut.InOnePiece().Bounds().MinX, 1e-12)
			}
		})
	}
	require.Equal(t, []float64{181, -179, 10}, []float64{Turned(-179, 180), Turned(181, 0), Turned(10, 180)})
}

// The middle and the box of land on both sides of 180° are those there, not on the other side of the globe.
func TestTheMiddleOfLandAcrossTheAntimeridian(t *testing.T) {
	t.Parallel()
	side := func(west, east float64) Polygon {
		return Polygon{{{X: west, Y: -17}, {X: east, Y: -17}, {X: east, Y: -16.9}, {X: west, Y: -17}}}
	}
	both := MultiPolygon{side(179.97, 180), side(-180, -179.99)}
	require.InDelta(t, 179.99, both.MiddleLongitude(), 1e-9)
	require.InDelta(t, -179.995, both[1:].MiddleLongitude(), 1e-9)
	require.InEpsilon(t, both[:1].BoxArea()*4/3, both.BoxArea(), 1e-9)
}
