package vegetation

import "math"

// Values returns the index of each pixel of the footprint, in its order; NaN where there is none.
func (c *Composite) Values() []float64 {
	out := make([]float64, len(c.states))
	for i, s := range c.states {
		if out[i] = math.NaN(); s == valid {
			out[i] = c.values[i]
		}
	}
	return out
}
