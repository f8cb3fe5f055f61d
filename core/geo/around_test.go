package geo_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
)

// A place within the distance is in one of the boxes, anywhere on the globe.
func TestAroundHoldsWhatIsNear(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		place := func(name string) geo.Position {
			return geo.Position{X: rapid.Float64Range(-180, 180).Draw(t, name+" x"), Y: rapid.Float64Range(-89, 89).Draw(t, name+" y")}
		}
		centre := place("centre")
		other := geo.Position{X: centre.X + rapid.Float64Range(-3, 3).Draw(t, "dx"), Y: max(-89, min(89, centre.Y+rapid.Float64Range(-2, 2).Draw(t, "dy")))}
		switch {
		case other.X > 180:
			other.X -= 360
		case other.X < -180:
			other.X += 360
		}
		boxes := geo.Around(centre, geo.Distance(centre, other))
		require.True(t, slices.ContainsFunc(boxes, func(b geo.Box) bool { return b.Contains(other) }), "%v of %v in %v", other, centre, boxes)
		require.LessOrEqual(t, len(boxes), 2)
	})
}

// Places so near that their distance comes out as zero are in the box too.
func TestAroundHoldsWhatIsNextToIt(t *testing.T) {
	t.Parallel()
	centre := geo.Position{X: 0, Y: 1}
	for _, other := range []geo.Position{centre, {X: 8.5e-168, Y: 1}, {X: -1e-12, Y: 1 + 1e-15}} {
		boxes := geo.Around(centre, geo.Distance(centre, other))
		require.True(t, slices.ContainsFunc(boxes, func(b geo.Box) bool { return b.Contains(other) }), "%v in %v", other, boxes)
	}
}
