package exchange_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/core/cropcheck"
	"tilth/core/fault"
)

var curveFiles exchange.Curves

func TestBuiltInCurves(t *testing.T) {
	t.Parallel()
	set, err := curveFiles.BuiltIn()
	require.NoError(t, err)
	require.Equal(t, []string{"Cerrado", "Fallow_Cotton", "Pasture", "Soy_Corn", "Soy_Cotton", "Soy_Millet", "Soy_Sunflower"}, set.Classes())
	require.Equal(t, cropcheck.GrowingYear{Month: time.September, Day: 14}, set.Year)
	require.True(t, set.HasEVI)
	require.Contains(t, set.Scope, "Mato Grosso")
	for _, c := range set.Curves {
		require.Len(t, c.Steps, 23)
	}
	crops, err := exchange.BuiltInCrops()
	require.NoError(t, err)
	for _, c := range crops {
		require.Subset(t, set.Classes(), c.CurveClasses, "the catalog names curves that there are: %s", c.Slug)
	}
}

func TestCurvesComeBackAsWritten(t *testing.T) {
	t.Parallel()
	set, err := curveFiles.BuiltIn()
	require.NoError(t, err)
	for _, hasEVI := range []bool{true, false} {
		set.HasEVI = hasEVI
		var file bytes.Buffer
		require.NoError(t, curveFiles.WriteCurves(&file, set))
		again, err := curveFiles.ReadCurves(&file)
		require.NoError(t, err)
		require.Equal(t, hasEVI, again.HasEVI)
		require.Equal(t, set.Year, again.Year)
		for i, c := range again.Curves {
			for k, s := range c.Steps {
				want := set.Curves[i].Steps[k]
				if !hasEVI {
					want.EVI = 0
				}
				require.Equal(t, want, s)
			}
		}
	}
}

func TestReadCurvesNamesTheFault(t *testing.T) {
	t.Parallel()
	const head = "class,start,day,ndvi_median\n"
	for text, want := range map[string]string{
		"":                                     "header",
		"class,day\n":                          "ndvi_median",
		head:                                   "no curve",
		head + ",09-14,0,0.1\n":                "Line 2",
		head + "a,09-14,x,0.1\n":               "Line 2: day",
		head + "a,14 Sep,0,0.1\n":              "Line 2: start",
		head + "a,09-14,0,NaN\n":               "Line 2: ndvi_median",
		head + "a,09-14,0,.1\na,10-01,16,.1\n": "Line 3: start",
		head + "a,09-14,16,.1\na,09-14,0,.1\n": "days must increase",
		head + "a,02-29,0,.1\na,02-29,16,.1\n": "start",
		head + "a,09-14,0,.1\n":                "fewer than two",
	} {
		_, err := curveFiles.ReadCurves(strings.NewReader(text))
		require.True(t, fault.Is(err, fault.Invalid), "%q: %v", text, err)
		require.ErrorContains(t, err, want, "%q", text)
	}
}

func TestReadSeries(t *testing.T) {
	t.Parallel()
	all, err := curveFiles.ReadSeries(strings.NewReader("\uFEFFdate,id,ndvi,evi,note\n2020-01-17,b,0.3,,x\n2020-01-01,a,0.1,0.2,\n2020-01-01,b,0.2,0.1,\n"))
	require.NoError(t, err)
	day := func(d int) time.Time { return time.Date(2020, 1, d, 0, 0, 0, 0, time.UTC) }
	require.Equal(t, []cropcheck.NamedSeries{
		{ID: "b", Series: cropcheck.Series{Observations: []cropcheck.Observation{{Date: day(1), NDVI: 0.2, EVI: 0.1, Coverage: 1}, {Date: day(17), NDVI: 0.3, Coverage: 1}}}},
		{ID: "a", Series: cropcheck.Series{HasEVI: true, Observations: []cropcheck.Observation{{Date: day(1), NDVI: 0.1, EVI: 0.2, Coverage: 1}}}},
	}, all)
	for text, want := range map[string]string{
		"id,date\n":                                        "ndvi",
		"id,date,ndvi\n1,2020-02-30,0.1\n":                 "Line 2: date",
		"id,date,ndvi\n,2020-02-20,0.1\n":                  "Line 2: id",
		"id,date,ndvi\n1,2020-02-20,\n":                    "Line 2: ndvi",
		"id,date,ndvi\n1,2020-02-20,0.1,3\n":               "wrong number of fields",
		"id,date,ndvi\n1,2020-02-20,4100\n":                `"1"`,
		"id,date,ndvi\n7,2020-02-20,0\n7,2020-02-20,0\n":   "twice",
		"id,date,ndvi,evi\n7,2020-02-20,0,mostly cloudy\n": "evi",
	} {
		_, err := curveFiles.ReadSeries(strings.NewReader(text))
		require.True(t, fault.Is(err, fault.Invalid), "%q: %v", text, err)
		require.ErrorContains(t, err, want, "%q", text)
	}
}

func TestReadSamplesJoinsLabelsAndSeries(t *testing.T) {
	t.Parallel()
	const series = "id,date,ndvi\n1,2020-09-14,0.1\n2,2020-09-14,0.2\n"
	read := func(samples string) ([]cropcheck.Sample, error) {
		return curveFiles.ReadSamples(strings.NewReader(samples), strings.NewReader(series))
	}
	all, err := read("id,longitude,latitude,start_date,label\n2,-55.5,-12,2020-09-14,Soy_Corn\n")
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, "Soy_Corn", all[0].Class)
	require.Equal(t, cropcheck.Place{Lon: -55.5, Lat: -12}, all[0].Place)
	require.InDelta(t, 0.2, all[0].Series.Observations[0].NDVI, 0)
	for samples, want := range map[string]string{
		"id,label\n":                                            "start_date",
		"id,label,start_date\n3,a,2020-09-14\n":                 "no series",
		"id,label,start_date\n1,,2020-09-14\n":                  "label",
		"id,label,start_date\n1,a,September\n":                  "start_date",
		"id,label,start_date\n1,a,2020-09-14\n1,b,2020-09-14\n": "twice",
		"id,label,start_date,latitude\n1,a,2020-09-14,south\n":  "latitude",
	} {
		_, err := read(samples)
		require.True(t, fault.Is(err, fault.Invalid), "%q: %v", samples, err)
		require.ErrorContains(t, err, want, "%q", samples)
	}
}

// FuzzReadCurves: what is read is usable, and comes back as written.
func FuzzReadCurves(f *testing.F) {
	f.Add("class,start,day,ndvi_median,evi_median\na,09-14,0,0.1,0.1\na,09-14,16,0.5,0.2\n")
	f.Add("class,day,ndvi_median\na,0,0.1\na,16,0.5\nb,0,1\nb,365,2\n")
	f.Fuzz(func(t *testing.T, text string) {
		set, err := curveFiles.ReadCurves(strings.NewReader(text))
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			return
		}
		var file bytes.Buffer
		require.NoError(t, curveFiles.WriteCurves(&file, set))
		again, err := curveFiles.ReadCurves(&file)
		require.NoError(t, err)
		require.Equal(t, set.Year, again.Year)
		require.Len(t, again.Curves, len(set.Curves))
	})
}

// FuzzReadSeries: whatever is read can be judged.
func FuzzReadSeries(f *testing.F) {
	f.Add("id,date,ndvi,evi\n1,2020-09-14,0.1,0.2\n1,2020-09-30,0.3,0.2\n1,2020-10-16,0.3,0.2\n1,2020-11-01,0.3,0.2\n1,2020-11-17,0.3,0.2\n1,2020-12-03,0.3,0.2\n")
	f.Add("id,date,ndvi\n1,0001-01-01,0\n1,9999-12-31,0\n")
	set, err := curveFiles.BuiltIn()
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		all, err := curveFiles.ReadSeries(strings.NewReader(text))
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			return
		}
		for _, s := range all {
			got := cropcheck.Check(cropcheck.Subject{Series: s.Series, Declared: []string{"Pasture"}}, set)
			require.NotEmpty(t, got.Text)
			require.GreaterOrEqual(t, got.Confidence, 0.0)
			require.LessOrEqual(t, got.Confidence, 1.0)
		}
	})
}
