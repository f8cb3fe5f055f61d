package layer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
	"tilth/core/stratification/frame"
)

// The areas that a cell shares with pixels agree with counts of many points in it, and add up to its own.
func TestAreasUnderACell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Surface{CellX: 1, CellY: 1, OriginY: 12, Cols: 12, Rows: 12, Values: make([]float64, 144)}
		for i := range s.Values {
			s.Values[i] = float64(i)
		}
		centre := geo.Position{X: rapid.Float64Range(3, 9).Draw(t, "x"), Y: rapid.Float64Range(3, 9).Draw(t, "y")}
		width := rapid.Float64Range(0.5, 4).Draw(t, "width")
		sin, cos := math.Sincos(rapid.SampledFrom([]float64{0, 0.02, 0.4, math.Pi / 4}).Draw(t, "turned"))
		turned := func(x, y float64) geo.Position {
			return geo.Position{X: centre.X + cos*x - sin*y, Y: centre.Y + sin*x + cos*y}
		}
		to := func(p geo.Position) geo.Position { return turned(p.X-centre.X, p.Y-centre.Y) }
		got, total := map[float64]float64{}, 0.0
		whole := s.eachUnder(footprintOf(centre, width, to), func(v, area float64) {
			got[v] += area
			total += area
		})
		require.InDelta(t, width*width, whole, 1e-9)
		require.InDelta(t, whole, total, 1e-9)
		const n = 200
		for i := range n * n {
			p := turned((float64(i%n)+0.5)/n*width-width/2, (float64(i/n)+0.5)/n*width-width/2)
			got[s.At(p)] -= whole / (n * n)
		}
		for pixel, left := range got {
			require.InDelta(t, 0, left, 0.01*max(1, width*width), "pixel %g", pixel)
		}
	})
}

func squareFrame(t *testing.T, n int, epsg int, x, y float64) *frame.Frame {
	t.Helper()
	g := frame.GridCells{EPSG: epsg, CellSize: 10, OriginX: x, OriginY: y}
	for i := range n * n {
		g.Places = append(g.Places, [2]int32{int32(i / n), int32(i % n)})
	}
	f, _, err := frame.OfCells(g, nil, 0)
	require.NoError(t, err)
	return &f
}

// Finer pixels are averaged, of classes the one with the largest area is taken, and a cell has a value
// where half of it has one.
func TestFinePixelsOfACell(t *testing.T) {
	f := squareFrame(t, 6, 32632, 500_000, 5_000_000)
	s := Surface{EPSG: 32632, OriginX: 500_000, OriginY: 5_000_000, CellX: 5, CellY: 5, Cols: 12, Rows: 12, Values: make([]float64, 144)}
	for i := range s.Values {
		s.Values[i] = 3
	}
	set := func(cell int, values ...float64) { // of the four pixels, by row
		row, col := cell/6*2, cell%6*2
		for i, v := range values {
			s.Values[(row+i/2)*12+col+i%2] = v
		}
	}
	nan := math.NaN()
	set(0, 1, 2, 3, 6)
	set(1, 1, nan, nan, 5)
	set(2, 1, nan, nan, nan)
	set(3, 7, 2, 2, 7)
	layer, err := Sample(f, s, "a")
	require.NoError(t, err)
	require.Equal(t, []float64{3, 3, 4.5, 3}, []float64{layer.Values[0], layer.Values[1], layer.Values[3], layer.Values[4]})
	require.True(t, math.IsNaN(layer.Values[2]), "a quarter of it has a value")

	s.Classes = true
	layer, err = Sample(f, s, "a")
	require.NoError(t, err)
	require.Equal(t, []float64{1, 1, 2, 3}, []float64{layer.Values[0], layer.Values[1], layer.Values[3], layer.Values[4]}, "of equal areas the smallest")
	set(3, 7, 7, 2, 7)
	layer, err = Sample(f, s, "a")
	require.NoError(t, err)
	require.Equal(t, 7.0, layer.Values[3])

	// Classes of wider pixels are not interpolated.
	wide := Surface{EPSG: 32632, OriginX: 500_000, OriginY: 5_000_000, CellX: 30, CellY: 30, Cols: 2, Rows: 2, Values: []float64{1, 9, 9, 1}, Classes: true}
	layer, err = Sample(f, wide, "a")
	require.NoError(t, err)
	for i, v := range layer.Values {
		require.Equal(t, wide.At(f.Centre(i)), v)
	}
}

// A raster in a national or continental system lies where the same raster in degrees does.
func TestRastersInOtherSystems(t *testing.T) {
	for epsg, at := range map[int]geo.Position{
		27700: {X: -1.2, Y: 52.3}, 28992: {X: 5.6, Y: 52.2}, 3035: {X: 3.4, Y: 45.6}, 25832: {X: 9.1, Y: 48.3},
		28355: {X: 146.2, Y: -35.1}, 7855: {X: 146.2, Y: -35.1}, 26915: {X: -92.4, Y: 41.8},
	} {
		plane, err := geo.NewPlane(epsg)
		require.NoError(t, err)
		utm, err := geo.NewUTM(geo.UTMZoneEPSG(at))
		require.NoError(t, err)
		corner := utm.Forward(at)
		f := squareFrame(t, 12, utm.EPSG(), math.Round(corner.X/10)*10, math.Round(corner.Y/10)*10)
		// A value that follows longitude and latitude, on pixels of 2 m.
		value := func(lonlat geo.Position) float64 { return 1e5 * (lonlat.X - at.X + 2*(lonlat.Y-at.Y)) }
		middle := plane.Forward(at)
		s := Surface{EPSG: epsg, OriginX: middle.X - 300, OriginY: middle.Y + 300, CellX: 2, CellY: 2, Cols: 300, Rows: 300, Source: "a"}
		for i := range s.Cols * s.Rows {
			s.Values = append(s.Values, value(plane.Inverse(geo.Position{X: s.OriginX + 2*(float64(i%300)+0.5), Y: s.OriginY - 2*(float64(i/300)+0.5)})))
		}
		layer, err := Sample(f, s, "a")
		require.NoError(t, err)
		for i, v := range layer.Values {
			lonlat, _ := f.LonLat(f.Centre(i))
			require.InDelta(t, value(lonlat), v, 0.01, "EPSG:%d cell %d", epsg, i) // 1 is about a metre
		}
	}
}
