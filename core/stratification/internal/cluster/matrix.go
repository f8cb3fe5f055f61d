// Package cluster groups points around centres: the kernels of zones. It computes only with what the
// caller passes; nothing here starts a goroutine or shares anything between callers.
package cluster

import (
	"math"

	"tilth/core/stratification/internal/stats"
)

// Matrix holds n points of d values each, one point after the other.
type Matrix struct {
	N, D   int
	Values []float64
}

// NewMatrix returns n points at 0.
func NewMatrix(n, d int) Matrix { return Matrix{N: n, D: d, Values: make([]float64, n*d)} }

// Row returns the values of a point, which may be written.
func (m Matrix) Row(i int) []float64 { return m.Values[i*m.D : (i+1)*m.D : (i+1)*m.D] }

// EveryNth returns every step-th point, beginning with the first.
func (m Matrix) EveryNth(step int) Matrix {
	if step == 1 {
		return m
	}
	out := NewMatrix((m.N+step-1)/step, m.D)
	for i := range out.N {
		copy(out.Row(i), m.Row(i*step))
	}
	return out
}

// Add adds a row to sums.
func Add(sums, row []float64) {
	for j, v := range row {
		sums[j] += v
	}
}

// Divide sets the means of n rows from their sums; it leaves the means where n is 0.
func Divide(means, sums []float64, n int) {
	for j := 0; n > 0 && j < len(means); j++ {
		means[j] = sums[j] / float64(n)
	}
}

// SquaredDistance returns |a - b|². The conversions forbid a fused multiply-add.
func SquaredDistance(a, b []float64) float64 {
	b = b[:len(a)]
	sum := 0.0
	for j, v := range a {
		d := v - b[j]
		sum += float64(d * d)
	}
	return sum
}

// SumDistances sets sums, for each slot, to the sum of the distances from point i to the points with that slot.
func SumDistances(sums []float64, points Matrix, i int, slots [][]int32) {
	clear(sums)
	from := points.Row(i)
	for j := range points.N {
		dist := math.Sqrt(SquaredDistance(from, points.Row(j)))
		for _, slot := range slots[j] {
			sums[slot] += dist
		}
	}
}

// nearestTwo returns the nearest centre (of several, the first) and the squared distances of the nearest two. The distances are those
// of SquaredDistance, without a slice for each centre, which took a sixth of a start.
func (m Matrix) nearestTwo(point []float64) (best int32, lower, second float64) {
	lower, second = math.Inf(1), math.Inf(1)
	centre := m.Values
	for h := range m.N {
		sum := 0.0
		for j, v := range point {
			d := v - centre[j]
			sum += float64(d * d)
		}
		centre = centre[len(point):]
		switch {
		case sum < lower:
			best, lower, second = int32(h), sum, lower
		case sum < second:
			second = sum
		}
	}
	return best, lower, second
}

// Variances sums, over the first columns, the variance (n-1) of the values of some points.
func (m Matrix) Variances(members []int32, columns int) float64 {
	total, own := 0.0, make([]float64, len(members))
	for j := range columns {
		for n, i := range members {
			own[n] = m.Values[int(i)*m.D+j]
		}
		_, variance := stats.MeanAndVariance(own)
		total += variance
	}
	return total
}

// Leading returns the first columns.
func (m Matrix) Leading(columns int) Matrix {
	if columns == m.D {
		return m
	}
	out := NewMatrix(m.N, columns)
	for i := range m.N {
		copy(out.Row(i), m.Row(i))
	}
	return out
}

// SetColumn sets a column to values minus their mean, in standard deviations, times a scale.
func (m Matrix) SetColumn(j int, values []float64, mean, sd, scale float64) {
	for i, v := range values {
		m.Values[i*m.D+j] = (v - mean) / sd * scale
	}
}
