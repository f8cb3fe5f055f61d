package zoning

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/effort"
	"tilth/core/stratification/internal/cluster"
)

// principal returns the scores of the first principal components of the columns' covariances that
// hold 90 % of their variance. Their largest loadings, by absolute value, are positive.
func principal(budget *effort.Budget, points cluster.Matrix) cluster.Matrix {
	values, vectors := eigen(covariances(budget, points))
	total, kept := 0.0, 0
	for _, v := range values {
		total += v
	}
	for sum := 0.0; kept < len(values) && sum < principalEnough*total; kept++ {
		sum += values[kept]
	}
	out := cluster.NewMatrix(points.N, kept)
	for i := range points.N {
		if budget.Spend(kept) != nil {
			break
		}
		row, scores := points.Row(i), out.Row(i)
		for c := range scores {
			for j, v := range row {
				scores[c] += float64(v * vectors[c][j])
			}
		}
	}
	return out
}

// covariances returns the covariances (n-1) of columns whose means are 0.
func covariances(budget *effort.Budget, points cluster.Matrix) [][]float64 {
	cov := make([][]float64, points.D)
	for a := range cov {
		cov[a] = make([]float64, points.D)
	}
	for i := range points.N {
		if budget.Spend(points.D) != nil {
			break
		}
		row := points.Row(i)
		for a, v := range row {
			for b, w := range row {
				cov[a][b] += float64(v * w)
			}
		}
	}
	for a := range cov {
		for b := range cov {
			cov[a][b] /= float64(points.N - 1)
		}
	}
	return cov
}

// jacobiSweeps bounds the rotations; a handful of sweeps diagonalises a small matrix.
const jacobiSweeps = 60

// eigen returns the eigenvalues of a symmetric matrix, which it overwrites, in descending order,
// with their vectors: Jacobi's cyclic method (Golub and Van Loan, "Matrix Computations", section
// 8.5). It uses no library, since libraries sum in an order that depends on the machine.
func eigen(a [][]float64) (values []float64, vectors [][]float64) {
	n := len(a)
	v := make([][]float64, n) // rows are vectors
	for i := range v {
		v[i] = make([]float64, n)
		v[i][i] = 1
	}
	for range jacobiSweeps {
		rotated := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				if math.Abs(a[p][q]) > 1e-15*math.Sqrt(math.Abs(a[p][p]*a[q][q])) {
					rotate(a, v, p, q)
					rotated = true
				}
			}
		}
		if !rotated {
			break
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a[j][j], a[i][i]) })
	for _, i := range order {
		values, vectors = append(values, a[i][i]), append(vectors, pointUp(v[i]))
	}
	return values, vectors
}

// rotate makes a[p][q] zero.
func rotate(a, v [][]float64, p, q int) {
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := t * c
	turn := func(x, y *float64) {
		*x, *y = float64(c**x)-float64(s**y), float64(s**x)+float64(c**y)
	}
	for k := range a {
		turn(&a[k][p], &a[k][q])
	}
	for k := range a {
		turn(&a[p][k], &a[q][k])
		turn(&v[p][k], &v[q][k])
	}
	a[p][q], a[q][p] = 0, 0
}

// pointUp turns a vector so that its largest loading is positive.
func pointUp(vector []float64) []float64 {
	largest := 0.0
	for _, v := range vector {
		if math.Abs(v) > math.Abs(largest) {
			largest = v
		}
	}
	if largest < 0 {
		for j := range vector {
			vector[j] = -vector[j]
		}
	}
	return vector
}
