package indexmap_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
)

var nan = math.NaN()

// layerOf returns a layer of rows of values over a field, with pixels of 10 m in UTM 30 N from a corner on.
func layerOf(cols int, values ...float64) *indexmap.Layer {
	l := &indexmap.Layer{
		Day: time.Date(2025, 5, 12, 0, 0, 0, 0, time.UTC), Index: vegetation.NDVI, Cols: cols, Rows: len(values) / cols, Values: values,
		Grid: vegetation.Grid{EPSG: 32630, OriginX: 500_000, OriginY: 4_600_000, PixelX: 10, PixelY: 10, Width: cols, Height: len(values) / cols},
	}
	for range values {
		l.Inside = append(l.Inside, true)
	}
	return l
}

// fieldOf returns an outline in degrees of vertices in metres east and south of the corner of layerOf.
func fieldOf(t testing.TB, rings ...[][2]float64) geo.MultiPolygon {
	t.Helper()
	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	var polygon geo.Polygon
	for _, ring := range rings {
		var r geo.Ring
		for _, p := range append(ring, ring[0]) {
			r = append(r, geo.Position{X: 500_000 + p[0], Y: 4_600_000 - p[1]})
		}
		polygon = append(polygon, r)
	}
	return utm.Unproject(geo.MultiPolygon{polygon})
}

func TestStatisticsOfALayer(t *testing.T) {
	l := layerOf(4, 0.1, 0.2, 0.3, nan, 0.4, 0.5, 9, 0.6)
	l.Inside[6] = false // beside the field
	s := l.Describe()
	require.Equal(t, 7, s.Pixels)
	require.Equal(t, 6, s.Valid)
	require.InDelta(t, 6.0/7, s.Coverage, 1e-12)
	require.InDelta(t, 0.35, s.Mean, 1e-12)
	require.InDelta(t, math.Sqrt(0.175/6), s.Std, 1e-12)
	require.InDelta(t, 0.1, s.Min, 0)
	require.InDelta(t, 0.6, s.Max, 0)
	for _, p := range s.Percentiles {
		require.InDelta(t, 0.1+0.5*float64(p.Percent)/100, p.Value, 1e-12)
	}
	require.Len(t, s.Histogram, 6)

	l.Weights = []float64{1, 0, 0, 1, 0, 0, 0, 1}
	s = l.Describe()
	require.InDelta(t, 0.35, s.Mean, 1e-12, "of the pixels that weigh")
	require.InDelta(t, 2.0/3, s.Coverage, 1e-12)

	none := layerOf(2, nan, nan).Describe()
	require.Equal(t, 2, none.Pixels)
	require.Zero(t, none.Valid)
	require.True(t, math.IsNaN(none.Mean))
	require.Empty(t, none.Percentiles)
}

func TestClassesOfALayer(t *testing.T) {
	for name, c := range map[string]struct {
		values []float64
		method indexmap.Method
		n      int
		lows   []float64
		pixels []int
		note   string
	}{
		"quantiles":                    {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, indexmap.Quantile, 4, []float64{1, 3, 5, 7}, []int{2, 2, 2, 3}, ""},
		"equal intervals":              {[]float64{0, 1, 2, 10}, indexmap.EqualInterval, 5, []float64{0, 2, 4, 6, 8}, []int{2, 1, 0, 0, 1}, "No pixel lies in the classes 3, 4."},
		"one is empty":                 {[]float64{0, 1, 10}, indexmap.EqualInterval, 3, []float64{0, 10.0 / 3, 20.0 / 3}, []int{2, 0, 1}, "No pixel lies in class 2."},
		"ties at the foot":             {[]float64{1, 1, 1, 1, 5, 6}, indexmap.Quantile, 3, []float64{1, 2.333333333333333}, []int{4, 2}, "Many pixels have the same value, so that there are 2 classes instead of 3."},
		"ties at the top":              {[]float64{1, 2, 9, 9, 9}, indexmap.Quantile, 2, []float64{1, 9}, []int{2, 3}, ""},
		"constant, quantiles":          {[]float64{4, 4, 4}, indexmap.Quantile, 5, []float64{4}, []int{3}, "All pixels of the field have the value 4: they are one class."},
		"constant, equal intervals":    {[]float64{4, 4, 4}, indexmap.EqualInterval, 5, []float64{4}, []int{3}, "All pixels of the field have the value 4: they are one class."},
		"nothing seen":                 {[]float64{nan, nan}, indexmap.Quantile, 2, nil, nil, "No pixel of the field has a value on this date."},
		"what was not seen is no part": {[]float64{1, nan, 2, nan}, indexmap.Quantile, 2, []float64{1, 1.5}, []int{1, 1}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := layerOf(len(c.values), c.values...).Classify(c.method, c.n)
			require.NoError(t, err)
			require.Equal(t, c.n, got.Asked)
			require.Len(t, got.Each, len(c.lows))
			share := 0.0
			for i, class := range got.Each {
				require.Equal(t, i+1, class.Number)
				require.InDelta(t, c.lows[i], class.Low, 1e-12)
				require.Equal(t, c.pixels[i], class.Pixels, "class %d", i+1)
				require.Equal(t, class.Pixels == 0, math.IsNaN(class.Mean))
				share += class.Share
			}
			if len(c.lows) > 0 {
				require.InDelta(t, 1, share, 1e-12)
			}
			if c.note == "" {
				require.Empty(t, got.Notes)
			} else {
				require.Equal(t, []string{c.note}, got.Notes)
			}
			require.Zero(t, got.Of(nan))
		})
	}
}

func TestClassesThatThereAreNot(t *testing.T) {
	for _, c := range []struct {
		method indexmap.Method
		n      int
		field  string
	}{{"jenks", 5, "method"}, {indexmap.Quantile, 1, "classes"}, {indexmap.EqualInterval, 10, "classes"}} {
		_, err := layerOf(2, 1, 2).Classify(c.method, c.n)
		require.True(t, fault.Is(err, fault.Invalid))
		require.ErrorContains(t, err, c.field)
	}
}

// Zones make up the field: no part of it is left out, and none is in two of them.
func TestZonesTileTheField(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 9))
	const cols, rows = 24, 18
	values := make([]float64, cols*rows)
	for i := range values {
		if values[i] = math.Round(20*random.Float64()) / 20; random.IntN(12) == 0 {
			values[i] = nan
		}
	}
	for name, field := range map[string]geo.MultiPolygon{
		"askew":              fieldOf(t, [][2]float64{{23, 12}, {31, 161}, {214, 153}, {188, 29}}),
		"with a hole":        fieldOf(t, [][2]float64{{10, 10}, {10, 160}, {220, 160}, {220, 10}}, [][2]float64{{63, 44}, {151, 52}, {122, 117}}),
		"beyond the layer":   fieldOf(t, [][2]float64{{-55, 33}, {-40, 230}, {100, 200}, {120, 10}}),
		"a few pixels":       fieldOf(t, [][2]float64{{42, 42}, {44, 63}, {68, 59}, {61, 40}}),
		"less than a pixel":  fieldOf(t, [][2]float64{{42, 42}, {42, 47}, {46, 47}}),
		"two that touch not": append(fieldOf(t, [][2]float64{{10, 10}, {12, 80}, {80, 80}}), fieldOf(t, [][2]float64{{150, 90}, {152, 160}, {220, 160}})...),
	} {
		t.Run(name, func(t *testing.T) {
			l := layerOf(cols, append([]float64(nil), values...)...)
			c, err := l.Classify(indexmap.Quantile, 4)
			require.NoError(t, err)
			zones, err := l.Zones(nil, field, c)
			require.NoError(t, err)
			require.NotEmpty(t, zones)
			sum := 0.0
			var all []geo.MultiPolygon
			for i, z := range zones {
				require.True(t, z.Area.IsValid())
				require.InDelta(t, geo.AreaM2(z.Area)/1e4, z.Ha, 1e-12)
				require.True(t, z.Class != nil || i == len(zones)-1, "what was not seen comes last")
				sum += geo.AreaM2(z.Area)
				all = append(all, z.Area)
				for _, other := range all[:i] {
					common, err := geo.Intersection(nil, z.Area, other)
					require.NoError(t, err)
					require.Less(t, geo.AreaM2(common), 0.05, "zones overlap")
				}
			}
			// Corners are rounded to centimetres, and edges are straight in the layer's plane.
			require.InDelta(t, geo.AreaM2(field), sum, 0.2+1e-4*sum)
			whole, err := geo.Union(nil, all...)
			require.NoError(t, err)
			require.InDelta(t, sum, geo.AreaM2(whole), 0.3)
		})
	}
}

// Each pixel well within the field lies in the zone of its class.
func TestZonesHoldTheirPixels(t *testing.T) {
	l := layerOf(6, 1, 1, 2, 2, 3, 3, 1, nan, 2, 2, 3, 3, 1, 1, 1, 2, 2, 3, 3, 1, 1, 1, 2, 2)
	field := fieldOf(t, [][2]float64{{0, 0}, {0, 40}, {60, 40}, {60, 0}})
	c, err := l.Classify(indexmap.EqualInterval, 3)
	require.NoError(t, err)
	zones, err := l.Zones(nil, field, c)
	require.NoError(t, err)
	require.Len(t, zones, 4)
	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	for i, v := range l.Values {
		at := utm.Inverse(l.Grid.Centre(i%6, i/6))
		for _, z := range zones {
			number := 0
			if z.Class != nil {
				number = z.Class.Number
			}
			require.Equal(t, number == c.Of(v), z.Area.Contains(at), "pixel %d, zone %d", i, number)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = l.Zones(effort.Of(ctx, 0), field, c)
	require.ErrorIs(t, err, context.Canceled)
}

func TestPixelAtAPlace(t *testing.T) {
	l := layerOf(3, 1, 2, nan, 4, 5, 6)
	l.Inside[5] = false
	utm, err := geo.NewUTM(32630)
	require.NoError(t, err)
	at := func(east, south float64) indexmap.Pixel {
		p, err := l.At(utm.Inverse(geo.Position{X: 500_000 + east, Y: 4_600_000 - south}))
		require.NoError(t, err)
		return p
	}
	require.Equal(t, indexmap.Pixel{Col: 1, Row: 1, Value: 5, Inside: true}, at(15, 15))
	require.Equal(t, indexmap.Pixel{Col: 2, Row: 1, Value: 6}, at(25, 15))
	require.True(t, math.IsNaN(at(25, 5).Value))
	beyond := at(-5, 25)
	require.Equal(t, [2]int{-1, 2}, [2]int{beyond.Col, beyond.Row})
	require.True(t, math.IsNaN(beyond.Value))
	require.False(t, beyond.Inside)
}

// A crop, which reflects a few hundredths of visible light, is visible in a picture, and anything brighter than white is white.
func TestDarkLandIsSeenInPictures(t *testing.T) {
	t.Parallel()
	p := indexmap.Photo{Combination: indexmap.Combinations[0]}
	for n := range p.Reflectances {
		p.Reflectances[n] = []float64{0, 0.03, 0.1, 0.3, 0.9, -0.01, math.NaN()}
	}
	for i, want := range []uint8{0, 60, 128, 255, 255, 0} {
		got, ok := p.Color(i)
		require.True(t, ok)
		require.Equal(t, indexmap.Color{want, want, want}, got)
	}
	_, ok := p.Color(6)
	require.False(t, ok)
}
