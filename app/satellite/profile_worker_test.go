package satellite_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/app/task"
	"tilth/core/credit"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// computing is a computer that answers as a test specifies.
type computing func(req satellite.SeriesRequest) (vegetation.Series, error)

func (c computing) Compute(_ context.Context, req satellite.SeriesRequest) (vegetation.Series, error) {
	return c(req)
}

func seen(satellite.SeriesRequest) (vegetation.Series, error) {
	return vegetation.Series{Index: vegetation.NDVI, Observations: make([]vegetation.Observation, 2)}, nil
}

func unreachable(satellite.SeriesRequest) (vegetation.Series, error) {
	return vegetation.Series{}, errors.New("no route to host")
}

// work runs the jobs that are due.
func (s *shop) work(compute computing) error {
	s.t.Helper()
	worker := satellite.NewProfileWorker(s.Deps(), compute, slog.New(slog.DiscardHandler))
	for _, job := range s.Claim() {
		if err := worker.Run(s.t.Context(), job); err != nil {
			return err
		}
	}
	return nil
}

// ordered is a shop with one order of the first season.
func ordered(t *testing.T) (*shop, vegetation.OrderState) {
	t.Helper()
	s := newShop(t)
	s.Credit(1, 5*s.price)
	order, err := s.place(s.first)
	require.NoError(t, err)
	return s, order
}

func (s *shop) stored(id int64) (order vegetation.OrderState) {
	s.t.Helper()
	s.put(func(tx ports.Repos) (err error) {
		order, err = tx.Orders.Get(s.t.Context(), s.scope(), id)
		return err
	})
	return order
}

func (s *shop) ledgerKinds() (out []credit.Kind) {
	for _, t := range s.Ledger() {
		out = append(out, t.Kind)
	}
	return out
}

func TestAComputedOrderIsActiveAndPaidFor(t *testing.T) {
	t.Parallel()
	s, order := ordered(t)
	require.NoError(t, s.work(seen))
	require.Equal(t, vegetation.Active, s.stored(order.ID).Status)
	require.Equal(t, []credit.Kind{credit.Hold, credit.Capture}, s.ledgerKinds())
	require.Len(t, s.Events, 1)
	require.Empty(t, s.Jobs)
	require.Empty(t, s.Failed)
}

func TestAnOrderWaitsForItsSource(t *testing.T) {
	t.Parallel()
	s, order := ordered(t)
	for try := 1; try < vegetation.Retry.Tries; try++ {
		require.NoError(t, s.work(unreachable))
		waits := s.stored(order.ID)
		require.Equal(t, vegetation.Pending, waits.Status, "try %d", try)
		require.Len(t, s.Jobs, 1)
		require.Equal(t, *waits.NextTryAt, s.Jobs[0].RunAt, "the job comes back when the order is due")
		s.Clock.At = s.Jobs[0].RunAt
	}
	require.NoError(t, s.work(unreachable))
	failed := s.stored(order.ID)
	require.Equal(t, vegetation.Failed, failed.Status)
	require.Contains(t, failed.Reason, "12 tries")
	require.Equal(t, failed.Reason, s.Failed[0].Reason, "the operator reads what the owner reads")
	s.holds(5*s.price, 0)
}

func TestAnOrderFailsForGood(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(s *shop)
		answer error
		reason string
	}{
		"unreadable imagery": {answer: fault.New(fault.Invalid, "imagery_unreadable", "The file is broken.").Because(errors.New("secret")), reason: "The file is broken."},
		"a deleted season": {
			before: func(s *shop) {
				s.put(func(tx ports.Repos) error {
					_, err := tx.Seasons.SoftDelete(t.Context(), s.scope(), []int64{s.first.ID}, s.Clock.At)
					return err
				})
			}, reason: "The season was deleted.",
		},
		"a worker that dies of it": {before: func(s *shop) { s.Jobs[0].Attempt = 5 * vegetation.Retry.Tries }, reason: "The work was interrupted too often."},
	} {
		t.Run(name, func(t *testing.T) {
			s, order := ordered(t)
			if c.before != nil {
				c.before(s)
			}
			require.NoError(t, s.work(func(satellite.SeriesRequest) (vegetation.Series, error) { return vegetation.Series{}, c.answer }))
			require.Equal(t, c.reason, s.stored(order.ID).Reason)
			require.Equal(t, []ports.FailedJob{{At: s.Clock.At, Reason: c.reason}}, s.Failed)
			require.Equal(t, []credit.Kind{credit.Hold, credit.Release}, s.ledgerKinds())
		})
	}
}

func TestASeasonThatMovesMeanwhileIsComputedAnew(t *testing.T) {
	t.Parallel()
	s, order := ordered(t)
	moved := s.first
	moved.EndDate = moved.EndDate.AddDate(0, 0, -30)
	require.NoError(t, s.work(func(req satellite.SeriesRequest) (vegetation.Series, error) {
		s.put(func(tx ports.Repos) error { return tx.Seasons.Update(t.Context(), s.scope(), &moved) })
		return seen(req)
	}))
	require.Equal(t, vegetation.Processing, s.stored(order.ID).Status)
	require.Empty(t, s.Events)
	require.NoError(t, s.work(func(req satellite.SeriesRequest) (vegetation.Series, error) {
		require.Equal(t, moved.EndDate, req.To)
		return seen(req)
	}))
	require.Equal(t, vegetation.Active, s.stored(order.ID).Status)
}

func TestAWorkerThatLostItsLeaseStoresNothing(t *testing.T) {
	t.Parallel()
	s, order := ordered(t)
	err := s.work(func(req satellite.SeriesRequest) (vegetation.Series, error) {
		s.Claim() // the lease ran out, and another worker has the job
		return seen(req)
	})
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	require.Equal(t, vegetation.Processing, s.stored(order.ID).Status)
	require.Equal(t, []credit.Kind{credit.Hold}, s.ledgerKinds())
	require.Empty(t, s.Events)
	require.Len(t, s.Jobs, 1)
}

func TestAnOrderWaitsForItsSeason(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Credit(1, s.price)
	later := farm.Season{StartDate: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), EndDate: time.Date(2027, 12, 31, 0, 0, 0, 0, time.UTC)}
	s.put(func(tx ports.Repos) error { return tx.Seasons.Insert(t.Context(), s.scope(), []*farm.Season{&later}) })
	order, err := s.place(later)
	require.NoError(t, err)
	require.NoError(t, s.work(func(satellite.SeriesRequest) (vegetation.Series, error) {
		t.Error("nothing is computed before the season")
		return vegetation.Series{}, nil
	}))
	require.Equal(t, vegetation.Pending, s.stored(order.ID).Status)
	require.Equal(t, later.StartDate, s.Jobs[0].RunAt)
}

// No point, no charge: an order without an accepted date waits through its season, however many days that is.
// After it the order fails with the reason, its hold is released, and it can be ordered again.
func TestASeasonWithoutAPointCostsNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Credit(1, s.price)
	s.Clock.At = s.second.StartDate.Add(12 * time.Hour)
	order, err := s.place(s.second)
	require.NoError(t, err)
	cloudy := vegetation.Series{Index: vegetation.NDVI, Rejected: []vegetation.Rejection{{Date: s.second.StartDate, Reason: vegetation.ReasonCloud}}}
	searches := 0
	for ; len(s.Jobs) > 0; searches++ {
		require.LessOrEqual(t, searches, 366)
		if searches > 0 {
			waits := s.stored(order.ID)
			require.Equal(t, vegetation.Pending, waits.Status)
			require.Contains(t, waits.Reason, "The only acquisition was cloudy.")
			require.Equal(t, *waits.NextTryAt, s.Jobs[0].RunAt)
			s.holds(s.price, s.price)
			s.Clock.At = s.Jobs[0].RunAt
		}
		require.NoError(t, s.work(func(satellite.SeriesRequest) (vegetation.Series, error) { return cloudy, nil }))
	}
	require.Equal(t, 366, searches, "once a day, and once after the season")
	failed := s.stored(order.ID)
	require.Equal(t, vegetation.Failed, failed.Status)
	require.Equal(t, "The only acquisition was cloudy.", failed.Reason)
	require.Empty(t, s.Events)
	require.Empty(t, s.Failed, "nothing is wrong with the job")
	s.holds(s.price, 0)

	again, err := s.place(s.second)
	require.NoError(t, err)
	require.Equal(t, order.ID, again.ID)
	require.NoError(t, s.work(seen))
	require.Equal(t, []credit.Kind{credit.Hold, credit.Release, credit.Hold, credit.Capture}, s.ledgerKinds())
}

// unchanged is an updater that returns what is known.
type unchanged struct{}

func (unchanged) Refresh(_ context.Context, _ satellite.SeriesRequest, known []vegetation.Series) ([]vegetation.Series, error) {
	return known, nil
}

// An order that an earlier release made active and charged without a point ends at its next refresh, and is placed again
// at no charge.
func TestAnActiveOrderWithoutAPointEnds(t *testing.T) {
	t.Parallel()
	s, order := ordered(t)
	require.NoError(t, s.work(seen))
	s.put(func(tx ports.Repos) error {
		empty := s.stored(order.ID)
		empty.Points = 0
		require.NoError(t, tx.Orders.PutSeries(t.Context(), s.scope(), order.ID, vegetation.Series{Index: vegetation.NDVI}))
		return tx.Orders.Update(t.Context(), s.scope(), empty)
	})
	s.Clock.At = s.Clock.At.Add(48 * time.Hour)
	s.put(func(tx ports.Repos) error {
		return tx.Jobs.Enqueue(t.Context(), task.JobOn(satellite.RefreshJob, order.CompanyID, order.ID, s.Clock.At))
	})
	refresher := satellite.NewRefresher(s.Deps(), unchanged{}, slog.New(slog.DiscardHandler))
	for _, job := range s.Claim() {
		require.NoError(t, refresher.Run(t.Context(), job))
	}
	failed := s.stored(order.ID)
	require.Equal(t, vegetation.Failed, failed.Status)
	require.Contains(t, failed.Reason, "another order costs nothing")
	require.Len(t, s.Events, 1, "of the first computation")

	again, err := s.place(s.first)
	require.NoError(t, err)
	require.Equal(t, order.ID, again.ID)
	require.NoError(t, s.work(seen))
	require.Equal(t, vegetation.Active, s.stored(order.ID).Status)
	require.Equal(t, []credit.Kind{credit.Hold, credit.Capture}, s.ledgerKinds())
}
