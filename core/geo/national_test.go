package geo

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The projections alone, without a change of datum, are exact: the worked examples of Ordnance
// Survey ("A guide to coordinate systems in Great Britain", annexe C) and of IOGP (Guidance Note
// 7-2, oblique stereographic).
func TestNationalProjectionsAreExact(t *testing.T) {
	degree := func(d, m, s float64) float64 { return d + m/60 + s/3600 }
	back := british{}.Inverse(Position{X: 651409.903, Y: 313177.270})
	at := osgb36.fromWGS84(back)
	require.InDelta(t, degree(1, 43, 4.5177), at.X, 2e-8)
	require.InDelta(t, degree(52, 39, 27.2531), at.Y, 2e-8)
	en := british{}.Forward(osgb36.toWGS84(Position{X: degree(1, 43, 4.5177), Y: degree(52, 39, 27.2531)}))
	require.InDelta(t, 651409.903, en.X, 2e-3)
	require.InDelta(t, 313177.270, en.Y, 2e-3)

	en = dutch{}.Forward(amersfoort.toWGS84(Position{X: 6, Y: 53}))
	require.InDelta(t, 196105.283, en.X, 2e-3)
	require.InDelta(t, 557057.739, en.Y, 2e-3)
	at = amersfoort.fromWGS84(dutch{}.Inverse(Position{X: 196105.283, Y: 557057.739}))
	require.InDelta(t, 6, at.X, 2e-8)
	require.InDelta(t, 53, at.Y, 2e-8)
	centre := amersfoort.fromWGS84(dutch{}.Inverse(Position{X: dutchEasting, Y: dutchNorthing}))
	require.InDelta(t, 0, math.Hypot(centre.X-dutchMeridian, centre.Y-dutchParallel), 2e-8)
}
