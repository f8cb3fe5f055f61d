package vegetation_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/fault"
	"tilth/core/vegetation"
)

func TestParseIndex(t *testing.T) {
	for _, code := range []string{"NDVI", "ndvi", "CIre", "CIRE", "MSAVI"} {
		x, err := vegetation.ParseIndex(code)
		require.NoError(t, err)
		require.NotEmpty(t, x.Formula)
		require.NotEmpty(t, x.Name)
		require.NotEmpty(t, x.Source)
		require.False(t, x.IsZero())
	}
	_, err := vegetation.ParseIndex("LAI")
	require.True(t, fault.Is(err, fault.Invalid))
	require.ErrorContains(t, err, "NDVI, GNDVI")
	require.Len(t, vegetation.Indices(), 12)
	require.True(t, vegetation.Index{}.IsZero())
}

// TestIndexValues works every formula out by hand for one pixel: B02 0.04, B03 0.08, B04 0.06,
// B05 0.12, B08 0.4, B11 0.2, B12 0.1.
func TestIndexValues(t *testing.T) {
	pixel := map[vegetation.Band]float64{
		vegetation.B02: 0.04, vegetation.B03: 0.08, vegetation.B04: 0.06, vegetation.B05: 0.12,
		vegetation.B08: 0.4, vegetation.B11: 0.2, vegetation.B12: 0.1,
	}
	want := map[vegetation.IndexCode]float64{
		vegetation.NDVI:  0.34 / 0.46,
		vegetation.GNDVI: 0.32 / 0.48,
		vegetation.NDRE:  0.28 / 0.52,
		vegetation.EVI:   0.85 / 1.46,
		vegetation.EVI2:  0.85 / 1.544,
		vegetation.SAVI:  0.51 / 0.96,
		vegetation.OSAVI: 0.34 / 0.62,
		vegetation.MSAVI: (1.8 - math.Sqrt(0.52)) / 2,
		vegetation.NDMI:  0.2 / 0.6,
		vegetation.NDWI:  -0.32 / 0.48,
		vegetation.CIre:  0.4/0.12 - 1,
		vegetation.NBR:   0.3 / 0.5,
	}
	for _, x := range vegetation.Indices() {
		var r []float64
		for _, b := range x.Bands() {
			r = append(r, pixel[b])
			require.Contains(t, x.Formula, string(b))
		}
		got, ok := x.Evaluate(r...)
		require.True(t, ok)
		require.InDelta(t, want[x.Code], got, 1e-12, x.Code)
	}
}

func TestIndexDropsPixelsWithoutAValue(t *testing.T) {
	for _, c := range []struct {
		code vegetation.IndexCode
		r    []float64
		ok   bool
	}{
		{vegetation.NDVI, []float64{0, 0}, false},
		{vegetation.NDVI, []float64{0.5, 0}, true},
		{vegetation.NDVI, []float64{0.5, -0.1}, false},
		{vegetation.NDVI, []float64{math.NaN(), 0.1}, false},
		{vegetation.NDVI, []float64{0.5}, false},
		{vegetation.CIre, []float64{0.5, 0}, false},
		{vegetation.CIre, []float64{0.5, 5e-324}, false},
		{vegetation.EVI, []float64{0.1, 0.01, 0.2}, false}, // 1.16 − 1.5
		{vegetation.EVI, []float64{0.1, 0.01, 0.1}, true},
		{vegetation.SAVI, []float64{0, 0}, true},
	} {
		x, err := vegetation.ParseIndex(string(c.code))
		require.NoError(t, err)
		_, ok := x.Evaluate(c.r...)
		require.Equal(t, c.ok, ok, "%s %v", c.code, c.r)
	}
}

func TestPropertyIndexOfReflectanceIsFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SampledFrom(vegetation.Indices()).Draw(t, "index")
		r := make([]float64, len(x.Bands()))
		for i := range r {
			r[i] = rapid.Float64Range(0, 2).Draw(t, "reflectance")
		}
		if v, ok := x.Evaluate(r...); ok {
			require.False(t, math.IsNaN(v) || math.IsInf(v, 0))
		}
	})
}
