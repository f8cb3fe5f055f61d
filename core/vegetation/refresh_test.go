package vegetation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/vegetation"
)

// activeOrder is an order whose season was last checked at a time.
func activeOrder(checked time.Time) vegetation.Order {
	return vegetation.RehydrateOrder(vegetation.OrderState{
		Status: vegetation.Active, Points: 1, StartDate: seasonStart, EndDate: seasonEnd, LastCheckedAt: &checked, UpdatedAt: checked,
	})
}

func TestRefreshDue(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	settled := seasonEnd.AddDate(0, 0, 31) // the end of the last day, and thirty days
	for name, tt := range map[string]struct {
		checked, now time.Time
		want         bool
	}{
		"just checked":                          {inSeason, inSeason, false},
		"a day ago":                             {inSeason, inSeason.Add(day), false},
		"over a day ago":                        {inSeason, inSeason.Add(day + time.Second), true},
		"months ago":                            {inSeason, inSeason.Add(100 * day), true},
		"a clock that went back":                {inSeason, inSeason.Add(-2 * day), false},
		"the season is over, scenes come late":  {afterSeason, afterSeason.Add(2 * day), true},
		"the last moment":                       {settled.Add(-2 * day), settled.Add(-time.Second), true},
		"checked since":                         {settled, settled.Add(2 * day), false},
		"nobody asked while it lasted":          {inSeason, settled.AddDate(2, 0, 0), true},
		"the grace passed since the last check": {settled.Add(-day / 2), settled.AddDate(0, 1, 0), true},
	} {
		require.Equal(t, tt.want, activeOrder(tt.checked).RefreshDue(tt.now), name)
	}
	for _, status := range []vegetation.Status{vegetation.Pending, vegetation.Processing, vegetation.Failed} {
		s := activeOrder(inSeason).State()
		s.Status = status
		o := vegetation.RehydrateOrder(s)
		require.False(t, o.RefreshDue(inSeason.Add(2*day)), status)
		require.Error(t, o.Refreshed(inSeason, vegetation.Series{}, true), status)
	}
	unchecked := activeOrder(inSeason).State()
	unchecked.LastCheckedAt = nil
	require.False(t, vegetation.RehydrateOrder(unchecked).RefreshDue(inSeason))
}

// However often it is checked, an order is due again only a day after it was refreshed, and never
// once the grace of its season has been checked.
func TestRefreshesComeToAnEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := activeOrder(inSeason)
		now, last := inSeason, inSeason
		for range 30 {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(40*24*time.Hour)).Draw(t, "step")))
			if !o.RefreshDue(now) {
				continue
			}
			require.Greater(t, now.Sub(last), vegetation.RefreshAfter)
			require.True(t, last.Before(seasonEnd.AddDate(0, 0, 31)))
			require.NoError(t, o.Refreshed(now, vegetation.Series{}, false))
			last = now
			require.False(t, o.RefreshDue(now))
		}
	})
}

// An order that an earlier release made active without a point is checked whenever its last check was, and fails where
// there is still none.
func TestActiveOrdersWithoutAPointEnd(t *testing.T) {
	t.Parallel()
	late := afterSeason.AddDate(3, 0, 0)
	empty := activeOrder(late.AddDate(-1, 0, 0)).State()
	empty.Points = 0
	o := vegetation.RehydrateOrder(empty)
	require.True(t, o.RefreshDue(late))
	require.NoError(t, o.Refreshed(late, vegetation.Series{Observations: make([]vegetation.Observation, 1)}, true))
	require.Equal(t, vegetation.Active, o.State().Status, "the archive has it now")
	require.False(t, o.RefreshDue(late.AddDate(0, 0, 2)))
	o = vegetation.RehydrateOrder(empty)
	require.NoError(t, o.Refreshed(late, vegetation.Series{}, false))
	require.Equal(t, vegetation.Failed, o.State().Status)
	require.Equal(t, "No scene of the imagery archive covers the field in the season. The field has already been charged: another order costs nothing.", o.State().Reason)
	require.False(t, o.RefreshDue(late.AddDate(0, 0, 2)))
}

func TestRefreshed(t *testing.T) {
	t.Parallel()
	now := inSeason.Add(48 * time.Hour)
	o := activeOrder(inSeason)
	require.NoError(t, o.Refreshed(now, vegetation.Series{NoSCL: true}, false))
	s := o.State()
	require.Equal(t, now, *s.LastCheckedAt)
	require.Equal(t, inSeason, s.UpdatedAt, "a look that found nothing new is no update")
	require.False(t, s.NoSCL)
	require.NoError(t, o.Refreshed(now, vegetation.Series{NoSCL: true, SmallField: true, Synthetic: true, Observations: make([]vegetation.Observation, 1)}, true))
	s = o.State()
	require.Equal(t, now, s.UpdatedAt)
	require.True(t, s.NoSCL && s.SmallField && s.Synthetic)
	require.Equal(t, vegetation.Active, s.Status)
}

func TestRefreshWait(t *testing.T) {
	t.Parallel()
	sum := time.Duration(0)
	for try := 1; try < vegetation.RefreshRetry.Tries; try++ {
		low, again := vegetation.RefreshRetry.Wait(try, 0)
		require.True(t, again)
		high, _ := vegetation.RefreshRetry.Wait(try, 0.999)
		require.GreaterOrEqual(t, low, vegetation.RefreshRetry.First/2)
		require.Greater(t, high, low)
		sum += high
	}
	require.InDelta(t, 15, sum.Minutes(), 1)
	_, again := vegetation.RefreshRetry.Wait(vegetation.RefreshRetry.Tries, 0)
	require.False(t, again)
}
