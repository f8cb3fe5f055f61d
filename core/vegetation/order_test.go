package vegetation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/fault"
	"tilth/core/vegetation"
)

var (
	seasonStart = time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	seasonEnd   = time.Date(2025, 10, 31, 0, 0, 0, 0, time.UTC)
	inSeason    = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
	afterSeason = time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC)
)

func newOrder(t require.TestingT) vegetation.Order {
	o, err := vegetation.NewOrder(vegetation.OrderState{
		UUID: "u", CompanyID: 1, FieldID: 2, SeasonID: 3, Index: "NDVI", StartDate: seasonStart, EndDate: seasonEnd,
	})
	require.NoError(t, err)
	return o
}

func TestOrderRefusesToBeMadeOfNothing(t *testing.T) {
	t.Parallel()
	_, err := vegetation.NewOrder(vegetation.OrderState{})
	require.Error(t, err)
	_, err = vegetation.NewOrder(vegetation.OrderState{UUID: "u", CompanyID: 1, FieldID: 2, SeasonID: 3, StartDate: seasonEnd, EndDate: seasonStart})
	require.Error(t, err)
}

// No point, no charge: without an accepted date an order waits while its season runs, and fails after it.
func TestASeriesWithoutAPointIsNeverActive(t *testing.T) {
	t.Parallel()
	for name, series := range map[string]vegetation.Series{"no scene": {}, "clouds": rejected(vegetation.ReasonCloud, vegetation.ReasonCloud)} {
		o := newOrder(t)
		require.NoError(t, o.SourceUnavailable(inSeason, 0))
		require.NoError(t, o.Begin(inSeason))
		require.NoError(t, o.Complete(inSeason, series))
		s := o.State()
		require.Equal(t, vegetation.Pending, s.Status, name)
		require.Equal(t, inSeason.Add(vegetation.SearchAgain), *s.NextTryAt)
		require.Contains(t, s.Reason, series.Empty())
		require.Zero(t, s.Attempts, "the source was reached: its failures count anew")

		require.NoError(t, o.Begin(afterSeason))
		require.NoError(t, o.Complete(afterSeason, series))
		require.Equal(t, vegetation.Failed, o.State().Status, name)
		require.Equal(t, series.Empty(), o.State().Reason)
		require.Nil(t, o.State().NextTryAt)
		require.NoError(t, o.Revive(afterSeason, s), "it can be ordered again")
	}
}

func TestAnUnreadDateIsTriedAgainAfterTheSeason(t *testing.T) {
	t.Parallel()
	long := afterSeason.AddDate(1, 0, 0)
	for want, series := range map[bool]vegetation.Series{
		false: {Observations: make([]vegetation.Observation, 1), Rejected: rejected(vegetation.ReasonCloud).Rejected},
		true:  {Observations: make([]vegetation.Observation, 1), Rejected: rejected(vegetation.ReasonError).Rejected},
	} {
		o := newOrder(t)
		require.NoError(t, o.Complete(long, series))
		require.False(t, o.RefreshDue(long.Add(vegetation.RefreshAfter)))
		require.Equal(t, want, o.RefreshDue(long.Add(2*vegetation.RefreshAfter)))
		require.NoError(t, o.Refreshed(long.AddDate(0, 0, 2), vegetation.Series{Observations: series.Observations}, true))
		require.False(t, o.RefreshDue(long.AddDate(0, 0, 4)))
	}
}

func TestSeasonBounds(t *testing.T) {
	t.Parallel()
	o := newOrder(t)
	require.False(t, o.SeasonBegun(seasonStart.Add(-time.Second)))
	require.True(t, o.SeasonBegun(seasonStart))
	require.False(t, o.SeasonOver(seasonEnd.Add(24*time.Hour-time.Second)))
	require.True(t, o.SeasonOver(seasonEnd.Add(24*time.Hour)))
}

func TestRetriesEnd(t *testing.T) {
	t.Parallel()
	o := newOrder(t)
	now, last := inSeason, time.Duration(0)
	for try := 1; try < vegetation.Retry.Tries; try++ {
		require.NoError(t, o.SourceUnavailable(now, 0.999))
		s := o.State()
		require.Equal(t, vegetation.Pending, s.Status, "try %d", try)
		wait := s.NextTryAt.Sub(now)
		require.GreaterOrEqual(t, wait, last)
		require.LessOrEqual(t, wait, vegetation.Retry.Max)
		last, now = wait, *s.NextTryAt
		require.NoError(t, o.Begin(now))
	}
	require.NoError(t, o.SourceUnavailable(now, 0))
	require.Equal(t, vegetation.Failed, o.State().Status)
	require.NotEmpty(t, o.State().Reason)
}

// The table of transitions, and nothing else: active is for ever, a hold is settled
// once (open → active or failed), and a revived order is as new.
func TestOrderStateMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := newOrder(t)
		now := inSeason
		allowed := func(err error, ok bool, trigger string) {
			if ok != (err == nil) || err != nil && !fault.Is(err, fault.Conflict) {
				t.Fatalf("%s of an order that is %s: %v", trigger, o.State().Status, err)
			}
		}
		settled := 0
		t.Repeat(map[string]func(*rapid.T){
			"begin": func(*rapid.T) {
				was := o.State().Status
				allowed(o.Begin(now), was == vegetation.Processing || was == vegetation.Pending, "begin")
			},
			"wait": func(*rapid.T) {
				was := o.State().Status
				allowed(o.Wait(now, now.Add(time.Hour), "because"), was == vegetation.Processing, "wait")
			},
			"source unavailable": func(t *rapid.T) {
				was := o.State().Status
				allowed(o.SourceUnavailable(now, rapid.Float64Range(0, 0.99).Draw(t, "jitter")), was == vegetation.Processing, "source unavailable")
				if was == vegetation.Processing && o.State().Status == vegetation.Failed {
					settled++
				}
			},
			"complete": func(t *rapid.T) {
				was := o.State().Status
				series := rejected(rapid.SliceOfN(rapid.SampledFrom([]vegetation.Reason{vegetation.ReasonCloud, vegetation.ReasonError}), 0, 3).Draw(t, "rejected")...)
				point := rapid.Bool().Draw(t, "point")
				if point {
					series.Observations = []vegetation.Observation{{}}
				}
				err := o.Complete(now, series)
				allowed(err, was == vegetation.Processing, "complete")
				if err != nil {
					return
				}
				want := vegetation.Active
				if !point {
					want = map[bool]vegetation.Status{false: vegetation.Pending, true: vegetation.Failed}[o.SeasonOver(now)]
				}
				if o.State().Status != want {
					t.Fatalf("%s, not %s", o.State().Status, want)
				}
				if want != vegetation.Pending {
					settled++
				}
			},
			"the season ends": func(*rapid.T) { now = now.AddDate(0, 6, 0) },
			"fail": func(*rapid.T) {
				open := o.Open()
				allowed(o.Fail(now, "because"), open, "fail")
				if open {
					settled++
				}
			},
			"revive": func(*rapid.T) {
				was := o.State().Status
				err := o.Revive(now, vegetation.OrderState{Index: "EVI", StartDate: seasonStart, EndDate: seasonEnd})
				allowed(err, was == vegetation.Failed, "revive")
				if err == nil {
					settled = 0
					if s := o.State(); s.Attempts != 0 || s.Reason != "" || s.Index != "EVI" {
						t.Fatalf("not as new: %+v", s)
					}
				}
			},
			"": func(*rapid.T) {
				now = now.Add(time.Minute)
				s := o.State()
				if (settled == 1) == o.Open() || settled > 1 {
					t.Fatalf("settled %d times while %s", settled, s.Status)
				}
				if (s.Status == vegetation.Pending) != (s.NextTryAt != nil) {
					t.Fatalf("%s with next try %v", s.Status, s.NextTryAt)
				}
				if (s.Status == vegetation.Pending || s.Status == vegetation.Failed) == (s.Reason == "") {
					t.Fatalf("%s with reason %q", s.Status, s.Reason)
				}
			},
		})
	})
}
