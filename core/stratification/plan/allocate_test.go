package plan

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/tests/fields"
)

func TestAllocationOfVoorst(t *testing.T) {
	w, sizes := fields.Voorst(t)
	strata := strataOfVoorst(w)
	requireShares := func(want map[string]int, a Allocation, minimum int) {
		t.Helper()
		got, ok := Allocate(a.priorities(strata), 40, slices.Repeat([]int{minimum}, len(strata)), sizes)
		require.True(t, ok)
		for h, name := range fields.VoorstStrata {
			require.Equal(t, want[name], got[h], "%s, at least %d", name, minimum)
		}
	}
	requireShares(w.Published.Prop, Proportional, 3)
	requireShares(w.Published.Neyman, Neyman, 3)
	require.Len(t, w.Computed.Neyman, 5)
	for minimum, want := range w.Computed.Neyman {
		requireShares(want, Neyman, int(fields.Number(t, minimum)))
	}
	for minimum, want := range w.Computed.EqualSD {
		requireShares(want, Proportional, int(fields.Number(t, minimum)))
	}
}

func TestPublishedBoundedNeyman(t *testing.T) {
	var want struct {
		Bounded struct {
			N, S  []float64
			Exact map[string]any `json:"integer_exact"`
		} `json:"bounded_neyman_published"`
	}
	fields.Expected(t, "sample-size-and-allocation.json", &want)
	priorities := make([]float64, len(want.Bounded.N))
	for h := range priorities {
		priorities[h] = want.Bounded.N[h] * want.Bounded.S[h]
	}
	got, ok := Allocate(priorities, 190, []int{3, 3, 3, 3}, []int{3000, 4000, 5000, 2000})
	require.True(t, ok)
	require.Equal(t, []int{31, 69, 83, 7}, got)
	got, ok = Allocate(priorities, 190, []int{1, 1, 1, 1}, []int{100, 90, 70, 80})
	require.True(t, ok)
	require.Equal(t, []int{35, 77, 70, 8}, got)
}

// No other way to share out whole numbers has a smaller sum.
func TestAllocationIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 4).Draw(t, "zones")
		minimum := rapid.IntRange(1, 3).Draw(t, "minimum")
		a, upper := make([]float64, k), make([]int, k)
		for h := range a {
			a[h] = rapid.Float64Range(0.1, 10).Draw(t, "a")
			upper[h] = rapid.IntRange(1, 9).Draw(t, "most")
		}
		n := rapid.IntRange(1, 20).Draw(t, "n")
		got, ok := Allocate(a, n, slices.Repeat([]int{minimum}, len(a)), upper)
		best := math.Inf(1)
		var try func(h, left int, sum float64)
		try = func(h, left int, sum float64) {
			if h == k {
				if left == 0 {
					best = min(best, sum)
				}
				return
			}
			for m := minimum; m <= min(left, upper[h]); m++ {
				try(h+1, left-m, sum+a[h]*a[h]/float64(m))
			}
		}
		try(0, n, 0)
		require.Equal(t, !math.IsInf(best, 1), ok)
		if !ok {
			return
		}
		sum, total := 0.0, 0
		for h, m := range got {
			sum += a[h] * a[h] / float64(m)
			total += m
			require.True(t, m >= minimum && m <= upper[h])
		}
		require.Equal(t, n, total)
		require.InEpsilon(t, best, sum, 1e-12)
	})
}

func TestAllocationsDiffer(t *testing.T) {
	strata := []Stratum{{Weight: 0.5, SD: 1, Cost: 4}, {Weight: 0.25, SD: 2, Cost: 1}, {Weight: 0.25, SD: 4, Cost: 16}}
	for a, want := range map[Allocation][]int{
		Proportional: {12, 6, 6}, Neyman: {6, 6, 12}, CostOptimal: {6, 12, 6}, Equal: {8, 8, 8},
	} {
		got, ok := Allocate(a.priorities(strata), 24, []int{3, 3, 3}, []int{100, 100, 100})
		require.True(t, ok)
		require.Equal(t, want, got, "%s", a)
	}
}
