package cropcheck_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/cropcheck"
	"tilth/core/fault"
)

var (
	september = cropcheck.GrowingYear{Month: time.September, Day: 14}
	origin    = time.Date(2021, 9, 14, 0, 0, 0, 0, time.UTC)
)

// curveOf makes a curve with a step every so many days of the growing year.
func curveOf(class string, every int, ndvi func(day int) float64) cropcheck.Curve {
	c := cropcheck.Curve{Class: class}
	for day := 0; day <= 352; day += every {
		c.Steps = append(c.Steps, cropcheck.Step{Day: day, NDVI: ndvi(day), EVI: ndvi(day) / 2, N: 40})
	}
	wide := cropcheck.Cap{Distance: 8, Shape: 8}
	c.CapNDVI, c.CapBoth = &wide, &wide
	return c
}

func flat(v float64) func(int) float64 { return func(int) float64 { return v } }

// hump is a crop that stands 120 days around a day.
func hump(around int) func(int) float64 {
	return func(day int) float64 {
		x := float64(day-around) / 60
		if math.Abs(x) >= 1 {
			return 0.2
		}
		return 0.2 + 0.3*(1+math.Cos(math.Pi*x))
	}
}

func setOf(t require.TestingT, curves ...cropcheck.Curve) cropcheck.Set {
	s, err := cropcheck.NewSet(september, false, curves)
	require.NoError(t, err)
	return s
}

func seriesOf(t require.TestingT, from time.Time, days []int, ndvi func(day int) float64) cropcheck.Series {
	var observed []cropcheck.Observation
	for _, d := range days {
		observed = append(observed, cropcheck.Observation{Date: from.AddDate(0, 0, d), NDVI: ndvi(d), Coverage: 1})
	}
	s, err := cropcheck.NewSeries(false, observed)
	require.NoError(t, err)
	return s
}

func every(step, from, to int) (days []int) {
	for d := from; d <= to; d += step {
		days = append(days, d)
	}
	return days
}

func TestVerdictOnTheDeclaredCrop(t *testing.T) {
	t.Parallel()
	set := setOf(t, curveOf("high", 16, flat(0.9)), curveOf("low", 16, flat(0.4)), curveOf("middle", 16, flat(0.6)))
	set.Scope = "Of a made-up region."
	// Between flat curves the distance is the difference plus the weight of no days.
	still := 1 / (1 + math.Exp(5))
	for _, c := range []struct {
		value    float64
		declared []string
		verdict  cropcheck.Verdict
		reason   cropcheck.Reason
	}{
		{0.52, []string{"middle"}, cropcheck.Verified, cropcheck.ReasonNearest},
		{0.505, []string{"low"}, cropcheck.Pending, cropcheck.ReasonUnsure},
		{0.52, []string{"low"}, cropcheck.Failed, cropcheck.ReasonOther},
		{0.52, []string{"high"}, cropcheck.Failed, cropcheck.ReasonOther},
		{0.52, []string{"high", "middle", "unheard of"}, cropcheck.Verified, cropcheck.ReasonNearest},
	} {
		series := seriesOf(t, origin, every(16, 0, 352), flat(c.value))
		got := cropcheck.Check(cropcheck.Subject{Series: series, Declared: c.declared}, set)
		require.Equal(t, c.verdict, got.Verdict, "%+v", c)
		require.Equal(t, c.reason, got.Reason, "%+v", c)
		require.True(t, strings.HasSuffix(got.Text, set.Scope), "the scope of the curves is always shown: %s", got.Text)
		require.Len(t, got.Ranking, 3)
		require.Equal(t, got.Ranking[0].Class, got.Resembles)
		sum := 0.0
		for i, p := range cropcheck.Probabilities(got.Ranking, false) {
			if slices.Contains(c.declared, got.Ranking[i].Class) == (c.verdict == cropcheck.Verified) {
				sum += p
			}
			want := map[string]float64{"high": 0.9, "low": 0.4, "middle": 0.6}[got.Ranking[i].Class]
			require.InDelta(t, math.Abs(c.value-want)+still, got.Ranking[i].Distance, 1e-9)
		}
		if c.verdict == cropcheck.Pending {
			sum = 0
		}
		require.InDelta(t, sum, got.Confidence, 1e-12, "%+v", c)
	}
}

// TestNoneOfThese checks the cap: a lake is not soy, whatever is nearest to it.
func TestNoneOfThese(t *testing.T) {
	t.Parallel()
	soy, pasture := curveOf("soy", 16, hump(120)), curveOf("pasture", 16, flat(0.5))
	soy.CapNDVI, pasture.CapNDVI = &cropcheck.Cap{Distance: 0.1, Shape: 0.1}, &cropcheck.Cap{Distance: 0.3, Shape: 0.05}
	uncapped := curveOf("rice", 16, hump(300))
	uncapped.CapNDVI = nil
	set := setOf(t, soy, pasture)
	for name, c := range map[string]struct {
		set       cropcheck.Set
		ndvi      func(int) float64
		declared  string
		verdict   cropcheck.Verdict
		reason    cropcheck.Reason
		resembles string
	}{
		"a lake":                     {set, flat(-0.2), "soy", cropcheck.Failed, cropcheck.ReasonBeyond, "none"},
		"a lake as pasture":          {set, flat(-0.2), "pasture", cropcheck.Failed, cropcheck.ReasonBeyond, "none"},
		"lush pasture":               {set, flat(0.7), "pasture", cropcheck.Verified, cropcheck.ReasonNearest, "pasture"},
		"pasture declared as soy":    {set, flat(0.55), "soy", cropcheck.Failed, cropcheck.ReasonBeyond, "pasture"},
		"near, but of another shape": {set, hump(250), "pasture", cropcheck.Failed, cropcheck.ReasonBeyond, "none"},
		"soy":                        {set, hump(122), "soy", cropcheck.Verified, cropcheck.ReasonNearest, "soy"},
		"no cap, verified":           {setOf(t, uncapped), hump(300), "rice", cropcheck.Pending, cropcheck.ReasonNoCap, ""},
		"no cap, another resembles":  {setOf(t, uncapped, soy), hump(120), "rice", cropcheck.Failed, cropcheck.ReasonOther, "soy"},
		"no cap, beyond the other":   {setOf(t, uncapped, soy), hump(300), "soy", cropcheck.Failed, cropcheck.ReasonBeyond, "none"},
	} {
		got := cropcheck.Check(cropcheck.Subject{Series: seriesOf(t, origin, every(16, 0, 352), c.ndvi), Declared: []string{c.declared}}, c.set)
		require.Equal(t, c.verdict, got.Verdict, "%s: %s", name, got.Text)
		require.Equal(t, c.reason, got.Reason, name)
		require.Equal(t, c.resembles, got.Resembles, name)
		require.NotEmpty(t, got.Ranking, name)
		if c.reason == cropcheck.ReasonBeyond {
			require.GreaterOrEqual(t, got.Confidence, cropcheck.CapShare, name)
		}
	}
}

func TestTheRatioDecidesForTheSecondOnly(t *testing.T) {
	t.Parallel()
	set := setOf(t, curveOf("a", 16, flat(0.40)), curveOf("b", 16, flat(0.41)), curveOf("c", 16, flat(0.399)))
	series := seriesOf(t, origin, every(16, 0, 352), flat(0.60))
	verdicts := map[string]cropcheck.Verdict{}
	for _, class := range set.Classes() {
		verdicts[class] = cropcheck.Check(cropcheck.Subject{Series: series, Declared: []string{class}}, set).Verdict
	}
	require.Equal(t, map[string]cropcheck.Verdict{"b": cropcheck.Pending, "a": cropcheck.Pending, "c": cropcheck.Failed}, verdicts, "alone, the first and the second are unsure")
	two := cropcheck.Check(cropcheck.Subject{Series: series, Declared: []string{"a", "c"}}, set)
	require.Equal(t, cropcheck.Verified, two.Verdict)
	require.Equal(t, cropcheck.ReasonSecond, two.Reason, "two systems of a crop are more probable than the nearest one")
}

func TestPendingWithItsReason(t *testing.T) {
	t.Parallel()
	set := setOf(t, curveOf("bare", 16, flat(0.2)), curveOf("early", 16, hump(120)))
	set.Extent = &cropcheck.Extent{West: -60, South: -18, East: -50, North: -8}
	whole := every(16, 0, 352)
	for name, c := range map[string]struct {
		days     []int
		declared []string
		place    *cropcheck.Place
		want     cropcheck.Reason
	}{
		"no date":                   {nil, []string{"early"}, nil, cropcheck.ReasonTooFew},
		"five dates":                {every(40, 60, 220), []string{"early"}, nil, cropcheck.ReasonTooFew},
		"lonely dates":              {every(70, 4, 364), []string{"early"}, nil, cropcheck.ReasonTooFew},
		"no curve":                  {whole, []string{"rice"}, nil, cropcheck.ReasonNoCurve},
		"nothing declared":          {whole, nil, nil, cropcheck.ReasonNoCurve},
		"elsewhere":                 {whole, []string{"early"}, &cropcheck.Place{Lon: 4.5, Lat: 50.8}, cropcheck.ReasonNoCoverage},
		"gap while the crop stands": {append(every(8, 0, 88), every(8, 152, 352)...), []string{"early"}, nil, cropcheck.ReasonGap},
		"begins too late":           {every(8, 148, 352), []string{"early"}, nil, cropcheck.ReasonGap},
		"ends too soon":             {every(8, 0, 88), []string{"early"}, nil, cropcheck.ReasonGap},
	} {
		got := cropcheck.Check(cropcheck.Subject{Series: seriesOf(t, origin, c.days, hump(120)), Declared: c.declared, Place: c.place}, set)
		require.Equal(t, cropcheck.Pending, got.Verdict, name)
		require.Equal(t, c.want, got.Reason, name)
		require.NotEmpty(t, got.Text, name)
		require.Empty(t, got.Ranking, "never a guess: "+name)
		require.Zero(t, got.Confidence, name)
	}
	for name, days := range map[string][]int{
		"six dates":                       every(32, 40, 200),
		"gap of sixty days":               append(every(8, 0, 88), every(8, 148, 352)...),
		"gap when the crop is long mown":  append(every(8, 0, 200), 340, 350),
		"dates before and after the year": append([]int{-30, 380}, whole...),
	} {
		inside := &cropcheck.Place{Lon: -55, Lat: -12}
		got := cropcheck.Check(cropcheck.Subject{Series: seriesOf(t, origin, days, hump(120)), Declared: []string{"early"}, Place: inside}, set)
		require.Contains(t, []cropcheck.Reason{cropcheck.ReasonNearest, cropcheck.ReasonUnsure}, got.Reason, "%s: %s", name, got.Text)
	}
}

// TestTimeKeepsCropsApart checks what the time weight is for: the same hump at another time of the year is another
// crop, though plain warping would match it at no cost.
func TestTimeKeepsCropsApart(t *testing.T) {
	t.Parallel()
	set := setOf(t, curveOf("early", 16, hump(100)), curveOf("late", 16, hump(250)))
	rapid.Check(t, func(t *rapid.T) {
		shift := rapid.IntRange(-20, 20).Draw(t, "shift")
		year := time.Date(rapid.IntRange(2000, 2030).Draw(t, "year"), 9, 14, 0, 0, 0, 0, time.UTC)
		series := seriesOf(t, year, every(rapid.IntRange(3, 20).Draw(t, "every"), 0, 352), hump(250+shift))
		ranking := set.Rank(series)
		require.Equal(t, "late", ranking[0].Class)
		require.Greater(t, ranking[1].Distance, 3*ranking[0].Distance)
	})
}

// definition is the distance as Maus et al. define it, by recursion over all paths.
func definition(curve, series []float64) float64 {
	cost := func(i, j int) float64 {
		days := 8 * math.Abs(float64(i-j))
		return math.Abs(curve[i]-series[j]) + 1/(1+math.Exp(-0.1*(days-50)))
	}
	var best func(i, j int) float64
	best = func(i, j int) float64 {
		switch {
		case i == 0 && j == 0:
			return cost(0, 0)
		case i == 0:
			return cost(i, j) + best(i, j-1)
		case j == 0:
			return cost(i, j) + best(i-1, j)
		}
		return cost(i, j) + min(best(i-1, j), best(i, j-1), best(i-1, j-1))
	}
	return best(len(curve)-1, len(series)-1) / float64(len(curve))
}

func TestDistanceIsThatOfTheDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(6, 8).Draw(t, "n")
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "curve")
		curve := cropcheck.Curve{Class: "x"}
		for i, v := range values {
			curve.Steps = append(curve.Steps, cropcheck.Step{Day: 8 * i, NDVI: v})
		}
		// Smoothing leaves a straight line as it is, so the compared values are known.
		level, slope := rapid.Float64Range(-0.5, 0.5).Draw(t, "level"), rapid.Float64Range(-0.005, 0.005).Draw(t, "slope")
		line := func(day int) float64 { return level + slope*float64(day) }
		var straight []float64
		for i := range n {
			straight = append(straight, line(8*i))
		}
		ranking := setOf(t, curve).Rank(seriesOf(t, origin, every(4, 0, 8*(n-1)), line))
		require.InDelta(t, definition(values, straight), ranking[0].Distance, 1e-6)
	})
}

func TestEVICountsWhereBothHaveIt(t *testing.T) {
	t.Parallel()
	curves := []cropcheck.Curve{curveOf("a", 16, flat(0.5))}
	with, err := cropcheck.NewSet(september, true, curves)
	require.NoError(t, err)
	without := setOf(t, curves...)
	series := seriesOf(t, origin, every(16, 0, 352), flat(0.8))
	for i := range series.Observations {
		series.Observations[i].EVI = 0.65 // 0.3 and 0.4 from the curve
	}
	still := 1 / (1 + math.Exp(5))
	require.InDelta(t, 0.3+still, with.Rank(series)[0].Distance, 1e-9)
	series.HasEVI = true
	require.InDelta(t, 0.5+still, with.Rank(series)[0].Distance, 1e-9)
	require.InDelta(t, 0.3+still, without.Rank(series)[0].Distance, 1e-9)
}

func TestDeclaredCropsAreJudgedByTheNearestCurve(t *testing.T) {
	t.Parallel()
	series := seriesOf(t, origin, every(5, 0, 350), hump(120))
	set := setOf(t, curveOf("bare", 16, flat(0.2)), curveOf("early", 16, hump(120)))
	require.Equal(t, cropcheck.Verified, cropcheck.Check(cropcheck.Subject{Series: series, Declared: []string{"early"}}, set).Verdict)
	require.Equal(t, cropcheck.Failed, cropcheck.Check(cropcheck.Subject{Series: series, Declared: []string{"bare"}}, set).Verdict)
}

func TestRefusesBrokenSeriesAndCurves(t *testing.T) {
	t.Parallel()
	for name, observed := range map[string][]cropcheck.Observation{
		"twice a day": {{Date: origin, Coverage: 1}, {Date: origin, Coverage: 1}},
		"scaled":      {{Date: origin, NDVI: 8412, Coverage: 1}},
		"no number":   {{Date: origin, NDVI: math.NaN(), Coverage: 1}},
		"no EVI":      {{Date: origin, EVI: math.Inf(1), Coverage: 1}},
		"no weight":   {{Date: origin}},
	} {
		_, err := cropcheck.NewSeries(true, observed)
		require.True(t, fault.Is(err, fault.Invalid), name)
	}
	good := curveOf("a", 16, flat(0.5))
	badCap := good
	badCap.CapNDVI = &cropcheck.Cap{Distance: math.NaN(), Shape: 1}
	for name, curves := range map[string][]cropcheck.Curve{
		"none": {}, "twice": {good, good}, "nameless": {curveOf("", 16, flat(0))}, "none of these": {curveOf("none", 16, flat(0))}, "cap of no number": {badCap}, "one step": {curveOf("a", 400, flat(0))},
		"scaled": {curveOf("a", 16, flat(5000))}, "no number": {curveOf("a", 16, flat(math.NaN()))},
		"falling days":  {{Class: "a", Steps: []cropcheck.Step{{Day: 16}, {Day: 0}}}},
		"past the year": {{Class: "a", Steps: []cropcheck.Step{{Day: 0}, {Day: 400}}}},
	} {
		_, err := cropcheck.NewSet(september, false, curves)
		require.True(t, fault.Is(err, fault.Invalid), name)
	}
	for _, year := range []cropcheck.GrowingYear{{}, {Month: time.February, Day: 29}, {Month: time.April, Day: 31}} {
		_, err := cropcheck.NewSet(year, false, []cropcheck.Curve{good})
		require.True(t, fault.Is(err, fault.Invalid), "%v", year)
	}
}
