package zoning

import (
	"context"
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/effort"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/cluster"
	"tilth/core/stratification/internal/pcg"
	"tilth/core/stratification/layer"
	"tilth/tests/leaving"
)

// noise returns points that no centre explains.
func noise(n, d int) cluster.Matrix {
	points, random := cluster.NewMatrix(n, d), pcg.New(1, "noise")
	for i := range points.Values {
		points.Values[i] = random.Unit()
	}
	return points
}

// Each step of the clustering ends soon after its caller has left, and not at its own end.
func TestEachStepEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	const cells, within = 40_000, 4 * effort.Interval
	points := noise(cells, 4)
	centres := noise(8, 4)
	for name, step := range map[string]func(budget *effort.Budget){
		"a start of k-means": func(budget *effort.Budget) {
			cluster.Start(budget, points.EveryNth(20), 8, pcg.New(1, "start"))
		},
		"the nearest centres":  func(budget *effort.Budget) { cluster.Refine(budget, points, centres) },
		"principal components": func(budget *effort.Budget) { principal(budget, points) },
		"fuzzy groups": func(budget *effort.Budget) {
			f := cluster.Fuzzy{Clustering: cluster.Clustering{Centres: centres}}
			f.Finish(budget, points, 8, 1.3)
		},
		"iterations of fuzzy groups": func(budget *effort.Budget) {
			_, _ = cluster.FuzzyCMeans(budget, points.EveryNth(100), 2, 1.3, cluster.Clustering{Centres: noise(2, 4)})
		},
		"missing values": func(budget *effort.Budget) {
			f, values, all := square(t, 60, 0), make([]float64, 3600), make([]int32, 3600)
			for i := range all {
				if all[i] = int32(i); i%3 > 0 {
					values[i] = math.NaN()
				}
			}
			fill(budget, &f, values, all)
		},
		"small parts": func(budget *effort.Budget) {
			f, labels := square(t, 100, 0), make([]int32, 10_000)
			for i := range labels {
				labels[i] = int32(1 + (i/100+i)%2)
			}
			absorb(budget, frame.NewBoard(f.Cells, nil), labels, 50)
		},
		"a majority": func(budget *effort.Budget) {
			f, labels := square(t, 100, 0), make([]int32, 10_000)
			for i := range labels {
				labels[i] = int32(1 + (i/100+i)%2)
			}
			majority(budget, frame.NewBoard(f.Cells, nil), labels, 2)
		},
		"outlines": func(budget *effort.Budget) {
			f, labels := square(t, 150, 0), make([]int32, 22_500)
			for i := range labels {
				labels[i] = int32(1 + i/450%2)
			}
			frame.NewOutliner(&f).Outlines(budget, labels, 2)
		},
		"diagnostics": func(budget *effort.Budget) {
			labels := make([]int32, cells)
			for i := range labels {
				labels[i] = int32(i % 8)
			}
			calinskiHarabasz(budget, points, labels, 8)
			daviesBouldin(budget, points, labels, 8)
		},
	} {
		t.Run(name, func(t *testing.T) {
			leaving.Stops(t, within, func(budget *effort.Budget) error {
				step(budget)
				return budget.Err()
			})
		})
	}
}

// What was found when the caller left is of no use, and is not returned as a result.
func TestAGroupingThatEndsEarlyIsNone(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	points := noise(1000, 2)
	_, err := kMeans(ctx, points, 3, 2, 1, 2)
	require.ErrorIs(t, err, context.Canceled)
	_, err = cluster.FuzzyCMeans(effort.Of(ctx, 0), points, 3, 1.3, cluster.Clustering{Centres: noise(3, 2)})
	require.ErrorIs(t, err, context.Canceled)
}

// leaves is the context of a caller who leaves after it was asked a number of times, from any goroutine.
type leaves struct {
	context.Context
	looks atomic.Int64
}

func (l *leaves) Err() error {
	if l.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A call ends with the error of its caller wherever the caller leaves, even while outlines are drawn.
func TestZonesEndWhereverTheirCallerLeaves(t *testing.T) {
	t.Parallel()
	f := square(t, 60, 0)
	l := halves(&f, "halves")
	for looks := int64(0); ; looks += 1 + looks/4 {
		ctx := &leaves{Context: t.Context()}
		ctx.looks.Store(looks)
		_, err := Zones(ctx, &f, []layer.Layer{l}, DefaultParams(), Work{Workers: 2})
		if err == nil {
			require.Greater(t, looks, int64(50))
			return
		}
		require.ErrorIs(t, err, context.Canceled)
	}
}
