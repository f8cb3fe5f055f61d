package zoning

import "math"

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

// nearestTwo returns the nearest of k centres, its squared distance and that of the second nearest;
// of several as near, the first.
func nearestTwo(point, centres []float64, k int) (best int32, lower, second float64) {
	d := len(point)
	lower = SquaredDistance(point, centres[:d])
	second = math.Inf(1)
	for h := 1; h < k; h++ {
		dist := SquaredDistance(point, centres[h*d:(h+1)*d])
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
	if len(members) < 2 {
		return 0
	}
	total := 0.0
	for j := range columns {
		mean := 0.0
		for _, i := range members {
			mean += m.values[int(i)*m.d+j]
		}
		mean /= float64(len(members))
		sum := 0.0
		for _, i := range members {
			d := m.values[int(i)*m.d+j] - mean
			sum += float64(d * d)
		}
		total += sum / float64(len(members)-1)
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
