package orders

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// onTruth compares a series with what the archive's maker wrote; from names, for a
// day whose pixels were replaced, the day that they come from.
func (h *farmhouse) onTruth(s vegetation.Series, from map[string]string, days ...string) {
	h.Helper()
	values := map[string]float64{}
	for _, o := range s.Observations {
		values[o.Date.Format(time.DateOnly)] = o.Value
	}
	require.Len(h, days, len(s.Observations)+len(s.Rejected))
	for _, day := range days {
		row := h.shelf.Truth[day]
		if by, ok := from[day]; ok {
			row = h.shelf.Truth[by]
		}
		value, accepted := values[day]
		require.Equal(h, row.Accepted, accepted, day)
		if accepted {
			require.InDelta(h, row.MeanNDVI, value, 1e-9, day)
		}
	}
}

func TestARefreshWorksOnWhatChangedAndNothingElse(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		days := []string{"2025-05-05", "2025-05-10", "2025-05-15", "2025-05-20", "2025-05-25", "2025-05-30"}
		h := settle(t, database, days...)
		first := h.retrieve()
		require.False(t, first.Refreshing, "it was made just now")
		h.onTruth(first.Series, nil, days...)
		require.NotEmpty(t, first.Series.Rejected)

		same, read := h.refreshed()
		require.Empty(t, read, "nothing changed: no pixel is read")
		require.Empty(t, h.events(), "and nothing is told")
		require.Equal(t, first.Series, same.Series)
		require.Equal(t, first.Order.UpdatedAt, same.Order.UpdatedAt)

		// A scene arrives late, one is reprocessed, one is gone.
		h.shelf.Replace("2025-05-15", "2025-05-20", "2025-07-02T00:00:00Z")
		now := []string{"2025-05-05", "2025-05-15", "2025-05-20", "2025-05-25", "2025-05-30", "2025-06-04", "2025-06-09"}
		h.shelf.Hold(now...)
		changed, read := h.refreshed()
		require.ElementsMatch(t, []string{h.shelf.Scene("2025-05-15"), h.shelf.Scene("2025-06-04"), h.shelf.Scene("2025-06-09")}, read)
		h.onTruth(changed.Series, map[string]string{"2025-05-15": "2025-05-20"}, now...)
		require.Equal(t, []string{"NDVI"}, h.events())
		require.Equal(t, *changed.Order.LastCheckedAt, changed.Order.UpdatedAt)

		// A refresh that changes how a date was made, but not its figures, emits no event.
		h.shelf.Replace("2025-05-15", "2025-05-20", "2025-07-03T00:00:00Z")
		silent, read := h.refreshed()
		require.Equal(t, []string{h.shelf.Scene("2025-05-15")}, read)
		require.True(t, silent.Series.Same(changed.Series))
		require.Empty(t, h.events())
		_, read = h.refreshed()
		require.Empty(t, read)

		ledger, err := h.orders.Transactions(h.ctx, h.who, ports.Query{})
		require.NoError(t, err)
		require.EqualValues(t, 3, ledger.Count, "credit, hold and capture of the order; a refresh charges nothing")
	})
}

// Every index with a stored series is refreshed, each with its event, after one search.
func TestEveryStoredIndexIsRefreshed(t *testing.T) {
	t.Parallel()
	h := settle(t, rig.SQLite(t), "2025-05-05", "2025-05-20")
	ndmi, err := vegetation.ParseIndex("NDMI")
	require.NoError(t, err)
	further, err := h.computer.Compute(h.ctx, satellite.SeriesRequest{Boundary: h.shelf.Field, From: h.season.StartDate, To: h.season.EndDate, Index: ndmi})
	require.NoError(t, err)
	h.write(func(tx ports.Repos) error { return tx.Orders.PutSeries(h.ctx, h.scope(), h.order, further) })

	h.shelf.Hold("2025-05-05", "2025-05-20", "2025-05-30")
	got, read := h.refreshed()
	require.Equal(t, []string{h.shelf.Scene("2025-05-30")}, read)
	require.ElementsMatch(t, []string{"NDVI", "NDMI"}, h.events())
	require.Len(t, got.Series.Observations, 3)
	h.write(func(tx ports.Repos) error {
		further, err = tx.Orders.Series(h.ctx, h.scope(), h.order, vegetation.Reading{Index: "NDMI"})
		return err
	})
	require.Len(t, further.Observations, 3)
}

// A reading of another mask and data set is refreshed with its order, and is not due afterwards.
func TestEveryReadingIsRefreshed(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h := settle(t, database, "2025-05-05", "2025-05-20")
		before := h.retrieve()
		strict, dataset := vegetation.MaskStrict, vegetation.SentinelL2A
		choice := vegetation.Choice{Mask: &strict, Dataset: &dataset}
		reading := choice.Of(before.Order)
		ndvi, err := vegetation.ParseIndex("NDVI")
		require.NoError(t, err)
		made, err := h.computer.Compute(h.ctx, satellite.SeriesRequest{
			Boundary: h.shelf.Field, From: h.season.StartDate, To: h.season.EndDate, Index: ndvi, Mask: reading.Mask, Dataset: reading.Dataset,
		})
		require.NoError(t, err)
		require.Len(t, made.Observations, 2)
		h.write(func(tx ports.Repos) error {
			d := vegetation.NewDerivation(before.Order, reading, h.clock.Now())
			d.Complete(before.Order, h.clock.Now())
			if err := tx.Orders.PutDerivation(h.ctx, h.scope(), d); err != nil {
				return err
			}
			return tx.Orders.PutSeries(h.ctx, h.scope(), h.order, made)
		})
		h.shelf.Hold("2025-05-05", "2025-05-20", "2025-05-30")
		own, read := h.refreshed()
		require.Equal(t, []string{h.shelf.Scene("2025-05-30")}, read)
		require.Equal(t, []string{"NDVI", "NDVI"}, h.events())
		require.Len(t, own.Series.Observations, 3)
		other, err := h.orders.RetrieveReading(h.ctx, h.who, false, h.order, choice, 0)
		require.NoError(t, err)
		require.Len(t, other.Series.Observations, 3)
		require.Equal(t, []any{vegetation.Active, reading}, []any{other.Order.Status, other.Order.Reading()})
		require.Empty(t, h.due(), "nothing is left to do")
	})
}

// An unavailable source costs nothing: the series stays, the refresh is tried again a
// few times, and then the next retrieve triggers a new one.
func TestASourceThatIsOutIsTriedAgainLater(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h := settle(t, database, "2025-05-05", "2025-05-20")
		before := h.retrieve()
		h.clock.move(25 * time.Hour)
		h.imagery.out = true
		require.True(t, h.retrieve().Refreshing)
		tries := 0
		for jobs := h.due(); len(jobs) > 0; jobs = h.due() {
			tries++
			require.NoError(t, h.refresh.Run(h.ctx, jobs[0]))
			p := h.retrieve()
			require.Equal(t, before.Series, p.Series)
			require.Equal(t, before.Order, p.Order)
			require.True(t, p.Refreshing)
			if tries < vegetation.RefreshRetry.Tries {
				require.Empty(t, h.due(), "not at once")
			}
			h.clock.move(time.Hour)
			if tries == vegetation.RefreshRetry.Tries {
				break
			}
		}
		require.Equal(t, vegetation.RefreshRetry.Tries, tries)
		h.imagery.out = false
		job := h.claim(satellite.RefreshJob)
		require.Equal(t, 1, job.Attempt, "the retrieve after the last try asked anew")
		require.NoError(t, h.refresh.Run(h.ctx, job))
		p := h.retrieve()
		require.False(t, p.Refreshing)
		require.Equal(t, before.Series, p.Series)
		require.Empty(t, h.events())
	})
}

// However many ask, on however many replicas, there is one refresh; and a job that is done
// twice does nothing the second time.
func TestOneRefreshAtATime(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h := settle(t, database, "2025-05-05", "2025-05-20")
		h.clock.move(25 * time.Hour)
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() {
				p, err := h.orders.Retrieve(h.ctx, h.who, false, h.order)
				if err != nil || !p.Refreshing {
					t.Errorf("%v %v", p.Refreshing, err)
				}
			})
		}
		group.Wait()
		job := h.claim(satellite.RefreshJob)
		require.True(t, h.retrieve().Refreshing)
		require.Empty(t, h.due(), "while one runs, no other is asked for")

		// The worker is stopped in the middle, and another one takes the job.
		h.shelf.Hold("2025-05-05", "2025-05-20", "2025-05-30")
		stopped, stop := context.WithCancel(h.ctx)
		h.imagery.stall = stop
		require.ErrorIs(t, h.refresh.Run(stopped, job), context.Canceled)
		h.imagery.stall = nil
		require.Len(t, h.retrieve().Series.Observations, 2)
		h.clock.move(time.Minute)
		again := h.claim(satellite.RefreshJob)
		require.NoError(t, h.refresh.Run(h.ctx, again))
		require.Len(t, h.retrieve().Series.Observations, 3)
		require.Equal(t, []string{"NDVI"}, h.events())

		// The first worker returns late.
		clear(h.imagery.read)
		err := h.refresh.Run(h.ctx, job)
		f, ok := fault.As(err)
		require.True(t, ok && f.Code == "lease_lost", "%v", err)
		require.Empty(t, h.imagery.read)
		require.Empty(t, h.events())
	})
}

// What a refresh works for may be deleted while it waits, or while it works.
func TestARefreshOfWhatIsGoneEndsQuietly(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(h *farmhouse, tx ports.Repos) error{
		"field": func(h *farmhouse, tx ports.Repos) error {
			_, err := tx.Fields.SoftDelete(h.ctx, h.scope(), []int64{h.field.ID}, h.clock.Now())
			return err
		},
		"season": func(h *farmhouse, tx ports.Repos) error {
			_, err := tx.Seasons.SoftDelete(h.ctx, h.scope(), []int64{h.season.ID}, h.clock.Now())
			return err
		},
	} {
		for _, when := range []string{"waiting", "working"} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				h := settle(t, rig.SQLite(t), "2025-05-05", "2025-05-20")
				before := h.retrieve()
				h.clock.move(25 * time.Hour)
				require.True(t, h.retrieve().Refreshing)
				h.shelf.Hold("2025-05-05", "2025-05-20", "2025-05-30")
				deletes := func() { h.write(func(tx ports.Repos) error { return remove(h, tx) }) }
				if when == "working" {
					h.imagery.stall = deletes
				} else {
					deletes()
				}
				require.NoError(t, h.refresh.Run(h.ctx, h.claim(satellite.RefreshJob)))
				require.Empty(t, h.due())
				require.Empty(t, h.events())
				after := h.retrieve()
				require.False(t, after.Refreshing, "nor is it asked for again")
				require.Equal(t, before.Series, after.Series)
				require.Empty(t, h.due())
			})
		}
	}
}

// A refresh that kills its worker each time is not repeated for ever.
func TestARefreshThatKillsItsWorkerIsGivenUp(t *testing.T) {
	t.Parallel()
	h := settle(t, rig.SQLite(t), "2025-05-05")
	h.clock.move(25 * time.Hour)
	h.retrieve()
	var job ports.Job
	for range vegetation.RefreshRetry.Tries + 1 {
		job = h.claim(satellite.RefreshJob)
		h.clock.move(time.Minute) // its lease runs out
	}
	require.NoError(t, h.refresh.Run(h.ctx, job))
	require.Empty(t, h.imagery.read)
	require.Empty(t, h.due())
	require.True(t, h.retrieve().Refreshing, "the next retrieve asks anew")
	require.Equal(t, 1, h.claim(satellite.RefreshJob).Attempt)
}
