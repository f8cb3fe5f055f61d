package verification_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/cropcheck"
	"tilth/core/farm"
	"tilth/core/record"
	"tilth/core/vegetation"
	"tilth/core/verification"
)

var now = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

func field(v verification.Status, confidence float64) verification.Field {
	return verification.Field{FieldName: "North", Verdict: v, Reason: "r", Text: "t", Confidence: confidence}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	const v, f, p = verification.Verified, verification.Failed, verification.Pending
	for name, c := range map[string]struct {
		fields     []verification.Field
		status     verification.Status
		reason     verification.Reason
		confidence float64
	}{
		"none":                 {nil, p, verification.ReasonNoField, 0},
		"one verified":         {[]verification.Field{field(v, 0.7)}, v, "r", 0.7},
		"one failed":           {[]verification.Field{field(f, 0.6)}, f, "r", 0.6},
		"one pending":          {[]verification.Field{field(p, 0)}, p, "r", 0},
		"all verified":         {[]verification.Field{field(v, 0.9), field(v, 0.7)}, v, verification.ReasonAllVerified, 0.7},
		"one failed of two":    {[]verification.Field{field(v, 0.9), field(f, 0.6)}, f, verification.ReasonFieldFailed, 0.6},
		"the surest of failed": {[]verification.Field{field(f, 0.6), field(f, 0.8), field(p, 0)}, f, verification.ReasonFieldFailed, 0.8},
		"one pending of two":   {[]verification.Field{field(v, 0.9), field(p, 0)}, p, verification.ReasonFieldPending, 0},
	} {
		var r verification.Record
		r.CropType = "maize"
		r.Decide(c.fields, now)
		require.Equal(t, c.status, r.Status, name)
		require.Equal(t, c.reason, r.Reason, name)
		require.Equal(t, c.confidence, r.Confidence, name)
		require.Equal(t, "maize", r.CropType, name)
		require.Equal(t, now, *r.DecidedAt, name)
		require.NotEmpty(t, r.Text, name)
	}
}

func TestWhatAFarmResembles(t *testing.T) {
	t.Parallel()
	of := func(v verification.Status, confidence float64, resembles string) verification.Field {
		f := field(v, confidence)
		f.Resembles = resembles
		return f
	}
	for want, fields := range map[string][]verification.Field{
		"":        {of(verification.Verified, 0.9, "soy"), of(verification.Pending, 0, "none")},
		"soy":     {of(verification.Verified, 0.9, "soy")},
		"none":    {of(verification.Failed, 0.7, "pasture"), of(verification.Failed, 0.95, "none"), of(verification.Verified, 0.99, "soy")},
		"pasture": {of(verification.Failed, 0.7, "pasture"), of(verification.Pending, 0, "")},
	} {
		var r verification.Record
		r.Decide(fields, now)
		require.Equal(t, want, r.Resembles())
		r.Begin(2, now)
		require.Empty(t, r.Resembles(), "of an earlier run")
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	grown := func(id int64, year int, crop string) verification.Grown {
		return verification.Grown{Cultivation: farm.Cultivation{Meta: record.Meta{ID: id}}, Season: farm.Season{HarvestYear: year}, Crop: farm.Crop{GHGCropType: crop}}
	}
	all := []verification.Grown{grown(1, 2023, "maize"), grown(2, 2024, "maize"), grown(3, 2024, "soybeans"), grown(4, 2025, "maize"), grown(5, 2025, "maize")}
	got, reason, _ := verification.Choose(2024, "maize", all)
	require.Empty(t, reason)
	require.EqualValues(t, 2, got.Cultivation.ID)
	_, reason, text := verification.Choose(2025, "maize", all)
	require.Equal(t, verification.ReasonSeveral, reason)
	require.Contains(t, text, "2 cultivations of maize")
	_, reason, _ = verification.Choose(2023, "soybeans", all)
	require.Equal(t, verification.ReasonNoGrowing, reason)
}

// TestRunsAreToldApart checks that every start is another run, and that a source that stays unavailable ends one.
func TestRunsAreToldApart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var r verification.Record
		seen := map[int]bool{}
		for range rapid.IntRange(1, 5).Draw(t, "starts") {
			r.Begin(1, now)
			require.False(t, seen[r.Run])
			seen[r.Run] = true
			require.Equal(t, verification.Pending, r.Status)
			require.Nil(t, r.DecidedAt)
			tries := 0
			for again := true; again; tries++ {
				var next time.Time
				r.Process("maize", now)
				next, again = r.SourceUnavailable(now, rapid.Float64Range(0, 0.999).Draw(t, "jitter"))
				require.Equal(t, again, next.After(now))
				require.Equal(t, again, r.NextTryAt != nil)
			}
			require.Equal(t, vegetation.Retry.Tries, tries)
			require.NotNil(t, r.DecidedAt)
			require.Equal(t, verification.Pending, r.Status)
		}
	})
}

func TestReusable(t *testing.T) {
	t.Parallel()
	from, to := now.AddDate(-1, 0, 0), now
	fresh := verification.Series{From: from, To: to, Boundary: "b", Algorithm: vegetation.Algorithm, HasEVI: true, ComputedAt: to.AddDate(0, 0, 5)}
	for name, c := range map[string]struct {
		change  func(*verification.Series)
		started time.Time
		want    bool
	}{
		"of this run":                {func(*verification.Series) {}, to.AddDate(0, 0, 4), true},
		"of an earlier run":          {func(*verification.Series) {}, to.AddDate(0, 0, 6), false},
		"of an earlier run, settled": {func(s *verification.Series) { s.ComputedAt = to.AddDate(0, 0, 31) }, to.AddDate(0, 0, 60), true},
		"of another season":          {func(s *verification.Series) { s.To = to.AddDate(0, 0, 1) }, to, false},
		"of another boundary":        {func(s *verification.Series) { s.Boundary = "c" }, to, false},
		"by another algorithm":       {func(s *verification.Series) { s.Algorithm++ }, to, false},
		"without the index it wants": {func(s *verification.Series) { s.HasEVI = false }, to, false},
		"of an order that went away": {func(s *verification.Series) { s.OrderID = 3 }, to, false},
	} {
		s := fresh
		c.change(&s)
		require.Equal(t, c.want, s.Reusable(from, to, "b", true, c.started), name)
	}
	require.False(t, (*verification.Series)(nil).Reusable(from, to, "b", false, to))
}

func TestSeriesOfTwoIndices(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return now.AddDate(0, 0, n) }
	ndvi := vegetation.Series{Observations: []vegetation.Observation{{Date: day(0), Value: 0.5, Coverage: 1}, {Date: day(5), Value: 0.6, Coverage: 0.7}}, Rejected: make([]vegetation.Rejection, 3)}
	evi := vegetation.Series{Observations: []vegetation.Observation{{Date: day(5), Value: 0.4, Coverage: 0.7}, {Date: day(9), Value: 0.3, Coverage: 1}}}
	both := verification.NewSeries(day(0), day(30), ndvi, &evi)
	require.Equal(t, []cropcheck.Observation{{Date: day(5), NDVI: 0.6, EVI: 0.4, Coverage: 0.7}}, both.Dates, "a date counts that both have")
	require.Equal(t, 3, both.Rejected)
	require.Len(t, verification.NewSeries(day(0), day(30), ndvi, nil).Dates, 2)
}

func TestKeep(t *testing.T) {
	t.Parallel()
	old, fresh := &verification.Series{Rejected: 1}, &verification.Series{Rejected: 2}
	r := verification.Record{Evidence: verification.Evidence{Fields: []verification.Field{{FieldID: 1, Series: old}, {FieldID: 2, Series: old}}}}
	r.Keep([]verification.Field{{FieldID: 1, Series: fresh}})
	require.Same(t, fresh, verification.SeriesOf(r.Evidence.Fields, 1))
	require.Same(t, old, verification.SeriesOf(r.Evidence.Fields, 2))
}
