package cropcheck_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/cropcheck"
	"tilth/core/fault"
)

// seasonsOf returns seasons of a crop on fields a kilometre apart, which vary a little.
func seasonsOf(t *testing.T, class string, n, around int) (out []cropcheck.LabelledSeason) {
	for i := range n {
		out = append(out, cropcheck.LabelledSeason{
			FieldID: int64(i), Class: class, From: origin, To: origin.AddDate(0, 0, 360), Place: cropcheck.Place{Lon: 9 + 0.01*float64(i), Lat: 45},
			Series: seriesOf(t, origin, every(8, 0, 352), func(day int) float64 { return hump(around+i%4)(day) + 0.01*float64(i%3) }),
		})
	}
	return out
}

func TestCurvesOfOwnFields(t *testing.T) {
	t.Parallel()
	seasons := append(seasonsOf(t, "maize_grain", 20, 120), seasonsOf(t, "soybean", 15, 220)...)
	seasons = append(seasons, seasonsOf(t, "rye", 2, 60)...)
	own, err := cropcheck.MakeOwn(nil, seasons)
	require.NoError(t, err)
	require.Equal(t, []string{"maize_grain", "rye", "soybean"}, own.Set.Classes())
	require.Equal(t, september, own.Set.Year)
	require.NotNil(t, own.Set.Curves[0].CapNDVI)
	require.Nil(t, own.Set.Curves[1].CapNDVI, "two seasons are too few")
	require.InDelta(t, 8.5, own.Set.Extent.West, 1e-9)
	require.InDelta(t, 9.69, own.Set.Extent.East, 1e-9)
	require.EqualValues(t, 0.02, own.Figures.BlockDegrees, "the widest blocks that make five")
	require.Len(t, own.Figures.Classes, 3)
	require.Equal(t, 20, own.Figures.Classes[0].Samples)
	require.Greater(t, own.Figures.Classes[0].Verified, 14)
	check := func(ndvi func(int) float64) cropcheck.Result {
		return cropcheck.Check(cropcheck.Subject{Series: seriesOf(t, origin.AddDate(3, 0, 0), every(8, 0, 352), ndvi), Declared: []string{"maize_grain"}}, own.Set)
	}
	require.Equal(t, cropcheck.Verified, check(func(day int) float64 { return hump(121)(day) + 0.01 }).Verdict)
	lake := check(flat(-0.2))
	require.Equal(t, cropcheck.Failed, lake.Verdict)
	require.Equal(t, cropcheck.ResemblesNone, lake.Resembles)
}

func TestSeasonsOfOneYearShareItsBeginning(t *testing.T) {
	t.Parallel()
	seasons := seasonsOf(t, "wheat", 10, 120)
	for i := range seasons[:3] {
		seasons[i].From = origin.AddDate(0, 3, 0) // entered from December on
	}
	seasons[3].From = time.Date(2020, 2, 29, 0, 0, 0, 0, time.UTC)
	own, err := cropcheck.MakeOwn(nil, seasons)
	require.NoError(t, err)
	require.Equal(t, september, own.Set.Year)
}

func TestOwnCurvesNeedLabels(t *testing.T) {
	t.Parallel()
	oneField := seasonsOf(t, "wheat", 1, 120)
	for len(oneField) < 30 {
		oneField = append(oneField, oneField[0])
	}
	for _, seasons := range [][]cropcheck.LabelledSeason{nil, seasonsOf(t, "wheat", 5, 120), oneField} {
		_, err := cropcheck.MakeOwn(nil, seasons)
		f, ok := fault.As(err)
		require.True(t, ok)
		require.Equal(t, "too_few_labelled", f.Code)
	}
}
