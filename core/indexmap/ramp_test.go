package indexmap

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// No colour of a ramp is clipped to what screens can show, which would bend the ramp.
func TestRampsCanBeShown(t *testing.T) {
	for r := range colors {
		for i, c := range r.even(Shades) {
			for _, v := range c.linear() {
				require.GreaterOrEqual(t, v, -0.0015, "%s: colour %d is %.4f", r.name, i, c.linear())
				require.LessOrEqual(t, v, 1.0015, "%s: colour %d", r.name, i)
			}
		}
	}
}
