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
)

var ndvi, _ = vegetation.ParseIndex("NDVI")

var pass = vegetation.Pass{Day: sensed("2023-08-10T00:00:00Z"), Scenes: []vegetation.Scene{{ID: "a"}, {ID: "b"}}}

// raster makes a raster of one number a pixel, row by row; nodata is 0.
func raster(grid vegetation.Grid, width, height int, dn func(col, row int) uint16) vegetation.Raster {
	grid.Width, grid.Height = width, height
	r := vegetation.Raster{Grid: grid, DN: make([]uint16, width*height), HasNoData: true, Scale: 0.0001}
	for i := range r.DN {
		r.DN[i] = dn(i%width, i/width)
	}
	return r
}

func constant(v uint16) func(int, int) uint16 { return func(int, int) uint16 { return v } }

func cover(t require.TestingT, ring geo.Ring) vegetation.Footprint {
	f, err := vegetation.Cover(geo.MultiPolygon{{ring}}, grid10)
	require.NoError(t, err)
	return f
}

// view returns what a mask leaves of a classification.
func view(mask vegetation.Mask, scl vegetation.Raster) *vegetation.Raster {
	v, err := mask.View(vegetation.Sight{Classes: &scl})
	if err != nil {
		panic(err)
	}
	return v
}

// layer is a scene of constant reflectances with a classification.
func layer(red, nir uint16, class func(int, int) uint16) vegetation.Layer {
	return vegetation.Layer{View: view(vegetation.MaskStandard, raster(grid10, 20, 20, class)), Bands: map[vegetation.Band]vegetation.Raster{
		vegetation.B04: raster(grid10, 20, 20, constant(red)),
		vegetation.B08: raster(grid10, 20, 20, constant(nir)),
	}}
}

func leftOf(col int, in, out uint16) func(int, int) uint16 {
	return func(c, _ int) uint16 {
		if c < col {
			return in
		}
		return out
	}
}

func TestOneScene(t *testing.T) {
	field := rectangle(0, 0, 10, 4) // 40 pixels
	for _, c := range []struct {
		name   string
		field  geo.Ring
		layer  vegetation.Layer
		reason vegetation.Reason
		n      int
	}{
		{"clear", field, layer(1000, 3000, constant(4)), "", 40},
		{"half clear", field, layer(1000, 3000, leftOf(5, 4, 9)), "", 20},
		{"cloudy", field, layer(1000, 3000, leftOf(4, 4, 9)), vegetation.ReasonCloud, 16},
		{"all cloud", field, layer(1000, 3000, constant(9)), vegetation.ReasonCloud, 0},
		{"no data", field, layer(1000, 3000, constant(0)), vegetation.ReasonNoData, 0},
		{"edge of the orbit", field, layer(1000, 3000, leftOf(4, 4, 0)), vegetation.ReasonPartial, 16},
		{"edge of the orbit and cloud", field, layer(1000, 3000, leftOf(4, 9, 0)), vegetation.ReasonPartial, 0},
		{"edge of the file", rectangle(15, 0, 30, 4), layer(1000, 3000, constant(4)), vegetation.ReasonPartial, 20},
		{"few pixels", rectangle(0, 0, 4, 4), layer(1000, 3000, leftOf(2, 4, 9)), vegetation.ReasonTooFew, 8},
		{"small field", rectangle(0, 0, 2, 2), layer(1000, 3000, leftOf(1, 4, 9)), "", 2},
		{"no value of the index", field, layer(0, 0, constant(4)), vegetation.ReasonNoData, 0}, // DN 0 is nodata
	} {
		t.Run(c.name, func(t *testing.T) {
			composite := vegetation.NewComposite(cover(t, c.field), ndvi, vegetation.MaskStandard)
			require.NoError(t, composite.Screen(*c.layer.View))
			screened := composite.Screened(pass)
			used, err := composite.Add(c.layer)
			require.NoError(t, err)
			require.Equal(t, c.n > 0, used)
			out := composite.Result(pass, []string{"a"})
			if c.reason == "" {
				require.Nil(t, screened)
				require.Nil(t, out.Rejection)
				require.Equal(t, c.n, out.Observation.NValid)
				require.InDelta(t, 0.5, out.Observation.Value, 1e-12)
				require.Equal(t, []string{"a"}, out.Observation.Items)
				require.Equal(t, pass.Day, out.Observation.Date)
				return
			}
			require.Nil(t, out.Observation)
			require.Equal(t, c.reason, out.Rejection.Reason)
			require.Equal(t, c.n, out.Rejection.NValid)
			require.Equal(t, []string{"a", "b"}, out.Rejection.Items)
			if screened != nil {
				require.Equal(t, out.Rejection, screened, "the bands change nothing where the classes sufficed")
			}
		})
	}
}

func TestDroppedPixelsAreTooFew(t *testing.T) {
	evi, err := vegetation.ParseIndex("EVI")
	require.NoError(t, err)
	l := layer(100, 1000, constant(4))
	l.Bands[vegetation.B02] = raster(grid10, 20, 20, constant(2000)) // the denominator is negative
	composite := vegetation.NewComposite(cover(t, rectangle(0, 0, 10, 4)), evi, vegetation.MaskStandard)
	require.NoError(t, composite.Screen(*l.View))
	require.Nil(t, composite.Screened(pass))
	_, err = composite.Add(l)
	require.NoError(t, err)
	out := composite.Result(pass, nil)
	require.Equal(t, vegetation.ReasonTooFew, out.Rejection.Reason)
	require.Zero(t, out.Rejection.Coverage)
}

func TestWithoutClassificationDataIsClear(t *testing.T) {
	l := layer(1000, 3000, constant(4))
	l.View = nil
	l.Bands[vegetation.B08] = raster(grid10, 20, 20, leftOf(6, 3000, 0))
	composite := vegetation.NewComposite(cover(t, rectangle(0, 0, 10, 4)), ndvi, vegetation.MaskStrict)
	wants, err := composite.Needs(nil)
	require.NoError(t, err)
	require.True(t, wants)
	_, err = composite.Add(l)
	require.NoError(t, err)
	require.InDelta(t, 0.6, composite.ClearCoverage(), 1e-12)
	require.Equal(t, 24, composite.Result(pass, nil).Observation.NValid)
}

func TestScenesFillOneAnother(t *testing.T) {
	first, second := layer(1000, 3000, leftOf(6, 4, 9)), layer(1000, 4000, leftOf(8, 4, 0))
	composite := vegetation.NewComposite(cover(t, rectangle(0, 0, 10, 4)), ndvi, vegetation.MaskStandard)
	for _, l := range []vegetation.Layer{first, second} {
		require.NoError(t, composite.Screen(*l.View))
	}
	require.Nil(t, composite.Screened(pass))
	for _, l := range []vegetation.Layer{first, second} {
		wants, err := composite.Needs(l.View)
		require.NoError(t, err)
		require.True(t, wants)
		_, err = composite.Add(l)
		require.NoError(t, err)
	}
	wants, err := composite.Needs(first.View)
	require.NoError(t, err)
	require.False(t, wants, "what is left no scene shows clear")
	o := composite.Result(pass, nil).Observation
	require.Equal(t, 32, o.NValid)
	require.InDelta(t, (24*0.5+8*0.6)/32, o.Value, 1e-12, "the first scene wins where both are clear")
	require.InDelta(t, 0.8, o.Coverage, 1e-12)
}

func TestCoarseAndShiftedGridsAreReadByCoordinates(t *testing.T) {
	coarse := grid10
	coarse.PixelX, coarse.PixelY = 20, 20
	shifted := grid10
	shifted.OriginX, shifted.OriginY = grid10.OriginX-5, grid10.OriginY+5 // half a pixel up and left
	l := layer(1000, 3000, constant(4))
	scl := raster(coarse, 10, 10, leftOf(2, 4, 9)) // columns 0 to 3 of the 10 m grid
	l.View = view(vegetation.MaskStandard, scl)
	l.Bands[vegetation.B08] = raster(shifted, 20, 20, func(col, _ int) uint16 { return uint16(2000 + col) })
	composite := vegetation.NewComposite(cover(t, rectangle(0, 0, 8, 4)), ndvi, vegetation.MaskStandard)
	_, err := composite.Add(l)
	require.NoError(t, err)
	o := composite.Result(pass, nil).Observation
	require.Equal(t, 16, o.NValid)
	nir := 0.2001 // a centre on the edge of two pixels belongs to the right one
	require.InDelta(t, (nir-0.1)/(nir+0.1), o.Min, 1e-9)
	nir = 0.2004
	require.InDelta(t, (nir-0.1)/(nir+0.1), o.Max, 1e-9)
}

// TestAnotherZone reads a scene of the neighbouring UTM zone, whose grid is turned by degrees:
// each pixel must get the value of the place where it lies.
func TestAnotherZone(t *testing.T) {
	home, err := geo.NewUTM(32632)
	require.NoError(t, err)
	away, err := geo.NewUTM(32633)
	require.NoError(t, err)
	field := geo.Ring{{X: 735000, Y: 5000000}, {X: 735100, Y: 5000000}, {X: 735100, Y: 5000100}, {X: 735000, Y: 5000100}, {X: 735000, Y: 5000000}}
	grid := vegetation.Grid{EPSG: 32632, OriginX: 735000, OriginY: 5000100, PixelX: 10, PixelY: 10, Width: 10, Height: 10}
	corner := away.Forward(home.Inverse(geo.Position{X: 735000, Y: 5000100}))
	other := vegetation.Grid{EPSG: 32633, OriginX: math.Floor(corner.X/10)*10 - 100, OriginY: math.Ceil(corner.Y/10)*10 + 100, PixelX: 10, PixelY: 10}
	l := vegetation.Layer{Bands: map[vegetation.Band]vegetation.Raster{
		vegetation.B04: raster(other, 40, 40, constant(1000)),
		vegetation.B08: raster(other, 40, 40, func(col, row int) uint16 {
			p := home.Forward(away.Inverse(other.Centre(col, row)))
			return uint16(3000 + int(math.Round(p.X-735000))) // rises by one a metre to the east
		}),
	}}
	f, err := vegetation.Cover(geo.MultiPolygon{{field}}, grid)
	require.NoError(t, err)
	composite := vegetation.NewComposite(f, ndvi, vegetation.MaskStandard)
	_, err = composite.Add(l)
	require.NoError(t, err)
	o := composite.Result(pass, nil).Observation
	require.Equal(t, 100, o.NValid)
	middle := (0.305 - 0.1) / (0.305 + 0.1)
	require.InDelta(t, middle, o.Value, 5e-4)
	require.InDelta(t, middle, o.Median, 1e-3)
	require.Greater(t, o.Max-o.Min, 0.01)
}

func TestStatistics(t *testing.T) {
	cell := 0
	values := []uint16{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120}
	l := vegetation.Layer{Bands: map[vegetation.Band]vegetation.Raster{
		vegetation.B04: raster(grid10, 4, 3, func(int, int) uint16 { cell++; return 5000 - values[cell-1]*10 }),
		vegetation.B08: raster(grid10, 4, 3, func(col, row int) uint16 { return 5000 + values[row*4+col]*10 }),
	}}
	composite := vegetation.NewComposite(cover(t, rectangle(0, 0, 4, 3)), ndvi, vegetation.MaskStandard)
	_, err := composite.Add(l)
	require.NoError(t, err)
	o := composite.Result(pass, nil).Observation
	// The pixels' NDVI is 0.02, 0.04, … 0.24.
	require.InDelta(t, 0.13, o.Value, 1e-12)
	require.InDelta(t, 0.13, o.Median, 1e-12)
	require.InDelta(t, 0.02, o.Min, 1e-12)
	require.InDelta(t, 0.24, o.Max, 1e-12)
	require.InDelta(t, 0.02*math.Sqrt(143.0/12), o.Std, 1e-12)
	require.InDelta(t, 0.042, o.P10, 1e-12)
	require.InDelta(t, 0.218, o.P90, 1e-12)
}

func TestSmallFieldStatisticsAreWeighted(t *testing.T) {
	l := layer(1000, 3000, constant(4))
	l.Bands[vegetation.B08] = raster(grid10, 20, 20, leftOf(1, 3000, 4000))
	composite := vegetation.NewComposite(cover(t, rectangle(0.75, 0, 2, 1)), ndvi, vegetation.MaskStandard)
	_, err := composite.Add(l)
	require.NoError(t, err)
	o := composite.Result(pass, nil).Observation
	require.InDelta(t, (0.25*0.5+0.6)/1.25, o.Value, 1e-9)
	require.Equal(t, 2, o.NValid)
	require.Equal(t, 2, o.NPolygon)
	require.InDelta(t, 1, o.Coverage, 1e-12)
}

func TestImpossibleRastersAreFaults(t *testing.T) {
	composite := vegetation.NewComposite(cover(t, rectangle(0, 0, 4, 4)), ndvi, vegetation.MaskStandard)
	short := raster(grid10, 4, 4, constant(1))
	short.DN = short.DN[:3]
	require.True(t, fault.Is(composite.Screen(short), fault.Invalid))
	_, err := composite.Needs(&short)
	require.True(t, fault.Is(err, fault.Invalid))
	_, err = composite.Add(vegetation.Layer{Bands: map[vegetation.Band]vegetation.Raster{vegetation.B04: raster(grid10, 4, 4, constant(1))}})
	require.True(t, fault.Is(err, fault.Invalid))
	require.ErrorContains(t, err, "B08")
}

func TestAssemble(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2023, 8, n, 0, 0, 0, 0, time.UTC) }
	seen := func(n int, coverage, value float64) vegetation.Outcome {
		return vegetation.Outcome{Observation: &vegetation.Observation{Date: day(n), Coverage: coverage, Value: value}}
	}
	not := func(n int, coverage float64, reason vegetation.Reason) vegetation.Outcome {
		return vegetation.Outcome{Rejection: &vegetation.Rejection{Date: day(n), Coverage: coverage, Reason: reason}}
	}
	odd := not(3, 0.1, vegetation.ReasonCloud)
	odd.NoSCL, odd.SmallField, odd.Synthetic = true, true, true
	s := vegetation.Assemble(vegetation.Reading{Index: vegetation.NDVI}, []vegetation.Outcome{
		seen(9, 0.9, 0.1), seen(5, 0.6, 0.2), seen(5, 0.8, 0.3), seen(5, 0.8, 0.4),
		not(5, 0, vegetation.ReasonError), not(7, 0.4, vegetation.ReasonCloud), seen(7, 0.5, 0.5),
		not(4, 0.2, vegetation.ReasonCloud), not(4, 0.3, vegetation.ReasonPartial), odd,
	})
	require.Equal(t, vegetation.Profile{{Date: day(5), Value: 0.3}, {Date: day(7), Value: 0.5}, {Date: day(9), Value: 0.1}}, s.Profile())
	require.Len(t, s.Rejected, 2)
	require.Equal(t, day(3), s.Rejected[0].Date)
	require.Equal(t, vegetation.ReasonPartial, s.Rejected[1].Reason)
	require.True(t, s.NoSCL && s.SmallField && s.Synthetic)
	require.Equal(t, vegetation.NDVI, s.Index)
	require.Equal(t, vegetation.Series{Index: vegetation.EVI}, vegetation.Assemble(vegetation.Reading{Index: vegetation.EVI}, nil))
}

func TestByCoverage(t *testing.T) {
	p := vegetation.Pass{Scenes: []vegetation.Scene{{ID: "c"}, {ID: "b"}, {ID: "a"}}}
	require.Equal(t, []int{1, 2, 0}, p.ByCoverage([]float64{0.2, 0.9, 0.2}))
}

func TestPropertyStatisticsAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Float64Range(0.3, 6).Draw(t, "size")
		off := rapid.Float64Range(0, 1).Draw(t, "off")
		nir := rapid.SliceOfN(rapid.Uint16Range(1, 9000), 400, 400).Draw(t, "nir")
		l := vegetation.Layer{Bands: map[vegetation.Band]vegetation.Raster{
			vegetation.B04: raster(grid10, 20, 20, constant(1000)),
			vegetation.B08: raster(grid10, 20, 20, func(col, row int) uint16 { return nir[row*20+col] }),
		}}
		composite := vegetation.NewComposite(cover(t, rectangle(off, off, off+size, off+size)), ndvi, vegetation.MaskStandard)
		_, err := composite.Add(l)
		require.NoError(t, err)
		o := composite.Result(pass, nil).Observation
		require.NotNil(t, o)
		require.True(t, o.Min <= o.P10 && o.P10 <= o.Median && o.Median <= o.P90 && o.P90 <= o.Max, "%+v", o)
		require.True(t, o.Min <= o.Value+1e-12 && o.Value <= o.Max+1e-12 && o.Std >= 0 && o.Std <= o.Max-o.Min+1e-12)
		require.InDelta(t, 1, o.Coverage, 1e-12)
		require.Equal(t, o.NPolygon, o.NValid)
	})
}
