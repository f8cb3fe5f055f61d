package zoning

import (
	"fmt"
	"math"
	"testing"

	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/pcg"
	"tilth/core/stratification/layer"
	"tilth/tests/fields"
)

// BenchmarkKMeans measures one number of zones with all its starts.
func BenchmarkKMeans(b *testing.B) {
	columns, _ := fields.Table(b, "wheat-field.csv")
	points := columnsOf(columns, fields.WheatColumns, true)
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

// BenchmarkZones measures a whole call: preparation, 2 to 8 zones, cleaning, polygons, diagnostics.
func BenchmarkZones(b *testing.B) {
	f, columns := fields.WheatFrame(b, 1)
	layers := wheatLayers(columns, fields.WheatColumns...)
	for b.Loop() {
		if _, err := Zones(b.Context(), &f, layers, DefaultParams(), Work{Workers: 2}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkZonesOfTheLargestFrame measures one number of zones on 200,000 cells.
func BenchmarkZonesOfTheLargestFrame(b *testing.B) {
	g := frame.GridCells{EPSG: 32633, CellSize: 10, OriginX: 500_000, OriginY: 5_400_000}
	for i := range frame.MaxCells {
		g.Places = append(g.Places, [2]int32{int32(i / 500), int32(i % 500)})
	}
	f, _, err := frame.OfCells(g, nil, 1)
	if err != nil {
		b.Fatal(err)
	}
	random := pcg.New(1, "large")
	var layers []layer.Layer
	for j := range 4 {
		l := layer.Layer{Name: fmt.Sprint(j), Values: make([]float64, len(f.Cells))}
		for i, c := range f.Cells {
			l.Values[i] = math.Sin(float64(c.Row)/float64(30+7*j)) + math.Cos(float64(c.Col)/float64(50-9*j)) + random.Unit()
		}
		layers = append(layers, l)
	}
	p := DefaultParams()
	p.MinZones, p.MaxZones = 5, 5
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Zones(b.Context(), &f, layers, p, Work{Workers: 2}); err != nil {
			b.Fatal(err)
		}
	}
}
