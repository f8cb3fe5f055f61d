package stratification

import (
	"fmt"
	"testing"
)

// BenchmarkKMeans is one number of zones with all its starts.
func BenchmarkKMeans(b *testing.B) {
	columns, _ := table(b, "wheat-field.csv", true)
	points := columnsOf(columns, wheatColumns, true)
	for _, k := range []int{3, 8} {
		b.Run(fmt.Sprint(k), func(b *testing.B) {
			for b.Loop() {
				if _, err := kMeans(b.Context(), points, k, defaultStarts, 1, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
