package vegetation_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/tests/processor"
)

// grid10 is a 10 m grid with its corner at 500000 E, 5000000 N.
var grid10 = vegetation.Grid{EPSG: 32632, OriginX: 500000, OriginY: 5000000, PixelX: 10, PixelY: 10, Width: 100, Height: 100}

// at returns a position in units of grid10's pixels: columns right, rows down.
func at(col, row float64) geo.Position {
	return geo.Position{X: grid10.OriginX + 10*col, Y: grid10.OriginY - 10*row}
}

func rectangle(col0, row0, col1, row1 float64) geo.Ring {
	return geo.Ring{at(col0, row0), at(col1, row0), at(col1, row1), at(col0, row1), at(col0, row0)}
}

func TestCoverCountsCentres(t *testing.T) {
	for _, c := range []struct {
		name  string
		field geo.MultiPolygon
		n     int
	}{
		{"whole pixels", geo.MultiPolygon{{rectangle(2, 3, 7, 7)}}, 20},
		{"just short of the centres", geo.MultiPolygon{{rectangle(1.51, 2.51, 7.5, 7.5)}}, 25},
		{"through the centres: left and upper edge in or out once", geo.MultiPolygon{{rectangle(1.5, 2.5, 7.5, 7.5)}}, 30},
		{"hole", geo.MultiPolygon{{rectangle(0, 0, 10, 10), rectangle(3, 3, 6, 5)}}, 94},
		{"two parts", geo.MultiPolygon{{rectangle(0, 0, 4, 4)}, {rectangle(10, 2, 14, 6)}}, 32},
		{"union of overlapping parts", geo.MultiPolygon{{rectangle(0, 0, 4, 4)}, {rectangle(2, 0, 6, 4)}, {rectangle(1, 1, 3, 3)}}, 24},
		{"beyond the raster", geo.MultiPolygon{{rectangle(-5, -5, 1, 1)}}, 36},
		{"triangle, the centres on its right edge out", geo.MultiPolygon{{geo.Ring{at(0, 0), at(10, 10), at(0, 10), at(0, 0)}}}, 45},
		{"triangle, the centres on its left edge in", geo.MultiPolygon{{geo.Ring{at(0, 0), at(10, 0), at(10, 10), at(0, 0)}}}, 55},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := vegetation.Cover(c.field, grid10)
			require.NoError(t, err)
			require.False(t, f.Small)
			require.Len(t, f.Cells, c.n)
			require.InDelta(t, c.n, f.Weight(), 0)
			for i := 1; i < len(f.Cells); i++ {
				a, b := f.Cells[i-1], f.Cells[i]
				require.True(t, a.Row < b.Row || a.Row == b.Row && a.Col < b.Col, "by row, then column")
			}
		})
	}
}

func TestNeighboursShareNoPixel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cut := rapid.Float64Range(1, 29).Draw(t, "cut")
		if rapid.Bool().Draw(t, "on a centre") {
			cut = math.Floor(cut) + 0.5
		}
		left, err := vegetation.Cover(geo.MultiPolygon{{rectangle(-10, 0, cut, 20)}}, grid10)
		require.NoError(t, err)
		right, err := vegetation.Cover(geo.MultiPolygon{{rectangle(cut, 0, 40, 20)}}, grid10)
		require.NoError(t, err)
		require.Len(t, append(left.Cells, right.Cells...), 50*20)
	})
}

// TestPropertyCoverAgreesWithPointInPolygon checks the scanline against the winding angle of
// every centre, which knows nothing of rows and crossings.
func TestPropertyCoverAgreesWithPointInPolygon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 12).Draw(t, "n")
		var ring geo.Ring
		for i := range n {
			r := rapid.Float64Range(5, 14).Draw(t, "r")
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			ring = append(ring, at(15+r*cos, 15+r*sin))
		}
		ring = append(ring, ring[0])
		f, err := vegetation.Cover(geo.MultiPolygon{{ring}}, grid10)
		require.NoError(t, err)
		got := map[[2]int]bool{}
		for _, c := range f.Cells {
			got[[2]int{c.Col, c.Row}] = true
		}
		for row := range 30 {
			for col := range 30 {
				p, angle, onEdge := grid10.Centre(col, row), 0.0, false
				for i := 1; i < len(ring); i++ {
					a := math.Atan2(ring[i-1].Y-p.Y, ring[i-1].X-p.X)
					b := math.Atan2(ring[i].Y-p.Y, ring[i].X-p.X)
					turn := math.Remainder(b-a, 2*math.Pi)
					angle += turn
					onEdge = onEdge || math.Abs(turn) > math.Pi-1e-6
				}
				if !f.Small && !onEdge {
					require.Equal(t, math.Abs(angle) > math.Pi, got[[2]int{col, row}], "pixel %d, %d", col, row)
				}
			}
		}
	})
}

func TestSmallFieldsWeighByArea(t *testing.T) {
	weights := func(field geo.MultiPolygon) map[[2]int]float64 {
		f, err := vegetation.Cover(field, grid10)
		require.NoError(t, err)
		require.True(t, f.Small)
		out := map[[2]int]float64{}
		for _, c := range f.Cells {
			out[[2]int{c.Col, c.Row}] = c.Weight
		}
		return out
	}
	require.InDeltaMapValues(t, map[[2]int]float64{{0, 0}: 0.25, {1, 0}: 0.5, {0, 1}: 0.5, {1, 1}: 1},
		weights(geo.MultiPolygon{{rectangle(0.5, 0.5, 2, 2)}}), 1e-9)
	require.InDeltaMapValues(t, map[[2]int]float64{{4, 4}: 0.5, {5, 4}: 1, {5, 5}: 0.5},
		weights(geo.MultiPolygon{{geo.Ring{at(4, 4), at(6, 4), at(6, 6), at(4, 4)}}}), 1e-9)
	require.InDeltaMapValues(t, map[[2]int]float64{{0, 0}: 0.96, {1, 0}: 1},
		weights(geo.MultiPolygon{{rectangle(0, 0, 2, 1), rectangle(0.2, 0.2, 0.4, 0.4)}}), 1e-9)
	require.InDeltaMapValues(t, map[[2]int]float64{{0, 0}: 0.25, {-1, 0}: 0.25, {0, -1}: 0.25, {-1, -1}: 0.25},
		weights(geo.MultiPolygon{{rectangle(-0.5, -0.5, 0.5, 0.5)}}), 1e-9)
	require.InDeltaMapValues(t, map[[2]int]float64{{0, 0}: 0.25, {9, 9}: 0.25},
		weights(geo.MultiPolygon{{rectangle(0.2, 0.2, 0.7, 0.7)}, {rectangle(9.2, 9.2, 9.7, 9.7)}}), 1e-9)
}

func TestPropertySmallFieldKeepsItsArea(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 9).Draw(t, "n")
		x, y := rapid.Float64Range(-50, 50).Draw(t, "x"), rapid.Float64Range(-50, 50).Draw(t, "y")
		var ring geo.Ring
		for i := range n {
			r := rapid.Float64Range(0.02, 1.5).Draw(t, "r")
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			ring = append(ring, at(x+r*cos, y+r*sin))
		}
		ring = append(ring, ring[0])
		f, err := vegetation.Cover(geo.MultiPolygon{{ring}}, grid10)
		require.NoError(t, err)
		require.True(t, f.Small)
		area := 0.0
		for i := 1; i < len(ring); i++ {
			area += (ring[i-1].X-ring[0].X)*(ring[i].Y-ring[0].Y) - (ring[i].X-ring[0].X)*(ring[i-1].Y-ring[0].Y)
		}
		require.InDelta(t, math.Abs(area)/2/100, f.Weight(), 1e-7)
		for _, c := range f.Cells {
			require.True(t, c.Weight > 0 && c.Weight <= 1)
		}
	})
}

// TestThinFieldIsQuick covers strips of up to 40 km by a centimetre whose box has millions of
// pixels: only those they meet may be looked at, so the time depends on the length, not on the box.
func TestThinFieldIsQuick(t *testing.T) {
	cover := func(pixels int) time.Duration {
		var strip geo.Ring
		for i := range pixels + 1 {
			strip = append(strip, at(float64(i), float64(i)+0.2505))
		}
		for i := range pixels + 1 {
			strip = append(strip, at(float64(pixels-i), float64(pixels-i)+0.2495))
		}
		strip = append(strip, strip[0])
		best := time.Duration(math.MaxInt64)
		for range 5 {
			before := processor.Spent() // a machine that is busy with other work is not slow
			f, err := vegetation.Cover(geo.MultiPolygon{{strip}}, grid10)
			best = min(best, processor.Spent()-before)
			require.NoError(t, err)
			require.True(t, f.Small)
			require.InDelta(t, float64(pixels)/1000, f.Weight(), 1e-6) // a thousandth of a pixel high
		}
		return best
	}
	short, long := cover(250), cover(4000)
	t.Logf("250 pixels in %v, 4,000 in %v", short, long)
	require.Less(t, long, 100*short, "16 times the length, 256 times the box")
}

func TestCoverRefuses(t *testing.T) {
	field := geo.MultiPolygon{{rectangle(0, 0, 10, 10)}}
	for name, change := range map[string]func(*vegetation.Grid){
		"no pixel size": func(g *vegetation.Grid) { g.PixelX = 0 },
		"NaN":           func(g *vegetation.Grid) { g.PixelY = math.NaN() },
		"NaN origin":    func(g *vegetation.Grid) { g.OriginX = math.NaN() },
		"not UTM":       func(g *vegetation.Grid) { g.EPSG = 4326 },
		"negative size": func(g *vegetation.Grid) { g.Width = -1 },
	} {
		g := grid10
		change(&g)
		_, err := vegetation.Cover(field, g)
		require.True(t, fault.Is(err, fault.Invalid), name)
	}
	_, err := vegetation.Cover(geo.MultiPolygon{{rectangle(0, 0, 10000, 10000)}}, grid10)
	require.True(t, fault.Is(err, fault.Invalid))
}

func TestWindow(t *testing.T) {
	box := func(col0, row0, col1, row1 float64) geo.Box {
		a, b := at(col0, row1), at(col1, row0)
		return geo.Box{MinX: a.X, MinY: a.Y, MaxX: b.X, MaxY: b.Y}
	}
	require.Equal(t, vegetation.Window{Col: 2, Row: 3, Width: 4, Height: 5}, grid10.Window(box(2.5, 3.5, 5.5, 7.5), 0))
	require.Equal(t, vegetation.Window{Col: 1, Row: 2, Width: 6, Height: 7}, grid10.Window(box(2.5, 3.5, 5.5, 7.5), 1))
	require.Equal(t, vegetation.Window{Col: 0, Row: 0, Width: 3, Height: 100}, grid10.Window(box(-20, -20, 2.5, 500), 0))
	require.True(t, grid10.Window(box(-20, 3, -10, 5), 1).Empty())
	require.True(t, grid10.Window(box(200, 3, 210, 5), 1).Empty())
	of := vegetation.Window{Col: 2, Row: 3, Width: 4, Height: 5}.Of(grid10)
	require.Equal(t, grid10.Centre(2, 3), of.Centre(0, 0))
	col, row := of.PixelAt(at(5.5, 6.5))
	require.Equal(t, [2]int{3, 3}, [2]int{col, row})
}

func TestReflectance(t *testing.T) {
	r := vegetation.Raster{Scale: 0.0001, Offset: -0.1}
	require.InDelta(t, 0.4, r.Reflectance(5000), 1e-12)
	require.Zero(t, r.Reflectance(900), "negative counts as 0")
}

func TestWidened(t *testing.T) {
	t.Parallel()
	f := vegetation.Footprint{Cells: []vegetation.Cell{{Col: 3, Row: -1, Weight: 0.5}, {Col: 5, Row: 0, Weight: 1}}}
	cells, w := f.Widened(1)
	require.Equal(t, vegetation.Window{Col: 2, Row: -2, Width: 5, Height: 4}, w)
	var shown [4][5]byte
	for i := range shown {
		shown[i] = [5]byte{'.', '.', '.', '.', '.'}
	}
	for _, c := range cells {
		require.InDelta(t, 1, c.Weight, 0)
		shown[c.Row-w.Row][c.Col-w.Col] = '#'
	}
	require.Equal(t, []string{"###..", "#####", "#####", "..###"}, []string{string(shown[0][:]), string(shown[1][:]), string(shown[2][:]), string(shown[3][:])})
	same, w := f.Widened(0)
	require.Len(t, same, 2)
	require.Equal(t, vegetation.Window{Col: 3, Row: -1, Width: 3, Height: 2}, w)
}
