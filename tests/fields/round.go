package fields

import (
	"math"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
)

// Round returns a boundary of n vertices on a circle with its centre x degrees east of Greenwich and y north of 45.
func Round(t require.TestingT, x, y, radius float64, n int) *geo.Boundary {
	ring := make(geo.Ring, n+1)
	for i := range ring {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%n) / float64(n))
		ring[i] = geo.Position{X: x + radius*cos, Y: 45 + y + radius*sin}
	}
	b, err := geo.NewBoundary(nil, geo.MultiPolygon{{ring}}, geo.DefaultLimits())
	require.NoError(t, err)
	return &b
}
