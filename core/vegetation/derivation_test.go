package vegetation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/vegetation"
)

func seriesOf(days ...int) vegetation.Series {
	var s vegetation.Series
	for i, d := range days {
		date := time.Date(2025, 4, d, 0, 0, 0, 0, time.UTC)
		if i%2 == 0 {
			s.Observations = append(s.Observations, vegetation.Observation{Date: date})
		} else {
			s.Rejected = append(s.Rejected, vegetation.Rejection{Date: date})
		}
	}
	return s
}

func TestDerivationIsComputedOnceAndAnewForNewDates(t *testing.T) {
	t.Parallel()
	now := time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)
	order := vegetation.OrderState{ID: 7, Index: "NDVI", Status: vegetation.Active, LastCheckedAt: &now}
	d := vegetation.NewDerivation(order, vegetation.Reading{Index: vegetation.EVI}, now)
	require.True(t, d.Due(order, seriesOf(1, 2), vegetation.Series{}, now))
	shown := d.As(order)
	require.Equal(t, []any{"EVI", vegetation.Processing}, []any{shown.Index, shown.Status})
	require.Equal(t, "NDVI", order.Index)

	d.Complete(order, now)
	require.Equal(t, vegetation.Active, d.Status)
	require.False(t, d.Due(order, seriesOf(1, 2, 3), seriesOf(1, 2), now.AddDate(1, 0, 0)), "no search since: nothing can be new")
	searched := now.Add(24 * time.Hour)
	order.LastCheckedAt = &searched
	require.False(t, d.Due(order, seriesOf(1, 2), seriesOf(1, 2), searched), "searched, and nothing new")
	require.True(t, d.Due(order, seriesOf(1, 2, 3), seriesOf(1, 2), searched))
	require.True(t, d.Due(order, seriesOf(1), seriesOf(1, 2), searched), "a date that vanished")

	other := d
	other.Dataset = vegetation.HLSS30
	require.True(t, other.Due(order, seriesOf(1, 2), seriesOf(2), searched), "of another data set: the order's own days say nothing of it")
	other.Complete(order, searched)
	require.False(t, other.Due(order, seriesOf(1, 2), seriesOf(2), searched))

	// An existing series stays while it is recomputed; one that cannot be recomputed is left until the next search.
	d.Begin(searched)
	require.Equal(t, vegetation.Active, d.Status)
	d.Fail(order, searched, "gone")
	require.Equal(t, vegetation.Active, d.Status)
	require.Empty(t, d.Reason)
	require.False(t, d.Due(order, seriesOf(1, 2, 3), seriesOf(1, 2), searched))
}

func TestDerivationGivesUp(t *testing.T) {
	t.Parallel()
	now := time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)
	order := vegetation.OrderState{ID: 7, Status: vegetation.Active}
	d := vegetation.NewDerivation(order, vegetation.Reading{Index: vegetation.NBR}, now)
	last := time.Duration(0)
	for try := 1; ; try++ {
		next, again := d.SourceUnavailable(order, now, 0)
		if !again {
			require.Equal(t, vegetation.Retry.Tries, try)
			break
		}
		require.Equal(t, vegetation.Processing, d.Status)
		require.Contains(t, d.Reason, "next try")
		wait := next.Sub(now)
		require.GreaterOrEqual(t, wait, last)
		require.LessOrEqual(t, wait, vegetation.Retry.Max)
		last = wait
	}
	require.Equal(t, vegetation.Failed, d.Status)
	require.Contains(t, d.Reason, "12 tries")
	require.False(t, d.Due(order, vegetation.Series{}, vegetation.Series{}, now.Add(vegetation.DeriveAgain-1)))
	require.True(t, d.Due(order, vegetation.Series{}, vegetation.Series{}, now.Add(vegetation.DeriveAgain)))
	d.Begin(now)
	require.Equal(t, vegetation.Processing, d.Status)
	require.Zero(t, d.Attempts)
}
