package fieldmap_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/fieldmap"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/stratification/layer"
)

// square is a field of so many metres each way.
func square(t *testing.T, metres float64) geo.MultiPolygon {
	t.Helper()
	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	const x, y = 500_000, 4_600_000
	return utm.Unproject(geo.MultiPolygon{{{{X: x, Y: y - metres}, {X: x + metres, Y: y - metres}, {X: x + metres, Y: y}, {X: x, Y: y}, {X: x, Y: y - metres}}}})
}

func TestBoards(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ metres, finest, pixel float64 }{{300, 0, 10}, {300, 30, 10}, {300, 1, 5}, {60, 0, 5}, {10, 0, 2.5}, {5000, 0, 20}} {
		f, inside, err := fieldmap.Board(square(t, c.metres), c.finest)
		require.NoError(t, err)
		require.InDelta(t, c.pixel, f.CellSize, 0, "%g m, finest %g", c.metres, c.finest)
		n := 0
		for _, in := range inside {
			if in {
				n++
			}
		}
		require.InDelta(t, c.metres*c.metres/c.pixel/c.pixel, float64(n), 0.05*float64(n)+1)
		require.Greater(t, len(f.Cells), n, "with a margin")
	}
}

// relief derives the layers of a field from heights by easting and northing.
func relief(t *testing.T, field geo.MultiPolygon, height func(x, y float64) float64) map[string]fieldmap.Made {
	t.Helper()
	f, inside, err := fieldmap.Board(field, 0)
	require.NoError(t, err)
	const wide, pixel = 128, 30.0 // as in models of the world
	model := layer.Surface{EPSG: 32630, OriginX: 500_000 - 1905, OriginY: 4_600_000 + 1905, CellX: pixel, CellY: pixel, Cols: wide, Rows: wide}
	for i := range wide * wide {
		model.Values = append(model.Values, height(float64(i%wide)*pixel-1890, 1890-float64(i/wide)*pixel))
	}
	all := layer.NewFrameRelief(f)
	require.NoError(t, all.Add(layer.Regions(f)[0], []layer.Surface{model}))
	out := map[string]fieldmap.Made{}
	for _, l := range all.All("a model") {
		made := fieldmap.OfRelief(f, inside, layer.Prepare(l, layer.Provenance{Kind: layer.FromElevation, Synthetic: true}))
		out[l.Name] = made
	}
	return out
}

func TestReliefFacesWhereTheLandFalls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		height func(x, y float64) float64
		aspect float64
	}{
		"falls to the north": {func(_, y float64) float64 { return 100 - 0.1*y }, 0},
		"to the east":        {func(x, _ float64) float64 { return 100 - 0.1*x }, 90},
		"to the south":       {func(_, y float64) float64 { return 100 + 0.1*y }, 180},
		"to the west":        {func(x, _ float64) float64 { return 100 + 0.1*x }, 270},
		"to the south-west":  {func(x, y float64) float64 { return 100 + 0.1*x + 0.1*y }, 225},
	} {
		made := relief(t, square(t, 300), c.height)
		figures := made[layer.Aspect].Pixels.Figures()
		off := math.Mod(figures.Mean-c.aspect+540, 360) - 180
		require.InDelta(t, 0, off, 0.01, name)
		require.True(t, math.IsNaN(figures.Std), "directions have no deviation")
		require.True(t, made[layer.Aspect].Synthetic)
	}
	slope := relief(t, square(t, 300), func(x, _ float64) float64 { return 100 + 0.1*x })[layer.Slope].Pixels.Describe()
	require.InDelta(t, math.Atan(0.1)*180/math.Pi, slope.Mean, 1e-4)
	flat := relief(t, square(t, 300), func(_, _ float64) float64 { return 100 })
	require.NotEmpty(t, flat[layer.Aspect].Reason, "flat land faces nowhere")
	require.Nil(t, flat[layer.Aspect].Pixels)
}

func TestContours(t *testing.T) {
	t.Parallel()
	field := square(t, 300)
	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	hill := func(x, y float64) float64 { return 50 - math.Hypot(x-150, y+150)/10 } // in the middle of the field
	l := relief(t, field, hill)[layer.Elevation].Pixels
	contours, interval, err := fieldmap.Contours(nil, l, field, 5)
	require.NoError(t, err)
	require.InDelta(t, 5, interval, 0)
	var heights []float64
	for _, c := range contours {
		heights = append(heights, c.Height)
		for _, line := range c.Lines {
			for _, p := range line {
				at := utm.Forward(p)
				require.InDelta(t, c.Height, hill(at.X-500_000, at.Y-4_600_000), 0.6, "on the height")
				require.True(t, at.X > 499_999.9 && at.X < 500_300.1 && at.Y < 4_600_000.1 && at.Y > 4_599_699.9, "in the field")
			}
		}
	}
	require.Equal(t, []float64{30, 35, 40, 45}, heights)
	ring := contours[2].Lines
	require.Len(t, ring, 1)
	require.Equal(t, ring[0][0], ring[0][len(ring[0])-1], "a hill has rings")
	require.Len(t, contours[0].Lines, 4, "one that leaves the field comes in pieces")
	again, _, err := fieldmap.Contours(nil, l, field, 5)
	require.NoError(t, err)
	require.Equal(t, contours, again)

	usual, interval, err := fieldmap.Contours(nil, l, field, 0)
	require.NoError(t, err)
	require.NotEmpty(t, usual)
	require.InDelta(t, fieldmap.ContourInterval(29, 50), interval, 0)
	for _, wrong := range []float64{-1, 0.01, 0.1 / 3, math.Inf(1), math.NaN()} {
		_, _, err := fieldmap.Contours(nil, l, field, wrong)
		require.True(t, fault.Is(err, fault.Invalid), "%g", wrong)
	}
	for span, want := range map[float64]float64{0: 0.1, 0.5: 0.1, 1.5: 0.2, 4: 0.5, 8: 1, 20: 5, 79: 10, 500: 100} {
		require.InDelta(t, want, fieldmap.ContourInterval(100, 100+span), 1e-12, "%g m", span)
	}
}

func TestRastersOfTheSoil(t *testing.T) {
	t.Parallel()
	f, inside, err := fieldmap.Board(square(t, 300), 0)
	require.NoError(t, err)
	values := make([]float64, len(f.Cells))
	for i := range values {
		values[i] = float64(i%2 + 1)
	}
	of := func(l layer.Layer, about string) fieldmap.Made {
		return fieldmap.OfRaster(f, inside, layer.Registered{PreparedLayer: layer.Prepare(l, layer.Provenance{Kind: layer.FromRaster, Checksum: "abc"}), About: about})
	}
	types := of(layer.Layer{Name: "soil_type", Values: values, Classes: true}, "")
	require.Equal(t, []any{indexmap.Numbers, "soil type"}, []any{types.Kind, types.Title})
	require.Len(t, types.Pixels.Numbered().Each, 2)
	clay := of(layer.Layer{Name: "clay_0_30", Values: values, Coarse: true, Source: "clay.tif"}, "SoilGrids 2.0, g/kg")
	require.Equal(t, []any{indexmap.Measure, "SoilGrids 2.0, g/kg", "abc", "clay.tif"}, []any{clay.Kind, clay.Title, clay.Checksum, clay.Source})
	require.NotEmpty(t, clay.Notes)
	gone := fieldmap.OfRaster(f, inside, layer.Registered{PreparedLayer: layer.Drop("sand", "sand.tif", "it lies elsewhere", layer.Provenance{})})
	require.Equal(t, "it lies elsewhere", gone.Reason)
	require.Empty(t, fieldmap.None("None.", []fieldmap.Made{gone, clay}))
	require.Equal(t, "None. sand: it lies elsewhere.", fieldmap.None("None.", []fieldmap.Made{gone}))
}
