package zoning

import (
	"math"

	"tilth/core/stratification/internal/stats"
)

// matrix holds n points of d values each, one point after the other.
type matrix struct {
	n, d   int
	values []float64
}

func newMatrix(n, d int) matrix { return matrix{n: n, d: d, values: make([]float64, n*d)} }

// row returns the values of a point, which may be written.
func (m matrix) row(i int) []float64 { return m.values[i*m.d : (i+1)*m.d : (i+1)*m.d] }

// everyNth returns every step-th point, beginning with the first.
func (m matrix) everyNth(step int) matrix {
	if step == 1 {
		return m
	}
	out := newMatrix((m.n+step-1)/step, m.d)
	for i := range out.n {
		copy(out.row(i), m.row(i*step))
	}
	return out
}

func add(sums, row []float64) {
	for j, v := range row {
		sums[j] += v
	}
}

// divide sets the means of n rows from their sums; of none it leaves them.
func divide(means, sums []float64, n int) {
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

// nearestTwo returns the nearest, then first, centre and the squared distances of the nearest two.
func (m matrix) nearestTwo(point []float64) (best int32, lower, second float64) {
	lower, second = SquaredDistance(point, m.row(0)), math.Inf(1)
	for h := 1; h < m.n; h++ {
		dist := SquaredDistance(point, m.row(h))
		switch {
		case dist < lower:
			best, lower, second = int32(h), dist, lower
		case dist < second:
			second = dist
		}
	}
	return best, lower, second
}

// variances sums, over the first columns, the variance (n-1) of the values of some points.
func (m matrix) variances(members []int32, columns int) float64 {
	total, own := 0.0, make([]float64, len(members))
	for j := range columns {
		for n, i := range members {
			own[n] = m.values[int(i)*m.d+j]
		}
		_, variance := stats.MeanAndVariance(own)
		total += variance
	}
	return total
}

func (m matrix) leading(columns int) matrix {
	if columns == m.d {
		return m
	}
	out := newMatrix(m.n, columns)
	for i := range m.n {
		copy(out.row(i), m.row(i))
	}
	return out
}
